// One notice: what a link or a file came to, or what is under way. Long ones are folded to six lines.

import {h, icon} from "../dom.js";

const END_OF_SENTENCE = /(?<=\.)\s+(?=[\p{Lu}\d“"<])|(?<=[。！？])/u;

export function notice({send}) {
  const head = h("b");
  const message = h("p", {class: "folded"});
  const more = h("button", {class: "link", "aria-expanded": "false"});
  const bar = h("div", {class: "progress", "aria-hidden": "true"}, h("i"));
  const dismiss = h("button", {class: "quiet", label: "dismiss"}, icon("close"));
  const el = h("div", {class: "notice", hidden: true},
    h("div", {class: "said", role: "status"}, head, message, bar, more), dismiss);
  let words = {};
  let is_reading = false; // a file: until Python's word on it no empty notice takes the sentence away

  const fold = (is_folded) => {
    message.classList.toggle("folded", is_folded);
    more.setAttribute("aria-expanded", String(!is_folded));
    more.textContent = (is_folded ? words.more : words.less) ?? "";
  };
  const measure = () => {
    if (message.classList.contains("folded")) { more.hidden = message.scrollHeight <= message.clientHeight + 1; }
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
    fold(true);
    measure();
  };
  const wait = (text) => { is_reading = true; say({text, is_busy: true}); };
  more.addEventListener("click", () => fold(!message.classList.contains("folded")));
  dismiss.addEventListener("click", () => { say({text: ""}); send("notice", ""); });
  new ResizeObserver(measure).observe(message);

  const update = (view) => {
    words = view.words;
    fold(message.classList.contains("folded"));
    if (view.working) {
      say({text: view.working, is_busy: true});
    } else if (view.notice || !is_reading) {
      say({text: view.notice, title: view.notice_head});
    }
    if (view.working || view.notice) { is_reading = false; }
  };
  return {el, say, wait, update};
}
