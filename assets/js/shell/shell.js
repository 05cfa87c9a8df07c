// The frame: puts bar, rail, columns and inputs into one grid and passes each new view to them.

import {h, icon, translate} from "../dom.js";
import {address} from "./address.js";
import {drawers} from "./drawers.js";
import {files} from "./files.js";
import {inputs} from "./inputs.js";
import {lesson} from "./lesson.js";
import {notice} from "./notice.js";
import {rail} from "./rail.js";
import {top_bar} from "./top.js";

export function render({model}) {
  const send = (what, value) => model.send_msg({type: "choice", what, value});
  const drawer = drawers();
  const news = notice({send});
  const trace = files({model, drawer, say: news.say, wait: news.wait});
  const bar = inputs({model, drawer});
  const text = lesson({model, notice: news.el, send});
  const scenes = rail({send, drawer});
  const top = top_bar({model, send, toggle_rail: scenes.toggle, choose_file: () => trace.input.click()});
  const bookmark = address({model});
  const lost = banner();
  const stage = h("section", {class: "stage", label: "stage"}, model.get_child("stage"));
  const work = h("div", {class: "work"}, text.el, bar.el, bar.table, bar.form, trace.el, stage);
  const app = h("div", {class: "app"}, top.el, lost, scenes.el, scenes.shade, work, trace.input, trace.veil);

  drawer.when_shown(() => text.unfold("inputs", true));
  scenes.start(top.menu);
  trace.listen(app);

  const parts = [bookmark, top, scenes, text, news, bar, trace];
  let scene = null;
  const update = () => {
    const view = model.view;
    translate(app, view.words);
    for (const part of parts) { part.update(view); }
    if (scene !== view.scenario) {
      for (const column of [work, stage, text.el]) { column.scrollTop = 0; }
    }
    scene = view.scenario;
    app.lang = view.lang === "zh" ? "zh-CN" : "en";
  };
  model.on("view", update);
  update();

  const show_lost = () => { lost.hidden = false; };
  window.addEventListener("rb-connection-lost", show_lost);
  model.on("remove", () => {
    window.removeEventListener("rb-connection-lost", show_lost);
    bookmark.stop();
    top.stop();
    bar.stop();
  });
  return app;
}

function banner() {
  const reload = h("button", {class: "link", word: "lost_link", on: {click: () => location.reload()}});
  return h("div", {class: "banner", role: "alert", hidden: true}, icon("warning"),
    h("p", {}, h("b", {word: "lost_head"}), h("span", {word: "lost_text"}), reload));
}
