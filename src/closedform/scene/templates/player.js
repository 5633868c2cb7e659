// The controls of a scene: play and pause, speed, time, views, marks. They work by keys as well.

const REST = 0.7;

class Player {
  constructor(figure, data, actors, orbit, draw) {
    Object.assign(this, { figure, data, actors, orbit, draw });
    this.t = data.arrays.t;
    this.time = this.t[0];
    this.playing = false;
    this.inView = true;
    this.find = (name) => figure.querySelector(`[data-scene="${name}"]`);
    this.connect();
  }

  get end() { return this.t[this.t.length - 1]; }

  connect() {
    const { find, figure, data, actors, orbit } = this;
    const canvas = find("canvas");
    if (data.count > 1) {
      find("play").addEventListener("click", () => this.play(!this.playing));
      find("time").addEventListener("input", (event) => { this.play(false); this.seek(this.at(Number(event.target.value))); });
      const speed = find("speed");
      this.speed = Number(speed.value);
      speed.addEventListener("change", () => { this.speed = Number(speed.value); });
      canvas.addEventListener("keydown", (event) => {
        if (event.key !== " ") return;
        event.preventDefault();
        this.play(!this.playing);
      });
    }
    find("view").addEventListener("change", (event) => { orbit.fit(...data.views[event.target.value]); });
    for (const box of figure.querySelectorAll("[data-mark]")) {
      const show = () => {
        actors.show(box.dataset.mark, box.checked);
        if (box.dataset.mark === "torques") find("bars").hidden = !box.checked;
        this.seek(this.time);
      };
      box.addEventListener("change", show);
      actors.show(box.dataset.mark, box.checked); // a page that is loaded again keeps what was chosen
      if (box.dataset.mark === "torques") find("bars").hidden = !box.checked;
    }
  }

  // The slider counts thousandths of the motion.
  at(part) { return this.t[0] + (part / 1000) * (this.end - this.t[0]); }

  play(on) {
    if (on && this.time >= this.end) this.time = this.t[0];
    this.playing = on;
    this.last = null;
    const button = this.find("play");
    button.textContent = on ? "Pause" : "Play";
    button.setAttribute("aria-pressed", String(on));
    if (on) requestAnimationFrame((now) => this.tick(now));
  }

  tick(now) {
    if (!this.playing || !this.inView || !this.figure.isConnected) { this.last = null; return; }
    const passed = Math.min((now - (this.last ?? now)) / 1000, 0.1) * this.speed;
    this.last = now;
    let time = this.time + this.data.pace * passed;
    this.rest = time >= this.end ? (this.rest ?? 0) + passed : null;
    if (time >= this.end) time = this.rest > REST ? this.t[0] : this.end;
    this.seek(time);
    requestAnimationFrame((next) => this.tick(next));
  }

  look(inView) {
    const back = inView && !this.inView;
    this.inView = inView;
    if (back && this.playing) requestAnimationFrame((now) => this.tick(now));
  }

  seek(time) {
    const { t, data, find } = this;
    this.time = time;
    let low = 0, high = t.length - 1;
    while (high - low > 1) { const middle = (low + high) >> 1; if (t[middle] <= time) low = middle; else high = middle; }
    const span = t[high] - t[low], f = span > 0 ? Math.min(1, Math.max(0, (time - t[low]) / span)) : 0;
    this.actors.pose(low, f);
    if (data.count > 1) {
      const slider = find("time"), text = `${time.toFixed(2)} ${data.unit}`;
      slider.value = Math.round((1000 * (time - t[0])) / (this.end - t[0]));
      slider.setAttribute("aria-valuetext", text);
      find("clock").value = text;
    }
    if (this.actors.shown.has("torques")) this.bars(low, Math.min(low + 1, t.length - 1), f);
    this.draw();
  }

  bars(k, next, f) {
    const shares = between(this.data.arrays.shares, this.data.torques.length, k, next, f);
    this.find("bars").querySelectorAll("li").forEach((item, j) => {
      const share = shares[j], { most, unit } = this.data.torques[j];
      const part = Math.min(Math.abs(share), 1);
      const bar = item.querySelector("i");
      bar.style.left = share < 0 ? `${50 - 50 * part}%` : "50%";
      bar.style.width = `${50 * part}%`;
      bar.classList.toggle("high", part > 0.8);
      item.querySelector("output").value = `${(share * most).toPrecision(3)} ${unit}`;
    });
  }
}
