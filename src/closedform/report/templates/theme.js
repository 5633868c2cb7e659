// Light or dark: what the reader chose on a page of this family, or else what the system prefers.
"use strict";
const theme = {
  root: document.documentElement,
  system: matchMedia("(prefers-color-scheme: dark)"),
  get preferred() { return this.system.matches ? "dark" : "light"; },
  get shown() { return this.root.dataset.theme; },
  show(name) {
    if (name === this.shown) return;
    this.root.dataset.theme = name;
    document.dispatchEvent(new Event("themechange"));
  },
  // A browser may refuse to keep anything for a file.
  kept(action) { try { return action(localStorage); } catch { return null; } },
  chosen() { return this.kept((store) => store.getItem("closedform-theme")); },
  choose(name) {
    const own = name !== this.preferred;
    this.kept((store) => own ? store.setItem("closedform-theme", name) : store.removeItem("closedform-theme"));
    this.show(name);
  },
};
theme.show(theme.chosen() === "dark" ? "dark" : theme.chosen() === "light" ? "light" : theme.preferred);
theme.system.addEventListener("change", () => theme.show(theme.chosen() || theme.preferred));
