// A look at a file before it is imported: its first rows with a role for each column, what the arrivals count,
// what else is to be decided, and what the import would say. What stands in the file is text, never markup.

import {h, plain, set} from "../dom.js";

const ROLES = ["", "arrival", "prompt", "output"];

/** `send` takes what is decided. */
export function chooser(send) {
  const head = h("h2", {tabindex: "-1"});
  const lead = h("p", {class: "aside"});
  const table = h("div", {class: "lab-table-box", tabindex: "0", role: "region", label: "workload.rows"});
  const more = h("p", {class: "aside"});
  const units = h("fieldset", {class: "choices"});
  const boxes = h("div", {class: "made"});
  const switches = h("div", {class: "choices"});
  const late = h("p", {class: "aside", word: "workload.looking"});
  const said = h("p", {class: "said-of-file", role: "status"});
  const problem = h("p", {class: "bad", role: "alert"});
  const take = h("button", {class: "primary", word: "workload.import", on: {click: () => send({do: "import"})}});
  const keep = h("button", {class: "link", word: "workload.keep", on: {click: () => send({do: "keep"})}});
  const el = h("section", {class: "file-chooser", label: "workload.import"}, head, lead, table, more,
    units, boxes, switches, late, said, problem, h("div", {class: "tools"}, take, keep));
  let drawn = "";

  const show = (file, words) => {
    if (el.hidden === Boolean(file)) { el.hidden = !file; }
    if (!file) { drawn = ""; return; }
    const is_new = drawn === "";
    head.textContent = file.head;
    lead.textContent = file.lead;
    late.hidden = !file.is_late;
    set(el, "aria-busy", file.is_late ? "true" : null);
    take.disabled = !file.can_import;
    const {head: _head, lead: _lead, is_late: _is_late, ...rest} = file;
    const now = JSON.stringify([rest, words["workload.line"]]);
    if (rest.columns && drawn !== now) {
      const focus = el.getRootNode().activeElement?.dataset?.kept;
      table.replaceChildren(draw_table(file, words, send));
      more.textContent = file.more;
      units.hidden = !file.unit_head;
      units.replaceChildren(h("legend", {text: file.unit_head}), ...file.units.map((unit) => draw_unit(unit, send)));
      boxes.replaceChildren(...file.boxes.map((box) => draw_box(box, send)));
      switches.replaceChildren(...file.switches.map((one) => draw_switch(one, send)));
      said.textContent = file.said;
      problem.textContent = file.problem;
      if (focus) { [...el.querySelectorAll("[data-kept]")].find((one) => one.dataset.kept === focus)?.focus(); }
    }
    drawn = now;
    if (is_new) { head.focus({preventScroll: false}); }
  };
  return {el, show};
}

/** An input that gets the focus back when it is drawn anew. */
function kept(input, name) {
  input.dataset.kept = name;
  return input;
}

function draw_table({columns, rows, lines, can_cast}, words, send) {
  const role = ({name, role: chosen}) => {
    const select = h("select", {"aria-label": `${words["workload.role_of"]}: ${name}`, disabled: !can_cast, on: {change: () => send({do: "role", column: name, role: select.value})}},
      ...(chosen === "used" ? [...ROLES, chosen] : ROLES).map((value) => h("option", {value, text: words[`workload.role_${value}`]})));
    select.value = chosen;
    return kept(select, `role ${name}`);
  };
  const titles = h("tr", {}, h("th", {scope: "col", text: words["workload.line"]}), ...columns.map((column) => h("th", {scope: "col", class: column.role && "has-role"},
    h("span", {class: "column-name", text: column.name, title: column.name}), role(column))));
  const body = rows.map((row, i) => {
    const is_whole = row.length === columns.length;
    const cells = row.map((text, k) => h("td", {class: is_whole && columns[k].role ? "has-role" : "", text, title: text, colspan: is_whole ? null : columns.length}));
    return h("tr", {}, h("th", {scope: "row", class: "aside", text: lines[i]}), ...cells);
  });
  return h("table", {class: "file-rows"}, h("thead", {}, titles), h("tbody", {}, ...body));
}

function draw_unit({value, name, text, is_chosen}, send) {
  const input = h("input", {type: "radio", name: "trace-unit", value, on: {change: () => send({do: "unit", value})}});
  input.checked = is_chosen;
  return h("label", {}, kept(input, `unit ${value}`), h("span", {text: `${name} = ${text}`}));
}

function draw_box({name, label, value, fault}, send) {
  const input = h("input", {type: "text", inputmode: "decimal", autocomplete: "off", maxlength: 30, class: "lab-box", "aria-invalid": fault ? "true" : null,
    on: {change: () => send({do: "box", name, value: plain(input.value)})}});
  input.value = value;
  return h("div", {}, h("label", {}, h("span", {text: label}), kept(input, `box ${name}`)), h("p", {class: "bad", role: "alert", text: fault}));
}

function draw_switch({name, label, is_on}, send) {
  const input = h("input", {type: "checkbox", on: {change: () => send({do: "switch", name, value: input.checked})}});
  input.checked = is_on;
  return h("label", {}, kept(input, `switch ${name}`), h("span", {text: label}));
}
