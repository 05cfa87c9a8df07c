// Which columns the table has, and their heads: some are always there, the others when they hold something.

import {h} from "../dom.js";
import {fill} from "../fill.js";

export class Columns {
  /** `explain` is told which column one points at, or null. */
  constructor(explain) {
    this.explain = explain;
    this.shown = [];
    this.said = "";
    this.all = false;
    this.el = h("tr");
  }

  /** Choose the columns anew; `place` is the box one is in. Returns whether they are others now. */
  choose(table, rows, place) {
    const {fields, always, problems} = table;
    const holds = (field) => rows.some((row) => row[field] !== "") || problems.some((problem) => problem.field === field) ||
      place?.field === field;
    const wanted = fields.filter((field) => this.all || always.includes(field) || holds(field));
    const are_others = wanted.join() !== this.shown.join();
    this.shown = wanted;
    const heads = wanted.map((field) => fill(table.words[field], {unit: table.words[table.unit]}));
    if (are_others || heads.join() !== this.said) {
      this.said = heads.join();
      this.el.replaceChildren(...wanted.map((field, i) => this.head(field, heads[i], sentence(field, table))), h("td"));
      this.explain(place?.field ?? null);
    }
    return are_others;
  }

  head(field, text, about) {
    const point = () => this.explain(field);
    const leave = () => this.explain(null);
    return h("th", {scope: "col", class: field, on: {pointerenter: point, pointerleave: leave}},
      h("span", {tabindex: "0", "aria-description": about, text, on: {focus: point, blur: leave}}));
  }
}

/** What a column is, in one sentence. */
export function sentence(field, {words, unit}) { return fill(words[`about.${field}`], {unit: words[unit]}); }
