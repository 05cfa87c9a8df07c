// The course at the left: its scenes, and which of them were seen to the end. Open, or folded to the
// numbers; on a narrow window it lies over the page.

import {fill, h, icon} from "../dom.js";
import {forget_seen, seen} from "./progress.js";

const NARROW = matchMedia("(max-width: 900px)");
const ROOMY = matchMedia("(min-width: 1180px)");

export function rail({send, drawer, restart}) {
  const list = h("ol", {class: "scenes"});
  const file = h("button", {class: "scene file", on: {click: () => open_trace()}},
    h("span", {class: "no"}, icon("open_file")), h("span", {class: "title", word: "open_trace_rail"}));
  const count = h("span", {class: "count"});
  const bar = h("i");
  const meter = h("div", {class: "meter", "aria-hidden": "true"}, bar);
  const forget = h("button", {class: "forget", word: "forget", on: {click: () => { forget_seen(); draw_progress(); buttons.get(shown.scenario)?.focus(); }}});
  const fold = h("button", {class: "fold", on: {click: () => toggle()}}, icon("fold"), h("span", {word: "collapse"}));
  const el = h("nav", {class: "rail", label: "scenes"},
    h("div", {class: "course"}, h("h2", {word: "scenes"}), count), meter, list, file, forget, fold);
  let shown = {scenarios: [], words: {}};
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
    if (open && NARROW.matches) { el.dataset.over = ""; } else { delete el.dataset.over; }
    window.dispatchEvent(new Event("resize"));
  };
  const toggle = () => {
    const open = el.parentNode.dataset.rail !== "open";
    show(open);
    if (!NARROW.matches) { keep(open); } else if (open) { buttons.get(shown.scenario)?.focus(); }
  };
  /** Away with it where it lies over the page; whether it did. */
  const leave = () => {
    if (!("over" in el.dataset)) { return false; }
    show(false);
    menu.focus();
    return true;
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
    if (event.key === "Escape") { leave(); }
  });
  const choose = (name) => {
    if (name === shown.scenario) { restart(); }
    send("scenario", name);
    if (NARROW.matches) { show(false); }
  };
  const draw_progress = () => {
    const {scenarios, words, scenario} = shown;
    const done = seen();
    const course = scenarios.filter(([name]) => is_lesson(name));
    const num_done = course.filter(([name]) => done.has(name)).length;
    count.textContent = words.seen ? fill(words.seen, {n: num_done, all: course.length}) : "";
    bar.style.width = `${(100 * num_done) / Math.max(1, course.length)}%`;
    forget.hidden = num_done === 0;
    for (const [name, button] of buttons) {
      const is_done = done.has(name) && is_lesson(name);
      const number = button.firstElementChild;
      button.classList.toggle("done", is_done);
      number.replaceChildren(is_done && name !== scenario ? icon("check") : number_of(name));
      button.setAttribute("aria-label", `${number_of(name)} ${button.lastChild.textContent}${is_done ? ` (${words.done})` : ""}`);
    }
  };
  const update = ({scenario, scenarios, words}) => {
    shown = {scenario, scenarios, words};
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
    draw_progress();
    file.title = words.open_trace_rail;
    fold_words = words;
    name_fold();
  };
  return {el, shade, start, toggle, leave, update, draw_progress};
}

function scene(name, choose) {
  return h("button", {class: "scene", on: {click: () => choose(name)}}, h("span", {class: "no"}), h("span", {class: "title"}));
}

function is_lesson(name) { return /^\d+[a-z]?$/.test(name); }

function number_of(name) { return is_lesson(name) ? name : "≈"; }

function kept() {
  try {
    const value = localStorage.getItem("rb-rail");
    return value === null ? null : value === "open";
  } catch { return null; }
}

function keep(open) {
  try { localStorage.setItem("rb-rail", open ? "open" : "folded"); } catch { /* private window */ }
}
