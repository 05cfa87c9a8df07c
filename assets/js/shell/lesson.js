// The lesson column: number, title, hook, text (Panel's Markdown), a notice, and what the figures are.

import {fill, h, icon} from "../dom.js";

export function lesson({model, send}) {
  const number = h("p", {class: "number"});
  const title = h("h1");
  const hook = h("p", {class: "hook"});
  const note = h("p", {class: "note"});
  const message = h("span");
  const notice = h("div", {class: "notice", role: "status", hidden: true}, message,
    h("button", {class: "quiet", label: "dismiss", on: {click: () => { say(""); send("notice", ""); }}}, icon("close")));
  const text = h("div", {class: "text"}, model.get_child("text"));
  const el = h("section", {class: "lesson"},
    h("div", {class: "head"}, number, title, hook), notice, text, h("div", {class: "foot"}, note));

  let is_waiting = false; // for Python's word on a file: until then no empty notice takes the sentence away
  const say = (words) => {
    message.textContent = words;
    notice.hidden = words === "";
  };
  let shown = null;
  const update = ({lesson: now, notice: sentence, words, scenario}) => {
    number.textContent = now.number ? fill(words.lesson, now) : "";
    title.textContent = now.title;
    hook.textContent = now.hook ?? "";
    note.textContent = [now.note, words.teaching].filter(Boolean).join(" ");
    if (sentence || !is_waiting) { is_waiting = false; say(sentence); }
    if (scenario !== shown) { el.scrollTop = 0; }
    shown = scenario;
  };
  const wait = (words) => { is_waiting = true; say(words); };
  return {el, say, wait, update};
}
