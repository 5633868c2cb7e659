// The stage: a canvas, lights with a soft shadow, and a ground that fades out, in the colours of the page.

const GROUND = {
  vertexShader: "varying vec2 at; void main() { at = position.xy;" +
    " gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }",
  fragmentShader: "uniform vec3 colour; uniform float reach; uniform float pitch; varying vec2 at;" +
    " float line(float p) { vec2 d = abs(fract(at / p - 0.5) - 0.5) / fwidth(at / p);" +
    " return 1.0 - min(min(d.x, d.y), 1.0); }" +
    " void main() { float fade = 1.0 - smoothstep(0.25, 1.0, length(at) / reach);" +
    " float ink = max(0.5 * line(pitch), line(5.0 * pitch));" +
    " gl_FragColor = vec4(colour, fade * ink); }",
};

class Stage {
  constructor(THREE, canvas, low, high) {
    this.THREE = THREE;
    this.canvas = canvas;
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, alpha: true });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.renderer.toneMapping = THREE.NeutralToneMapping;
    this.world = new THREE.Scene();
    this.camera = new THREE.PerspectiveCamera(32, 1, 0.01, 100);
    this.camera.up.set(0, 0, 1);
    this.size = high.distanceTo(low);
    this.middle = low.clone().add(high).multiplyScalar(0.5);
    this.light();
    this.ground(low.z);
  }

  light() {
    const { THREE, world, size, middle } = this;
    this.sky = new THREE.HemisphereLight(0xffffff, 0x8a8f98, 1.5);
    this.sky.position.set(0, 0, 1);
    const sun = new THREE.DirectionalLight(0xffffff, 2.7);
    sun.position.copy(middle).add(new THREE.Vector3(0.5, 0.25, 1.1).multiplyScalar(1.6 * size));
    sun.target.position.copy(middle);
    sun.castShadow = true;
    const reach = 0.75 * size;
    Object.assign(sun.shadow.camera, {
      left: -reach, right: reach, top: reach, bottom: -reach, near: 0.3 * size, far: 4 * size });
    sun.shadow.mapSize.set(2048, 2048);
    sun.shadow.radius = 5;
    sun.shadow.normalBias = 0.004 * size;
    sun.shadow.bias = -0.0005;
    const fill = new THREE.DirectionalLight(0xffffff, 0.6);
    fill.position.copy(middle).add(new THREE.Vector3(-1, -0.7, 0.5).multiplyScalar(size));
    fill.target.position.copy(middle);
    world.add(this.sky, sun, sun.target, fill, fill.target);
  }

  ground(height) {
    const { THREE, world, size, middle } = this;
    const pitch = 10 ** Math.floor(Math.log10(size / 2)) * (size / 2 / 10 ** Math.floor(Math.log10(size / 2)) < 3 ? 0.1 : 0.5);
    const reach = 2.2 * size;
    this.lines = new THREE.ShaderMaterial({
      ...GROUND, transparent: true, depthWrite: false,
      uniforms: { colour: { value: new THREE.Color() }, reach: { value: reach }, pitch: { value: pitch } } });
    this.shade = new THREE.ShadowMaterial({ opacity: 0.3, depthWrite: false });
    const disc = new THREE.CircleGeometry(reach, 64);
    [this.lines, this.shade].forEach((material, k) => {
      const mesh = new THREE.Mesh(disc, material);
      mesh.position.set(middle.x, middle.y, height - 0.001 * size * (1 + k));
      mesh.receiveShadow = k === 1;
      mesh.renderOrder = -1;
      world.add(mesh);
    });
  }

  // Take the colours that the page has now.
  theme() {
    const line = this.lines.uniforms.colour.value;
    line.setStyle(getComputedStyle(this.canvas).caretColor, this.THREE.NoColorSpace);
    const dark = line.g < 0.5; // a shadow on dark ground must be deeper to be seen
    this.shade.opacity = dark ? 0.5 : 0.28;
    this.sky.intensity = dark ? 1.7 : 1.8;
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!width || !height) return false;
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 2));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    return true;
  }

  draw() { this.renderer.render(this.world, this.camera); }
}
