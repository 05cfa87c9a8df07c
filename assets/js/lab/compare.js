// What came of the setups: a sentence, the rounds with the longest gaps, distributions, and the table.

import {h} from "../dom.js";
import {plot} from "./plot.js";
import {spikes} from "./spikes.js";
import {table} from "./table.js";

/** Numbers of a picture as its axes say them. */
export function texts_of({unit}) {
  const plain = (v) => (Math.abs(v) >= 10_000 ? `${(v / 1000).toLocaleString("en", {maximumFractionDigits: 1})}k` : Number(v.toPrecision(6)).toLocaleString("en"));
  const latency = (v) => (unit !== "ms" ? plain(v) : v >= 1000 ? `${Number((v / 1000).toPrecision(3)).toLocaleString("en")} s` : `${Number(v.toPrecision(3))} ms`);
  const time = (span) => {
    if (unit !== "ms") { return (t) => String(Math.round(t)); }
    if (span < 1_000) { return (t) => `${Number(t.toPrecision(4))} ms`; }
    return (t) => `${(t / 1000).toFixed(span >= 20_000 ? 1 : 2).replace(/\.?0+$/, "")} s`;
  };
  return {plain, latency, time, percent: (v) => `${Math.round(v * 100)}%`};
}

export function compare({pick, look}) {
  const headline = h("h2", {class: "headline"});
  const rounds = spikes({pick, look});
  const name = (word, unit) => [h("b", {word}), h("span", {class: "aside", word: unit})];
  const figure = (word, unit) => {
    const [title, what] = name(word, unit);
    return plot({title, unit: what});
  };
  const pictures = {
    ttft: figure("ttft", "share_requests"), tpot: figure("tpot", "share_requests"), itl: figure("itl", "share_gaps"), e2e: figure("e2e", "share_requests"),
    queue: figure("waiting", "in_requests"), kv: figure("kv", "in_blocks"),
  };
  const figures = table();
  const groups = h("section", {class: "lab-groups"});
  const el = h("div", {class: "lab-compare"}, headline, rounds.el,
    h("div", {class: "plots"}, ...Object.values(pictures).map(({el: one}) => one)), figures.el, groups);

  const show = (view) => {
    headline.replaceChildren(...view.headline.split("**").map((part, i) => (i % 2 ? h("b", {text: part}) : part)));
    const texts = texts_of(view);
    const span = view.spikes ? view.spikes.to - view.spikes.from : 1;
    rounds.show(view.spikes && {...view.spikes, time_text: texts.time(span), gap_text: texts.latency}, view);
    for (const key of ["ttft", "tpot", "itl", "e2e"]) { show_shares(pictures[key], view.ecdfs[key], view.limits[key], texts, view); }
    pictures.tpot.el.hidden ||= view.limits.tpot === null; // five pictures only where the goal asks for it
    show_course(pictures.queue, view.queue, texts, view);
    show_course(pictures.kv, view.kv, texts, view, view.pool);
    figures.show(view);
    groups.hidden = view.groups.length === 0;
    groups.replaceChildren(...draw_groups(view));
  };
  return {el, show};
}

/** Of each setup the share of requests, or of gaps, that a latency is at most. */
function show_shares(picture, curves, limit, texts, view) {
  picture.el.hidden = !curves?.some(Boolean);
  if (picture.el.hidden) { return; }
  const values = curves.flatMap((curve) => (curve ? [curve[0][0], curve[0].at(-1)] : []));
  const positive = values.filter((v) => v > 0);
  const [low, high] = [Math.min(...positive), Math.max(...values, limit ?? 0)];
  const log = view.unit === "ms" && high / low > 30;
  const x = {from: log ? low : Math.min(0, low), to: high, log, text: texts.latency};
  picture.show({
    x, y: {from: 0, to: 1, ticks: [0, 0.5, 1], text: texts.percent}, told: view.words.told_shares,
    series: curves.flatMap((curve, place) => (curve ? [{place, xs: [x.from, ...curve[0], x.to], ys: [0, ...curve[1], 1], stepped: true}] : [])),
    limits: limit === null || limit === undefined ? [] : [{axis: "x", value: limit, text: `SLO ${texts.latency(limit)}`, beyond: 1}],
  });
}

/** Of each setup a figure over the time of the run. */
function show_course(picture, curves, texts, view, pool = null) {
  picture.el.hidden = !curves?.some(Boolean);
  if (picture.el.hidden) { return; }
  const there = curves.filter(Boolean);
  const to = Math.max(...there.map(([xs]) => xs.at(-1)));
  const most = pool ?? Math.max(1, ...there.map(([, ys]) => ys.reduce((a, b) => Math.max(a, b), 0)));
  picture.show({
    x: {from: 0, to, text: texts.time(to)}, y: {from: 0, to: most, ticks: [0, most / 2, most].filter((v) => Number.isInteger(v)), text: texts.plain},
    told: view.words.told_course,
    series: curves.flatMap((curve, place) => (curve ? [{place, xs: curve[0], ys: curve[1], stepped: true}] : [])),
  });
}

/** Which groups of requests keep to the goals under which setup. */
function draw_groups(view) {
  const {words} = view;
  if (!view.groups.length) { return []; }
  const head = h("tr", {}, h("th", {scope: "col", text: words.group}), ...view.setups.map(({title}) => h("th", {scope: "col", text: title, title})));
  const rows = view.groups.map(({name, cells}) => h("tr", {}, h("th", {scope: "row", text: name}),
    ...cells.map(({text, is_over, tip}) => h("td", {class: is_over ? "bad" : "", title: tip}, is_over ? h("span", {class: "tag", text: words.fails}) : "", h("span", {text})))));
  return [h("h2", {text: words.groups}), h("p", {class: "aside", text: words.groups_note}),
    h("div", {class: "lab-table-box"}, h("table", {}, h("thead", {}, head), h("tbody", {}, ...rows)))];
}
