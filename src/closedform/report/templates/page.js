"use strict";
(() => {
  const clear = "rgba(0, 0, 0, 0)";
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const family = getComputedStyle(document.body).fontFamily;

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

  function stacked(canvas, plot) {
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
    canvas.style.height = `${280 * count}px`;
  }

  function roomForLegend(canvas, plot) {
    const shown = plot.data.filter((trace) => trace.name && trace.visible !== false && trace.showlegend !== false);
    canvas.style.height = `${canvas.clientHeight + 10 * shown.length}px`;
    plot.layout.legend.font = { size: 10 };
  }

  function choose(canvas, plot, choice) {
    plot.data.forEach((trace) => { trace.visible = trace.meta.choice === choice; });
    Plotly.react(canvas, plot.data, plot.layout);
  }

  function player(figure, canvas) {
    const steps = JSON.parse(figure.querySelector("script.steps").textContent);
    const slider = figure.querySelector("input"), button = figure.querySelector("button");
    const output = figure.querySelector("output");
    let timer = 0;
    const show = () => {
      output.value = steps[slider.value];
      slider.setAttribute("aria-valuetext", output.value);
      return Plotly.animate(canvas, [slider.value], {
        mode: "immediate", frame: { duration: 0, redraw: true }, transition: { duration: 0 } });
    };
    const label = () => {
      button.textContent = timer ? "Pause" : "Play";
      button.setAttribute("aria-pressed", String(Boolean(timer)));
    };
    slider.addEventListener("input", show);
    button.addEventListener("click", () => {
      if (timer) { clearInterval(timer); timer = 0; } else {
        timer = setInterval(() => {
          slider.value = (Number(slider.value) + 1) % steps.length;
          show();
        }, 70);
      }
      label();
    });
  }

  const drawn = [];
  for (const figure of document.querySelectorAll("figure.plot")) {
    const canvas = figure.querySelector(".canvas");
    const plot = themed(JSON.parse(figure.querySelector("script.figure").textContent));
    if (canvas.clientWidth < 600) {
      stacked(canvas, plot);
      roomForLegend(canvas, plot);
    }
    const reset = plot.layout.scene ? "resetCameraDefault3d" : "resetScale2d";
    const config = { responsive: true, displaylogo: false, modeBarButtons: [["toImage", reset]] };
    Plotly.newPlot(canvas, { data: plot.data, layout: plot.layout, frames: plot.frames, config });
    drawn.push([canvas, plot]);
    const select = figure.querySelector("select");
    if (select) select.addEventListener("change", () => choose(canvas, plot, Number(select.value)));
    if (figure.querySelector("input[type=range]")) player(figure, canvas);
  }
  dark.addEventListener("change", () => {
    for (const [canvas, plot] of drawn) { themed(plot); Plotly.react(canvas, plot.data, plot.layout); }
  });
})();
