// Surfaces: solids from whole numbers, and tubes along a curve.

// Returns a geometry; its corners at a sharp edge are there once for each side, so that its normals show it.
function solidGeometry(THREE, corners, faces, lower, step) {
  const place = Float32Array.from(corners, (each, i) => lower[i % 3] + step * (each + 32768));
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(place, 3));
  geometry.setIndex(new THREE.BufferAttribute(faces, 1));
  geometry.computeVertexNormals();
  return geometry;
}

const AROUND = 14;

// Returns a round tube through `count` points, which `bend(points)` moves.
function tubeGeometry(THREE, count, radius) {
  const geometry = new THREE.BufferGeometry(), rings = AROUND + 1;
  const place = new Float32Array(3 * rings * count), normals = new Float32Array(3 * rings * count);
  const faces = [];
  for (let i = 0; i + 1 < count; i++) {
    for (let j = 0; j < AROUND; j++) {
      const a = rings * i + j, b = a + rings;
      faces.push(a, a + 1, b, b, a + 1, b + 1);
    }
  }
  geometry.setIndex(faces);
  geometry.setAttribute("position", new THREE.BufferAttribute(place, 3));
  geometry.setAttribute("normal", new THREE.BufferAttribute(normals, 3));
  const tangent = new THREE.Vector3(), side = new THREE.Vector3(), other = new THREE.Vector3();
  geometry.bend = (points) => {
    side.set(0, 0, 0);
    for (let i = 0; i < count; i++) {
      const before = 3 * Math.max(i - 1, 0), after = 3 * Math.min(i + 1, count - 1);
      tangent.set(...[0, 1, 2].map((k) => points[after + k] - points[before + k])).normalize();
      if (!side.lengthSq()) {
        side.set(Math.abs(tangent.z) < 0.9 ? 0 : 1, 0, Math.abs(tangent.z) < 0.9 ? 1 : 0);
      }
      side.addScaledVector(tangent, -side.dot(tangent)).normalize(); // carried along without turning
      other.crossVectors(tangent, side);
      for (let j = 0; j < rings; j++) {
        const c = Math.cos((2 * Math.PI * j) / AROUND), s = Math.sin((2 * Math.PI * j) / AROUND);
        const at = 3 * (rings * i + j);
        for (let k = 0; k < 3; k++) {
          const n = c * side.getComponent(k) + s * other.getComponent(k);
          normals[at + k] = n;
          place[at + k] = points[3 * i + k] + radius * n;
        }
      }
    }
    geometry.attributes.position.needsUpdate = geometry.attributes.normal.needsUpdate = true;
    geometry.computeBoundingSphere();
  };
  return geometry;
}
