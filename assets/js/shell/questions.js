// The index of questions: what practitioners ask, each with the way to the step that shows the answer.

import {h, icon} from "../dom.js";

/** @param {function(string)} open go to a step, by the query of its link */
export function question_index({open}) {
  const list = h("ol", {class: "questions"});
  const sheet = h("dialog", {class: "keys", label: "questions", tabindex: "-1"},
    h("header", {}, h("h2", {word: "questions"}),
      h("button", {class: "quiet", label: "close", on: {click: () => sheet.close()}}, icon("close"))),
    h("p", {word: "questions_note"}), list);
  sheet.addEventListener("click", (event) => { if (event.target === sheet) { sheet.close(); } });
  const update = ({questions}) => {
    list.replaceChildren(...questions.map(({text, sources, search}) => h("li", {},
      h("button", {class: "link", text, on: {click: () => { sheet.close(); open(search); }}}),
      h("span", {class: "aside", text: sources.join(" · ")}))));
  };
  const show = () => {
    sheet.showModal();
    sheet.scrollTop = 0;
  };
  return {el: sheet, show, update};
}
