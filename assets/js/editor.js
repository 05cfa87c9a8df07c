// The request table. The browser keeps what is typed; Python checks it and answers with problems.

import {fill, h, icon, plain, set, translate} from "./dom.js";

const FIELDS = ["id", "arrival", "prompt", "output", "cached"];
const UNDO_LIMIT = 100;
const NUM_COLOURS = 8;

export function render({model}) {
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
    this.past = [];
    this.lines = [];
    this.body = h("tbody");
    this.arrival_head = h("th", {scope: "col"});
    this.head = h("thead", {}, h("tr", {},
      h("th", {scope: "col", word: "id"}), this.arrival_head,
      ...["prompt", "output", "cached"].map((word) => h("th", {scope: "col", word})), h("th")));
    this.grid = h("table", {}, h("caption", {word: "caption"}), this.head, this.body);
    this.empty = h("div", {class: "empty"},
      h("p", {}, h("b", {word: "empty_head"}), h("span", {word: "empty_text"})),
      this.button("empty_use", () => this.reset(), "primary"));
    this.general = h("p", {class: "general", role: "alert", hidden: true});
    this.note = h("p", {class: "note", role: "status"});
    this.add_button = h("button", {class: "button", on: {click: () => this.add()}}, icon("plus"), h("span", {word: "add"}));
    this.undo_button = this.button("undo", () => this.undo(), "link");
    this.tools = h("div", {class: "tools"}, this.add_button, this.note,
      this.button("reset", () => this.reset(), "link"), this.undo_button);
    this.el = h("div", {class: "editor"}, h("h2", {word: "title"}), this.grid, this.empty, this.general, this.tools);
    this.el.addEventListener("keydown", (event) => this.undo_by_key(event));
  }

  button(word, click, kind) { return h("button", {class: kind, word, on: {click}}); }

  // What comes from Python

  update(table) {
    if (table.seq < this.seq) { return; }
    const other = table.scenario !== this.table?.scenario;
    this.table = table;
    translate(this.el, table.words);
    this.arrival_head.textContent = fill(table.words.arrival, {unit: table.words[table.unit]});
    if (other) { this.past = []; }
    if (!same(table.rows, this.rows)) {
      if (!other) { this.keep(); }
      this.rows = table.rows.map((row) => ({...row}));
    }
    this.draw();
    this.tell(this.standing_note());
  }

  standing_note() {
    const {words, read_only, left_out} = this.table;
    const more = left_out ? fill(words.more, {count: left_out.toLocaleString("en")}) : "";
    return read_only ? `${words.read_only} ${more}` : words.paste;
  }

  // What a person does

  commit(rows) {
    if (same(rows, this.rows)) { return; }
    this.keep();
    this.replace(rows);
  }

  keep() { this.past = [...this.past, this.rows].slice(-UNDO_LIMIT); }

  replace(rows) {
    this.rows = rows;
    this.seq += 1;
    this.draw();
    this.send({type: "rows", rows, seq: this.seq});
  }

  type(i, field, typed) {
    const value = plain(typed);
    this.lines[i].cells[field].value = value;
    this.commit(this.rows.map((row, k) => (k === i ? {...row, [field]: value} : row)));
  }

  add() {
    const last = this.rows.at(-1);
    const arrival = last?.arrival ?? "0";
    this.commit([...this.rows, {id: this.free_id(), arrival, prompt: "4", output: "2", cached: ""}]);
    this.focus(this.rows.length - 1, "arrival");
  }

  copy(i) {
    this.commit(this.rows.toSpliced(i + 1, 0, {...this.rows[i], id: this.free_id()}));
    this.focus(i + 1, "arrival");
  }

  remove(i) {
    this.commit(this.rows.toSpliced(i, 1));
    const next = this.lines[Math.min(i, this.rows.length - 1)];
    (next ? next.remove : this.add_button).focus();
  }

  reset() {
    this.seq += 1;
    this.send({type: "reset", seq: this.seq});
  }

  undo() {
    if (this.past.length) { this.replace(this.past.pop()); }
  }

  undo_by_key(event) {
    if (event.key.toLowerCase() !== "z" || !(event.ctrlKey || event.metaKey) || event.shiftKey) { return; }
    const cell = event.composedPath()[0];
    if (cell.matches?.("input") && cell.value !== cell.dataset.kept) { return; } // undo the typing first
    event.preventDefault();
    this.undo();
  }

  paste(event, i, field) {
    const block = event.clipboardData.getData("text/plain").replace(/\r\n?/g, "\n").replace(/\n$/, "");
    if (!/[\t\n]/.test(block)) { return; }
    event.preventDefault();
    const lines = block.split("\n").map((line) => line.split("\t"));
    const room = lines.slice(0, this.table.limit - i);
    this.commit(this.pasted(room, i, FIELDS.indexOf(field)));
    if (room.length < lines.length) {
      this.tell(fill(this.table.words.pasted, {rows: room.length, limit: this.table.limit}));
    }
  }

  pasted(lines, i, column) {
    const rows = this.rows.map((row) => ({...row}));
    lines.forEach((cells, k) => {
      if (i + k >= rows.length) { rows.push({id: this.free_id(rows), arrival: "0", prompt: "", output: "", cached: ""}); }
      cells.slice(0, FIELDS.length - column).forEach((cell, j) => { rows[i + k][FIELDS[column + j]] = plain(cell).slice(0, 40); });
    });
    return rows;
  }

  free_id(rows = this.rows) {
    const taken = new Set(rows.map((row) => row.id));
    for (let n = 0; ; n += 1) {
      const letter = String.fromCharCode(65 + (n % 26));
      const id = n < 26 ? letter : `${letter}${Math.floor(n / 26)}`;
      if (!taken.has(id)) { return id; }
    }
  }

  // Drawing: lines are kept and refilled, so that the focus stays where it is

  draw() {
    while (this.lines.length < this.rows.length) { this.lines.push(this.line(this.lines.length)); }
    for (const line of this.lines.splice(this.rows.length)) { line.row.remove(); line.error.remove(); }
    this.lines.forEach((line, i) => this.fill_line(line, i));
    const none = this.rows.length === 0;
    this.grid.hidden = none;
    this.empty.hidden = !none || this.table.read_only;
    this.note.hidden = none && !this.table.read_only;
    for (const button of this.tools.querySelectorAll("button")) { button.hidden = this.table.read_only; }
    this.add_button.disabled = this.rows.length >= this.table.limit;
    this.add_button.title = this.add_button.disabled ? fill(this.table.words.full, this.table) : "";
    this.undo_button.disabled = this.past.length === 0;
    const general = this.empty.hidden ? this.problems(null) : this.table.words.kept; // the rest is said above it
    this.general.classList.toggle("calm", none);
    this.general.hidden = general === "";
    this.general.textContent = general;
  }

  line(i) {
    const cells = Object.fromEntries(FIELDS.map((field) => [field, this.cell(i, field)]));
    const copy = h("button", {class: "small", on: {click: () => this.copy(i)}}, icon("copy"));
    const remove = h("button", {class: "small", on: {click: () => this.remove(i)}}, icon("close"));
    const row = h("tr", {}, ...FIELDS.map((field) => h("td", {}, cells[field])), h("td", {class: "do"}, copy, remove));
    cells.id.classList.add("chip", `chip-${i % NUM_COLOURS}`);
    const message = h("span");
    const error = h("tr", {class: "problem", hidden: true},
      h("td", {colspan: 6, id: `problem-${i}`, role: "alert"}, icon("warning"), message));
    this.body.append(row, error);
    return {row, cells, copy, remove, error, message};
  }

  cell(i, field) {
    return h("input", {
      type: "text", class: field, maxlength: 40, autocomplete: "off", spellcheck: "false",
      inputmode: field === "id" ? "text" : "decimal",
      on: {
        change: (event) => this.type(i, field, event.target.value),
        paste: (event) => this.paste(event, i, field),
        keydown: (event) => { if (event.key === "Enter") { this.below(event.target, i, field); } },
      },
    });
  }

  fill_line({cells, copy, remove, error, message}, i) {
    const {words, read_only} = this.table;
    const name = this.rows[i].id || fill(words.row, {number: i + 1});
    const text = this.problems(i);
    for (const [field, cell] of Object.entries(cells)) {
      this.put(cell, this.rows[i][field]);
      set(cell, "title", this.rows[i][field].length > 7 ? this.rows[i][field] : null);
      const bad = this.table.problems.some((problem) => problem.row === i && problem.field === field);
      set(cell, "aria-invalid", bad ? "true" : null);
      set(cell, "aria-describedby", bad ? `problem-${i}` : null);
      set(cell, "aria-label", fill(words.cell, {field: fill(words[field], {unit: words[this.table.unit]}), id: name}));
      cell.readOnly = read_only;
    }
    cells.id.style.width = `${Math.max(2, [...this.rows[i].id].length) + 1.2}ch`;
    for (const [button, word] of [[copy, words.copy], [remove, words.remove]]) {
      button.hidden = read_only;
      button.title = fill(word, {id: name});
      button.setAttribute("aria-label", button.title);
    }
    copy.disabled = this.rows.length >= this.table.limit;
    error.hidden = text === "";
    if (message.textContent !== text) { message.textContent = text; }
  }

  /** Put a value in a box, but leave alone what is being typed there. */
  put(cell, value) {
    const is_typed_in = cell.matches(":focus") && cell.value !== cell.dataset.kept && cell.dataset.kept === value;
    if (!is_typed_in && cell.value !== value) { cell.value = value; }
    cell.dataset.kept = value;
  }

  problems(row) {
    const texts = this.table.problems.filter((problem) => (problem.row ?? null) === row).map((problem) => problem.text);
    return texts.length ? [...texts, this.table.words.kept].join(this.table.gap) : "";
  }

  tell(words) { this.note.textContent = words; }

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
  return a.length === b.length && a.every((row, i) => FIELDS.every((field) => row[field] === b[i][field]));
}
