// One request of the table: a row of boxes, and a row for what is wrong with them.

import {h, icon, set} from "../dom.js";
import {fill} from "../fill.js";
import {drag_by} from "./order.js";

const NUM_COLOURS = 8;
const WORDED = ["id", "tenant"]; // the other boxes hold numbers

/** The elements of row `i`; `editor` is told what is done in it. */
export function make_line(i, columns, editor) {
  const cells = Object.fromEntries(columns.map((field) => [field, box(i, field, editor)]));
  const button = (name, click) => h("button", {class: "small", type: "button", on: {click}}, icon(name));
  const grip = h("button", {class: "grip", type: "button", tabindex: "-1"}, icon("grip"));
  const copy = button("copy", () => editor.copy(i));
  const remove = button("close", () => editor.remove(i));
  drag_by(grip, {index: i, rows: () => editor.lines.map((line) => line.row), move: (from, to) => editor.move(from, to)});
  const [first, ...rest] = columns.map((field) => cells[field]);
  const row = h("tr", {on: {keydown: (event) => editor.row_key(event, i)}},
    h("th", {scope: "row"}, h("div", {}, grip, first)), ...rest.map((cell) => h("td", {}, cell)), h("td", {class: "do"}, copy, remove));
  first.classList.add("chip", `chip-${i % NUM_COLOURS}`);
  const message = h("span");
  const error = h("tr", {class: "problem", hidden: true},
    h("td", {colspan: columns.length + 1, id: `problem-${i}`, role: "alert"}, h("p", {}, icon("warning"), message)));
  return {row, cells, grip, copy, remove, error, message};
}

function box(i, field, editor) {
  return h("input", {
    type: "text", class: field, maxlength: 40, autocomplete: "off", spellcheck: "false",
    inputmode: WORDED.includes(field) ? "text" : "decimal",
    on: {
      change: (event) => editor.type(i, field, event.target.value),
      paste: (event) => editor.paste(event, i, field),
      focus: () => editor.explain(field),
      keydown: (event) => { if (event.key === "Enter" && !event.isComposing) { editor.below(event.target, i, field); } },
    },
  });
}

/** Put the values of row `i` into its boxes. */
export function fill_line({cells, grip, copy, remove, error, message}, i, {rows, table, problems}) {
  const {words, limit, unit} = table;
  const name = rows[i].id || fill(words.row, {number: i + 1});
  const text = problems(i);
  for (const [field, cell] of Object.entries(cells)) {
    const value = rows[i][field];
    put(cell, value);
    set(cell, "title", value.length > 7 ? value : null);
    const bad = table.problems.some((problem) => problem.row === i && problem.field === field);
    set(cell, "aria-invalid", bad ? "true" : null);
    set(cell, "aria-describedby", bad ? `problem-${i}` : null);
    set(cell, "aria-label", fill(words.cell, {field: fill(words[field], {unit: words[unit]}), id: name}));
  }
  set(cells.id, "aria-keyshortcuts", "Alt+ArrowUp Alt+ArrowDown");
  cells.id.style.width = `${Math.max(2, [...rows[i].id].length) + 1.2}ch`;
  for (const [button, word] of [[grip, words.move], [copy, words.copy], [remove, words.remove]]) {
    button.title = fill(word, {id: name});
    button.setAttribute("aria-label", button.title);
  }
  copy.disabled = rows.length >= limit;
  error.hidden = text === "";
  if (message.textContent !== text) { message.textContent = text; }
}

/** Put a value in a box, but leave alone what is being typed there. */
function put(cell, value) {
  const is_typed_in = cell.matches(":focus") && cell.value !== cell.dataset.kept && cell.dataset.kept === value;
  if (!is_typed_in && cell.value !== value) { cell.value = value; }
  cell.dataset.kept = value;
}
