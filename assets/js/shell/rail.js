// The list of scenes at the left: open, or folded to its numbers; on a narrow window it lies over the page.

import {h, icon} from "../dom.js";

const NARROW = matchMedia("(max-width: 900px)");
const ROOMY = matchMedia("(min-width: 1180px)");

export function rail({send, drawer}) {
  const list = h("ol", {class: "scenes"});
  const file = h("button", {class: "scene file", on: {click: () => open_trace()}},
    h("span", {class: "no"}, icon("open_file")), h("span", {class: "title", word: "open_trace_rail"}));
  const fold = h("button", {class: "fold", on: {click: () => toggle()}}, icon("fold"), h("span", {word: "collapse"}));
  const el = h("nav", {class: "rail", label: "scenes"}, h("h2", {word: "scenes"}), list, file, fold);
  const shade = h("div", {class: "shade", on: {click: () => show(false)}});
  let menu = null;
  let fold_words = {};
  let buttons = new Map();

  const name_fold = () => {
    const word = fold_words[el.parentNode.dataset.rail === "open" ? "collapse" : "expand"] ?? "";
    fold.title = word;
    fold.setAttribute("aria-label", word);
  };
  const show = (open) => {
    el.parentNode.dataset.rail = open ? "open" : "folded";
    menu.setAttribute("aria-expanded", String(open));
    name_fold();
    window.dispatchEvent(new Event("resize"));
  };
  const toggle = () => {
    const open = el.parentNode.dataset.rail !== "open";
    show(open);
    if (!NARROW.matches) { keep(open); }
  };
  const open_trace = () => {
    if (NARROW.matches) { show(false); }
    drawer.show("open_trace", NARROW.matches ? menu : file);
  };
  const restore = () => show(!NARROW.matches && (kept() ?? ROOMY.matches));
  const start = (menu_button) => {
    menu = menu_button;
    restore();
    NARROW.addEventListener("change", restore);
  };
  el.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !NARROW.matches) { return; }
    show(false);
    menu.focus();
  });
  const choose = (name) => {
    send("scenario", name);
    if (NARROW.matches) { show(false); }
  };
  const update = ({scenario, scenarios, words}) => {
    if (scenarios.map(([name]) => name).join() !== [...buttons.keys()].join()) {
      buttons = new Map(scenarios.map(([name]) => [name, scene(name, choose)]));
      list.replaceChildren(...[...buttons.values()].map((button) => h("li", {}, button)));
    }
    for (const [name, title] of scenarios) {
      const button = buttons.get(name);
      button.lastChild.textContent = title;
      button.title = title;
      button.setAttribute("aria-current", String(name === scenario));
    }
    file.title = words.open_trace_rail;
    fold_words = words;
    name_fold();
  };
  return {el, shade, start, toggle, update};
}

function scene(name, choose) {
  const number = /^\d+[a-z]?$/.test(name) ? name : "≈";
  return h("button", {class: "scene", on: {click: () => choose(name)}},
    h("span", {class: "no", text: number}), h("span", {class: "title"}));
}

function kept() {
  try {
    const value = localStorage.getItem("rb-rail");
    return value === null ? null : value === "open";
  } catch { return null; }
}

function keep(open) {
  try { localStorage.setItem("rb-rail", open ? "open" : "folded"); } catch { /* private window */ }
}
