// The input bar: budget (Panel's slider and a number box), opening a trace, and the drawer with the request table.

import {fill, h, icon} from "../dom.js";

export function inputs({model, open_file}) {
  const number = h("input", {type: "number", class: "number", step: "1", label: "budget", "aria-describedby": "explain"});
  const explain = h("span", {class: "explain", id: "explain"});
  const low = h("span", {});
  const high = h("span", {});
  const requests = h("button", {class: "button", "aria-expanded": "false", "aria-controls": "drawer"},
    icon("pen"), h("span", {word: "requests"}));
  const drawer = h("section", {class: "drawer", id: "drawer", label: "requests", tabindex: "-1", hidden: true});
  const close = h("button", {class: "quiet close", label: "close"}, icon("close"));
  drawer.append(close, model.get_child("table"));
  const el = h(
    "section", {class: "bar", label: "inputs"},
    h("span", {class: "budget", word: "budget"}),
    h("div", {class: "slider"}, model.get_child("slider"), h("div", {class: "ends", "aria-hidden": "true"}, low, high)),
    number, explain,
    h("div", {class: "actions"},
      h("button", {class: "button", on: {click: open_file}}, icon("open_file"), h("span", {word: "open_trace"})),
      requests),
  );

  const show = (open) => {
    drawer.hidden = !open;
    requests.setAttribute("aria-expanded", String(open));
  };
  requests.addEventListener("click", () => {
    show(drawer.hidden);
    if (!drawer.hidden) { drawer.focus(); }
  });
  close.addEventListener("click", () => { show(false); requests.focus(); });
  drawer.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { show(false); requests.focus(); }
  });
  const judge = (good) => {
    const {budget, words} = model.view;
    number.setAttribute("aria-invalid", String(!good));
    explain.classList.toggle("wrong", !good);
    explain.textContent = good ? words.budget_help : fill(words.budget_range, budget);
  };
  number.addEventListener("change", () => {
    const good = number.value !== "" && number.checkValidity();
    judge(good);
    if (good) { model.send_msg({type: "budget", value: Number(number.value)}); }
  });

  const update = ({budget, num_problems}) => {
    number.min = budget.low;
    number.max = budget.high;
    number.value = budget.value;
    number.style.width = `${Math.max(44, 26 + 9 * String(budget.high).length)}px`;
    judge(true);
    low.textContent = budget.low.toLocaleString("en");
    high.textContent = budget.high.toLocaleString("en");
    requests.classList.toggle("wrong", num_problems > 0);
  };
  return {el, drawer, update};
}
