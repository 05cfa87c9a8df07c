// Two ways to look at a session: the stage with its lesson, or the lab. The one that is not shown keeps
// its place and its size behind the other, out of reach.

import {h} from "../dom.js";

export function faces({model, send, drawer, requests, show: show_time}) {
  const el = h("div", {class: "lab-face", hidden: true}, model.get_child("lab"));
  let parts = {app: null, hidden: [], fold: () => {}};
  let shown = null;
  let asked = null; // a face that the server has not answered for yet
  const show = (name) => {
    if (name === (asked ?? model.view.face)) { return; }
    asked = name;
    send("face", name);
  };
  const open = ({detail: {name}}) => { if (name === "requests") { requests(); } else { drawer.show(name); } };
  const to_stage = ({detail: {t}}) => {
    show("stage");
    show_time(t);
  };
  window.addEventListener("rb-open-drawer", open);
  const save = ({detail: {what}}) => model.send_msg({type: "save", what});
  window.addEventListener("rb-to-stage", to_stage);
  window.addEventListener("rb-save", save);
  const update = ({face}) => {
    if (face === asked) { asked = null; }
    if (face === shown) { return; }
    const is_lab = face === "lab";
    if (shown !== null || is_lab) { parts.fold(is_lab); }
    shown = face;
    parts.app.dataset.face = face;
    document.documentElement.dataset.face = face; // for keys.js
    el.hidden = !is_lab;
    for (const part of parts.hidden) { part.inert = is_lab; }
    drawer.hide();
  };
  const stop = () => {
    window.removeEventListener("rb-open-drawer", open);
    window.removeEventListener("rb-to-stage", to_stage);
    window.removeEventListener("rb-save", save);
  };
  return {el, update, show, stop, start: (found) => { parts = found; }};
}
