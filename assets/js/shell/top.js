// The top bar: menu, name, links and files, language, colours, presenter mode, and help.

import {h, icon} from "../dom.js";
import {logo, theme_button} from "./brand.js";
import {help_sheet} from "./help.js";
import {share} from "./share.js";

export function top_bar({model, send, toggle_rail, choose_file, present, print, can, signs}) {
  const menu = h("button", {class: "quiet menu", label: "menu", "aria-expanded": "true", on: {click: toggle_rail}}, icon("menu"));
  const {languages} = model.view;
  const buttons = languages.map(({code, name, short, tag}) => h(
    "button",
    {lang: tag, "aria-pressed": "false", "aria-label": name, on: {click: () => send("lang", code)}},
    h("span", {class: "long", text: name}), h("span", {class: "short", text: short}),
  ));
  const theme = theme_button();
  const help = help_sheet({can, signs});
  const links = share({model, choose_file, print});
  const el = h(
    "header", {class: "top"},
    menu, logo(), h("span", {class: "name", word: "name"}), h("span", {class: "tagline", word: "tagline"}),
    h("div", {class: "right"},
      links.el,
      h("div", {class: "segments", role: "group", label: "language"}, ...buttons),
      theme.el,
      h("button", {class: "quiet present", label: "present", key: "present", on: {click: present}}, icon("screen")),
      h("button", {class: "quiet help", label: "help", key: "help", text: "?", on: {click: help.open}})),
  );
  const update = (view) => {
    const {lang, tag, words} = view;
    links.update(view);
    help.update(view);
    buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(languages[i].code === lang)));
    document.documentElement.lang = tag;
    theme.update(words);
  };
  const next = () => languages[(languages.findIndex(({code}) => code === model.view.lang) + 1) % languages.length].code;
  return {
    el, menu, update, stop: links.stop, toggle_theme: theme.toggle, help: help.open, help_el: help.el,
    toggle_language: () => send("lang", next()),
  };
}
