// Surfaces: solids from whole numbers, edges kept sharp, and tubes along a curve.

const CREASE = Math.cos((38 * Math.PI) / 180);

// Returns a geometry whose normals are smooth except across edges sharper than the crease.
function solidGeometry(THREE, corners, faces, lower, step) {
  const count = faces.length, keys = new Map();
  const place = new Float32Array(3 * count), flat = new Float32Array(count), around = [];
  for (let i = 0; i < count; i++) {
    for (let j = 0; j < 3; j++) place[3 * i + j] = lower[j] + step * (corners[3 * faces[i] + j] + 32768);
  }
  for (let f = 0; f < count; f += 3) {
    const [ax, ay, az, bx, by, bz, cx, cy, cz] = place.subarray(3 * f, 3 * f + 9);
    const ux = bx - ax, uy = by - ay, uz = bz - az, vx = cx - ax, vy = cy - ay, vz = cz - az;
    flat.set([uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx], f);
  }
  const vertex = Array.from({ length: count }, (_, i) => {
    const k = 3 * faces[i];
    const key = ((corners[k] + 32768) * 65536 + corners[k + 1] + 32768) * 65536 + corners[k + 2] + 32768;
    if (!keys.has(key)) { keys.set(key, around.length); around.push([]); }
    around[keys.get(key)].push(3 * Math.floor(i / 3));
    return keys.get(key);
  });
  const size = (f) => Math.hypot(flat[f], flat[f + 1], flat[f + 2]) || 1;
  const sizes = Float32Array.from({ length: count / 3 }, (_, f) => size(3 * f));
  const normals = new Float32Array(3 * count);
  for (let i = 0; i < count; i++) {
    const own = 3 * Math.floor(i / 3);
    let x = 0, y = 0, z = 0;
    for (const f of around[vertex[i]]) {
      const dot = flat[own] * flat[f] + flat[own + 1] * flat[f + 1] + flat[own + 2] * flat[f + 2];
      if (dot >= CREASE * sizes[own / 3] * sizes[f / 3]) { x += flat[f]; y += flat[f + 1]; z += flat[f + 2]; }
    }
    const length = Math.hypot(x, y, z) || 1;
    normals.set([x / length, y / length, z / length], 3 * i);
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(place, 3));
  geometry.setAttribute("normal", new THREE.BufferAttribute(normals, 3));
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
