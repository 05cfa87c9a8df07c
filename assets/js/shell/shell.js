// The frame: puts bar, rail, columns and inputs into one grid and passes each new view to them.

import {h, icon, told, translate} from "../dom.js";
import {listen_to_keys, with_key} from "../keys.js";
import {address} from "./address.js";
import {drawers} from "./drawers.js";
import {faces} from "./face.js";
import {files} from "./files.js";
import {inputs} from "./inputs.js";
import {lesson} from "./lesson.js";
import {notice} from "./notice.js";
import {presenter} from "./present.js";
import {printer} from "./print.js";
import {note_seen} from "./progress.js";
import {question_index} from "./questions.js";
import {rail} from "./rail.js";
import {stepper} from "./steps.js";
import {top_bar} from "./top.js";

export function render({model: sent}) {
  const model = told(sent, "view", "course", "lesson");
  const send = (what, value) => model.send_msg({type: "choice", what, value});
  const all_of = () => ({...model.view, ...model.course, lesson: model.lesson});
  const drawer = drawers();
  const news = notice({send});
  const both = (tell, is_busy) => (what) => { // the stage's notice and the lab's
    tell(what);
    window.dispatchEvent(new CustomEvent("rb-said", {detail: is_busy ? {text: what, is_busy} : what}));
  };
  const trace = files({model, drawer, say: both(news.say, false), wait: both(news.wait, true)});
  const bar = inputs({model, drawer});
  const steps = stepper({choose: (name) => send("scenario", name), open: (search, then) => bookmark.open(search, then), save: (what) => model.send_msg({type: "save", what}), solved: () => { scenes.draw_progress(); show.place(); }});
  const text = lesson({notice: news.el, steps, send});
  const index = question_index({open: (search) => bookmark.open(search)});
  const face = faces({model, send, drawer, requests: () => bar.toggle_requests(), show: (t) => player?.showStep({}, {view: "all", t})});
  const scenes = rail({send, drawer, restart: steps.restart, ask: index.show, face});
  const work = h("div", {class: "work"});
  const show = presenter({steps, work, budget: bar.budget});
  const commands = commands_of({bar, steps, show, scenes});
  let player = null;
  const paper = printer({choose: (name) => send("scenario", name), view: all_of, steps, player: () => player});
  const can = (action) => action in commands || Boolean(player && action in player.act);
  const top = top_bar({model, send, can, signs: () => player?.signs() ?? [], toggle_rail: scenes.toggle, choose_file: () => trace.input.click(), present: show.toggle, print: paper.open});
  Object.assign(commands, {help: top.help, language: top.toggle_language, theme: top.toggle_theme});
  const bookmark = address({model, steps, complain: () => news.say({text: model.view.words.link_place})});
  const lost = banner();
  const stage = h("section", {class: "stage", label: "stage", tabindex: "-1"}, model.get_child("stage"));
  const skip = h("button", {class: "skip", word: "skip", on: {click: () => stage.focus()}});
  work.append(text.el, bar.el, bar.table, bar.form, trace.el, stage, face.el);
  const app = h("div", {class: "app"}, skip, top.el, show.head, lost, scenes.el, scenes.shade, work, show.hints, trace.input, trace.veil, index.el, top.help_el, paper.veil);

  drawer.when_shown(() => text.unfold("inputs", true));
  scenes.start(top.menu);
  show.start(app);
  trace.listen(app);
  let last_step = 0;
  steps.when_shown(({at, steps: all, view}) => {
    bar.point(all[at]?.controls ?? []);
    if (at > 0 && at !== last_step) { text.unfold("text", true); } // on a narrow window it is folded
    last_step = at;
    if (all.length > 1 && at === all.length - 1 && !paper.is_paper && note_seen(view.scenario)) { scenes.draw_progress(); }
    bookmark.rest();
  });

  face.start({app, hidden: [text.el, bar.el, stage], fold: scenes.fold_for});
  const parts = [top, index, face, scenes, text, news, bar, trace, steps, bookmark];
  let scene = null;
  const update = () => {
    const view = all_of();
    app.lang = view.tag; // first, since texts are measured in its fonts
    translate(app, view.words);
    name_keys(app, view.words);
    for (const part of parts) { part.update(view); }
    const is_computing = view.working !== "" && view.working !== view.words.writing;
    stage.classList.toggle("late", is_computing);
    stage.setAttribute("aria-busy", String(is_computing));
    if (scene !== view.scenario) {
      for (const column of [work, stage, text.el]) { column.scrollTop = 0; }
    }
    scene = view.scenario;
    app.dataset.scene = scene; // that of the address may still be under way
    app.style.setProperty("--rb-try", JSON.stringify(view.words.try));
  };
  model.on("view", update);
  update();
  const moved = (handle) => {
    player = handle;
    for (const part of [steps, show]) { part.use(handle); }
    bookmark.moved(handle);
    paper.begin();
  };
  const stop = listen({moved, lost: () => { lost.hidden = false; }, commands});
  model.on("remove", () => {
    stop();
    for (const part of [bookmark, top, show, bar, face]) { part.stop(); }
  });
  return app;
}

/** Listen to the player, to the connection and to keys; returns how to stop. */
function listen({moved, lost, commands}) {
  const on_moved = ({detail}) => moved(detail);
  const stop_keys = listen_to_keys(commands, true);
  window.addEventListener("rb-connection-lost", lost);
  window.addEventListener("rb-moved", on_moved);
  window.dispatchEvent(new CustomEvent("rb-who")); // the player may have been here first
  return () => {
    window.removeEventListener("rb-connection-lost", lost);
    window.removeEventListener("rb-moved", on_moved);
    stop_keys();
  };
}

/** Write the keys of buttons behind the names in their tips. */
function name_keys(app, words) {
  for (const button of app.querySelectorAll("button[data-key]")) {
    const word = button.dataset.label ?? button.querySelector("[data-word]").dataset.word;
    button.title = with_key(words[word], button.dataset.key);
  }
}

/** What keys do in the frame; the player has actions of its own. In presenter mode → and ← are the path. */
function commands_of({bar, steps, show, scenes}) {
  const unless_shown = (action) => () => (show.is_on() ? false : action());
  return {
    forward: show.forward, back: show.back, present: show.toggle, leave: () => scenes.leave() || show.leave(),
    budgetUp: show.change_budget(1), budgetDown: show.change_budget(-1),
    nextStep: steps.on, previousStep: steps.back,
    requests: unless_shown(bar.toggle_requests), setup: unless_shown(bar.toggle_setup),
  };
}

function banner() {
  const reload = h("button", {class: "link", word: "lost_link", on: {click: () => location.reload()}});
  return h("div", {class: "banner", role: "alert", hidden: true}, icon("warning"),
    h("p", {}, h("b", {word: "lost_head"}), h("span", {word: "lost_text"}), reload));
}
