// Pictures of the traffic: arrivals over time, their gaps, and the lengths of prompts and outputs. Tenants are
// told apart by line; while something is typed, what runs now stands behind it as a plain line.

import {h} from "../dom.js";
import {texts_of} from "./compare.js";
import {line_sign, plot} from "./plot.js";

export const DECADES = 30; // from this span on an axis is logarithmic
const BEHIND = {stroke: "var(--rb-ink3)", "stroke-dasharray": "", "stroke-width": 1};

export function pictures() {
  const figure = (word, unit) => {
    const aside = h("span", {class: "aside", ...unit});
    return {aside, ...plot({title: h("b", {word: `workload.${word}`}), unit: aside})};
  };
  const shares = {word: "workload.share_lengths"};
  const shown = {counts: figure("arrivals", {}), gaps: figure("gaps", {word: "workload.share"}), prompt: figure("prompt", shares), output: figure("output", shares)};
  const lines = h("ul", {class: "traffic-lines", label: "workload.lines"});
  const note = h("p", {class: "aside"});
  const el = h("div", {class: "traffic-pictures"}, lines, h("div", {class: "plots"}, ...Object.values(shown).map((one) => one.el)), note);

  /** `now` is what runs, `draft` what is typed and can be drawn, or null. */
  const show = (view, {now, draft}) => {
    const texts = texts_of(view);
    const front = draft ?? now;
    draw_lines(lines, view.words, front, Boolean(draft));
    show_arrivals(shown.counts, front.counts, draft && now.counts, texts, view.words);
    show_lengths(shown.gaps, front.gaps, draft && now.gaps, texts.latency, view.words["workload.told_gaps"]);
    for (const key of ["prompt", "output"]) {
      show_lengths(shown[key], front[key], draft && now[key], texts.plain, view.words["workload.told_lengths"]);
    }
    note.textContent = front.counts || !front.prompt ? front.shared ?? "" : view.words["workload.in_loop"];
  };
  return {el, show};
}

function draw_lines(list, words, {lines = []}, is_draft) {
  const of_tenants = lines.map(({name, share}, place) => h("li", {}, line_sign(place), h("span", {text: name}), h("span", {class: "aside", text: share})));
  const state = is_draft ? [
    ...(of_tenants.length ? [] : [h("li", {}, line_sign(0), h("span", {text: words["workload.typed"]}))]),
    h("li", {}, h("span", {class: "now-sign"}), h("span", {text: words["workload.now"]})),
  ] : [];
  list.hidden = of_tenants.length + state.length === 0;
  list.replaceChildren(...of_tenants, ...state);
}

/** How many come in each bin of time. */
function show_arrivals(figure, counts, behind, texts, words) {
  figure.el.hidden = !counts;
  if (!counts) { return; }
  figure.aside.textContent = counts.unit;
  const all = [...counts.curves, ...(behind && behind.unit === counts.unit ? behind.curves : [])];
  const to = Math.max(...all.map(([xs]) => xs.at(-1)));
  const most = Math.max(1, ...all.map(([, ys]) => Math.max(...ys)));
  const old = all.slice(counts.curves.length).map(([xs, ys]) => ({place: 0, xs, ys, stepped: true, look: BEHIND}));
  figure.show({
    x: {from: 0, to, text: texts.time(to)}, y: {from: 0, to: most, ticks: most > 1 ? [0, Math.floor(most / 2), most] : [0, 1], text: texts.plain},
    told: words["workload.told_counts"],
    series: [...old, ...counts.curves.map(([xs, ys], place) => ({place, xs, ys, stepped: true}))],
  });
}

/** The share of values that are at most so large; nothing where there are none. */
function show_lengths(figure, curves, behind, text, told) {
  figure.el.hidden = !curves?.some(Boolean);
  if (figure.el.hidden) { return; }
  const all = [...curves, ...(behind ?? [])].filter(Boolean);
  const positive = all.flatMap(([xs]) => [xs.find((v) => v > 0), xs.at(-1)]).filter((v) => v > 0);
  const [low, high] = positive.length ? [Math.min(...positive), Math.max(...positive)] : [0, 1];
  const log = low > 0 && high / low > DECADES;
  const x = {from: log ? low : 0, to: high, log, text};
  const line = (curve, place, more) => ({place, xs: [x.from, ...curve[0], x.to], ys: [0, ...curve[1], 1], stepped: true, ...more});
  figure.show({
    x, y: {from: 0, to: 1, ticks: [0, 0.5, 1], text: (v) => `${Math.round(v * 100)}%`}, told,
    series: [
      ...(behind ?? []).filter(Boolean).map((curve) => line(curve, 0, {look: BEHIND})),
      ...curves.flatMap((curve, place) => (curve ? [line(curve, place)] : [])),
    ],
  });
}
