// A camera that turns about a point: by mouse, by touch and by keys. The world's z axis is up.

const STEP = 0.12;
const FILLED = 0.86;

class Orbit {
  // The camera fits `cloud`, points around what moves; `size` is about theirs.
  constructor(THREE, { camera, canvas, middle, size }, cloud, changed) {
    Object.assign(this, { THREE, camera, canvas, middle, size, cloud, changed });
    this.target = new THREE.Vector3();
    this.azimuth = 0.7; this.elevation = 0.4; this.distance = 3;
    this.pointers = new Map();
    canvas.addEventListener("pointerdown", (event) => this.press(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    for (const end of ["pointerup", "pointercancel"]) {
      canvas.addEventListener(end, (event) => this.pointers.delete(event.pointerId));
    }
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("keydown", (event) => this.key(event));
  }

  get turning() { return this.pointers.size > 0; }

  direction() {
    const c = Math.cos(this.elevation);
    return new this.THREE.Vector3(
      c * Math.cos(this.azimuth), c * Math.sin(this.azimuth), Math.sin(this.elevation));
  }

  place() {
    this.camera.position.copy(this.target).addScaledVector(this.direction(), this.distance);
    this.camera.lookAt(this.target);
    this.changed();
  }

  // Look at all that moves from a side, as near as the picture allows.
  fit(azimuth, elevation) {
    const { camera, cloud } = this;
    Object.assign(this, { azimuth, elevation, home: [azimuth, elevation], own: false });
    this.target.copy(this.middle);
    this.distance = 3 * this.size;
    camera.near = 0.02 * this.size;
    camera.far = 40 * this.size;
    camera.updateProjectionMatrix();
    const seen = new this.THREE.Vector3(), rise = Math.tan((camera.fov * Math.PI) / 360);
    for (let round = 0; round < 8; round++) { // perspective makes the centre move with the distance
      this.place();
      camera.updateMatrixWorld();
      const low = [Infinity, Infinity], high = [-Infinity, -Infinity];
      for (const point of cloud) {
        const at = seen.copy(point).project(camera).toArray();
        for (const i of [0, 1]) { low[i] = Math.min(low[i], at[i]); high[i] = Math.max(high[i], at[i]); }
      }
      const half = this.distance * rise, middle = [0, 1].map((i) => (low[i] + high[i]) / 2);
      this.target.addScaledVector(seen.setFromMatrixColumn(camera.matrixWorld, 0), middle[0] * half * camera.aspect);
      this.target.addScaledVector(seen.setFromMatrixColumn(camera.matrixWorld, 1), middle[1] * half);
      this.distance *= Math.max(high[0] - low[0], high[1] - low[1], 0.02) / (2 * FILLED);
    }
    this.place();
  }

  // The shape of the picture has changed: fit again unless the reader has moved the camera.
  resized() { if (this.own) this.place(); else this.fit(...this.home); }

  turn(right, up) {
    this.azimuth -= right;
    this.elevation = Math.min(1.55, Math.max(-1.55, this.elevation + up));
    this.own = true;
    this.place();
  }

  shift(right, up) {
    const sides = new this.THREE.Vector3().setFromMatrixColumn(this.camera.matrix, 0);
    const rises = new this.THREE.Vector3().setFromMatrixColumn(this.camera.matrix, 1);
    const scale = this.distance / this.canvas.clientHeight;
    this.target.addScaledVector(sides, -right * scale).addScaledVector(rises, up * scale);
    this.own = true;
    this.place();
  }

  zoom(factor) {
    this.distance = Math.min(20 * this.size, Math.max(0.05 * this.size, this.distance * factor));
    this.own = true;
    this.place();
  }

  press(event) {
    this.canvas.setPointerCapture(event.pointerId);
    this.canvas.focus({ preventScroll: true });
    this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY, shifts: event.button > 0 });
  }

  move(event) {
    const last = this.pointers.get(event.pointerId);
    if (!last) return;
    const right = event.clientX - last.x, up = event.clientY - last.y;
    if (this.pointers.size > 1) {
      const [other] = [...this.pointers].filter(([id]) => id !== event.pointerId).map(([, each]) => each);
      const before = Math.hypot(last.x - other.x, last.y - other.y);
      const after = Math.hypot(event.clientX - other.x, event.clientY - other.y);
      this.shift(right / 2, up / 2);
      if (before > 4 && after > 4) this.zoom(before / after);
    } else if (last.shifts || event.shiftKey) {
      this.shift(right, up);
    } else {
      this.turn((3.2 * right) / this.canvas.clientHeight, (3.2 * up) / this.canvas.clientHeight);
    }
    Object.assign(last, { x: event.clientX, y: event.clientY });
  }

  // The wheel scrolls the page until the reader has clicked into the picture.
  wheel(event) {
    if (document.activeElement !== this.canvas && !event.ctrlKey) return;
    event.preventDefault();
    this.zoom(Math.exp(Math.max(-0.3, Math.min(0.3, 0.0015 * event.deltaY))));
  }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const arrow = arrows[event.key];
    if (arrow && event.shiftKey) this.shift(-40 * arrow[0], 40 * arrow[1]);
    else if (arrow) this.turn(STEP * arrow[0], STEP * arrow[1]);
    else if (event.key === "+" || event.key === "=") this.zoom(1 / 1.15);
    else if (event.key === "-") this.zoom(1.15);
    else if (event.key === "Home") this.fit(...this.home);
    else return;
    event.preventDefault();
  }
}
