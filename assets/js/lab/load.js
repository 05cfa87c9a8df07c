// Load: who is here and who waits over time, Little's law over a window, and what keeps a queue bounded.

import {h} from "../dom.js";
import {texts_of} from "./compare.js";
import {input_of} from "./controls.js";
import {inverse, line_sign, plot} from "./plot.js";

const TALL = 190;
const COLUMNS = ["load.lambda", "load.served", "load.time", "load.product", "load.number", "load.slope"];

export function load({send}) {
  const headline = h("h2", {class: "headline"});
  const here = plot({title: h("b", {word: "load.here"}), unit: h("span", {class: "aside", word: "load.here_unit"}), height: TALL});
  const waiting = plot({title: h("b", {word: "waiting"}), unit: h("span", {class: "aside", word: "load.waiting_unit"}), height: TALL});
  const whole = h("button", {class: "link", word: "load.whole", on: {click: () => send({do: "window", span: null})}});
  const span = h("span");
  const note = h("p", {class: "aside load-window"}, span, " ", whole);
  const law = h("div", {class: "lab-table-box"});
  const knobs = h("div", {class: "lab-table-box"});
  const el = h("div", {class: "lab-load"}, headline, note, h("div", {class: "plots wide"}, here.el, waiting.el), law,
    h("p", {class: "aside"}, h("span", {word: "load.law_note"})), h("h2", {word: "load.knobs"}), h("p", {class: "aside", word: "load.knobs_note"}), knobs);
  const inputs = new Map(); // by lane and name: what is being typed is not made anew
  let range = null;

  for (const {el: figure} of [here, waiting]) { pick_span(figure.querySelector(".plot-box"), () => range, (ends) => send({do: "window", span: ends})); }
  const input = (lane, field) => {
    const key = `${lane} ${field.name}`;
    if (!inputs.has(key)) { inputs.set(key, input_of(field, (value) => send({do: "set", lane, name: field.name, value}), false)); }
    const one = inputs.get(key);
    one.update(field);
    return one.el;
  };
  const show = (view, part) => {
    if (part?.lanes.length !== view.setups.length) { return; } // not there yet, or of other setups
    const {words, setups} = view;
    const texts = texts_of(view);
    headline.replaceChildren(...part.headline.split("**").map((one, i) => (i % 2 ? h("b", {text: one}) : one)));
    range = {from: 0, to: part.end};
    const [low, high] = part.window;
    const time = texts.time(part.end);
    span.textContent = words["load.window"].replace("{from}", time(low)).replace("{to}", time(high));
    whole.hidden = !part.is_own;
    show_counts(here, "here", part, texts, []);
    show_counts(waiting, "waiting", part, texts, part.lanes.flatMap(({line}, place) => (line === null ? [] : [
      {place, xs: [low, high], ys: line, look: {stroke: "var(--rb-ink)", "stroke-width": 1.5, "stroke-dasharray": "2 3"}},
    ])));
    law.replaceChildren(h("table", {}, h("thead", {}, h("tr", {}, h("th", {scope: "col", text: words.setup}),
      ...COLUMNS.map((name) => h("th", {scope: "col"}, h("span", {text: words[name]}), h("span", {class: "aside", text: words[`${name}_unit`]}))))),
    h("tbody", {}, ...part.lanes.map(({cells}, place) => h("tr", {}, name_of(setups[place], place), ...cells.map((text) => h("td", {text})))))));
    knobs.replaceChildren(h("table", {class: "tall knobs"},
      h("thead", {}, h("tr", {}, h("td"), ...setups.map((setup, place) => name_of(setup, place, "col")))),
      h("tbody", {}, ...part.lanes[0].fields.map((field, i) => h("tr", {}, h("th", {scope: "row", text: field.label, title: field.help}),
        ...part.lanes.map((lane, place) => h("td", {}, input(setups[place].key, lane.fields[i]))))),
      h("tr", {}, h("th", {scope: "row", text: words["load.closed"]}), ...part.lanes.map(({is_closed}, place) => h("td", {}, h("button", {
        class: "link", text: words["load.close"], disabled: is_closed || setups.length >= view.most,
        on: {click: () => send({do: "close", lane: setups[place].key})},
      })))))));
  };
  return {el, show};
}

function name_of({title}, place, scope = "row") { return h("th", {scope}, line_sign(place), h("span", {text: title, title})); }

/** A count of each setup over the run, with the window of load drawn. */
function show_counts(picture, name, part, texts, lines) {
  const most = Math.max(1, ...part.lanes.map((lane) => lane[name][1].reduce((a, b) => Math.max(a, b), 0)));
  picture.show({
    x: {from: 0, to: part.end, text: texts.time(part.end)}, y: {from: 0, to: most, text: texts.plain}, window: part.window,
    series: [...part.lanes.map((lane, place) => ({place, xs: lane[name][0], ys: lane[name][1], stepped: true})), ...lines],
  });
}

/** Dragging over a picture chooses a stretch of its x axis. */
function pick_span(box, axis, choose) {
  let from = null;
  const value = (event) => {
    const {left, width} = box.getBoundingClientRect();
    const {from: low, to: high} = axis();
    return Math.min(high, Math.max(low, inverse(axis(), 40, width - 10)(event.clientX - left)));
  };
  box.classList.add("pick-span");
  box.addEventListener("pointerdown", (event) => { if (axis() && event.button === 0) { from = value(event); box.setPointerCapture(event.pointerId); } });
  box.addEventListener("pointerup", (event) => {
    if (from === null) { return; }
    const ends = [from, value(event)].sort((a, b) => a - b);
    from = null;
    if (ends[1] - ends[0] > (axis().to - axis().from) / 200) { choose(ends); }
  });
}
