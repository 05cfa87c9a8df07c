// All points of a sweep in a table, and the same as CSV.

import {h} from "../dom.js";
import {fill} from "../fill.js";

export function sweep_table({pick}) {
  const box = h("div", {class: "lab-table-box", tabindex: "0", role: "region", label: "sweep.table"});
  const said = h("span", {class: "aside", role: "status"});
  const copy = h("button", {class: "link", word: "sweep.copy", on: {click: async () => {
    try {
      await navigator.clipboard.writeText(csv(shown.run));
      said.textContent = shown.view.words["sweep.copied"];
    } catch {
      said.textContent = shown.view.words["sweep.not_copied"];
    }
  }}});
  const save = h("button", {class: "link", word: "sweep.save", on: {click: () => {
    const url = URL.createObjectURL(new Blob([csv(shown.run)], {type: "text/csv"}));
    h("a", {href: url, download: "sweep.csv"}).click();
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
  }}});
  const el = h("section", {class: "lab-table"}, box, h("p", {class: "links"}, copy, save, said));
  let shown = null;

  const row = (point, {run, view: {words}}) => {
    const open = h("button", {class: "link", text: point.name, title: fill(words["sweep.make_setup"], {point: point.name}), disabled: point.fault !== "", on: {click: () => pick(point)}});
    const met = point.feasible ? [h("span", {class: "tag good", text: words["sweep.met"]})] : [];
    const head = h("th", {scope: "row"}, open, " ", ...met);
    if (point.fault) {
      return h("tr", {}, head, h("td", {class: "bad fault", colspan: Math.max(1, run.main.length)}, h("span", {class: "tag", text: words["sweep.cannot"]}), point.fault));
    }
    return h("tr", {}, head, ...point.cells.map(({text, is_best, is_over}) => h("td", {class: is_over ? "bad" : is_best ? "good" : ""},
      is_over ? h("span", {class: "tag", text: words.over}) : is_best ? h("span", {class: "tag", text: words.best}) : "", h("span", {text}))));
  };
  const show = (run, view) => {
    shown = {run, view};
    const mains = run.main.map((key) => run.metrics.find((metric) => metric.key === key));
    const at = [...box.querySelectorAll("button")].indexOf(box.getRootNode().activeElement);
    box.replaceChildren(h("table", {},
      h("thead", {}, h("tr", {}, h("th", {scope: "col", text: view.words["sweep.point"]}),
        ...mains.map(({name, unit}) => h("th", {scope: "col"}, h("span", {text: name}), h("span", {class: "aside", text: unit}))))),
      h("tbody", {}, ...run.points.map((point) => row(point, shown)))));
    if (at >= 0) { box.querySelectorAll("button")[at]?.focus(); }
  };
  return {el, show};
}

/** All points with all metrics, exactly; names are those of the command line. */
function csv({names, metrics, points}) {
  const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);
  const lines = points.map(({settings, values, feasible, fault}) => [
    ...names.map((name) => settings[name]), ...metrics.map(({key}) => values[key] ?? ""), feasible ?? "", fault]);
  return [[...names, ...metrics.map(({key}) => key), "feasible", "fault"], ...lines]
    .map((cells) => cells.map((cell) => quoted(String(cell))).join(",")).join("\n") + "\n";
}
