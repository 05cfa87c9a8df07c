// Pictures of a sweep: two metrics over the control, with their goals and where nearly all requests
// meet them, and what one metric costs of another. Every dot is a button.

import {h} from "../dom.js";
import {fill} from "../fill.js";
import {texts_of} from "./compare.js";
import {fill_select} from "./controls.js";
import {line_sign, plot} from "./plot.js";

const SWEEP_HEIGHT = 190;
const PAD = 0.06; // of a range, so that points do not stand on the frame
const LEAST_SPAN = 0.2; // of its end: what differs by less than a hair does not look far apart
const LEAST_GAP = 0.1; // between ticks, of the axis
const FAR = 30; // a larger ratio needs a logarithmic axis
const TRADES = {latency_trade: ["ttft_p95", "itl_p99"], rate_trade: ["output_tps", "goodput"]};

export function sweep_pictures({pick}) {
  let shown = null; // {run, view}
  const picked = (i, place) => pick(curve_points(shown.run, place)[i]);
  const curves = ["goodput", "ttft_p95"].map((first) => metric_picture(first, picked, () => paint()));
  const trades = Object.keys(TRADES).map((name) => {
    const unit = h("span", {class: "aside"});
    return {name, unit, plot: plot({title: h("b", {word: `sweep.${name}`}), unit, height: SWEEP_HEIGHT, pick: picked})};
  });
  const legend = h("p", {class: "sweep-legend"});
  const note = h("p", {class: "aside"});
  const el = h("div", {}, legend, h("div", {class: "plots sweep-plots"}, ...curves.map(({plot: one}) => one.el), ...trades.map(({plot: one}) => one.el)), note);

  const paint = () => {
    const {run, view} = shown;
    const {words} = view;
    const texts = texts_of(view);
    legend.hidden = run.curves.length === 0;
    legend.replaceChildren(...run.curves.map((text, place) => h("span", {}, line_sign(place), text)));
    const drawn = curves.map((one) => one.show(run, words, texts));
    for (const {name, unit, plot: one} of trades) {
      const [x, y] = TRADES[name].map((key) => run.metrics.find((metric) => metric.key === key));
      one.el.hidden = !x || !y;
      if (one.el.hidden) { continue; }
      unit.textContent = fill(words["sweep.trade_note"], {x: x.name, y: y.name});
      drawn.push(trade(run, x, y, texts, fill(words["sweep.told_trade"], {x: x.name, y: y.name, n: run.points.length})));
      one.show(drawn.at(-1));
    }
    const verdicts = run.points.map(({feasible}) => feasible);
    const goals = verdicts.includes(true) ? "region" : verdicts.includes(false) ? "no_region" : "no_goals";
    const said = [goals, ...(drawn.some(is_limited) ? ["beyond"] : []), "click"].map((key) => words[`sweep.${key}`]);
    note.textContent = said.join(words.space);
  };
  const show = (run, view) => {
    shown = {run, view};
    el.hidden = run.metrics.length === 0;
    if (!el.hidden) { paint(); }
  };
  return {el, show};
}

/** A picture of a metric that is chosen above it. */
function metric_picture(first, pick, changed) {
  const choice = h("select", {class: "sweep-metric", label: "sweep.metric", on: {change: () => { chosen = choice.value; changed(); }}});
  const unit = h("span", {class: "aside"});
  const one = plot({title: choice, unit, height: SWEEP_HEIGHT, pick});
  let chosen = first;
  const show = (run, words, texts) => {
    const metric = run.metrics.find(({key}) => key === chosen) ?? run.metrics[0];
    fill_select(choice, run.metrics.map(({key, name}) => [key, name]), metric.key);
    unit.textContent = metric.unit;
    const told = fill(words["sweep.told_curve"], {metric: metric.name, control: run.control, n: run.points.length});
    const drawn = over_control(run, metric, texts, told);
    one.show(drawn);
    return drawn;
  };
  return {plot: one, show};
}

/** The points of a curve, in order of the control; those that could not run are none. */
function curve_points(run, place) {
  return run.points.filter(({curve, fault}) => curve === place && !fault).sort((a, b) => a.x - b.x);
}

function series_of(run, xs_of, ys_of, more) {
  const places = [...new Set(run.points.map(({curve}) => curve))].sort();
  return places.map((place) => {
    const points = curve_points(run, place);
    return {
      place, xs: points.map(xs_of), ys: points.map(ys_of), dots: true, names: points.map(({name}) => name),
      hollow: points.map(({feasible}) => feasible === false), ...(more ? more(points) : {}),
    };
  });
}

function over_control(run, metric, texts, told) {
  const good = run.points.filter(({fault}) => !fault);
  const xs = [...new Set(good.map(({x}) => x))].sort((a, b) => a - b);
  const log = run.is_log && xs[0] > 0 && xs.length > 1;
  const x = {from: xs[0], to: xs.length > 1 ? xs.at(-1) : xs[0] + 1, log, text: (v) => good.find((point) => point.x === v).short};
  const values = good.map(({values: found}) => found[metric.key]).filter((v) => v !== undefined);
  const y = {...range(metric, values, true), text: text_of(metric, texts)};
  return {
    x: {...x, ticks: apart(xs, x)}, y, told, regions: regions(good, xs, log),
    series: series_of(run, (point) => point.x, ({values: found}) => found[metric.key] ?? null),
    limits: limit_of(metric, "y", texts),
  };
}

function trade(run, of_x, of_y, texts, told) {
  const good = run.points.filter(({fault}) => !fault);
  const axis = (metric) => ({...range(metric, good.flatMap(({values: found}) => found[metric.key] ?? []), false), text: text_of(metric, texts)});
  return {
    x: axis(of_x), y: axis(of_y), told,
    series: series_of(run, ({values: found}) => found[of_x.key] ?? null, ({values: found}) => (of_x.key in found ? found[of_y.key] ?? null : null),
      (points) => ({labels: points.map(({short}) => short)})),
    limits: [...limit_of(of_x, "x", texts), ...limit_of(of_y, "y", texts)],
  };
}

/** From where to where an axis goes: with its goal, if that is not far off. */
function range(metric, values, is_from_zero) {
  const [low, most] = [Math.min(...values), Math.max(...values)];
  const high = metric.limit !== null && metric.limit < 2 * most ? Math.max(metric.limit, most) : most;
  if (metric.kind === "time" && low > 0 && high / low > FAR) { return {from: low / 1.15, to: high * 1.15, log: true}; }
  if (metric.kind === "share" && is_from_zero) { return {from: 0, to: 1, ticks: [0, 0.5, 1]}; }
  const pad = Math.max(high - low, high * LEAST_SPAN, Number.MIN_VALUE) * PAD;
  return {from: is_from_zero ? 0 : Math.max(0, low - pad), to: high + pad};
}

function text_of({kind}, texts) { return {time: texts.latency, share: texts.percent}[kind] ?? texts.plain; }

function limit_of(metric, axis, texts) {
  return metric.limit === null ? [] : [{axis, value: metric.limit, text: `SLO ${texts.latency(metric.limit)}`, beyond: 1}];
}

/** Whether the line of a goal lies within a picture, with the side beyond it shaded. */
function is_limited({x, y, limits}) {
  return limits.some(({axis, value}) => { const {from, to} = axis === "x" ? x : y; return value >= from && value <= to; });
}

/** Values far enough from one another to be written under an axis. */
function apart(xs, {from, to, log}) {
  const of = log ? Math.log : (v) => v;
  const share = (v) => (of(v) - of(from)) / (of(to) - of(from) || 1);
  return xs.reduce((kept, v) => (kept.length && share(v) - share(kept.at(-1)) < LEAST_GAP ? kept : [...kept, v]), []);
}

/** Stretches of the control where some curve meets the goals, half way to the neighbours that do not. */
function regions(points, xs, log) {
  const good = new Set(points.filter(({feasible}) => feasible).map(({x}) => x));
  const middle = (a, b) => (log ? Math.sqrt(a * b) : (a + b) / 2);
  const found = [];
  xs.forEach((x, i) => {
    if (!good.has(x)) { return; }
    const to = i < xs.length - 1 ? middle(x, xs[i + 1]) : x;
    if (i && good.has(xs[i - 1])) { found.at(-1).to = to; } else { found.push({from: i ? middle(xs[i - 1], x) : x, to}); }
  });
  return found;
}
