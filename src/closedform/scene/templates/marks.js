// Marks of what the numbers say, each a group that can be shown: `at(k, next, f)` moves it with the motion.

const RED = 0xd62728, GREEN = 0x2ca02c, BLUE = 0x1f77b4;

function between(values, width, k, next, f) {
  return Array.from({ length: width }, (_, i) => {
    const a = values[k * width + i];
    return a + f * (values[next * width + i] - a);
  });
}

function makeMarks(actors) {
  const { THREE, data, root, array, stage } = actors, size = stage.size;
  const plain = (color, opacity = 1) => new THREE.MeshStandardMaterial({
    color, opacity, transparent: opacity < 1, depthWrite: opacity === 1, roughness: 0.6 });
  const over = (color) => new THREE.MeshBasicMaterial({ color, depthTest: false, transparent: true });
  const ball = new THREE.SphereGeometry(1, 24, 16);
  const marks = {};
  const mark = (name, at) => {
    marks[name] = { group: new THREE.Group(), at };
    marks[name].group.visible = false;
    root.add(marks[name].group);
    return marks[name].group;
  };
  const carried = (name) => { // groups on the rows that are shown together
    const groups = new Map(), owner = { set visible(on) { for (const each of groups.values()) each.visible = on; } };
    marks[name] = { group: owner };
    return (row) => {
      if (!groups.has(row)) { groups.set(row, new THREE.Group()); actors.on(row).add(groups.get(row)); }
      groups.get(row).visible = false;
      return groups.get(row);
    };
  };

  if (data.frames) {
    const on = carried("frames"), length = 0.055 * size;
    const stick = new THREE.CylinderGeometry(0.035 * length, 0.035 * length, length, 8);
    stick.translate(0, length / 2, 0);
    const materials = [RED, GREEN, BLUE].map(over);
    const turns = [[0, 0, -Math.PI / 2], [0, 0, 0], [Math.PI / 2, 0, 0]];
    for (const { row, placement } of data.frames) {
      const axes = new THREE.Group();
      axes.applyMatrix4(new THREE.Matrix4().fromArray(placement).transpose());
      turns.forEach((turn, k) => {
        const mesh = new THREE.Mesh(stick, materials[k]);
        mesh.rotation.set(...turn);
        mesh.renderOrder = 3;
        axes.add(mesh);
      });
      on(row).add(axes);
    }
  }

  if (data.centres) {
    const on = carried("centres"), lighter = over(0xe0a100), heaviest = Math.max(...data.centres.map((each) => each.mass));
    for (const { row, centre, mass } of data.centres) {
      const mesh = new THREE.Mesh(ball, lighter);
      mesh.position.set(...centre);
      mesh.scale.setScalar(0.018 * size * Math.cbrt(Math.max(mass / heaviest, 0.02)));
      mesh.renderOrder = 4;
      on(row).add(mesh);
    }
    const total = new THREE.Mesh(ball, over(0xc0306b)), line = new THREE.Mesh(
      new THREE.CylinderGeometry(0.002 * size, 0.002 * size, 1, 8), over(0xc0306b));
    total.scale.setScalar(0.022 * size);
    total.renderOrder = line.renderOrder = 5;
    stage.world.add(total, line);
    const inner = marks.centres.group;
    marks.centres.group = { set visible(on) { inner.visible = on; total.visible = line.visible = on; } };
    marks.centres.group.visible = false;
    marks.centres.at = (k, next, f) => {
      total.position.set(...between(array.centre, 3, k, next, f)).applyQuaternion(root.quaternion);
      const floor = data.low[2], height = Math.max(total.position.z - floor, 1e-6);
      line.position.set(total.position.x, total.position.y, floor + height / 2);
      line.rotation.x = Math.PI / 2;
      line.scale.y = height;
    };
  }

  if (data.inertias) {
    const on = carried("inertias"), material = plain(0x8a5fc7, 0.75);
    for (const { row, placement } of data.inertias) {
      const mesh = new THREE.Mesh(ball, material);
      mesh.applyMatrix4(new THREE.Matrix4().fromArray(placement).transpose());
      on(row).add(mesh);
    }
  }

  if (data.torques) {
    const on = carried("torques"), segments = 96, most = 1.75 * Math.PI;
    const radius = 0.062 * size * Math.min(1, Math.sqrt(8 / data.torques.length)); // many joints are close together
    const low = new THREE.Color(BLUE), high = new THREE.Color(0xd9622b);
    const arc = () => new THREE.TorusGeometry(radius, 0.1 * radius, 10, segments, most);
    const track = new THREE.TorusGeometry(radius, 0.02 * radius, 6, segments, most), grey = over(0x8a939c);
    const bar = () => new THREE.CylinderGeometry(0.16 * radius, 0.16 * radius, 2 * radius, 12).translate(0, radius, 0);
    const bars = data.torques.map(({ row, point, axis, slides }) => {
      const mesh = new THREE.Mesh(slides ? bar() : arc(), over(BLUE));
      mesh.position.set(...point);
      mesh.renderOrder = 4;
      const along = new THREE.Vector3(...axis);
      const from = new THREE.Vector3(0, slides ? 1 : 0, slides ? 0 : 1);
      const turns = [along, along.clone().negate()].map((each) => new THREE.Quaternion().setFromUnitVectors(from, each));
      const rail = new THREE.Mesh(track, grey); // as far as the most goes
      rail.position.copy(mesh.position);
      rail.renderOrder = 3;
      on(row).add(mesh);
      if (!slides) on(row).add(rail);
      return { mesh, rail, slides, turns, full: mesh.geometry.index.count };
    });
    marks.torques.at = (k, next, f) => {
      between(array.shares, bars.length, k, next, f).forEach((share, j) => {
        const { mesh, rail, slides, turns, full } = bars[j], part = Math.min(Math.abs(share), 1);
        mesh.quaternion.copy(turns[share < 0 ? 1 : 0]);
        rail.quaternion.copy(mesh.quaternion);
        mesh.visible = part > 0.004;
        if (slides) mesh.scale.y = Math.max(part, 1e-3);
        else shortened(mesh.geometry, part, segments, full);
        mesh.material.color.lerpColors(low, high, part ** 1.5);
      });
    };
  }

  if (data.manipulability) {
    const ellipsoid = new THREE.Mesh(ball, plain(0x2f9e6e, 0.4));
    ellipsoid.matrixAutoUpdate = false;
    mark("manipulability", (k, next, f) => {
      const s = between(array.manipulability, 9, k, next, f), p = between(array.tool, 3, k, next, f);
      ellipsoid.matrix.set(s[0], s[1], s[2], p[0], s[3], s[4], s[5], p[1], s[6], s[7], s[8], p[2], 0, 0, 0, 1);
    }).add(ellipsoid);
  }

  if (data.path) {
    const points = array.tool, many = points.length / 3;
    const geometry = tubeGeometry(THREE, many, 0.0016 * size);
    geometry.bend(points);
    mark("path").add(new THREE.Mesh(geometry, new THREE.MeshBasicMaterial({ color: 0xd9622b })));
  }
  return marks;
}

// Show a part of a torus: its triangles go around ring by ring, so those of an arc are the first of each ring.
function shortened(torus, part, segments, full) {
  torus.userData.whole ??= torus.index.array.slice();
  const { whole } = torus.userData, rings = full / 6 / segments, kept = Math.round(part * segments);
  for (let ring = 0; ring < rings; ring++) {
    const start = 6 * segments * ring;
    torus.index.array.set(whole.subarray(start, start + 6 * kept), 6 * kept * ring);
  }
  torus.index.needsUpdate = true;
  torus.setDrawRange(0, 6 * kept * rings);
}
