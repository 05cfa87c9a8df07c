// Calibration: a measurement comes in, the cost of a round comes out, with how far off it is.

import {h, icon, set} from "../dom.js";
import {fill} from "../fill.js";
import {has_files, in_parts, megabytes} from "../upload.js";
import {texts_of} from "./compare.js";
import {fill_select, input_of} from "./controls.js";
import {DECADES} from "./pictures.js";
import {colour_of, draw, plot, ticks} from "./plot.js";

const SQUARE = 260; // px: the height of the pictures of predicted over measured
const NUM_TICKS = 5;
const REQUESTS = "input_toks, output_toks, queued_ts, first_token_ts, last_token_ts";
const COMMAND = "vllm bench serve --save-result --save-detailed";
const ROUNDS = "prefill, decode, kv, ms";
const ACCEPT = ".csv,.json,.jsonl,.txt";
const LEAST_MS = 0.01; // a residual that is seen
const LEAST_STEP = 0.1; // of an axis: from its start to the next number
const GREY = "var(--rb-ink3)";

export function calibrate({send}) {
  const input = h("input", {type: "file", class: "sr-only", tabindex: "-1", "aria-hidden": "true", accept: ACCEPT, "data-testid": "calibrate-file"});
  const limits = h("p", {class: "aside"});
  const kinds = h("ul", {class: "aside kinds"});
  const what = h("details", {}, h("summary", {class: "aside", word: "calibrate.what"}), limits, kinds);
  const said = h("p", {class: "calibrate-said", role: "status"});
  const zone = h("section", {class: "calibrate-zone", label: "calibrate.zone", hidden: true},
    h("p", {class: "calibrate-row"},
      h("button", {class: "button", on: {click: () => input.click()}}, icon("open_file"), h("span", {word: "calibrate.choose"})), input,
      h("span", {class: "aside", word: "calibrate.or_drop"}),
      h("button", {class: "link", word: "calibrate.sample", on: {click: () => send({do: "sample"})}})),
    what);
  const server = server_form({send});
  const result = h("div", {class: "calibrate-result", hidden: true});
  const headline = h("h2", {class: "headline"});
  const cost = h("div", {class: "lab-table-box"});
  const range_note = h("p", {class: "aside calibrate-range"});
  const errors = h("div", {class: "lab-table-box", tabindex: "0", role: "region", label: "calibrate.errors"});
  const pictures = scatter_pair();
  const residuals = plot({title: h("b", {word: "calibrate.residuals"}), unit: h("span", {class: "aside", word: "calibrate.residuals_unit"}), height: SQUARE});
  const notes = h("div", {class: "calibrate-notes"});
  const usage = usage_row({send});
  result.append(headline, h("h3", {word: "calibrate.cost"}), cost, range_note, usage.el, errors, pictures.el, residuals.el, notes);
  const el = h("div", {class: "lab-calibrate"}, h("p", {class: "aside", word: "calibrate.about"}), zone, said, server.el, result);
  let words = {};
  let limit = 0;
  let source = null; // the measurement shown, in words

  const read = async (file) => {
    const is_large = file.size > limit;
    const values = {name: file.name, size: megabytes(file.size), limit: megabytes(limit)};
    said.textContent = fill(words[is_large ? "calibrate.too_large" : "calibrate.reading"], values);
    said.classList.toggle("bad", is_large);
    if (!is_large) { await in_parts(file, (bytes, last) => send({do: "file", name: file.name, bytes, last})); }
  };
  input.addEventListener("change", () => {
    if (input.files.length) { read(input.files[0]); }
    input.value = "";
  });
  el.addEventListener("dragover", (event) => {
    if (!has_files(event)) { return; }
    event.preventDefault(); // which also keeps the rest of the page from taking it for a trace
    zone.classList.add("over-it");
  });
  el.addEventListener("dragleave", (event) => { if (!el.contains(event.relatedTarget)) { zone.classList.remove("over-it"); } });
  el.addEventListener("drop", (event) => {
    if (!has_files(event)) { return; }
    event.preventDefault();
    zone.classList.remove("over-it");
    if (!zone.hidden && event.dataTransfer.files.length) { read(event.dataTransfer.files[0]); }
  });

  const show_result = (part, view) => {
    const now = part.result;
    result.hidden = now === null;
    if (!now) { return; }
    const is_profile = now.kind === "profile";
    headline.replaceChildren(...now.headline.split("**").map((one, i) => (i % 2 ? h("b", {text: one}) : one)));
    cost.replaceChildren(parts_table(now.parts, words));
    range_note.textContent = now.range_note;
    errors.hidden = pictures.el.hidden = is_profile;
    residuals.el.hidden = !is_profile;
    if (is_profile) {
      show_residuals(residuals, now.residuals, words);
    } else {
      errors.replaceChildren(errors_table(now, words));
      pictures.show(now.pictures, words);
    }
    notes.replaceChildren(...now.notes.map((text) => h("p", {class: "aside", text})));
    usage.show(part.use, view);
  };
  const show = (view, part) => {
    words = view.words;
    if (!part) { return; }
    limit = part.limit;
    zone.hidden = false; // from here on the size of a file can be judged
    limits.textContent = fill(words["calibrate.limits"], {size: megabytes(limit)});
    kinds.replaceChildren(
      h("li", {}, ...coded(words["calibrate.takes_requests"], {columns: REQUESTS, command: COMMAND})),
      h("li", {}, ...coded(words["calibrate.takes_rounds"], {columns: ROUNDS})));
    if (part.source !== source || part.fault) { what.open = part.fault !== "" || part.source === ""; }
    source = part.source;
    said.textContent = part.fault || part.source;
    said.classList.toggle("bad", part.fault !== "");
    server.show(part, view);
    show_result(part, view);
  };
  return {el, show};
}

/** A sentence with code in some of its places. */
function coded(sentence, values) {
  return sentence.split(/\{(\w+)\}/).map((piece, i) => (i % 2 ? h("code", {text: values[piece]}) : piece));
}

/** The settings of the measured server, and the button that fits. */
function server_form({send}) {
  const like = h("select", {label: "calibrate.like", "data-testid": "calibrate-like", on: {change: () => send({do: "like", lane: like.value})}});
  const fields = h("div", {class: "calibrate-fields"});
  const go = h("button", {class: "button", "data-testid": "calibrate-go", on: {click: () => send({do: is_running ? "stop" : "fit"})}});
  const bar = h("div", {class: "fit-bar", role: "progressbar", label: "calibrate.progress", "aria-valuemin": "0"}, h("div"));
  const note = h("span", {class: "aside", role: "status"});
  const fault = h("p", {class: "bad", role: "alert"});
  const el = h("section", {hidden: true}, h("h2", {word: "calibrate.server"}), h("p", {class: "aside", word: "calibrate.server_note"}),
    h("div", {class: "calibrate-fields"}, h("label", {class: "lab-field calibrate-like"}, h("span", {word: "calibrate.like"}), like), fields),
    fault, h("div", {class: "calibrate-row"}, go, bar, note));
  const inputs = new Map(); // by name: what is being typed is not made anew
  let is_running = false;

  const input = (field) => {
    if (!inputs.has(field.name)) { inputs.set(field.name, input_of(field, (value) => send({do: "type", name: field.name, value}), false)); }
    const one = inputs.get(field.name);
    one.update(field);
    return one.el;
  };
  const show = ({server, run, result}, {words}) => {
    el.hidden = server === null;
    if (!server) { return; }
    fill_select(like, server.choices, server.like);
    if (fields.childElementCount) { server.fields.forEach(input); } else { fields.append(...server.fields.map(input)); }
    fault.textContent = server.fault;
    is_running = run?.state === "running";
    go.textContent = words[is_running ? "calibrate.stop" : result ? "calibrate.fit_again" : "calibrate.fit"];
    bar.hidden = !is_running;
    note.textContent = run?.note ?? "";
    note.classList.toggle("bad", run?.state === "failed" || run?.state === "unserved");
    if (!run) { return; }
    set(bar, "aria-valuemax", run.of);
    set(bar, "aria-valuenow", run.done);
    bar.firstChild.style.width = `${(100 * run.done) / run.of}%`;
  };
  return {el, show};
}

/** From the cost to all setups, and back. */
function usage_row({send}) {
  const use = h("button", {class: "button", word: "calibrate.use", "data-testid": "calibrate-use", on: {click: () => send({do: "use"})}});
  const used = h("span", {class: "good", word: "calibrate.used", role: "status"});
  const back = h("button", {class: "link", word: "calibrate.back", on: {click: () => send({do: "back"})}});
  const note = h("span", {class: "aside"});
  const el = h("div", {class: "calibrate-row"}, use, used, back, note);
  const show = (now) => {
    use.hidden = now.is_used;
    use.disabled = !now.can;
    used.hidden = !now.is_used;
    back.hidden = !now.is_changed;
    note.textContent = now.note;
  };
  return {el, show};
}

function parts_table(parts, words) {
  const has = (name) => parts.some((part) => part[name] !== "");
  const columns = [["value", "value"], ...(has("truth") ? [["truth", "truth"]] : []), ...(has("range") ? [["range", "range_head"]] : [])];
  return h("table", {class: "calibrate-parts"},
    h("thead", {}, h("tr", {}, h("td"), ...columns.map(([, word]) => h("th", {scope: "col", text: words[`calibrate.${word}`]})))),
    h("tbody", {}, ...parts.map((part) => h("tr", {}, h("th", {scope: "row", text: part.name}), ...columns.map(([name]) => h("td", {class: name, text: part[name]}))))));
}

/** Figures of both halves beside each other; an error over the aim is marked. */
function errors_table({errors, counts, over}, words) {
  const halves = ["unseen", "seen"];
  const cells = ({measured, predicted, error, is_over}) => [h("td", {text: measured}), h("td", {text: predicted}),
    h("td", {class: is_over ? "bad" : ""}, is_over ? h("span", {class: "tag", text: over}) : "", h("span", {text: error}))];
  return h("table", {class: "calibrate-errors"},
    h("caption", {text: words["calibrate.errors"]}),
    h("thead", {},
      h("tr", {}, h("td"), ...halves.map((half, i) => h("th", {scope: "colgroup", colspan: 3, text: words[`calibrate.half_${half}`].replace("{n}", counts[i])}))),
      h("tr", {}, h("th", {scope: "col", text: words["calibrate.figure_head"]}),
        ...halves.flatMap(() => ["measured", "predicted", "error"].map((name) => h("th", {scope: "col", text: words[`calibrate.${name}`]}))))),
    h("tbody", {}, ...errors.map((row) => h("tr", {}, h("th", {scope: "row", text: row.name}), ...halves.flatMap((half) => cells(row[half]))))));
}

/** Predicted over measured TTFT and E2E of every request. */
function scatter_pair() {
  const figure = (word) => plot({title: h("b", {word}), unit: h("span", {class: "aside", word: "calibrate.plot_unit"}), height: SQUARE});
  const pair = {ttft: figure("ttft"), e2e: figure("e2e")};
  const sign = (look) => draw("svg", {width: 10, height: 10, "aria-hidden": "true"}, draw("circle", {cx: 5, cy: 5, r: 3, ...look}));
  const legend = h("p", {class: "aside calibrate-legend"},
    h("span", {}, sign({fill: colour_of(0)}), h("span", {word: "calibrate.unseen_sign"})),
    h("span", {}, sign({fill: "none", stroke: GREY}), h("span", {word: "calibrate.seen_sign"})));
  const el = h("div", {}, h("div", {class: "plots wide"}, pair.ttft.el, pair.e2e.el), legend);
  const show = (pictures, words) => {
    for (const [name, picture] of Object.entries(pair)) { picture.show({...scatter(pictures[name]), told: words["calibrate.plot_told"]}); }
  };
  return {el, show};
}

function scatter({seen, unseen}) {
  const values = [...seen, ...unseen].flat().filter((v) => v > 0);
  const ends = values.reduce(([low, high], v) => [Math.min(low, v), Math.max(high, v)], [Infinity, 1e-6]);
  const log = ends[1] / ends[0] > DECADES;
  const axis = {from: log ? ends[0] / 1.1 : 0, to: ends[1] * 1.05, log, text: texts_of({unit: "ms"}).latency};
  axis.ticks = ticks(axis, NUM_TICKS);
  return {
    x: axis, y: axis,
    series: [
      {place: 0, xs: [axis.from, axis.to], ys: [axis.from, axis.to], look: {stroke: GREY, "stroke-width": 1}},
      {place: 0, xs: seen[0], ys: seen[1], points: true, look: {fill: "none", stroke: GREY, r: 2.5}},
      {place: 0, xs: unseen[0], ys: unseen[1], points: true, look: {r: 2.5, "fill-opacity": 0.75}},
    ],
  };
}

function show_residuals(picture, {lines, ms}, words) {
  const most = ms.reduce((high, v) => Math.max(high, Math.abs(v)), LEAST_MS);
  const {plain} = texts_of({unit: "ms"});
  const x = {from: Math.min(...lines), to: Math.max(...lines), text: plain};
  const later = x.from + LEAST_STEP * (x.to - x.from);
  x.ticks = [x.from, ...ticks(x, NUM_TICKS).filter((line) => Number.isInteger(line) && line > later)];
  const y = {from: -1.1 * most, to: 1.1 * most, text: (v) => `${v < 0 ? "−" : ""}${plain(Math.abs(v))}`};
  y.ticks = ticks(y, NUM_TICKS);
  picture.show({
    x, y, told: words["calibrate.residuals_told"],
    series: [
      {place: 0, xs: [x.from, x.to], ys: [0, 0], look: {stroke: GREY, "stroke-width": 1, "stroke-dasharray": ""}},
      {place: 0, xs: lines, ys: ms, points: true, look: {r: 2.5}},
    ],
  });
}
