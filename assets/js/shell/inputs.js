// The input bar: budget (Panel's slider and a number box), opening a trace, and the request table.

import {h, icon, plain} from "../dom.js";
import {fill} from "../fill.js";

export function inputs({model, drawer}) {
  const number = h("input", {
    type: "text", inputmode: "numeric", role: "spinbutton", class: "number", maxlength: 12, autocomplete: "off",
    label: "budget", "aria-describedby": "explain",
  });
  const explain = h("span", {class: "explain", id: "explain"});
  const low = h("span", {});
  const high = h("span", {});
  const ask = (wish) => () => window.dispatchEvent(new CustomEvent(wish)); // of the lane on the stage, see player/forks.js
  const fork = h("button", {class: "button", "data-testid": "fork", on: {click: ask("rb-fork")}}, icon("fork"), h("span", {word: "fork"}));
  const hand = h("button", {class: "button hand", "data-testid": "by-hand", on: {click: ask("rb-hand")}}, icon("hand"), h("span", {word: "hand"}));
  const open = h("button", {class: "button open", label: "open_trace"}, icon("open_file"), h("span", {word: "open_trace"}));
  const requests = h("button", {class: "button", key: "requests"}, icon("pen"), h("span", {word: "requests"}));
  const setup = h("button", {class: "button", key: "setup"}, icon("sliders"), h("span", {word: "setup"}));
  const budget_name = h("span", {class: "budget", word: "budget"});
  const el = h(
    "section", {class: "bar", id: "inputs", label: "inputs"},
    budget_name,
    h("div", {class: "slider"}, model.get_child("slider"), h("div", {class: "ends", "aria-hidden": "true"}, low, high)),
    number, explain, h("div", {class: "actions"}, open, hand, fork, setup, requests),
  );
  const table = drawer.add("requests", model.get_child("table"));
  const form = drawer.add("setup", model.get_child("setup"));
  drawer.opens(requests, "requests");
  drawer.opens(setup, "setup");
  drawer.opens(open, "open_trace");
  const show_setup = () => drawer.show("setup", setup); // asked for by a lane, see setup.js
  window.addEventListener("rb-setup", show_setup);

  const judge = (good) => {
    const {budget, words} = model.view;
    number.setAttribute("aria-invalid", String(!good));
    explain.classList.toggle("wrong", !good);
    explain.textContent = good ? words.budget_help : fill(words.budget_range, budget);
  };
  let is_typing = false; // an answer to the edit before may come meanwhile, and must not undo it
  number.addEventListener("input", () => { is_typing = true; });
  number.addEventListener("blur", () => { is_typing = false; });
  const commit = (text) => {
    is_typing = false;
    const {low: least, high: most} = model.view.budget;
    const value = /^\d+$/.test(text) ? Number(text) : NaN;
    const good = value >= least && value <= most;
    number.value = text;
    judge(good);
    if (good) { model.send_msg({type: "budget", value}); }
  };
  const by = (step) => {
    const {value, low: least, high: most} = model.view.budget;
    commit(String(Math.min(most, Math.max(least, (Number(plain(number.value)) || value) + step))));
  };
  number.addEventListener("change", () => commit(plain(number.value)));
  number.addEventListener("input", ({inputType}) => { // a browser undoes what was typed here, wherever one is by now
    if (inputType.startsWith("history")) { commit(plain(number.value)); }
  });
  number.addEventListener("keydown", (event) => {
    const step = {ArrowUp: 1, ArrowDown: -1}[event.key];
    if (!step || event.isComposing) { return; }
    event.preventDefault();
    by(step);
  });

  let is_first = true;
  let shown = null;
  const update = ({scenario, budget, num_problems, num_setup_problems}) => {
    number.setAttribute("aria-valuemin", budget.low);
    number.setAttribute("aria-valuemax", budget.high);
    number.setAttribute("aria-valuenow", budget.value);
    number.style.width = `${Math.max(44, 26 + 9 * String(budget.high).length)}px`;
    const now = `${scenario} ${budget.value}`;
    if (is_typing) {
      judge(true);
    } else if (now !== shown || number.getAttribute("aria-invalid") !== "true") { // what is typed wrong stays to be mended
      number.value = budget.value;
      judge(true);
    } else { judge(false); }
    shown = now;
    low.textContent = budget.low.toLocaleString("en");
    high.textContent = budget.high.toLocaleString("en");
    requests.classList.toggle("wrong", num_problems > 0);
    setup.classList.toggle("wrong", num_setup_problems > 0);
    if (is_first && num_setup_problems > 0) { queueMicrotask(() => drawer.show("setup", setup)); }
    if (is_first && num_problems > 0) { queueMicrotask(() => drawer.show("requests", requests)); } // a link with wrong cells
    is_first = false;
  };
  /** Mark the inputs that a step asks to use. */
  const point = (names) => {
    for (const [name, control] of Object.entries({budget: budget_name, requests, setup})) {
      control.classList.toggle("asked", names.includes(name));
    }
  };
  return {
    el, table, form, update, point, budget: {by}, toggle_requests: () => requests.click(), toggle_setup: () => setup.click(),
    stop: () => window.removeEventListener("rb-setup", show_setup),
  };
}
