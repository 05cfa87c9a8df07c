// The help sheet: how to begin, the signs of the stage, what the words mean, and the keys, which come
// from the one table of keys. The signs are drawn by the player, as in its legend.

import {h, icon} from "../dom.js";
import {KEYS} from "../keys.js";

const GROUPS = [...new Set(KEYS.map(({group}) => group))];

/** The keys of an entry as a person reads them. */
export function caps({shown, is_range = false}) {
  const keys = shown.map((key) => h("kbd", {text: key}));
  return is_range ? [keys[0], "–", keys[1]] : keys;
}

export function help_sheet({can, signs}) {
  const sheet = h("dialog", {class: "keys", label: "help_title", tabindex: "-1"});
  const begin = h("ol", {class: "begin"});
  const drawn = h("ul", {class: "signs"});
  const terms = h("dl", {class: "terms"});
  const lists = h("div", {class: "key-groups"});
  const part = (word, ...els) => h("section", {}, h("h3", {word}), ...els);
  sheet.append(
    h("header", {}, h("h2", {word: "help_title"}),
      h("button", {class: "quiet", label: "close", on: {click: () => sheet.close()}}, icon("close"))),
    part("help_begin", begin), part("help_signs", drawn), part("help_words", terms),
    part("key_title", h("p", {word: "key_note"}), lists));
  sheet.addEventListener("click", (event) => { if (event.target === sheet) { sheet.close(); } });
  let view = {};

  const draw = () => {
    const {help, words} = view;
    begin.replaceChildren(...help.begin.map((text) => h("li", {text})));
    drawn.replaceChildren(...signs().map(({key, el}) => h("li", {}, h("i", {}, el), h("span", {text: help.signs[key]}))));
    terms.replaceChildren(...help.terms.map(([name, text]) => h("div", {}, h("dt", {text: name}), h("dd", {text}))));
    lists.replaceChildren(...GROUPS.map((group) => key_group(group, words, can)));
  };
  const open = () => {
    if (sheet.open) { return; }
    draw();
    sheet.showModal();
    sheet.scrollTop = 0;
  };
  const update = (now) => {
    view = now;
    if (sheet.open) { draw(); }
  };
  return {el: sheet, open, update};
}

/** The keys of a group that do something now. */
function key_group(group, words, can) {
  const entries = KEYS.filter((entry) => entry.group === group && can(entry.action));
  const rows = entries.map((entry) => h("div", {},
    h("dt", {}, ...caps(entry)), h("dd", {text: words[`key_${entry.action}`] ?? entry.action})));
  return h("section", {}, h("h4", {text: words[`key_group_${group}`]}), h("dl", {}, ...rows));
}
