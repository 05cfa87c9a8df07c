// The longest gap of each round above a line and the prompt tokens of the round below it, a strip a
// setup, all on one time axis. Pointing tells the round there; a click opens it on the stage; dragging zooms.

import {h} from "../dom.js";
import {fill} from "../fill.js";
import {colour_of, draw, inverse, letter, line_sign, scale, ticks} from "./plot.js";

const GUTTER = 174;
const ROOM_RIGHT = 14;
const STRIP = 96;
const ROOM_ABOVE = 12; // of a strip: room over its highest gap
const BASE = 66; // of a strip: the line between gaps and prompt tokens
const DEEPEST = 26; // of the bars below it
const AXIS = 26;
const LEAST_DRAG = 6;
const [TIME_TICKS, TIME_ROOM] = [6, 64]; // steps at most, and px that one takes at least
const FEW_ROUNDS = 60; // with more, dots are small

export function spikes({pick, look}) {
  const back = h("button", {class: "link whole", word: "whole_run", hidden: true, on: {click: () => look(null)}});
  const head = h("div", {class: "spikes-head"}, h("span", {word: "spikes_setup"}), h("span", {class: "spikes-what"}), back);
  const rows = h("div", {class: "spike-rows"});
  const box = h("div", {class: "spikes-box", tabindex: "0", role: "group"});
  const line = h("div", {class: "spike-cursor", hidden: true}, h("b"));
  const drag = h("div", {class: "spike-drag", hidden: true});
  box.append(rows, line, drag);
  const el = h("section", {class: "spikes", label: "spikes"}, head, box);
  let data = null;
  let view = null;
  let at = null; // the time that is pointed at

  const width = () => box.clientWidth;
  const axis = () => ({from: data.from, to: data.to});
  const x = () => scale(axis(), GUTTER, width() - ROOM_RIGHT);
  const time_at = (pixel) => Math.min(data.to, Math.max(data.from, inverse(axis(), GUTTER, width() - ROOM_RIGHT)(pixel)));

  const tell = () => {
    line.hidden = at === null;
    if (!data) { return; }
    if (at !== null) {
      line.style.transform = `translateX(${x()(at)}px)`;
      line.firstChild.textContent = data.time_text(at);
    }
    [...rows.querySelectorAll(".spike-now")].forEach((el_now, place) => {
      const i = at === null ? -1 : round_at(data.lanes[place], at);
      el_now.textContent = i < 0 ? "" : fill(view.words.spike_now, {
        p: data.lanes[place].p[i].toLocaleString("en"), gap: data.lanes[place].gap[i] === null ? "–" : data.gap_text(data.lanes[place].gap[i]),
      });
    });
    [...rows.querySelectorAll(".spike-who")].forEach((el_who, place) => {
      const i = at === null ? -1 : round_at(data.lanes[place], at);
      el_who.textContent = i < 0 ? "" : who(data.lanes[place].who[i], view.words);
      place_who(el_who, at === null ? 0 : x()(at), width());
    });
  };
  const paint = () => {
    if (!data || width() < 200) { return; }
    const strips = data.lanes.map((lane, place) => strip(lane, place, {data, view, width: width(), x: x()}));
    rows.replaceChildren(...strips, time_axis(data, x(), width()));
    tell();
  };
  const show = (next, next_view) => {
    view = next_view;
    data = next;
    el.hidden = !data;
    if (!data) { return; }
    back.hidden = data.whole;
    head.querySelector(".spikes-what").textContent = view.words.spikes_what;
    if (at !== null && (at < data.from || at > data.to)) { at = null; }
    paint();
  };
  const place_at = (event) => {
    const y = event.clientY - rows.getBoundingClientRect().top;
    return Math.min(data.lanes.length - 1, Math.max(0, Math.floor(y / STRIP)));
  };
  let from = null;
  const local = (event) => event.clientX - box.getBoundingClientRect().left;
  box.addEventListener("pointerdown", (event) => { if (data && event.button === 0) { from = local(event); } });
  box.addEventListener("pointermove", (event) => {
    if (!data) { return; }
    at = local(event) < GUTTER ? null : time_at(local(event));
    tell();
    const is_drag = from !== null && Math.abs(local(event) - from) > LEAST_DRAG;
    drag.hidden = !is_drag;
    if (is_drag) {
      const [low, high] = [from, local(event)].sort((a, b) => a - b).map((pixel) => Math.max(GUTTER, pixel));
      Object.assign(drag.style, {left: `${low}px`, width: `${high - low}px`});
    }
  });
  box.addEventListener("pointerup", (event) => {
    if (!data || from === null) { return; }
    const ends = [from, local(event)].map(time_at).sort((a, b) => a - b);
    const is_drag = Math.abs(local(event) - from) > LEAST_DRAG;
    from = null;
    drag.hidden = true;
    if (is_drag) { look(ends); } else if (local(event) >= GUTTER) { pick(time_at(local(event)), place_at(event)); }
  });
  box.addEventListener("pointerleave", () => { from = null; drag.hidden = true; at = null; tell(); });
  box.addEventListener("keydown", (event) => {
    const step = {ArrowLeft: -1, ArrowRight: 1}[event.key];
    if (!data || !(step || event.key === "Enter")) { return; }
    event.preventDefault();
    event.stopPropagation();
    if (!step) { if (at !== null) { pick(at, 0); } return; }
    at = Math.min(data.to, Math.max(data.from, (at ?? data.from) + (step * (data.to - data.from)) / 100));
    tell();
  });
  new ResizeObserver(paint).observe(box);
  return {el, show};
}

/** "prefill: A 512, B 128, and 3 more"; nothing in a round without any. */
function who([named, more], words) {
  const parts = named.map(([id, n]) => `${id} ${n.toLocaleString("en")}`);
  if (more) { parts.push(fill(words.spike_more, {n: more.toLocaleString("en")})); }
  return parts.length ? fill(words.spike_who, {listed: parts.join(words.spike_comma)}) : "";
}

/** Beside the line at the pointer, on the side that has room. */
function place_who(el, px, width) {
  const is_left = px > (GUTTER + width) / 2;
  Object.assign(el.style, {left: is_left ? "" : `${px + 6}px`, right: is_left ? `${width - px + 6}px` : ""});
}

/** The round of a lane that is under way at a time, the one before where not all are drawn; -1 between rounds. */
function round_at({t0, t1, is_whole}, t) {
  let [low, high] = [0, t0.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (t0[middle] <= t) { low = middle + 1; } else { high = middle; }
  }
  return low > 0 && (t <= t1[low - 1] || !is_whole) ? low - 1 : -1;
}

/** One setup: its name and what it does now at the left, its rounds at the right. */
function strip(lane, place, {data, view, width, x}) {
  const setup = view.setups[place];
  const y = scale({from: 0, to: data.most_gap}, BASE, ROOM_ABOVE);
  const deep = (p) => (DEEPEST * p) / Math.max(1, data.most_p);
  const svg = draw("svg", {width, height: STRIP});
  for (const t of time_ticks(data, width)) { svg.append(draw("path", {d: `M${x(t).toFixed(1)} 0V${STRIP}`, class: "grid"})); }
  svg.append(draw("path", {d: `M${GUTTER} ${BASE}H${width - ROOM_RIGHT}`, class: "base"}), draw("path", {d: `M0 ${STRIP - 0.5}H${width}`, class: "grid"}));
  for (const value of [0, data.most_gap]) {
    svg.append(letter(data.gap_text(value), {x: GUTTER - 6, y: y(value) + 4, "text-anchor": "end", class: "tick"}));
  }
  const goal = data.goal;
  if (goal !== null && goal <= data.most_gap) {
    svg.append(draw("path", {d: `M${GUTTER} ${y(goal)}H${width - ROOM_RIGHT}`, class: "limit"}));
    if (place === 0) { svg.append(letter(data.goal_text, {x: width - ROOM_RIGHT, y: y(goal) - 4, "text-anchor": "end", class: "limit-text"})); }
  }
  const bars = [];
  const good = [];
  const over = [];
  lane.t0.forEach((t, i) => {
    const [left, right] = [x(t), x(lane.t1[i])];
    if (lane.p[i] > 0) { bars.push(`M${left.toFixed(1)} ${BASE + 1}h${Math.max(0.6, right - left - 0.6).toFixed(1)}v${deep(lane.p[i]).toFixed(1)}H${left.toFixed(1)}z`); }
    if (lane.gap[i] === null) { return; }
    const middle = ((left + right) / 2).toFixed(1);
    if (goal !== null && lane.gap[i] > goal) { over.push(`M${middle} ${(y(lane.gap[i]) - 4).toFixed(1)}l4 4l-4 4l-4 -4z`); } else { good.push(`M${middle} ${y(lane.gap[i]).toFixed(1)}h0`); }
  });
  svg.append(
    draw("path", {d: bars.join("") || "M0 0", fill: colour_of(place), class: "bars"}),
    draw("path", {d: good.join("") || "M0 0", stroke: colour_of(place), class: lane.t0.length < FEW_ROUNDS ? "gaps few" : "gaps"}),
    draw("path", {d: over.join("") || "M0 0", class: "gaps-over"}));
  return h("div", {class: "spike-row"}, svg, h("p", {class: "spike-who"}),
    h("div", {class: "spike-name"},
      h("p", {}, line_sign(place), h("b", {text: setup.title, title: setup.title})),
      h("p", {class: "spike-rule", text: setup.budget, title: setup.summary}), h("p", {class: "spike-now"}),
      h("p", {class: setup.num_over ? "bad" : "aside", text: setup.over})));
}

function time_ticks(data, width) {
  return ticks(data, Math.max(1, Math.min(TIME_TICKS, Math.floor((width - GUTTER - ROOM_RIGHT) / TIME_ROOM))));
}

function time_axis(data, x, width) {
  const svg = draw("svg", {width, height: AXIS, class: "spike-axis"});
  const found = time_ticks(data, width);
  found.forEach((t) => {
    const px = x(t);
    svg.append(letter(data.time_text(t), {x: px, y: 16, "text-anchor": px > width - ROOM_RIGHT - 24 ? "end" : "middle", class: "tick"}));
  });
  return svg;
}
