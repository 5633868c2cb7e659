// The button for light and dark, the section in view, and printing.
"use strict";
(() => {
  const button = document.getElementById("theme");
  const label = () => {
    const other = theme.shown === "dark" ? "light" : "dark";
    button.textContent = other === "dark" ? "Dark" : "Light";
    button.setAttribute("aria-label", `Switch to ${other} colours`);
  };
  label();
  button.hidden = false;
  button.addEventListener("click", () => theme.choose(theme.shown === "dark" ? "light" : "dark"));
  document.addEventListener("themechange", label);

  // The section in view is the last that begins in the upper third, or the last one at the end of the page.
  const links = [...document.querySelectorAll("nav a")], list = document.querySelector("nav ol");
  const sections = links.map((link) => document.getElementById(link.hash.slice(1)));
  let waiting = false;
  const mark = () => {
    waiting = false;
    const end = scrollY + innerHeight > document.documentElement.scrollHeight - 4;
    const begun = sections.findLastIndex((section) => section.getBoundingClientRect().top < innerHeight / 3);
    const link = links[end ? links.length - 1 : Math.max(begun, 0)];
    if (link.hasAttribute("aria-current")) return;
    for (const each of links) each.removeAttribute("aria-current");
    link.setAttribute("aria-current", "true");
    if (list.scrollWidth > list.clientWidth) list.scrollLeft = link.offsetLeft - list.offsetLeft - 16;
  };
  addEventListener("scroll", () => {
    if (!waiting) requestAnimationFrame(mark);
    waiting = true;
  }, { passive: true });
  requestAnimationFrame(mark);

  // Paper is light, and shows what is folded away.
  let before = "light", folded = [];
  addEventListener("beforeprint", () => {
    before = theme.shown;
    folded = [...document.querySelectorAll("details:not([open])")];
    for (const each of folded) each.open = true;
    theme.show("light");
  });
  addEventListener("afterprint", () => {
    for (const each of folded) each.open = false;
    theme.show(before);
  });
})();
