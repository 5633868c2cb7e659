// Tables: a click on a heading sorts, a button copies them as CSV, wide ones scroll by keyboard.
"use strict";
(() => {
  const SIZES = { k: 1e3, M: 1e6, G: 1e9 };
  const words = (cell) => cell.innerText.replace(/[\u202f\u00a0]/g, "").replaceAll("−", "-").replace(/\s+/g, " ").trim();

  // The number that a text begins with, as the page writes numbers: 1.5×10-3, 48.6M.
  function leading(text) {
    const found = /^(-?\d[\d.]*(?:e-?\d+)?)([kMG](?![\w]))?/.exec(text.replace(/×10(-?\d+)/, "e$1"));
    return found ? { value: Number(found[1]) * (SIZES[found[2]] || 1), whole: found[0].length === found.input.length } : null;
  }

  const EMPTY = new Set(["", "–", "-"]);

  function csv(table) {
    const cellText = (cell) => {
      const text = words(cell), number = leading(text);
      if (EMPTY.has(text)) return "";
      if (number && number.whole) return String(number.value);
      const safe = /^[=+@-]/.test(text) ? `'${text}` : text; // no spreadsheet takes a name for a formula
      return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
    };
    const line = (row) => [...row.cells].flatMap((cell) => [cellText(cell), ...Array(cell.colSpan - 1).fill("")]).join(",");
    return [...table.rows].map(line).join("\n") + "\n";
  }

  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
    } catch { // a browser that keeps the clipboard from files
      const area = document.createElement("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      const done = document.execCommand("copy");
      area.remove();
      if (!done) throw new Error("no clipboard");
    }
  }

  function copyButton(table) {
    const tools = document.createElement("p"), button = document.createElement("button");
    tools.className = "tools";
    button.type = "button";
    button.textContent = "Copy as CSV";
    button.setAttribute("aria-live", "polite");
    button.addEventListener("click", async () => {
      const text = csv(table);
      try {
        await copy(text);
        button.textContent = `Copied ${text.split("\n").length - 1} rows`;
      } catch {
        button.textContent = "This browser does not let pages copy";
      }
      setTimeout(() => { button.textContent = "Copy as CSV"; }, 2000);
    });
    tools.append(button);
    (table.closest(".scroll") || table).before(tools);
  }

  // Rows of class `follows` belong to the row before them.
  function sortable(table) {
    const body = table.tBodies[0], headings = [...table.tHead.rows[0].cells];
    const groups = [];
    for (const row of body.rows) row.classList.contains("follows") ? groups.at(-1).push(row) : groups.push([row]);
    if (groups.length < 3) return;
    headings.forEach((heading, column) => {
      if (!heading.textContent.trim() || heading.querySelector(".unseen")) return;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.append(...heading.childNodes);
      heading.append(button);
      button.addEventListener("click", () => {
        const next = { ascending: "descending", descending: "none" }[heading.getAttribute("aria-sort")] || "ascending";
        for (const each of headings) each.removeAttribute("aria-sort");
        if (next !== "none") heading.setAttribute("aria-sort", next);
        const order = next === "none" ? groups : ordered(groups, column, next === "descending" ? -1 : 1);
        body.append(...order.flat());
      });
    });
  }

  // What has no value comes last, whichever way is up.
  function ordered(groups, column, sign) {
    const keyed = groups.map((group) => {
      const cell = group[0].cells[column], text = cell && cell.colSpan === 1 ? words(cell) : "";
      return { group, text, number: leading(text), empty: EMPTY.has(text) };
    });
    const numeric = keyed.every(({ number, empty }) => number || empty);
    return keyed.sort((a, b) => {
      if (a.empty || b.empty) return a.empty - b.empty;
      return sign * (numeric ? a.number.value - b.number.value : a.text.localeCompare(b.text, "en", { numeric: true }));
    }).map(({ group }) => group);
  }

  const wide = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
      else target.removeAttribute("tabindex");
    }
  });
  for (const box of document.querySelectorAll(".scroll")) wide.observe(box);
  for (const table of document.querySelectorAll("main table")) {
    copyButton(table);
    if (table.tHead) sortable(table);
  }
})();
