// The tab of sweeps: what to vary and how far, how far the runs are, and what came of them.

import {h, plain, set} from "../dom.js";
import {fill_select} from "./controls.js";
import {sweep_pictures} from "./sweep_pictures.js";
import {sweep_table} from "./sweep_table.js";

export function sweep({send, compare}) {
  const type = (name, value) => send({do: "type", name, value});
  const choice = (name, word) => labelled(word, h("select", {"data-testid": `sweep-${name}`, on: {change: (event) => type(name, event.target.value)}}));
  const box = (name, word) => sweep_box(name, word, (value) => type(name, value), () => send({do: "start"}));
  const base = choice("base", "base");
  const control = choice("control", "control");
  const steps = choice("steps", "values");
  const second = choice("second", "second");
  const boxes = {low: box("low", "low"), high: box("high", "high"), count: box("count", "count"), listed: box("listed", "listed"), second_listed: box("second_listed", "second_listed")};
  const plan = h("p", {class: "aside"});
  const go = h("button", {class: "button", "data-testid": "sweep-go", on: {click: () => send({do: is_running() ? "stop" : "start"})}});
  const bar = h("div", {class: "sweep-bar", role: "progressbar", label: "sweep.progress", "aria-valuemin": "0"}, h("div"));
  const note = h("p", {class: "sweep-note"});
  const said = h("p", {class: "sr-only", role: "status"});
  const form = h("section", {class: "sweep-form", label: "sweep.form"},
    h("div", {class: "sweep-row"}, base.el, control.el, steps.el, boxes.low.el, boxes.high.el, boxes.count.el, boxes.listed.el),
    h("div", {class: "sweep-row"}, second.el, boxes.second_listed.el, h("div", {class: "sweep-go"}, go, plan, bar, note)));
  const none = h("p", {word: "sweep.no_base"});
  const headline = h("h2", {class: "headline"});
  const pick = (point) => send({do: "pick", run: shown.run.number, point: point.place});
  const pictures = sweep_pictures({pick});
  const figures = sweep_table({pick});
  const results = h("div", {}, headline, pictures.el, figures.el);
  const el = h("div", {class: "lab-sweep"}, h("p", {class: "aside", word: "sweep.about"}), none, form, said, results);
  let shown = null;
  let num_picked = null;
  const is_running = () => shown?.run?.state === "running";

  const show_form = (now) => {
    fill_select(base.input, now.bases, now.base);
    fill_select(control.input, now.controls, now.control);
    fill_select(steps.input, now.ways, now.steps);
    fill_select(second.input, now.seconds, now.second);
    const is_listed = now.steps === "listed";
    for (const [name, one] of Object.entries(boxes)) {
      one.el.hidden = name === "second_listed" ? !now.second : (name === "listed") !== is_listed;
      one.show(now.values[name], now.faults[name], name === "low" || name === "high" ? now.unit : "");
    }
    plan.textContent = now.plan;
  };
  const show_run = (run, view) => {
    const is_on = run?.state === "running";
    go.textContent = view.words[is_on ? "sweep.stop" : "sweep.start"];
    bar.hidden = !is_on;
    plan.hidden = is_on;
    note.textContent = run?.note ?? "";
    note.classList.toggle("bad", ["void", "failed", "lost"].includes(run?.state) || Boolean(run?.is_old));
    const ended = is_on ? "" : note.textContent;
    if (said.textContent !== ended) { said.textContent = ended; }
    results.hidden = !run?.points.length;
    if (!run) { return; }
    Object.entries({"aria-valuemax": run.of, "aria-valuenow": run.done, "aria-valuetext": run.note}).forEach(([name, value]) => set(bar, name, value));
    bar.firstChild.style.width = `${(100 * run.done) / run.of}%`;
    if (results.hidden) { return; }
    results.classList.toggle("old", run.is_old);
    headline.replaceChildren(...run.headline.split("**").map((part, i) => (i % 2 ? h("b", {text: part}) : part)));
    pictures.show(run, view);
    figures.show(run, view);
  };
  const show = (view, part) => {
    if (!part) { return; }
    shown = part;
    none.hidden = part.form !== null;
    form.hidden = part.form === null;
    if (part.form) { show_form(part.form); }
    show_run(part.run, view);
    const is_picked = num_picked !== null && part.picked > num_picked;
    num_picked = part.picked;
    if (is_picked) { compare(); }
  };
  return {el, show};
}

/** An input with its name over it. */
function labelled(word, input, ...more) {
  const id = `sweep-${word}-${Math.random().toString(36).slice(2, 8)}`;
  input.id = id;
  return {input, el: h("div", {class: "sweep-field"}, h("label", {for: id, word: `sweep.${word}`}), input, ...more)};
}

/** A box to type into; what is being typed is not overwritten, Enter starts. */
function sweep_box(name, word, commit, start) {
  const fault = h("p", {class: "bad", role: "alert"});
  const unit = h("span", {class: "aside"});
  const input = h("input", {type: "text", inputmode: name.endsWith("listed") ? "text" : "decimal", autocomplete: "off", maxlength: 200,
    class: name.endsWith("listed") ? "sweep-list" : "sweep-number", "data-testid": `sweep-${name}`});
  let is_typing = false;
  const send = () => {
    is_typing = false;
    commit(plain(input.value));
  };
  input.addEventListener("input", () => { is_typing = true; });
  input.addEventListener("change", send);
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") { return; }
    send();
    start();
  });
  const {el} = labelled(word, input, unit, fault);
  const show = (value, found, unit_now) => {
    if (!is_typing) { input.value = value; }
    fault.textContent = found;
    unit.textContent = unit_now;
    input.setAttribute("aria-invalid", String(found !== ""));
  };
  return {el, show};
}
