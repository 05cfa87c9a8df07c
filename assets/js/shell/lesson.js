// The lesson column: number, title, hook, a notice, one step of the text, and what the figures are.
// On a narrow window the text and the inputs are folded away between hook and stage.

import {h, icon} from "../dom.js";
import {fill} from "../fill.js";

export function lesson({notice, steps, send}) {
  const number = h("p", {class: "number"});
  const edited = h("button", {class: "edited", word: "edited", on: {click: () => send("reset", "")}});
  const changed = h("p", {class: "changed"}, h("span", {word: "edited_note"}), " ",
    h("button", {class: "link", word: "edited_reset", on: {click: () => send("reset", "")}}));
  const title = h("h1");
  const hook = h("p", {class: "hook"});
  const note = h("p", {class: "note"});
  const inputs_name = h("span");
  const folds = {
    text: h("button", {"aria-controls": "step"}, h("span", {word: "read_on"}), icon("unfold")),
    inputs: h("button", {"aria-controls": "inputs"}, inputs_name, icon("unfold")),
  };
  const el = h("section", {class: "lesson", label: "lesson_label"},
    h("div", {class: "head"}, h("div", {class: "which"}, number, edited), title, hook),
    h("div", {class: "folds"}, folds.text, folds.inputs),
    notice, changed, steps.el, h("div", {class: "foot"}, note), steps.nav, steps.said);

  const unfold = (name, is_open) => {
    folds[name].setAttribute("aria-expanded", String(is_open));
    el.parentNode.classList.toggle(`open-${name}`, is_open);
  };
  for (const [name, button] of Object.entries(folds)) {
    button.setAttribute("aria-expanded", "false");
    button.addEventListener("click", () => unfold(name, button.getAttribute("aria-expanded") === "false"));
  }
  const update = ({lesson: now, words, budget, is_edited}) => {
    number.textContent = now.number ? fill(words.lesson, now) : "";
    title.textContent = now.title;
    hook.textContent = now.hook ?? "";
    note.textContent = words.teaching;
    inputs_name.textContent = fill(words.inputs_fold, {budget: budget.value.toLocaleString("en")});
    edited.hidden = !is_edited;
    changed.hidden = !is_edited || now.steps.length < 2;
    edited.title = words.edited_help;
  };
  return {el, unfold, update};
}
