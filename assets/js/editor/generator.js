// The form of a generator, or of the part of a file. Python says which fields there are and what is wrong with them.

import {h, icon, plain, set} from "../dom.js";

const REST_MS = 350; // of the fingers, before what they typed is tried

export class Generator {
  /** `send` takes a message; `close` goes back to the table; ids of the boxes begin with `name`. */
  constructor(send, close, name = "generator") {
    this.send = send;
    this.name = name;
    this.typed = {};
    this.fields = new Map();
    this.resting = null;
    this.lead = h("p", {class: "lead"});
    this.groups = h("div", {class: "generator"});
    this.preview = h("p", {class: "preview", role: "status"});
    this.action = h("button", {class: "primary", type: "submit"});
    this.undo = h("button", {class: "link", type: "button", word: "as_it_was", on: {click: () => this.take_back()}});
    this.back = h("button", {class: "link", type: "button", word: "back", on: {click: close}});
    this.el = h("form", {novalidate: true, on: {submit: (event) => this.run(event)}}, this.lead, this.groups,
      h("div", {class: "tools"}, this.preview, this.action, this.undo, this.back));
  }

  /** Show the form; a box that is being typed in keeps its text. */
  update(form, words) {
    this.words = words;
    this.form = form;
    if (form.mode !== this.mode) {
      this.mode = form.mode;
      this.fields.clear();
      this.groups.replaceChildren();
    }
    this.lead.textContent = form.lead;
    this.action.textContent = form.action;
    this.undo.hidden = !form.is_changed;
    this.back.hidden = form.mode !== "fill";
    const blocks = form.groups.map((group) => this.group(group));
    if (blocks.some((block, i) => block !== this.groups.children[i]) || blocks.length !== this.groups.children.length) {
      this.groups.replaceChildren(...blocks);
    }
    const said = form.preview || words.wrong;
    this.preview.classList.toggle("wrong", !form.preview);
    if (this.preview.textContent !== said) { this.preview.textContent = said; }
  }

  group({name, title, fields}) {
    if (!this.fields.has(name)) {
      const legend = h("legend");
      this.fields.set(name, {legend, lines: new Map(), el: h("fieldset", {}, legend)});
    }
    const {legend, lines, el} = this.fields.get(name);
    legend.textContent = title;
    for (const [key, line] of lines) { line.el.hidden = !fields.some((field) => field.name === key); }
    for (const field of fields) {
      if (!lines.has(field.name)) { lines.set(field.name, this.line(field)); }
      this.fill(lines.get(field.name), field);
    }
    fields.forEach((field, i) => { // what stands where it should is not touched: it may have the focus
      const line = lines.get(field.name).el;
      if (el.children[i + 1] !== line) { el.insertBefore(line, el.children[i + 1] ?? null); }
    });
    return el;
  }

  line({name, size, text, choices}) {
    const id = `${this.name}-${name}`;
    const on = {change: (event) => this.type(name, event.target), input: (event) => this.rest(name, event)};
    const input = choices.length
      ? h("select", {id, on})
      : h("input", {type: "text", id, inputmode: text ? "text" : "decimal", maxlength: 120, autocomplete: "off", spellcheck: "false", on});
    const label = h("label", {for: id});
    const help = h("p", {class: "help", id: `${id}-help`});
    const message = h("span");
    const error = h("p", {class: "wrong", id: `${id}-problem`, role: "alert", hidden: true}, icon("warning"), message);
    return {el: h("div", {class: `ask ${size}`, "data-name": name}, label, input, help, error), input, label, help, error, message, id};
  }

  fill({input, label, help, error, message, id}, field) {
    const problem = this.form.problems[field.name] ?? "";
    label.textContent = field.label;
    help.textContent = field.help;
    if (input.matches("select")) {
      if (input.options.length !== field.choices.length) { input.replaceChildren(...field.choices.map(() => h("option"))); }
      field.choices.forEach(([value, text], i) => {
        input.options[i].value = value;
        input.options[i].textContent = text;
      });
    }
    const is_typing = input.matches("input:focus") && plain(input.value) !== input.dataset.kept;
    if (!is_typing && plain(input.value) !== field.value) { input.value = field.value; }
    input.dataset.kept = field.value;
    set(input, "aria-invalid", problem ? "true" : null);
    set(input, "aria-describedby", problem ? `${id}-problem ${id}-help` : `${id}-help`);
    error.hidden = problem === "";
    if (message.textContent !== problem) { message.textContent = problem; }
  }

  type(name, input) {
    if (input.matches("input")) { input.value = plain(input.value); }
    this.attempt(name, input);
  }

  /** Try what is typed when the fingers rest. */
  rest(name, {target, isComposing}) {
    clearTimeout(this.resting);
    if (target.matches("input") && !isComposing) { this.resting = setTimeout(() => this.attempt(name, target), REST_MS); }
  }

  attempt(name, input) {
    clearTimeout(this.resting);
    input.dataset.kept = plain(input.value);
    this.send({type: "traffic", what: "try", values: {[name]: input.dataset.kept}});
  }

  run(event) {
    event.preventDefault();
    this.send({type: "traffic", what: "run", values: {}});
    const wrong = this.el.querySelector("[aria-invalid]");
    wrong?.focus();
  }

  take_back() {
    this.send({type: "traffic", what: "reset", values: {}});
    this.action.focus();
  }

  focus() { this.el.querySelector("select, input")?.focus(); }
}
