// Runs before the page is drawn, so that a chosen scheme does not flash.
"use strict";
(() => {
  const root = document.documentElement;
  root.classList.add("scripted");
  let chosen = null;
  try { chosen = localStorage.getItem("hypermnesia-theme"); } catch { /* storage may be closed to us */ }
  if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;
})();
