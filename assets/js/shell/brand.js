// What every page of the project has at its top: the logo, and the switch between light and dark.

import {h, icon, svg} from "../dom.js";
import {with_key} from "../keys.js";

// The bricks of the logo: x, y, width, request colour (null: an outline).
const BRICKS = [[0, 0, 6, 0], [7, 0, 6, 0], [14, 0, 6, 0], [0, 6.5, 6, 1], [7, 6.5, 13, 2], [0, 13, 13, 3], [14, 13, 6, null]];

export function logo() {
  const bricks = BRICKS.map(([x, y, width, colour]) => (colour === null
    ? `<rect x="${x + 0.5}" y="${y + 0.5}" width="${width - 1}" height="4" rx="1" stroke="var(--rb-line2)" stroke-width="1"/>`
    : `<rect x="${x}" y="${y}" width="${width}" height="5" rx="1.2" fill="var(--rb-q${colour}-strong)" stroke="none"/>`));
  return svg(bricks.join(""), "0 0 20 18", {class: "logo", width: 20, height: 18, fill: "none"});
}

/** A button that changes the colours of the page, which keeps the choice. */
export function theme_button() {
  const root = document.documentElement;
  const el = h("button", {class: "quiet theme"});
  let words = {};
  const draw = () => {
    const dark = root.dataset.theme === "dark";
    el.replaceChildren(icon(dark ? "sun" : "moon"));
    const name = (dark ? words.to_light : words.to_dark) ?? "";
    el.title = with_key(name, "theme");
    el.setAttribute("aria-label", name);
  };
  const toggle = () => {
    root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
    try { localStorage.setItem("rb-theme", root.dataset.theme); } catch { /* private window: the choice lasts as long as the page */ }
    window.dispatchEvent(new CustomEvent("rb-theme"));
  };
  el.addEventListener("click", toggle);
  window.addEventListener("rb-theme", draw);
  return {el, toggle, update: (new_words) => { words = new_words; draw(); }};
}
