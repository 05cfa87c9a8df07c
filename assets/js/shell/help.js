// The sheet of keys: a dialog made from the one table of keys.

import {h, icon} from "../dom.js";
import {KEYS} from "../keys.js";

const GROUPS = [...new Set(KEYS.map(({group}) => group))];

/** The keys of an entry as a person reads them. */
export function caps({shown, is_range = false}) {
  const keys = shown.map((key) => h("kbd", {text: key}));
  return is_range ? [keys[0], "–", keys[1]] : keys;
}

export function key_sheet({can}) {
  const sheet = h("dialog", {class: "keys", label: "key_title", tabindex: "-1"});
  const lists = h("div", {class: "key-groups"});
  sheet.append(
    h("header", {}, h("h2", {word: "key_title"}),
      h("button", {class: "quiet", label: "close", on: {click: () => sheet.close()}}, icon("close"))),
    lists, h("p", {word: "key_note"}));
  sheet.addEventListener("click", (event) => { if (event.target === sheet) { sheet.close(); } });
  let words = {};

  const draw = () => {
    lists.replaceChildren(...GROUPS.map((group) => {
      const entries = KEYS.filter((entry) => entry.group === group && can(entry.action));
      const rows = entries.map((entry) => h("div", {},
        h("dt", {}, ...caps(entry)), h("dd", {text: words[`key_${entry.action}`] ?? entry.action})));
      return h("section", {}, h("h3", {text: words[`key_group_${group}`]}), h("dl", {}, ...rows));
    }));
  };
  const open = () => {
    if (sheet.open) { return; }
    draw();
    sheet.showModal();
  };
  const update = (view) => {
    words = view.words;
    if (sheet.open) { draw(); }
  };
  return {el: sheet, open, update};
}
