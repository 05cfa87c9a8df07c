// The top bar: menu, name, links and files, language, colours, and the sheet of keys.

import {h, icon, is_typing, svg} from "../dom.js";
import {share} from "./share.js";

// The bricks of the logo: x, y, width, request colour (null: an outline).
const BRICKS = [[0, 0, 6, 0], [7, 0, 6, 0], [14, 0, 6, 0], [0, 6.5, 6, 1], [7, 6.5, 13, 2], [0, 13, 13, 3], [14, 13, 6, null]];

const LANGUAGES = [["en", "EN", "EN"], ["zh", "中文", "中"]];

const KEYS = [
  [["Space"], "key_space"], [["→"], "key_right"], [["←"], "key_left"], [["Home"], "key_home"], [["End"], "key_end"],
  [["]"], "key_next"], [["["], "key_previous"], [["+"], "key_faster"], [["−"], "key_slower"], [["0"], "key_all"], [["?"], "key_help"],
];

export function top_bar({model, send, toggle_rail, choose_file}) {
  const menu = h("button", {class: "quiet menu", label: "menu", "aria-expanded": "true", on: {click: toggle_rail}}, icon("menu"));
  const languages = LANGUAGES.map(([code, name, short]) => h(
    "button",
    {lang: code === "zh" ? "zh-CN" : "en", "aria-pressed": "false", "aria-label": name, on: {click: () => send("lang", code)}},
    h("span", {class: "long", text: name}), h("span", {class: "short", text: short}),
  ));
  const theme = theme_button();
  const keys = key_sheet();
  const links = share({model, choose_file});
  const el = h(
    "header", {class: "top"},
    menu, logo(), h("span", {class: "name", word: "name"}), h("span", {class: "tagline", word: "tagline"}),
    h("div", {class: "right"},
      links.el,
      h("div", {class: "segments", role: "group", label: "language"}, ...languages),
      theme.el,
      h("button", {class: "quiet help", label: "help", text: "?", on: {click: () => keys.showModal()}})),
    keys,
  );
  const update = (view) => {
    const {lang, words} = view;
    links.update(view);
    languages.forEach((button, i) => button.setAttribute("aria-pressed", String(LANGUAGES[i][0] === lang)));
    document.documentElement.lang = lang === "zh" ? "zh-CN" : "en";
    theme.update(words);
  };
  return {el, menu, update, stop: links.stop};
}

function logo() {
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
    el.title = (dark ? words.to_light : words.to_dark) ?? "";
    el.setAttribute("aria-label", el.title);
  };
  el.addEventListener("click", () => {
    root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
    try { localStorage.setItem("rb-theme", root.dataset.theme); } catch { /* private window: the choice lasts as long as the page */ }
    window.dispatchEvent(new CustomEvent("rb-theme"));
  });
  window.addEventListener("rb-theme", draw);
  return {el, update: (new_words) => { words = new_words; draw(); }};
}

function key_sheet() {
  const sheet = h("dialog", {class: "keys", label: "key_title"});
  const rows = KEYS.flatMap(([keys, word]) => [h("dt", {}, ...keys.map((key) => h("kbd", {text: key}))), h("dd", {word})]);
  sheet.append(
    h("header", {}, h("h2", {word: "key_title"}),
      h("button", {class: "quiet", label: "close", on: {click: () => sheet.close()}}, icon("close"))),
    h("dl", {}, ...rows), h("p", {word: "key_note"}));
  sheet.addEventListener("click", (event) => { if (event.target === sheet) { sheet.close(); } });
  document.addEventListener("keydown", (event) => {
    if (event.key === "?" && !is_typing(event) && sheet.isConnected && !sheet.open) { sheet.showModal(); }
  });
  return sheet;
}
