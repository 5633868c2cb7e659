// What moves: rows of poses, the solids on them, tubes that bend, and marks of what the numbers say.

class Actors {
  constructor(THREE, data, stage) {
    Object.assign(this, { THREE, data, stage, array: data.arrays });
    this.root = new THREE.Group();
    this.root.quaternion.setFromRotationMatrix(
      new THREE.Matrix4().setFromMatrix3(new THREE.Matrix3().fromArray(data.turn).transpose()));
    stage.world.add(this.root);
    this.rows = Array.from({ length: data.rows }, () => new THREE.Group());
    this.still = new THREE.Group();
    this.root.add(this.still, ...this.rows);
    this.materials = new Map();
    this.solids = data.solids.map((each) => this.solid(each));
    this.tubes = data.tubes.map((each) => this.tube(each));
    this.marks = makeMarks(this);
    this.shown = new Set();
    this.quaternion = [0, 0, 0, 1];
  }

  on(row) { return row < 0 ? this.still : this.rows[row]; }

  material([red, green, blue, opacity], ghost = false) {
    const key = [red, green, blue, opacity, ghost].join();
    if (!this.materials.has(key)) {
      const { THREE } = this;
      const material = new THREE.MeshStandardMaterial({
        color: new THREE.Color().setRGB(red, green, blue, THREE.SRGBColorSpace), roughness: 0.55, metalness: 0.05,
        side: THREE.DoubleSide, polygonOffset: ghost, polygonOffsetFactor: 2, polygonOffsetUnits: 2 });
      material.userData = { opacity: ghost ? 0.3 * opacity : opacity, ghost };
      this.materials.set(key, material);
      this.see(material, false);
    }
    return this.materials.get(key);
  }

  // Marks inside the robot are seen through it.
  see(material, through) {
    const { opacity } = material.userData;
    material.opacity = through ? 0.22 * opacity : opacity;
    material.transparent = material.opacity < 1;
    material.depthWrite = material.opacity > 0.9;
  }

  solid({ row, name, colour, ghost, vertices, faces, lower, step }) {
    const { corners, triangles, long_triangles } = this.array;
    const [start, count] = faces.slice(0, 2);
    const source = faces[2] ? long_triangles : triangles;
    const geometry = solidGeometry(
      this.THREE, corners.subarray(3 * vertices[0], 3 * (vertices[0] + vertices[1])),
      source.subarray(3 * start, 3 * (start + count)), lower, step);
    const mesh = new this.THREE.Mesh(geometry, this.material(colour, ghost));
    mesh.castShadow = !ghost;
    mesh.receiveShadow = !ghost;
    mesh.userData.name = name;
    this.on(row).add(mesh);
    return mesh;
  }

  tube({ first, count, radius, colour, name, ghost }) {
    const geometry = tubeGeometry(this.THREE, count, radius);
    const mesh = new this.THREE.Mesh(geometry, this.material(colour, ghost));
    mesh.castShadow = mesh.receiveShadow = !ghost;
    mesh.userData.name = name;
    this.root.add(mesh);
    return { geometry, first, count, points: new Float32Array(3 * count) };
  }

  // Show a mark, or hide it; the robot becomes transparent while marks inside it are shown.
  show(name, visible) {
    this.marks[name].group.visible = visible;
    if (visible) this.shown.add(name); else this.shown.delete(name);
    const through = ["centres", "inertias", "frames"].some((each) => this.shown.has(each));
    for (const material of this.materials.values()) this.see(material, through);
  }

  // Between samples k and k + 1, by the fraction f.
  pose(k, f) {
    const { poses, curves } = this.array, { count, stations } = this.data;
    const next = Math.min(k + 1, count - 1), size = 7 * this.rows.length;
    this.rows.forEach((row, r) => {
      const a = k * size + 7 * r, b = next * size + 7 * r;
      row.position.set(...[0, 1, 2].map((i) => poses[a + i] + f * (poses[b + i] - poses[a + i])));
      this.THREE.Quaternion.slerpFlat(this.quaternion, 0, poses, a + 3, poses, b + 3, f);
      row.quaternion.fromArray(this.quaternion);
    });
    for (const { geometry, first, count: many, points } of this.tubes) {
      const a = 3 * (k * stations + first), b = 3 * (next * stations + first);
      for (let i = 0; i < 3 * many; i++) points[i] = curves[a + i] + f * (curves[b + i] - curves[a + i]);
      geometry.bend(points);
    }
    for (const name of this.shown) this.marks[name].at?.(k, next, f);
  }

  // Name of what a ray meets first.
  named(ray) {
    const meshes = this.root.children.filter((each) => each.isMesh && each.userData.name).concat(this.solids);
    const [hit] = ray.intersectObjects(meshes, false);
    return hit ? hit.object.userData.name : "";
  }
}
