// The left column: what traffic, which setups, the chosen setup's few main options, and the goals.

import {h, icon, plain} from "../dom.js";
import {line_sign} from "./plot.js";

const STEPS = 200; // of a slider

export function controls({send, drawers}) {
  const traffic = h("select", {label: "traffic", "data-testid": "lab-traffic", on: {change: () => send({type: "traffic", name: traffic.value})}});
  const pace = h("p", {class: "aside pace"});
  const edit = h("button", {class: "link", word: "edit_traffic", on: {click: drawers.traffic}});
  const open = h("button", {class: "link", word: "open_file", on: {click: drawers.file}});
  const count = h("span", {class: "aside"});
  const list = h("ul", {class: "setups"});
  const base = h("select", {class: "add", label: "add_setup", "data-testid": "lab-add", on: {change: () => { send({type: "lane", do: "add", lane: "", base: base.value}); base.value = ""; }}});
  const own = h("div", {class: "own"});
  const faults = h("div", {class: "lab-faults", role: "alert", hidden: true});
  const goals = h("div", {class: "goals"});
  const cost = h("p", {class: "aside cost"});
  const el = h("section", {class: "lab-controls", label: "lab_controls"},
    h("h2", {word: "traffic"}), traffic, pace, h("p", {class: "links"}, edit, open),
    h("h2", {}, h("span", {word: "setups"}), count), list, base,
    faults, own,
    h("h2", {}, h("span", {word: "goals"}), h("span", {class: "aside", word: "goals_for"})), goals,
    cost);
  const sliders = new Map(); // by lane and name, so that what is being dragged is not made anew
  let chosen = null;
  let view = null;

  const slider = (scope, field, set) => {
    const key = `${scope} ${field.name}`;
    if (!sliders.has(key)) { sliders.set(key, input_of(field, set)); }
    const one = sliders.get(key);
    one.update(field);
    return one.el;
  };
  const draw_own = () => {
    const setup = view.setups.find(({key}) => key === chosen) ?? view.setups[0];
    chosen = setup.key;
    const fields = view.fields[setup.key].map((field) => slider(setup.key, field, (value) => send({type: "lane", do: "set", lane: setup.key, name: field.name, value})));
    const more = h("button", {class: "link", text: view.words.all_options, on: {click: () => drawers.setup(setup.key)}});
    const copy = h("button", {class: "link", text: view.words.copy_setup, disabled: view.setups.length >= view.most, on: {click: () => send({type: "lane", do: "copy", lane: setup.key})}});
    const remove = h("button", {class: "link", text: view.words.remove_setup, disabled: view.setups.length < 2, on: {click: () => { own.inert = true; send({type: "lane", do: "remove", lane: setup.key}); }}});
    own.inert = false;
    own.replaceChildren(h("h2", {text: setup.title}), ...fields, h("p", {class: "links"}, more, copy, remove));
    for (const row of list.children) { row.firstChild.setAttribute("aria-pressed", String(row.dataset.key === chosen)); }
  };
  const update = (next) => {
    const known = new Set(view?.setups.map(({key}) => key));
    view = next;
    const added = view.setups.filter(({key}) => !known.has(key));
    if (known.size && added.length === 1) { chosen = added[0].key; } // a copy is what one goes on with
    faults.hidden = !view.is_refused;
    faults.replaceChildren(h("p", {text: view.words.refused}), ...view.faults.map((text) => h("p", {class: "bad", text})));
    const {words, setups, most, traffic: now, bases} = view;
    fill_select(traffic, now.choices, now.name);
    pace.textContent = now.pace;
    count.textContent = ` ${words.setups_of.replace("{n}", setups.length).replace("{most}", most)}`;
    list.replaceChildren(...setups.map(({key, title, short_rule}, place) => {
      const button = h("button", {class: "setup", on: {click: () => { chosen = key; draw_own(); }}},
        line_sign(place), h("span", {class: "setup-title", text: title, title}), h("span", {class: "aside", text: short_rule}));
      const row = h("li", {}, button);
      row.dataset.key = key;
      return row;
    }));
    base.hidden = setups.length >= most;
    fill_select(base, [["", `+ ${words.add_setup}`], ...bases], "");
    draw_own();
    goals.replaceChildren(...view.goals.map((field) => slider("goal", field, (value) => send({type: "goal", name: field.name, value}))));
    cost.textContent = view.cost;
  };
  return {el, update, chosen: () => chosen};
}

/** Choices of a list, left alone while they stay the same. */
export function fill_select(select, choices, value) {
  const now = JSON.stringify(choices);
  if (select.dataset.choices !== now) {
    select.dataset.choices = now;
    select.replaceChildren(...choices.map(([name, text]) => h("option", {value: name, text})));
  }
  select.value = value;
}

/** An option as a list of choices, or as a number in a box with a slider over its usual range; an empty box is "none". */
export function input_of(first, set, has_slider = true) {
  const id = `lab-${first.name}-${Math.random().toString(36).slice(2, 8)}`;
  const name = h("label", {for: id});
  const box = h("input", {id, type: "text", inputmode: "numeric", class: "lab-number", autocomplete: "off", maxlength: 12});
  const unit = h("span", {class: "aside"});
  const range = h("input", {type: "range", min: 0, max: STEPS, step: 1, class: "lab-range", tabindex: "-1", "aria-hidden": "true"});
  const fault = h("p", {class: "bad", role: "alert"});
  const choice = first.choices ? h("select", {id}) : null;
  const el = choice
    ? h("div", {class: "lab-field"}, h("div", {class: "lab-field-row"}, name, choice))
    : h("div", {class: "lab-field"}, h("div", {class: "lab-field-row"}, name, h("span", {}, box, " ", unit)), ...(has_slider ? [range] : []), fault);
  let field = first;
  let is_typing = false;
  const to_share = (value) => Math.round((STEPS * Math.log(Math.max(value, field.low) / field.low)) / Math.log(field.high / field.low));
  const from_share = (share) => neat(field.low * (field.high / field.low) ** (share / STEPS));
  const commit = (text) => { is_typing = false; set(text); };
  if (choice) {
    choice.addEventListener("change", () => set(choice.value));
  } else {
    box.addEventListener("input", () => { is_typing = true; });
    box.addEventListener("change", () => commit(plain(box.value).replace(/,/g, "")));
    range.addEventListener("input", () => { is_typing = true; box.value = from_share(Number(range.value)); });
    range.addEventListener("change", () => commit(String(from_share(Number(range.value)))));
  }
  const update = (next) => {
    field = next;
    name.textContent = field.label;
    name.title = field.help;
    if (choice) { fill_select(choice, field.choices, field.value); return; }
    fault.textContent = field.fault;
    box.setAttribute("aria-invalid", String(field.fault !== ""));
    unit.textContent = field.unit;
    box.placeholder = field.empty;
    if (!is_typing) {
      box.value = field.value;
      const value = Number(field.value);
      range.value = field.value === "" ? STEPS : to_share(value);
      range.style.setProperty("--share", `${(100 * Number(range.value)) / STEPS}%`);
    }
  };
  return {el, update};
}

/** The nearest number of two digits; small ones are whole. */
function neat(value) {
  if (value < 32) { return Math.round(value); }
  const power = 10 ** (Math.floor(Math.log10(value)) - 1);
  return Math.round(value / power) * power;
}

/** A button with an icon and a word. */
export function action(name, word, run, more = {}) {
  return h("button", {class: "button", ...more, on: {click: run}}, icon(name), h("span", {word}));
}
