// The lab: traffic, setups and goals at the left; what comes of them at the right, in tabs.
// A page of a tab has an `el` and `show(view, part)`; `part` is what Python says for this tab alone, null until it has.

import {h, told, translate} from "../dom.js";
import {calibrate} from "./calibrate.js";
import {compare} from "./compare.js";
import {action, controls} from "./controls.js";
import {traffic} from "./traffic.js";
import {notice} from "../shell/notice.js";
import {load} from "./load.js";
import {sweep} from "./sweep.js";

export function render({model: sent}) {
  const model = told(sent, "view", "part", "news");
  const send = (message) => model.send_msg(message);
  const tell = (name, detail = {}) => window.dispatchEvent(new CustomEvent(name, {detail}));
  const drawers = {
    traffic: () => tell("rb-open-drawer", {name: "requests"}),
    file: () => tell("rb-open-drawer", {name: "open_trace"}),
    setup: (lane) => tell("rb-setup", {lane}),
  };
  const side = controls({send, drawers});
  const news = notice({send: (what) => send(what === "look" ? {type: "part", part: "traffic", do: "look"} : {type: "notice"})});
  const pages = {
    compare: compare({
      pick: (t, place) => tell("rb-to-stage", {t, lane: model.view.setups[place].key}),
      look: (span) => send({type: "look", span}),
    }),
    traffic: traffic({send, edit: drawers.traffic}),
    load: load({send: (message) => send({type: "part", part: "load", ...message})}),
    sweep: sweep({send: (message) => send({type: "part", part: "sweep", ...message}), compare: () => choose("compare")}),
    calibrate: calibrate({send: (message) => send({type: "part", part: "calibrate", ...message})}),
  };
  const buttons = Object.keys(pages).map((name) => h("button", {
    role: "tab", id: `lab-tab-${name}`, "aria-controls": `lab-${name}`, word: `tab_${name}`, on: {click: () => choose(name)},
  }));
  const save = (what) => () => tell("rb-save", {what});
  const outs = h("div", {class: "lab-outs"}, h("button", {class: "link", word: "as_csv", on: {click: save("compare_csv")}}),
    h("button", {class: "link", word: "as_json", on: {click: save("compare_json")}}), action("save", "report", save("report"), {title: ""}));
  const bar = h("div", {class: "lab-bar"}, h("div", {class: "lab-tabs", role: "tablist", label: "tabs"}, ...buttons), outs);
  const panels = Object.entries(pages).map(([name, page]) => {
    page.el.id = `lab-${name}`;
    page.el.setAttribute("role", "tabpanel");
    page.el.setAttribute("aria-labelledby", `lab-tab-${name}`);
    return page.el;
  });
  const main = h("section", {class: "lab-main", label: "lab_results", tabindex: "-1"}, bar, news.el, ...panels);
  const el = h("div", {class: "lab-page"}); // empty until the lab is asked for
  let chosen = "compare";
  let gone = 0; // how often Python has opened a tab

  const part_of = (name) => (model.part.name === name ? model.part.shown : null);
  const choose = (name) => {
    if (name !== chosen) { send({type: "tab", name}); }
    chosen = name;
    Object.keys(pages).forEach((key, i) => {
      buttons[i].setAttribute("aria-selected", String(key === name));
      buttons[i].tabIndex = key === name ? 0 : -1;
      panels[i].hidden = key !== name;
    });
    if (model.view.words) { pages[name].show(model.view, part_of(name)); }
  };
  bar.addEventListener("keydown", (event) => {
    const step = {ArrowLeft: -1, ArrowRight: 1}[event.key];
    const names = Object.keys(pages);
    if (!step || !event.target.matches("[role=tab]")) { return; }
    event.stopPropagation();
    choose(names[(names.indexOf(chosen) + step + names.length) % names.length]);
    buttons[names.indexOf(chosen)].focus();
  });
  const announce = () => {
    if (!model.news.words) { return; }
    news.update(model.news);
    translate(news.el, model.news.words);
  };
  const update = () => {
    const {view} = model;
    if (!view.words) { return; }
    if (!main.parentNode) { el.append(side.el, main); }
    el.lang = view.tag;
    side.update(view);
    pages[chosen].show(view, part_of(chosen));
    translate(el, view.words);
    announce(); // it has words of its own
    buttons.forEach((button) => { button.hidden = buttons.length < 2; });
    el.setAttribute("aria-busy", String(view.is_late));
  };
  const follow = () => {
    if (model.part.go > gone) {
      gone = model.part.go;
      choose(model.part.name);
    }
    update();
  };
  const hear = ({detail}) => news.say(detail); // what the browser itself says of a file
  model.on("view", update);
  model.on("part", follow);
  model.on("news", announce);
  window.addEventListener("rb-said", hear);
  model.on("remove", () => window.removeEventListener("rb-said", hear));
  choose(chosen);
  follow();
  return el;
}
