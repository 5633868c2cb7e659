// Each scene is set up after the first paint, when the reader comes near it. What goes wrong leaves the still
// picture, with a sentence.

async function startScene(figure) {
  const canvas = figure.querySelector('[data-scene="canvas"]');
  if (!document.createElement("canvas").getContext("webgl2")) throw new Error("there is no WebGL");
  const [THREE, data] = await Promise.all([threeJs(), sceneData(figure)]);
  canvas.hidden = false;
  const low = new THREE.Vector3(...data.low), high = new THREE.Vector3(...data.high);
  const stage = new Stage(THREE, canvas, low, high);
  let waiting = false;
  const draw = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; stage.draw(); });
  };
  const actors = new Actors(THREE, data, stage);
  const cloud = data.cloud.map((point) => new THREE.Vector3(...point));
  const orbit = new Orbit(THREE, stage, cloud, draw);
  const player = new Player(figure, data, actors, orbit, draw);
  stage.resize();
  stage.theme();
  orbit.fit(...data.views.home);
  player.seek(player.time);
  stage.draw();
  figure.classList.add("ready");
  figure.dataset.state = "ready";

  new ResizeObserver(() => { if (stage.resize()) { orbit.resized(); stage.draw(); } }).observe(canvas);
  const recolour = () => { stage.theme(); draw(); };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolour);
  new MutationObserver(recolour).observe(document.documentElement, { attributes: true });
  new IntersectionObserver(([entry]) => player.look(entry.isIntersecting)).observe(canvas);
  hoverNames(THREE, figure, canvas, stage, actors, orbit);
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (data.count > 1 && data.plays && !calm) player.play(true);
}

function hoverNames(THREE, figure, canvas, stage, actors, orbit) {
  const label = figure.querySelector('[data-scene="hover"]');
  const ray = new THREE.Raycaster(), at = new THREE.Vector2();
  let last = 0;
  canvas.addEventListener("pointermove", (event) => {
    if (orbit.turning || event.timeStamp - last < 80) return;
    last = event.timeStamp;
    const box = canvas.getBoundingClientRect();
    at.set(((event.clientX - box.left) / box.width) * 2 - 1, 1 - ((event.clientY - box.top) / box.height) * 2);
    ray.setFromCamera(at, stage.camera);
    label.textContent = actors.named(ray);
  });
  canvas.addEventListener("pointerleave", () => { label.textContent = ""; });
}

function failed(figure, error) {
  figure.dataset.state = "failed";
  figure.querySelector('[data-scene="canvas"]').hidden = true;
  figure.querySelector('[data-scene="failed"]').hidden = false;
  for (const each of figure.querySelectorAll(".scene-control")) each.hidden = true;
  console.info(`The 3D scene is a still picture: ${error.message}`);
}

function watchScenes() {
  const seen = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting || target.dataset.state) continue;
      target.dataset.state = "loading";
      seen.unobserve(target);
      startScene(target).catch((error) => failed(target, error));
    }
  }, { rootMargin: "600px" });
  for (const figure of document.querySelectorAll("figure.scene:not([data-state])")) seen.observe(figure);
}

requestAnimationFrame(() => setTimeout(watchScenes)); // after the first paint
