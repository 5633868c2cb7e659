// A camera that turns about a point: by mouse, by touch and by keys. The world's z axis is up.

const STEP = 0.12;

class Orbit {
  constructor(THREE, camera, canvas, changed) {
    Object.assign(this, { THREE, camera, canvas, changed });
    this.target = new THREE.Vector3();
    this.azimuth = 0.7; this.elevation = 0.4; this.distance = 3;
    this.box = null;
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

  // Look at the whole box from a side: as near as its corners allow.
  fit(azimuth, elevation) {
    const { THREE, camera } = this;
    Object.assign(this, { azimuth, elevation, home: [azimuth, elevation], own: false });
    const [low, high] = this.box;
    this.target.addVectors(low, high).multiplyScalar(0.5);
    const back = this.direction();
    const right = new THREE.Vector3().crossVectors(camera.up, back).normalize();
    const up = new THREE.Vector3().crossVectors(back, right);
    const rise = Math.tan((camera.fov * Math.PI) / 360), width = rise * camera.aspect;
    const corner = new THREE.Vector3();
    this.distance = 0;
    for (let k = 0; k < 8; k++) {
      corner.set(...[0, 1, 2].map((i) => ((k >> i) & 1 ? high : low).getComponent(i))).sub(this.target);
      const near = corner.dot(back);
      const sides = [Math.abs(corner.dot(right)) / width, Math.abs(corner.dot(up)) / rise];
      this.distance = Math.max(this.distance, near + 1.06 * Math.max(...sides));
    }
    const size = high.distanceTo(low);
    camera.near = 0.02 * size; camera.far = 40 * size;
    camera.updateProjectionMatrix();
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
    const size = this.box[0].distanceTo(this.box[1]);
    this.distance = Math.min(20 * size, Math.max(0.05 * size, this.distance * factor));
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
