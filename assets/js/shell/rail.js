// The course at the left: its lessons, the scenes of the one that is open, and how far a learner has
// come. Open, or folded to the numbers; on a narrow window it lies over the page.

import {h, icon} from "../dom.js";
import {fill} from "../fill.js";
import {forget_all, is_solved, seen} from "./progress.js";

const NARROW = matchMedia("(max-width: 900px)");
const ROOMY = matchMedia("(min-width: 1180px)");

export function rail({send, drawer, restart, ask, face}) {
  const list = h("ol", {class: "scenes"});
  const file = h("button", {class: "scene file", on: {click: () => open_trace()}},
    h("span", {class: "no"}, icon("open_file")), h("span", {class: "title", word: "open_trace_rail"}));
  const asked = h("button", {class: "scene", on: {click: () => { if (NARROW.matches) { show(false); } ask(); }}},
    h("span", {class: "no", text: "?"}), h("span", {class: "title", word: "questions"}));
  const lab = h("button", {class: "scene lab-entry", "data-testid": "to-lab", on: {click: () => { if (NARROW.matches) { show(false); } face.show("lab"); }}},
    h("span", {class: "no"}, icon("beaker")), h("span", {class: "title", word: "lab"}));
  const count = h("span", {class: "count"});
  const bar = h("i");
  const meter = h("div", {class: "meter", "aria-hidden": "true"}, bar);
  const forget = h("button", {class: "forget", word: "forget", on: {click: () => { forget_all(); draw_progress(); buttons.get(shown.scenario)?.focus(); }}});
  const fold = h("button", {class: "fold", on: {click: () => toggle()}}, icon("fold"), h("span", {word: "collapse"}));
  const el = h("nav", {class: "rail", label: "scenes"},
    h("div", {class: "course"}, h("h2", {word: "scenes"}), count), meter, list, lab, asked, file, forget, fold);
  let shown = {scenarios: [], words: {}};
  const shade = h("div", {class: "shade", on: {click: () => show(false)}});
  let menu = null;
  let fold_words = {};
  let buttons = new Map(); // of scenes, by name
  let groups = new Map(); // of lessons, by number

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
    face.show("stage");
    if (name === shown.scenario) { restart(); }
    send("scenario", name);
    if (NARROW.matches) { show(false); }
  };
  /** How much of a lesson is done: its scenes seen to the end, and its exercises answered. */
  const progress_of = ({scenes, exercises}) => {
    const done = seen();
    return {n: scenes.filter((name) => done.has(name)).length + exercises.filter(is_solved).length, all: scenes.length + exercises.length};
  };
  const draw_progress = () => {
    const {lessons, words, scenario} = shown;
    const is_lab = shown.face === "lab";
    lab.setAttribute("aria-current", String(is_lab));
    if (!lessons) { return; }
    const progress = lessons.map(progress_of);
    const num_done = progress.filter(({n, all}) => n === all).length;
    count.textContent = fill(words.seen, {n: num_done, all: lessons.length});
    const sum = (part) => progress.reduce((total, one) => total + one[part], 0);
    bar.style.width = `${(100 * sum("n")) / Math.max(1, sum("all"))}%`;
    forget.hidden = sum("n") === 0;
    lessons.forEach((lesson, i) => {
      const {head, list: own} = groups.get(lesson.number);
      const {n, all} = progress[i];
      const is_open = lesson.scenes.includes(scenario);
      const is_done = n === all;
      own.hidden = !is_open || lesson.scenes.length < 2;
      head.classList.toggle("done", is_done);
      head.setAttribute("aria-current", String(is_open && !is_lab));
      head.firstElementChild.replaceChildren(is_done && !is_open ? icon("check") : lesson.number);
      head.lastElementChild.textContent = n > 0 && !is_done ? fill(words.seen, {n, all}) : "";
      head.setAttribute("aria-label", `${lesson.name}: ${lesson.title}${is_done ? ` (${words.done})` : ""}`);
    });
    const done = seen();
    for (const [name, button] of buttons) {
      button.classList.toggle("done", done.has(name));
      button.setAttribute("aria-current", String(name === scenario && !is_lab));
    }
  };
  /** A lesson with its scenes, or what stands beside the lessons. */
  const draw_list = ({lessons, scenarios}) => {
    const free = scenarios.filter(([name]) => !lessons.some(({scenes}) => scenes.includes(name)));
    groups = new Map(lessons.map(({number, scenes}) => {
      const head = entry(() => choose(scenes[0]), String(number), h("span", {class: "part"}));
      const own = h("ol", {class: "parts"}, ...scenes.map((name) => h("li", {}, buttons.get(name))));
      return [number, {head, list: own}];
    }));
    list.replaceChildren(
      ...[...groups.values()].map(({head, list: own}) => h("li", {}, head, own)),
      ...free.map(([name]) => h("li", {class: "free"}, buttons.get(name))));
  };
  const update = ({scenario, scenarios, lessons, words, face: now}) => {
    shown = {scenario, scenarios, lessons, words, face: now};
    if (scenarios.map(([name]) => name).join() !== [...buttons.keys()].join()) {
      buttons = new Map(scenarios.map(([name]) => [name, entry(() => choose(name), is_lesson(name) ? "" : "≈")]));
      draw_list(shown);
    }
    for (const [name, title] of scenarios) {
      const button = buttons.get(name);
      button.querySelector(".title").textContent = title;
      button.title = title;
    }
    for (const {number, title} of lessons) {
      const {head} = groups.get(number);
      head.querySelector(".title").textContent = title;
      head.title = title;
    }
    draw_progress();
    file.title = words.open_trace_rail;
    lab.title = words.lab;
    fold_words = words;
    name_fold();
  };
  /** Folded while the lab is shown, which needs the room; as a person had it afterwards. */
  const fold_for = (is_lab) => { if (is_lab) { show(false); } else { restore(); } };
  return {el, shade, start, toggle, leave, update, draw_progress, fold_for};
}

function entry(choose, number, ...more) {
  return h("button", {class: "scene", on: {click: choose}}, h("span", {class: "no", text: number}), h("span", {class: "title"}), ...more);
}

function is_lesson(name) { return /^\d/.test(name); }

function kept() {
  try {
    const value = localStorage.getItem("rb-rail");
    return value === null ? null : value === "open";
  } catch { return null; }
}

function keep(open) {
  try { localStorage.setItem("rb-rail", open ? "open" : "folded"); } catch { /* private window */ }
}
