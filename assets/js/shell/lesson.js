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
    say(sentence);
    if (scenario !== shown) { el.scrollTop = 0; }
    shown = scenario;
  };
  return {el, say, update};
}
