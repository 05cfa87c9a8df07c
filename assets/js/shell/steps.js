// The steps of a scene: one text at a time, and the stage moved to what it speaks of. All steps of a
// scene are here at once; going from one to the next asks nobody.
//
// Texts are HTML that Python made from the lesson's Markdown, in which HTML is switched off.

import {h, icon} from "../dom.js";
import {fill} from "../fill.js";
import {exercise} from "./exercise.js";

const SHOWN = "ghost"; // the future as it is without a question
const HIDDEN = "nothing";

/**
 * @param {function(string)} choose a scene
 * @param {function(string, function())} open a link, by its query, then do something
 * @param {function(string)} save a file, by its name
 * @param {function()} solved an exercise was answered, or asked anew
 */
export function stepper({choose, open, save, solved}) {
  const count = h("p", {class: "count"});
  const dots = h("ol", {class: "dots"});
  const title = h("h2", {class: "step-title"});
  const body = h("div", {class: "text"});
  const row = h("div", {class: "progress-row"}, dots, count);
  const file = h("button", {class: "button file-offer", on: {click: () => save(steps()[at].file)}}, icon("save"), h("span"));
  const play = () => { if (player && !player.state().isPlaying) { player.act.toggle(); } };
  const task = exercise({open: (search) => open(search, play), play, changed: () => { hide_future(); solved(); }});
  const el = h("section", {class: "step", id: "step"}, row, title, body, file, task.el);
  const back = h("button", {class: "button back", on: {click: () => go(at - 1)}}, icon("fold"), h("span", {word: "back"}));
  const next_word = h("span");
  const next = h("button", {class: "button primary next", on: {click: () => on()}}, next_word, icon("unfold"));
  const nav = h("nav", {class: "steps-nav", label: "steps"}, back, next);
  const said = h("p", {class: "away", role: "status"});
  const listeners = [];
  let view = {words: {}, lesson: {steps: []}};
  let at = 0;
  let player = null;
  let hidden = false; // whether the future is hidden for a question

  const steps = () => view.lesson.steps;
  const last = () => steps().length - 1;
  const following = () => view.scenarios?.[view.scenarios.findIndex(([name]) => name === view.scenario) + 1];
  const has_following = () => steps().length > 1 && following() !== undefined;

  const key_of = (index) => `${view.scenario}#${index + 1}`;

  /** Nothing ahead is shown while a question about it is open, nor on the step that leads to one. */
  const hide_future = () => {
    const leads_to_guess = at < last() && task.waits(steps()[at + 1], key_of(at + 1));
    const hides = task.hides_future() || leads_to_guess;
    const is_done = hides ? player?.views.get().future === HIDDEN : !hidden;
    if (!player || is_done) { return; }
    hidden = hides;
    player.views.set({future: hides ? HIDDEN : SHOWN});
  };
  const show = () => {
    const {words, lesson} = view;
    const step = steps()[at] ?? {title: "", html: ""};
    const has_steps = steps().length > 1;
    title.textContent = step.title;
    title.hidden = step.title === "";
    el.dataset.kind = step.kind ?? "";
    body.hidden = step.html === "";
    file.hidden = !step.file;
    file.lastChild.textContent = step.file ? fill(words.save_file, {name: step.file}) : "";
    task.show(step, key_of(at), words, view.lang);
    hide_future();
    if (body.dataset.html !== step.html) {
      body.innerHTML = step.html;
      body.dataset.html = step.html;
      el.scrollTop = 0;
    }
    count.textContent = has_steps ? fill(words.step_of, {n: at + 1, all: steps().length}) : "";
    row.hidden = nav.hidden = !has_steps;
    draw_dots(dots, lesson.steps, at, words, go);
    back.disabled = at === 0;
    next.disabled = at === last() && !has_following();
    next_word.textContent = (at === last() && has_following() ? words.next_scene : words.next_step) ?? "";
    next.title = at === last() && has_following() ? following()[1] : "";
    for (const listener of listeners) { listener({at, steps: steps(), view}); }
  };
  /** Show a step; the stage goes to its place, or to another one. */
  const go = (index, place) => {
    if (index < 0 || index > last()) { return false; }
    at = index;
    show();
    said.textContent = steps().length > 1 ? fill(view.words.step_said, {step: count.textContent, title: title.textContent}) : "";
    player?.showStep(steps()[at], place);
    return true;
  };
  const on = () => {
    if (at < last()) { go(at + 1); } else if (has_following()) { choose(following()[0]); }
  };

  const update = (now) => {
    if (view.scenario !== now.scenario) { at = 0; }
    if (view.lang !== now.lang) { said.textContent = ""; } // it was said in the other language
    view = now;
    at = Math.min(at, Math.max(0, last()));
    show();
  };
  return {
    el, nav, said, update, go, on, back: () => go(at - 1), restart: () => { at = 0; show(); },
    use: (handle) => { player = handle; hide_future(); }, hides_future: () => hidden,
    at: () => at, following: () => (has_following() ? following()[1] : ""), step: (index = at) => steps()[index],
    when_shown: (listener) => listeners.push(listener),
  };
}

/** A dot a step: done, current, to come; each a button when there is something to do. */
export function draw_dots(list, steps, at, words, go = null) {
  if (list.children.length !== steps.length) {
    list.replaceChildren(...steps.map((_, i) => h("li", {}, go ? h("button", {on: {click: () => go(i)}}) : h("i"))));
  }
  [...list.children].forEach(({firstChild: dot}, i) => {
    dot.className = i < at ? "done" : "";
    if (i === at) { dot.setAttribute("aria-current", "step"); } else { dot.removeAttribute("aria-current"); }
    if (!go) { return; }
    dot.title = steps[i].title;
    dot.setAttribute("aria-label", fill(words.step_name, {n: i + 1, title: steps[i].title}));
  });
}
