// The panels over the lesson: the request table, and what to know before opening a trace. One at a time.

import {h, icon} from "../dom.js";

export function drawers() {
  const panels = new Map();
  let shown = null;
  let opener = null;
  let on_show = () => {};

  const show = (name, button = null) => {
    shown = name;
    opener = button ?? opener;
    for (const [key, {el, buttons}] of panels) {
      el.hidden = key !== name;
      for (const one of buttons) { one.setAttribute("aria-expanded", String(key === name)); }
    }
    if (name === null) { return; }
    on_show();
    const {el} = panels.get(name);
    el.focus({preventScroll: true});
    el.scrollIntoView({block: "nearest"});
  };
  const hide = () => {
    if (shown === null) { return; }
    show(null);
    opener?.focus();
  };
  const add = (name, ...content) => {
    const el = h("section", {class: "drawer", id: name, label: name, tabindex: "-1", hidden: true},
      h("button", {class: "quiet close", label: "close", on: {click: hide}}, icon("close")), ...content);
    el.addEventListener("keydown", (event) => { if (event.key === "Escape") { hide(); } });
    panels.set(name, {el, buttons: []});
    return el;
  };
  const opens = (button, name) => {
    button.setAttribute("aria-expanded", "false");
    button.setAttribute("aria-controls", name);
    button.addEventListener("click", () => { if (shown === name) { hide(); } else { show(name, button); } });
    panels.get(name).buttons.push(button);
  };
  return {add, opens, show, hide, when_shown: (then) => { on_show = then; }};
}
