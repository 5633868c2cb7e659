// What a page holds: three.js and the numbers of each scene, both compressed.

async function inflated(element) {
  const bytes = Uint8Array.from(atob(element.textContent.trim()), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

let loading = null;

// Returns the module of three.js, which is read once. It consists of two files, and modules that come from
// memory have no folder: the second is told the address of the first.
function threeJs() {
  const address = (text) => URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  const file = (name) => inflated(document.querySelector(`script[data-three="${name}"]`));
  loading ??= Promise.all([file("core"), file("module")]).then(([core, main]) => {
    const text = new TextDecoder().decode(main);
    return import(address(text.replaceAll("./three.core.min.js", address(core))));
  });
  return loading;
}

const ARRAYS = { float32: Float32Array, int16: Int16Array, uint16: Uint16Array, uint32: Uint32Array };

// Returns the words of a scene, with `arrays` of its numbers by name.
async function sceneData(figure) {
  const words = JSON.parse(figure.querySelector("script.scene-words").textContent);
  const buffer = await inflated(figure.querySelector("script.scene-numbers"));
  const arrays = {};
  for (const [name, { type, start, count }] of Object.entries(words.layout)) {
    arrays[name] = new ARRAYS[type](buffer, start, count);
  }
  return { ...words, arrays };
}
