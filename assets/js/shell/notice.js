// One notice: what a link or a file came to, or what is under way. Long ones are folded to six lines,
// but not to hide a single one.

import {h, icon} from "../dom.js";

const END_OF_SENTENCE = /(?<=\.)\s+(?=[\p{Lu}\d“"<])|(?<=[。！？])/u;

export function notice({send}) {
  const head = h("b");
  const message = h("p", {class: "folded"});
  const more = h("button", {class: "link", "aria-expanded": "false"});
  const bar = h("div", {class: "progress", "aria-hidden": "true"}, h("i"));
  const dismiss = h("button", {class: "quiet", label: "dismiss"}, icon("close"));
  const look = h("button", {class: "link", word: "look", hidden: true, on: {click: () => send("look", "")}});
  const units = h("div", {class: "units", role: "group", label: "trace_unit", hidden: true});
  const el = h("div", {class: "notice", hidden: true},
    h("div", {class: "said"}, h("div", {role: "status"}, head, message), bar, more, " ", look, units), dismiss);
  let words = {};
  let is_reading = false; // a file: until Python's word on it no empty notice takes the sentence away

  let is_open = false;

  const measure = () => {
    if (is_open || el.hidden) { return; } // to measure lays out the page
    message.classList.add("folded");
    const hidden = message.scrollHeight - message.clientHeight;
    more.hidden = hidden < 1.5 * parseFloat(getComputedStyle(message).lineHeight);
    message.classList.toggle("folded", !more.hidden);
  };
  const unfold = (open) => {
    is_open = open;
    message.classList.toggle("folded", !open);
    more.setAttribute("aria-expanded", String(open));
    more.textContent = (open ? words.less : words.more) ?? "";
    measure();
  };
  const say = ({text, title = "", is_busy = false}) => {
    const lines = text.split(END_OF_SENTENCE).join("\n");
    el.hidden = text === "";
    head.hidden = title === "";
    bar.hidden = !is_busy;
    dismiss.hidden = is_busy;
    if (head.textContent !== title) { head.textContent = title; }
    if (message.textContent === lines) { return; }
    message.textContent = lines;
    unfold(false);
  };
  const wait = (text) => { is_reading = true; say({text, is_busy: true}); };
  more.addEventListener("click", () => unfold(!is_open));
  dismiss.addEventListener("click", () => { say({text: ""}); send("notice", ""); });
  new ResizeObserver(measure).observe(message);

  const update = (view) => {
    if (words !== view.words) {
      words = view.words;
      unfold(is_open);
    }
    if (view.working) {
      say({text: view.working, is_busy: true});
    } else if (view.notice || view.is_choosing || !is_reading) {
      say({text: view.notice, title: view.notice_head});
    }
    if (view.working || view.notice || view.is_choosing) { is_reading = false; }
    look.hidden = !view.can_look;
    units.hidden = !view.units.length;
    units.replaceChildren(...view.units.map((unit) => h("button", {class: "button", text: unit, on: {click: () => send("unit", unit)}})));
  };
  return {el, say, wait, update};
}
