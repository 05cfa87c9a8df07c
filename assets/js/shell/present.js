// Presenter mode: the stage as wide as the screen, one step and this round in large type below it.
//
// Steps and rounds are one path here: on goes round by round to the round of the next step and shows
// it, back goes the same way. Measures are for 1920 × 1080 and scale with the screen.

import {h, icon} from "../dom.js";
import {fill} from "../fill.js";
import {KEYS, with_key} from "../keys.js";
import {watch_more} from "../more.js";
import {caps} from "./help.js";
import {draw_dots} from "./steps.js";
import {logo} from "./brand.js";

const WIDTH = 1920;
const HEIGHT = 1080;
const LARGEST = 2;
const NARROWEST = 900;
const TEXT = 30; // px of a step's text; less where it would not fit
const SMALLEST_TEXT = 18;
const TITLE = 1.6; // of a step's title, times its text
const BESIDE = 72; // px between a step and this round
const HINTS = ["forward", "toggle", "nextEvent", "nextStep", "leave"];
const TOGETHER = {forward: "back", nextEvent: "previousEvent", nextStep: "previousStep"};

export function presenter({steps, work, budget}) {
  const root = document.documentElement;
  const number = h("span", {class: "present-number"});
  const title = h("b");
  const dots = h("ol", {class: "dots", "aria-hidden": "true"});
  const count = h("span", {"aria-hidden": "true"});
  const leave_button = h("button", {class: "quiet", label: "leave", key: "leave", on: {click: () => leave()}}, icon("close"));
  const head = h("header", {class: "present-head"},
    logo(), h("span", {class: "name", word: "name"}), number, title, h("div", {class: "right"}, dots, count, leave_button));
  const keys = h("p");
  const end = h("p", {class: "present-end", role: "status"});
  const value = h("b");
  const whose = h("span"); // the lanes whose budget it is
  const change = (step, shown) => h("button", {class: "button", text: shown, on: {click: () => budget.by(step)}});
  const [less, more] = [change(-1, "−"), change(1, "+")];
  const hints = h("div", {class: "present-hints"}, keys, end,
    h("div", {class: "present-budget"}, whose, less, value, more));
  let player = null;
  let app = null;
  let opener = null;
  let placed = null;
  let end_text = "";
  let try_text = ""; // where a step asks for what only the page has
  const look_below = watch_more(steps.el);

  const is_on = () => root.dataset.presenter !== undefined;
  const fit = () => {
    if (!is_on()) { return; }
    if (innerWidth < NARROWEST) { leave(); return; }
    const scale = Math.min(LARGEST, innerWidth / WIDTH, innerHeight / HEIGHT);
    root.dataset.presenter = String(scale);
    app.style.setProperty("--rb-scale", scale);
    work.querySelector(".stage").scrollTop = 0;
    window.dispatchEvent(new CustomEvent("rb-present"));
    place();
  };
  /** Put the step beside this round, in type that fits; from round to round nothing changes. */
  const place = (is_new = true) => {
    if (!is_on() || !player) { return; }
    const {top, left} = player.cards();
    if (!is_new && `${top} ${left}` === placed) { return; }
    placed = `${top} ${left}`;
    const scale = Number(root.dataset.presenter);
    const style = (name, px) => steps.el.style.setProperty(`--present-${name}`, `${px}px`);
    style("top", top - work.getBoundingClientRect().top);
    style("width", left - steps.el.getBoundingClientRect().left - BESIDE * scale);
    for (let px = TEXT; px >= SMALLEST_TEXT; px -= 2) {
      style("text", px * scale);
      style("title", px * TITLE * scale);
      if (steps.el.scrollHeight <= steps.el.clientHeight) { break; }
    }
    look_below();
  };
  const enter = () => {
    if (is_on() || innerWidth < NARROWEST || !player) { return; }
    opener = document.activeElement;
    root.dataset.presenter = "1";
    app.dataset.present = "";
    fit();
  };
  const leave = () => {
    if (!is_on()) { return false; }
    delete root.dataset.presenter;
    delete app.dataset.present;
    app.style.removeProperty("--rb-scale");
    window.dispatchEvent(new CustomEvent("rb-present"));
    look_below();
    opener?.focus?.();
    return true;
  };
  /** One round on, or the next step when its round is the next one, past, or in another window. */
  const forward = () => {
    if (!is_on()) { return false; }
    const {next, eps, t} = player.state();
    const coming = steps.step(steps.at() + 1);
    const target = coming ? player.placeOf(coming) : {t: Infinity, isFar: false};
    const is_next = target.isFar || (target.t ?? t) <= next + eps;
    if (coming && (next === null || is_next)) { steps.go(steps.at() + 1); } else { player.act.forward(); }
    return true;
  };
  /** The same way back. */
  const back = () => {
    if (!is_on()) { return false; }
    const {t, previous, eps} = player.state();
    const own = player.placeOf(steps.step()).t ?? t;
    if (t > own + eps && previous !== null && previous >= own - eps) { player.act.back(); return true; }
    if (t > own + eps || steps.at() === 0) { steps.go(steps.at()); return true; }
    const before = player.placeOf(steps.step(steps.at() - 1));
    const is_later = previous !== null && before.t !== null && previous > before.t;
    steps.go(steps.at() - 1, is_later ? {view: before.view, t: previous} : before);
    return true;
  };
  steps.when_shown(({at, steps: all, view}) => {
    const {words, lesson} = view;
    number.textContent = lesson.number ? fill(words.lesson, lesson) : "";
    title.textContent = lesson.title;
    dots.hidden = count.hidden = all.length < 2;
    draw_dots(dots, all, at, words);
    count.textContent = fill(words.step_of, {n: at + 1, all: all.length});
    keys.replaceChildren(...hint_items(words));
    const {but} = view.budget;
    whose.textContent = but ? fill(words.budget_shared, {lanes: but}) : words.budget;
    value.textContent = view.budget.value.toLocaleString("en");
    less.setAttribute("aria-label", with_key(words.budget_less, "budgetDown"));
    more.setAttribute("aria-label", with_key(words.budget_more, "budgetUp"));
    less.disabled = view.budget.value <= view.budget.low;
    more.disabled = view.budget.value >= view.budget.high;
    end_text = words.scene_end;
    const {kind, controls = []} = all[at] ?? {};
    try_text = kind === "try" && controls.join() !== "budget" ? words.present_try : "";
    place();
    tell_end();
  });
  /** Where no round and no step follows, say what does; else where to do what a step asks for. */
  const tell_end = () => {
    const is_end = is_on() && player && !steps.step(steps.at() + 1) && player.state().next === null;
    const name = steps.following();
    end.textContent = is_end && name ? fill(end_text, {title: name}) : try_text;
  };
  window.addEventListener("resize", fit);
  return {
    head, hints, enter, leave, forward, back, is_on, place,
    toggle: () => (is_on() ? leave() : enter()),
    change_budget: (step) => () => (is_on() ? budget.by(step) : false),
    use: (handle) => { player = handle; place(false); tell_end(); },
    start: (element) => { app = element; },
    stop: () => window.removeEventListener("resize", fit),
  };
}

/** The last line: a few keys and what they do. */
function hint_items(words) {
  return HINTS.map((action) => {
    const pair = [TOGETHER[action], action].flatMap((name) => KEYS.filter((entry) => entry.action === name));
    return h("span", {}, ...pair.flatMap(caps), words[`hint_${action}`]);
  });
}
