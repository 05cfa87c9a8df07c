// The top bar: menu, name, links and files, language, colours, presenter mode, and help.

import {h, icon, svg} from "../dom.js";
import {with_key} from "../keys.js";
import {help_sheet} from "./help.js";
import {share} from "./share.js";

// The bricks of the logo: x, y, width, request colour (null: an outline).
const BRICKS = [[0, 0, 6, 0], [7, 0, 6, 0], [14, 0, 6, 0], [0, 6.5, 6, 1], [7, 6.5, 13, 2], [0, 13, 13, 3], [14, 13, 6, null]];

export function top_bar({model, send, toggle_rail, choose_file, present, print, can, signs}) {
  const menu = h("button", {class: "quiet menu", label: "menu", "aria-expanded": "true", on: {click: toggle_rail}}, icon("menu"));
  const {languages} = model.view;
  const buttons = languages.map(({code, name, short, tag}) => h(
    "button",
    {lang: tag, "aria-pressed": "false", "aria-label": name, on: {click: () => send("lang", code)}},
    h("span", {class: "long", text: name}), h("span", {class: "short", text: short}),
  ));
  const theme = theme_button();
  const help = help_sheet({can, signs});
  const links = share({model, choose_file, print});
  const el = h(
    "header", {class: "top"},
    menu, logo(), h("span", {class: "name", word: "name"}), h("span", {class: "tagline", word: "tagline"}),
    h("div", {class: "right"},
      links.el,
      h("div", {class: "segments", role: "group", label: "language"}, ...buttons),
      theme.el,
      h("button", {class: "quiet present", label: "present", key: "present", on: {click: present}}, icon("screen")),
      h("button", {class: "quiet help", label: "help", key: "help", text: "?", on: {click: help.open}})),
  );
  const update = (view) => {
    const {lang, tag, words} = view;
    links.update(view);
    help.update(view);
    buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(languages[i].code === lang)));
    document.documentElement.lang = tag;
    theme.update(words);
  };
  const next = () => languages[(languages.findIndex(({code}) => code === model.view.lang) + 1) % languages.length].code;
  return {
    el, menu, update, stop: links.stop, toggle_theme: theme.toggle, help: help.open, help_el: help.el,
    toggle_language: () => send("lang", next()),
  };
}

export function logo() {
  const bricks = BRICKS.map(([x, y, width, colour]) => (colour === null
    ? `<rect x="${x + 0.5}" y="${y + 0.5}" width="${width - 1}" height="4" rx="1" stroke="var(--rb-line2)" stroke-width="1"/>`
    : `<rect x="${x}" y="${y}" width="${width}" height="5" rx="1.2" fill="var(--rb-q${colour}-strong)" stroke="none"/>`));
  return svg(bricks.join(""), "0 0 20 18", {class: "logo", width: 20, height: 18, fill: "none"});
}

function theme_button() {
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
