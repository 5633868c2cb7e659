// Figures: the plotting library is unpacked after the first paint, and each figure drawn when it comes near.
"use strict";
(() => {
  const NARROW = 600; // as in page.css
  const clear = "rgba(0, 0, 0, 0)";
  const family = getComputedStyle(document.body).fontFamily;
  const probe = document.createElement("i");
  probe.hidden = true;
  document.body.append(probe);
  const colour = (name) => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };

  let library = null;
  function plotly() {
    library ??= (async () => {
      if (!("DecompressionStream" in window)) throw new Error("this browser cannot unpack the plotting library (it has no DecompressionStream)");
      const letters = atob(document.getElementById("plotly").textContent);
      const bytes = new Uint8Array(letters.length);
      for (let k = 0; k < letters.length; k++) bytes[k] = letters.charCodeAt(k);
      const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
      const text = await new Response(stream).blob();
      const address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
      await new Promise((resolve, reject) => {
        const script = document.createElement("script");
        script.src = address;
        script.onload = resolve;
        script.onerror = () => reject(new Error("this browser did not run the plotting library"));
        document.head.append(script);
      });
      URL.revokeObjectURL(address);
    })();
    return library;
  }

  function themed(plot) {
    const ink = colour("--ink"), muted = colour("--muted"), line = colour("--line"), paper = colour("--paper");
    const axis = (a) => Object.assign(a, { gridcolor: line, zerolinecolor: line, linecolor: line, tickcolor: line });
    const layout = plot.layout;
    layout.paper_bgcolor = layout.plot_bgcolor = clear;
    layout.font = { color: muted, family, size: 12 };
    layout.hoverlabel = Object.assign(layout.hoverlabel || {}, {
      bgcolor: paper, bordercolor: line, font: { color: ink, family, size: 12 } });
    layout.modebar = { bgcolor: clear, color: line, activecolor: muted };
    for (const key of Object.keys(layout)) if (/^[xy]axis\d*$/.test(key)) axis(layout[key]);
    if (layout.scene) {
      layout.scene.bgcolor = clear;
      for (const key of ["xaxis", "yaxis", "zaxis"]) {
        Object.assign(axis(layout.scene[key]), { gridcolor: muted, showbackground: false });
      }
    }
    for (const trace of plot.data) {
      if (trace.meta && trace.meta.diverging) {
        trace.colorscale = [[0, colour("--low")], [0.5, paper], [1, colour("--high")]];
      }
    }
    return plot;
  }

  // Panels side by side become panels below one another; the page has reserved the height.
  function stacked(plot) {
    const layout = plot.layout;
    const columns = Object.keys(layout).filter((key) => /^xaxis\d*$/.test(key));
    const narrow = columns.filter((key) => layout[key].domain && layout[key].domain[1] - layout[key].domain[0] < 0.9);
    if (!narrow.length) return;
    const titles = (layout.annotations || []).filter((each) => each.yref === "paper");
    const count = columns.length, room = (titles.length ? 0.38 : 0.3) / count;
    if (titles.length) layout.legend.y = 1 + 0.12 / count;
    columns.forEach((key, k) => {
      const top = 1 - k / count;
      layout[key].domain = [0, 1];
      layout[key.replace("x", "y")].domain = [top - 1 / count + (k < count - 1 ? room : 0), top];
      if (titles[k]) Object.assign(titles[k], { x: 0.5, y: top });
    });
  }

  function choose(canvas, plot, choice) {
    plot.data.forEach((trace) => { trace.visible = trace.meta.choice === choice; });
    Plotly.react(canvas, plot.data, plot.layout);
  }

  const drawn = new Map();
  function draw(figure) {
    const canvas = figure.querySelector(".canvas");
    if (drawn.has(canvas)) return;
    const plot = themed(JSON.parse(figure.querySelector("script.figure").textContent));
    drawn.set(canvas, plot);
    if (canvas.clientWidth < NARROW) {
      stacked(plot);
      plot.layout.legend.font = { size: 10 };
    }
    const reset = plot.layout.scene ? "resetCameraDefault3d" : "resetScale2d";
    const config = { responsive: true, displaylogo: false, modeBarButtons: [["toImage", reset]] };
    Plotly.newPlot(canvas, { data: plot.data, layout: plot.layout, config });
    const select = figure.querySelector("select");
    if (select) select.addEventListener("change", () => choose(canvas, plot, Number(select.value)));
    figure.dataset.state = "drawn";
  }

  function fail(figure, error) {
    const canvas = figure.querySelector(".canvas");
    canvas.classList.add("failed");
    canvas.textContent = `This figure is not shown: ${error.message}.`;
    for (const each of figure.querySelectorAll(".control")) each.hidden = true;
    figure.dataset.state = "failed";
  }

  const figures = [...document.querySelectorAll("figure.plot")];
  const near = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue;
      near.unobserve(target);
      plotly().then(() => draw(target)).catch((error) => fail(target, error));
    }
  }, { rootMargin: "700px" });
  // The library comes when the page has nothing else to do: a page that is printed draws all its figures at once.
  const idle = window.requestIdleCallback || setTimeout;
  requestAnimationFrame(() => setTimeout(() => {
    for (const each of figures) near.observe(each);
    if (figures.length) idle(() => plotly().catch(() => {}));
  }));

  document.addEventListener("themechange", () => {
    for (const [canvas, plot] of drawn) { themed(plot); Plotly.react(canvas, plot.data, plot.layout); }
  });
  addEventListener("beforeprint", () => { if (window.Plotly) figures.forEach(draw); });
})();
