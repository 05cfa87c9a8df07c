// All setups in one table: the main metrics at first, all of them when asked; the best is marked, a
// missed goal too. Metrics are columns where few are shown, and rows where all are.

import {h} from "../dom.js";
import {line_sign} from "./plot.js";

export function table() {
  const more = h("button", {class: "link", "aria-expanded": "false", on: {click: () => { is_all = !is_all; paint(); }}});
  const box = h("div", {class: "lab-table-box", tabindex: "0", role: "region", label: "table"});
  const el = h("section", {class: "lab-table"}, box, more);
  let view = null;
  let is_all = false;

  const cell = ({text, is_best, is_over}) => h("td", {class: is_over ? "bad" : is_best ? "good" : ""},
    is_best ? h("span", {class: "tag", text: view.words.best}) : is_over ? h("span", {class: "tag", text: view.words.over}) : "",
    h("span", {text}));
  const name = ({title}, place, tag = "th") => h(tag, {scope: "row"}, line_sign(place), h("span", {text: title, title}));
  const head = ({name: text, unit}) => h("th", {scope: "col"}, h("span", {text}), h("span", {class: "aside", text: unit}));
  const wide = () => {
    const shown = view.metrics.filter(({is_main}) => is_main);
    return h("table", {}, h("thead", {}, h("tr", {}, h("th", {scope: "col", text: view.words.setup}), ...shown.map(head))),
      h("tbody", {}, ...view.setups.map((setup, place) => h("tr", {}, name(setup, place), ...shown.map(({cells}) => cell(cells[place]))))));
  };
  const tall = () => h("table", {class: "tall"},
    h("thead", {}, h("tr", {}, h("th", {scope: "col", text: view.words.metric}), ...view.setups.map((setup, place) => {
      const one = name(setup, place);
      one.setAttribute("scope", "col");
      return one;
    }))),
    h("tbody", {}, ...view.metrics.map((metric) => h("tr", {},
      h("th", {scope: "row"}, h("span", {text: metric.name}), " ", h("span", {class: "aside", text: metric.unit})), ...metric.cells.map(cell)))));
  const paint = () => {
    box.replaceChildren(is_all ? tall() : wide());
    more.textContent = is_all ? view.words.fewer_metrics : view.words.all_metrics;
    more.setAttribute("aria-expanded", String(is_all));
  };
  const show = (next) => {
    view = next;
    paint();
  };
  return {el, show};
}
