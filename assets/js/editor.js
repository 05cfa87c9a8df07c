// The request table. The browser keeps what is typed; Python checks it and answers with problems.

import {h, icon, plain, told, translate} from "./dom.js";
import {fill} from "./fill.js";
import {cells_of, read_block} from "./editor/block.js";
import {Columns, sentence} from "./editor/columns.js";
import {Generator} from "./editor/generator.js";
import {fill_line, make_line} from "./editor/line.js";
import {moved_by_key} from "./editor/order.js";
import {Past, past_key} from "./editor/past.js";

const MOST_IN_A_CELL = 40;

export function render({model: sent}) {
  const model = told(sent, "table");
  const editor = new Editor((message) => model.send_msg(message));
  editor.update(model.table);
  model.on("table", () => editor.update(model.table));
  return editor.el;
}

class Editor {
  constructor(send) {
    this.send = send;
    this.seq = 0;
    this.rows = [];
    this.past = new Past();
    this.lines = [];
    this.columns = new Columns((field) => this.explain(field));
    this.said = "";
    this.make();
  }

  make() {
    this.title = h("h2");
    this.body = h("tbody");
    this.grid = h("table", {}, h("caption", {word: "caption"}), h("thead", {}, this.columns.el), this.body);
    this.frame = h("div", {class: "frame"}, this.grid);
    this.about = h("p", {class: "about"});
    this.empty = h("div", {class: "empty"},
      h("p", {}, h("b", {word: "empty_head"}), h("span", {word: "empty_text"})),
      this.button("empty_use", () => this.reset(), "primary"));
    this.general = h("p", {class: "general", role: "alert", hidden: true});
    this.count = h("span", {class: "count"});
    this.status = h("p", {class: "note", role: "status"});
    this.more = this.button("more_columns", () => this.show_all(), "link");
    this.add_button = h("button", {class: "button", type: "button", on: {click: () => this.add()}}, icon("plus"), h("span", {word: "add"}));
    this.fill_button = this.button("generate", () => this.ask({type: "fill", open: true}), "button");
    this.undo_button = this.button("undo", () => this.undo(), "link");
    this.redo_button = this.button("redo", () => this.redo(), "link");
    this.tools = h("div", {class: "tools"}, this.add_button, this.fill_button,
      this.undo_button, this.redo_button, this.button("reset", () => this.reset(), "link"));
    this.table_part = h("div", {}, h("div", {class: "above"}, this.count, this.more), this.about,
      this.frame, this.empty, this.general, this.status, this.tools);
    this.generator = new Generator((message) => this.ask(message), () => this.ask({type: "fill", open: false}));
    this.el = h("div", {class: "editor"}, this.title, this.table_part, this.generator.el);
    this.table_part.addEventListener("keydown", (event) => this.past_by_key(event));
  }

  button(word, click, kind) { return h("button", {class: kind, type: "button", word, on: {click}}); }

  // What comes from Python

  update(table) {
    if (table.seq < this.seq) { return; }
    const other = table.scenario !== this.table?.scenario;
    const had_form = Boolean(this.table?.form);
    if (other) { this.past.forget(); }
    if (other || table.words.title !== this.table.words.title) { this.said = ""; } // or it is in another language
    this.table = table;
    translate(this.el, table.words);
    if (!same(table.rows, this.rows)) {
      if (!other) { this.past.keep(this.rows); }
      this.rows = table.rows.map((row) => ({...row}));
      if (table.filled) { this.tell(fill(table.words.filled, {count: this.rows.length})); }
    }
    this.show_part(had_form);
    this.draw();
  }

  show_part(had_form) {
    const {form, words, read_only} = this.table;
    const is_in = this.el.contains(this.el.getRootNode().activeElement);
    this.table_part.hidden = Boolean(form);
    this.generator.el.hidden = !form;
    this.title.textContent = form ? form.head : words.title;
    if (form) { this.generator.update(form, words); }
    if (read_only || Boolean(form) === had_form || !is_in) { return; }
    if (form) { this.generator.focus(); } else { this.fill_button.focus(); }
  }

  // What a person does

  commit(rows) {
    if (same(rows, this.rows)) { return; }
    this.said = ""; // what was said of the edit before
    this.past.keep(this.rows);
    this.replace(rows);
  }

  replace(rows) {
    this.rows = rows;
    this.draw();
    this.ask({type: "rows", rows});
  }

  ask(message) {
    this.seq += 1;
    this.send({...message, seq: this.seq});
  }

  type(i, field, typed) {
    const value = plain(typed);
    this.lines[i].cells[field].value = value;
    this.commit(this.rows.map((row, k) => (k === i ? {...row, [field]: value} : row)));
  }

  add() {
    const id = this.free_id();
    this.commit([...this.rows, {...this.blank(id), arrival: this.rows.at(-1)?.arrival ?? "0", prompt: "4", output: "2"}]);
    this.tell(fill(this.table.words.added, {id, number: this.rows.length}));
    this.focus(this.rows.length - 1, "arrival");
  }

  copy(i) {
    const id = this.free_id();
    this.commit(this.rows.toSpliced(i + 1, 0, {...this.rows[i], id}));
    this.tell(fill(this.table.words.added, {id, number: i + 2}));
    this.focus(i + 1, "arrival");
  }

  remove(i) {
    const {id} = this.rows[i];
    this.commit(this.rows.toSpliced(i, 1));
    this.tell(fill(this.table.words.removed, {id, count: this.rows.length}));
    const next = this.lines[Math.min(i, this.rows.length - 1)];
    (next ? next.remove : this.add_button).focus();
  }

  move(from, to) {
    const row = this.rows[from];
    this.commit(this.rows.toSpliced(from, 1).toSpliced(to, 0, row));
    this.tell(fill(this.table.words.moved, {id: row.id, number: to + 1, count: this.rows.length}));
  }

  row_key(event, i) {
    const to = moved_by_key(event, i, this.rows.length);
    if (event.altKey && ["ArrowUp", "ArrowDown"].includes(event.key)) { event.preventDefault(); }
    if (to === null) { return; }
    const part = event.composedPath()[0];
    const {cells} = this.lines[i];
    const field = Object.keys(cells).find((name) => cells[name] === part);
    if (field) { this.type(i, field, part.value); }
    this.move(i, to);
    const line = this.lines[to];
    const same_button = ["copy", "remove", "grip"].find((name) => this.lines[i][name] === part);
    (line.cells[field] ?? line[same_button] ?? line.cells.id).focus();
  }

  reset() {
    this.tell("");
    this.ask({type: "reset"});
  }

  undo() { this.go_back(this.past.undo(this.rows), "undone", this.undo_button, this.redo_button); }

  redo() { this.go_back(this.past.redo(this.rows), "redone", this.redo_button, this.undo_button); }

  go_back(rows, word, button, other) {
    if (!rows) { return; }
    this.replace(rows);
    this.tell(fill(this.table.words[word], {count: rows.length}));
    if (button.disabled && button.getRootNode().activeElement === button) { other.focus(); }
  }

  past_by_key(event) {
    const way = past_key(event);
    if (!way) { return; }
    const cell = event.composedPath()[0];
    if (cell.matches?.("input") && cell.value !== cell.dataset.kept) { return; } // the typing is taken back first
    event.preventDefault();
    if (way === "undo") { this.undo(); } else { this.redo(); }
  }

  paste(event, i, field) {
    const lines = cells_of(event.clipboardData.getData("text/plain"));
    if (!lines?.length) { return; }
    event.preventDefault();
    const {limit, words, fields, names} = this.table;
    const {shown} = this.columns;
    const block = read_block(lines, [...shown, ...fields.filter((one) => !shown.includes(one))], field, names);
    const room = block.lines.slice(0, limit - i);
    this.commit(this.pasted(room, i, block.fields));
    const said = [fill(room.length < block.lines.length ? words.pasted_some : words.pasted, {rows: room.length, limit})];
    if (block.unknown.length) { said.push(fill(words.unknown_heads, {heads: block.unknown.join(", ").slice(0, 120)})); }
    this.tell(said.join(this.table.gap));
    this.focus(i, field);
  }

  pasted(lines, i, fields) {
    const rows = this.rows.map((row) => ({...row}));
    lines.forEach((cells, k) => {
      if (i + k >= rows.length) { rows.push({...this.blank(this.free_id(rows)), arrival: "0"}); }
      cells.forEach((cell, j) => {
        if (fields[j]) { rows[i + k][fields[j]] = plain(cell).slice(0, MOST_IN_A_CELL); }
      });
    });
    return rows;
  }

  blank(id) { return {...Object.fromEntries(this.table.fields.map((field) => [field, ""])), id}; }

  free_id(rows = this.rows) {
    const taken = new Set(rows.map((row) => row.id));
    for (let n = 0; ; n += 1) {
      const letter = String.fromCharCode(65 + (n % 26));
      const id = n < 26 ? letter : `${letter}${Math.floor(n / 26)}`;
      if (!taken.has(id)) { return id; }
    }
  }

  // Columns

  show_all() {
    this.columns.all = !this.columns.all;
    this.draw();
  }

  /** Choose the columns; if they change all lines are new, and the box to return to is given. */
  choose_columns() {
    const {words} = this.table;
    const place = this.place();
    const are_others = this.columns.choose(this.table, this.rows, place);
    this.more.setAttribute("aria-expanded", String(this.columns.all));
    this.more.textContent = this.columns.all ? words.fewer_columns : words.more_columns;
    this.frame.classList.toggle("wide", this.columns.shown.length > 5);
    if (!are_others) { return null; }
    this.lines = [];
    this.body.replaceChildren();
    return place;
  }

  /** The box one is in, and what is typed there. */
  place() {
    const focused = this.el.getRootNode().activeElement;
    const i = this.lines.findIndex(({row}) => focused && row.contains(focused));
    const field = this.columns.shown.find((name) => this.lines[i]?.cells[name] === focused);
    return field ? {i, field, value: focused.value} : null;
  }

  return_to({i, field, value}) {
    const cell = this.lines[i]?.cells[field];
    if (!cell) { return; }
    cell.focus();
    cell.value = value;
  }

  /** One line above the table says what a column is, or how to paste. */
  explain(field) { this.about.textContent = field ? sentence(field, this.table) : this.table.words.paste; }

  // Drawing: lines are kept and refilled, so that the focus stays where it is

  draw() {
    const {words, limit, read_only} = this.table;
    const place = this.choose_columns();
    while (this.lines.length < this.rows.length) {
      const line = make_line(this.lines.length, this.columns.shown, this);
      this.lines.push(line);
      this.body.append(line.row, line.error);
    }
    for (const line of this.lines.splice(this.rows.length)) {
      line.row.remove();
      line.error.remove();
    }
    const shown = {rows: this.rows, table: this.table, problems: (row) => this.problems(row)};
    this.lines.forEach((line, i) => fill_line(line, i, shown));
    if (place) { this.return_to(place); }
    const none = this.rows.length === 0;
    const full = this.rows.length >= limit;
    this.frame.hidden = this.about.hidden = this.more.hidden = none;
    this.empty.hidden = !none || read_only;
    this.count.textContent = fill(words.count, {count: this.rows.length, limit});
    this.count.classList.toggle("full", full);
    this.add_button.disabled = full;
    this.add_button.title = full ? fill(words.full, {limit}) : "";
    this.undo_button.disabled = this.past.before.length === 0;
    this.redo_button.disabled = this.past.after.length === 0;
    this.status.textContent = this.said;
    this.draw_general(none);
  }

  draw_general(none) {
    const general = this.empty.hidden ? this.problems(null) : this.table.words.kept; // the rest is said above it
    this.general.classList.toggle("calm", none);
    this.general.hidden = general === "";
    this.general.textContent = general;
  }

  problems(row) {
    const texts = this.table.problems.filter((problem) => (problem.row ?? null) === row).map((problem) => problem.text);
    return texts.length ? [...texts, this.table.words.kept].join(this.table.gap) : "";
  }

  tell(said) {
    this.said = said;
    this.status.textContent = said;
  }

  focus(i, field) {
    const cell = this.lines[i]?.cells[field];
    cell?.focus();
    cell?.select();
  }

  below(cell, i, field) {
    this.type(i, field, cell.value);
    this.focus(Math.min(i + 1, this.rows.length - 1), field);
  }
}

function same(a, b) {
  return a.length === b.length && a.every((row, i) => Object.keys(row).every((field) => row[field] === b[i][field]));
}
