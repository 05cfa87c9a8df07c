// The setup, of all lanes or of one. The browser keeps what is typed; Python says what each option is, checks it and
// answers with problems.

import {h, icon, plain, set, told, translate} from "./dom.js";
import {fill} from "./fill.js";

const MOST_TOLD = 3; // faults told at one option

export function render({model: sent}) {
  const model = told(sent, "form");
  const form = new Form((message) => model.send_msg(message));
  form.update(model.form);
  model.on("form", () => form.update(model.form));
  const show_lane = (event) => form.choose_lane(event.detail.lane); // "change its setup" in the menu of a lane
  window.addEventListener("rb-setup", show_lane);
  model.on("remove", () => window.removeEventListener("rb-setup", show_lane));
  return form.el;
}

class Form {
  constructor(send) {
    this.send = send;
    this.seq = 0;
    this.lane = "";
    this.groups = new Map();
    this.layout = "";
    this.lanes = h("div", {class: "lanes", role: "group", label: "for"});
    this.summary = h("p", {class: "summary", role: "status"});
    this.presets = h("select", {id: "preset", "aria-describedby": "preset-help", on: {change: () => this.put_preset()}});
    this.preset_line = h("div", {class: "option whole"},
      h("label", {for: "preset", word: "preset"}), this.presets,
      h("p", {class: "help", id: "preset-help", word: "preset_help"}));
    this.general = h("p", {class: "general", role: "alert", hidden: true});
    this.search = h("input", {type: "search", id: "find", autocomplete: "off", spellcheck: "false", on: {input: () => this.find()}});
    this.nothing = h("p", {class: "small-print", role: "status", word: "nothing_found", hidden: true});
    this.cells = h("div", {class: "cells", hidden: true});
    this.fork = new ForkTable((message) => this.tell(message));
    this.applies = h("p", {class: "small-print"});
    this.list = h("div", {class: "groups"});
    this.count = h("span", {class: "note"});
    this.reset = h("button", {class: "link", on: {click: () => this.tell({type: "reset"})}});
    this.el = h("div", {class: "editor setup"}, h("h2", {word: "title"}), this.lanes, this.summary, this.applies,
      this.preset_line, this.general, this.fork.el, this.cells,
      h("div", {class: "option whole"}, h("label", {for: "find", word: "search"}), this.search), this.nothing, this.list, h("div", {class: "tools"}, this.count, this.reset));
  }

  tell(message) {
    this.seq += 1;
    this.send({...message, lane: this.lane, seq: this.seq});
  }

  choose_lane(key) {
    this.lane = key;
    this.tell({type: "lane"});
  }

  put_preset() {
    if (this.presets.value) { this.tell({type: "preset", name: this.presets.value}); }
  }

  type(name, value) { this.tell({type: "set", name, value}); }

  // What comes from Python

  update(form) {
    if (form.seq < this.seq) { return; }
    const unfinished = being_typed(this.el);
    this.form = form;
    this.lane = form.lane;
    translate(this.el, form.words);
    this.fill_lanes(form);
    this.summary.textContent = form.summary;
    const lane_applies = form.fork ? form.fork.text : form.words.applies_lane;
    this.applies.textContent = form.lane ? lane_applies : form.words.applies;
    const lane_reset = form.fork ? form.words.before_again : form.words.shared_again;
    this.reset.textContent = form.lane ? lane_reset : form.words.reset;
    this.preset_line.hidden = form.presets.length === 0;
    this.fork.update(form);
    fill_select(this.presets, [["", form.words.preset_own], ...form.presets], form.preset);
    const fields = form.groups.flatMap((group) => group.fields);
    const is_elsewhere = (problem) => !fields.some((field) => this.is_of(problem, field));
    const is_in_row = (problem) => form.fork && problem.row !== null && problem.lane === form.lane;
    const is_told = (problem) => form.num_changed || problem.lane !== null;
    const others = form.problems.filter((problem) => is_told(problem) && is_elsewhere(problem) && !is_in_row(problem)).map((problem) => problem.text);
    this.general.hidden = others.length === 0;
    this.general.textContent = others.length ? [...others, form.words.kept].join(form.gap) : "";
    this.fill_cells(form);
    this.fill_layout(form);
    for (const group of form.groups) { this.fill_group(group); }
    this.find();
    this.count.textContent = form.num_changed ? fill(form.words.changed, {count: form.num_changed}) : "";
    this.reset.hidden = form.num_changed === 0;
    type_on(this.el, unfinished);
  }

  fill_lanes({lanes, lane}) {
    this.lanes.hidden = lanes.length < 2;
    const has_focus = this.lanes.contains(this.lanes.getRootNode().activeElement);
    this.lanes.replaceChildren(...lanes.map(([key, title]) => h("button", {
      type: "button", text: title, title, "aria-pressed": String(key === lane), on: {click: () => this.choose_lane(key)},
    })));
    if (has_focus) { this.lanes.querySelector('[aria-pressed="true"]').focus(); }
  }

  fill_cells({cells, words}) {
    this.cells.hidden = cells.length === 0;
    this.cells.replaceChildren(h("h3", {text: words.cells}), ...cells.map(([name, text]) => h("p", {}, h("span", {text}),
      h("button", {class: "link", text: words.as_shared, on: {click: () => this.tell({type: "back", name})}}))));
  }

  // Another lane or scene may have other options, or others first: then the form is drawn anew.
  fill_layout({lane, groups}) {
    const layout = JSON.stringify([lane, groups.map((group) => [group.name, group.fields.map((field) => field.name)])]);
    if (layout === this.layout) { return; }
    this.layout = layout;
    this.groups.clear();
    this.list.replaceChildren();
    for (const group of groups) { this.groups.set(group.name, this.group(group)); }
  }

  // Options with the typed text in their names, here or in files, or sentences; all of them, folded, when nothing is typed.
  find() {
    const text = plain(this.search.value).toLowerCase();
    let num_found = 0;
    for (const {el, fields} of this.groups.values()) {
      let num_shown = 0;
      for (const [name, {el: line, label, help}] of fields) {
        const is_match = `${label.textContent} ${label.title} ${help.textContent} ${name} ${name.replaceAll("_", " ")}`.toLowerCase().includes(text);
        line.hidden = !is_match;
        num_shown += is_match ? 1 : 0;
      }
      el.hidden = num_shown === 0;
      num_found += num_shown;
      if (text && num_shown) { el.open = true; }
    }
    this.nothing.hidden = num_found > 0;
  }

  fill_group(group) {
    const entry = this.groups.get(group.name);
    const {el, title, count, fields, is_new} = entry;
    entry.is_new = false;
    const num_changed = group.fields.filter((field) => field.is_changed).length;
    const is_wrong = group.fields.some((field) => this.problem(field) !== "");
    title.textContent = group.title;
    count.textContent = num_changed ? fill(this.form.words.changed, {count: num_changed}) : "";
    if (is_wrong || (is_new && num_changed)) { el.open = true; }
    for (const field of group.fields) { this.fill_field(fields.get(field.name), field); }
  }

  /** Whether a problem is of a field, or may be mended by taking its change back. */
  is_of({option, mends, lane}, {name, is_changed}) {
    return (lane ?? "") === this.form.lane && (option === name || (is_changed && mends.includes(name)));
  }

  problem(field) {
    const {problems, gap} = this.form;
    return problems.filter((problem) => this.is_of(problem, field)).slice(0, MOST_TOLD).map(({text}) => text).join(gap);
  }

  // Drawing: fields are made once and refilled, so that the focus stays where it is

  group(group) {
    const title = h("span");
    const count = h("span", {class: "count"});
    const fields = new Map(group.fields.map((field) => [field.name, this.field(field)]));
    const el = h("details", {open: this.groups.size === 0, "data-group": group.name}, h("summary", {}, icon("unfold"), title, count),
      ...[...fields.values()].map((field) => field.el));
    this.list.append(el);
    return {el, title, count, fields, is_new: true};
  }

  field({name, control}) {
    const id = `setup-${name}`;
    const input = CONTROLS[control]({id, change: (value) => this.type(name, value)});
    const label = h("label", {for: id});
    const help = h("p", {class: "help", id: `${id}-help`});
    const was = h("span");
    const back = h("p", {class: "was", hidden: true}, was,
      h("button", {class: "link", on: {click: () => { this.take_back(name); input.focus(); }}}));
    const message = h("span");
    const error = h("p", {class: "wrong", id: `${id}-problem`, role: "alert", hidden: true}, icon("warning"), message);
    const el = h("div", {class: "option", "data-name": name}, label, input, help, error, back);
    return {el, input, label, help, was, back, error, message, id};
  }

  take_back(name) {
    if (this.lane) { this.tell({type: "back", name}); } else { this.type(name, this.owns(name)); }
  }

  owns(name) { return this.form.groups.flatMap((group) => group.fields).find((field) => field.name === name).own; }

  fill_field({el, input, label, help, was, back, error, message, id}, field) {
    const {words} = this.form;
    const text = this.problem(field);
    const show = (value) => shown(field, value, words);
    el.classList.toggle("changed", field.is_changed);
    label.textContent = field.label;
    label.title = field.name;
    help.replaceChildren(field.help, ...(field.bounds ? [" ", h("span", {class: "bounds", text: field.bounds})] : []));
    fill_control(input, field);
    set(input, "placeholder", input.matches("input[type=text]") ? field.empty : null);
    set(input, "aria-invalid", text ? "true" : null);
    set(input, "aria-describedby", text ? `${id}-problem ${id}-help` : `${id}-help`);
    was.textContent = fill(this.form.fork ? words.before : this.lane ? words.own : words.was, {value: show(field.own)});
    back.hidden = !field.is_changed || field.value === field.own;
    back.lastChild.textContent = this.lane && !this.form.fork ? words.as_shared : words.back;
    error.hidden = text === "";
    const said = text ? `${text}${this.form.gap}${words.kept}` : "";
    if (message.textContent !== said) { message.textContent = said; }
  }
}

// The requests of a lane that parts from its past: what may still change in them can be typed.
class ForkTable {
  constructor(tell) {
    this.tell = tell;
    this.heads = h("tr");
    this.body = h("tbody");
    this.title = h("h3");
    this.name = h("input", {type: "text", id: "new-request", maxlength: 24, autocomplete: "off", spellcheck: "false"});
    this.refused = h("p", {class: "wrong", role: "alert", hidden: true});
    const add = h("form", {class: "add-request", on: {submit: (event) => this.add(event)}},
      h("button", {class: "link", type: "submit", "data-testid": "add-request", word: "add_request"}),
      h("label", {for: "new-request", word: "request_name"}), this.name);
    this.el = h("section", {class: "fork", hidden: true}, this.title,
      h("table", {}, h("thead", {}, this.heads), this.body), add, this.refused);
  }

  // One more, named as typed or by the first free letter; the cursor goes to its arrival.
  add(event) {
    event.preventDefault();
    const id = plain(this.name.value);
    this.awaited = id || this.fork.free_id;
    this.tell({type: "add", id});
  }

  update({fork, lane, words}) {
    this.el.hidden = !fork;
    if (!fork) { return; }
    this.fork = fork;
    this.words = words;
    this.name.placeholder = fork.free_id;
    this.refused.hidden = !fork.refused;
    this.refused.textContent = fork.refused;
    this.title.textContent = fork.title;
    const names = ["", ...fork.heads];
    this.heads.replaceChildren(...names.map((text) => h("th", {scope: "col", text})));
    this.body.replaceChildren(...fork.rows.flatMap((row) => this.row(row, fork.heads)));
    this.lane = lane;
    const added = this.awaited && this.body.querySelector(`[data-cell="${CSS.escape(`new.${this.awaited}.arrival`)}"]`);
    this.awaited = "";
    if (!added) { return; }
    this.name.value = "";
    added.select();
    added.focus();
  }

  row({id, colour, where, is_new, cells, problems}, heads) {
    const chip = h("span", {class: "chip", text: id});
    chip.style.cssText = `color: var(--rb-q${colour}-on); background: var(--rb-q${colour}-strong)`;
    const remove = is_new ? [h("button", {
      class: "link", text: "×", "aria-label": fill(this.words.remove_request, {id}), on: {click: () => this.tell({type: "drop", id})},
    })] : [];
    const line = h("tr", {}, h("th", {scope: "row"}, chip, h("small", {text: where}), ...remove),
      ...cells.map((cell, i) => h("td", {}, this.cell(cell, `${id}: ${heads[i]}`))));
    const faults = problems.map((text) => h("tr", {class: "problem"}, h("td", {colspan: cells.length + 1, role: "alert"}, icon("warning"), text)));
    return [line, ...faults];
  }

  cell({name, value, own, is_free, is_wrong}, label) {
    if (!is_free) { return h("span", {text: value || "–"}); }
    const change = (event) => {
      const typed = plain(event.target.value);
      this.tell(typed === own ? {type: "back", name} : {type: "set", name, value: typed});
    };
    const input = h("input", {type: "text", inputmode: "decimal", maxlength: 40, autocomplete: "off", id: `cell-${name}`, "data-cell": name, "data-kept": value, placeholder: "–", on: {change}});
    input.setAttribute("aria-label", label);
    input.value = value;
    if (value !== own) { input.classList.add("own"); }
    if (is_wrong) { input.setAttribute("aria-invalid", "true"); }
    return input;
  }
}

// A form is drawn anew when another lane is chosen or a table has other rows. What somebody types meanwhile
// goes on in the same field of the new one.

/** The field that has the focus, and its text if that is not committed yet. */
function being_typed(root) {
  const input = root.getRootNode().activeElement;
  if (!input?.id || !root.contains(input)) { return null; }
  const is_open = input.matches("input[type=text]") && input.dataset.kept !== undefined && input.value !== input.dataset.kept;
  return {id: input.id, input, text: is_open ? input.value : null};
}

/** Give the focus and the open text to the field of that name, if it is another one now. */
function type_on(root, unfinished) {
  const input = unfinished && root.querySelector(`#${CSS.escape(unfinished.id)}`);
  if (!input || input === unfinished.input || root.contains(root.getRootNode().activeElement)) { return; }
  input.focus();
  if (unfinished.text === null) { return; }
  input.value = unfinished.text;
  commit_by_hand(input);
}

/** A browser tells of no change where nothing was typed since the focus came: Enter and leaving tell it here. */
function commit_by_hand(input) {
  const commit = () => {
    if (input.isConnected && input.value !== input.dataset.kept) { input.dispatchEvent(new Event("change")); }
  };
  const on_key = (event) => { if (event.key === "Enter") { commit(); } };
  const stop = () => {
    input.removeEventListener("keydown", on_key);
    input.removeEventListener("blur", commit);
  };
  input.addEventListener("keydown", on_key);
  input.addEventListener("blur", commit);
  input.addEventListener("change", stop, {once: true});
}

const CONTROLS = {
  number: ({id, change}) => box(id, "decimal", change),
  text: ({id, change}) => box(id, "text", change),
  select: ({id, change}) => h("select", {id, on: {change: (event) => change(event.target.value)}}),
  switch: ({id, change}) => h("input", {
    type: "checkbox", role: "switch", id, on: {change: (event) => change(String(event.target.checked))},
  }),
};

function box(id, inputmode, change) {
  const commit = (event) => {
    event.target.value = plain(event.target.value);
    change(event.target.value);
  };
  return h("input", {type: "text", id, inputmode, maxlength: 120, autocomplete: "off", spellcheck: "false", on: {change: commit}});
}

function fill_control(input, {value, choices}) {
  if (input.matches("select")) {
    fill_select(input, choices, value);
  } else if (input.type === "checkbox") {
    input.checked = value === "true";
  } else {
    const is_typed_in = input.matches(":focus") && input.value !== input.dataset.kept && input.dataset.kept === value;
    if (!is_typed_in && input.value !== value) { input.value = value; }
    input.dataset.kept = value;
  }
}

function fill_select(select, choices, value) {
  if (select.options.length !== choices.length) { select.replaceChildren(...choices.map(() => h("option"))); }
  choices.forEach(([name, text], i) => {
    select.options[i].value = name;
    select.options[i].textContent = text;
  });
  select.value = value;
}

function shown(field, value, words) {
  if (field.control === "switch") { return value === "true" ? words.on : words.off; }
  return field.choices.find(([name]) => name === value)?.[1] ?? (value || field.empty);
}
