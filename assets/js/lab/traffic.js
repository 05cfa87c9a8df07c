// The traffic: its sentence, its pictures, the form it comes from beside them, and the look at a file.

import {h} from "../dom.js";
import {Generator} from "../editor/generator.js";
import {chooser} from "./chooser.js";
import {pictures} from "./pictures.js";

export function traffic({send, edit}) {
  const ask = (message) => send({type: "part", part: "traffic", ...message});
  const headline = h("h2", {class: "headline"});
  const source = h("span");
  const look = h("button", {class: "link", word: "workload.look", on: {click: () => ask({do: "look"})}});
  const file = chooser(ask);
  const shown = pictures();
  const generator = new Generator(({what, values}) => ask({do: "form", what, values}), () => ask({do: "fill", open: false}), "lab-generator");
  const title = h("h2");
  const fill = h("div", {class: "traffic-fill"}, h("p", {class: "aside", word: "workload.in_table"}),
    h("button", {class: "button", word: "workload.edit", on: {click: edit}}),
    h("button", {class: "button", word: "workload.generate", on: {click: () => ask({do: "fill", open: true})}}));
  const form = h("section", {class: "traffic-form", label: "workload.form"}, title, generator.el, fill);
  const studio = h("div", {class: "traffic-studio", hidden: true}, shown.el, form);
  const el = h("div", {class: "lab-traffic"}, headline, h("p", {class: "aside traffic-source"}, source, " ", look), file.el, studio);

  const show = (view, part) => {
    if (!part) { return; }
    headline.textContent = part.sentence;
    source.textContent = part.source;
    look.hidden = !part.can_look || Boolean(part.file);
    file.show(part.file, view.words);
    studio.hidden = Boolean(part.file);
    if (part.file) { return; }
    shown.show(view, part);
    title.textContent = part.form?.head ?? "";
    title.hidden = generator.el.hidden = !part.form;
    fill.hidden = Boolean(part.form) || !part.can_fill;
    if (part.form) { generator.update(part.form, view.words); }
  };
  return {el, show};
}
