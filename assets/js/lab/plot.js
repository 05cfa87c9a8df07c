// Pictures with axes: curves and points of several setups in one frame, drawn anew for each width.
// Setups are told apart by colour and by dash; what lies over a limit is shaded.

import {h} from "../dom.js";

const NS = "http://www.w3.org/2000/svg";
const LEFT = 40;
const DIGIT = 6.4; // px, of the longest text beside the axis
const RIGHT = 10;
const ABOVE = 8;
const BELOW = 22;
const DASHES = ["", "7 3", "2 3", "9 3 2 3"];
const COLOURS = [0, 4, 3, 5]; // of requests: blue, orange, purple, sky
const LEAST_RATIO = 0.42; // of height to width
const FEW_TICKS = 3;

/** An SVG element with attributes. */
export function draw(tag, attributes = {}, ...children) {
  const el = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) { el.setAttribute(name, value); }
  el.append(...children);
  return el;
}

/** Text in a picture. */
export function letter(text, attributes) {
  const el = draw("text", attributes);
  el.textContent = text;
  return el;
}

/** The colour of a setup by its place. */
export function colour_of(place) { return `var(--rb-q${COLOURS[place % COLOURS.length]}-strong)`; }

/** How the line of a setup looks. */
export function line_look(place) {
  return {stroke: colour_of(place), "stroke-dasharray": DASHES[place % DASHES.length], fill: "none", "stroke-width": 1.8};
}

/** A short piece of a setup's line, for lists. */
export function line_sign(place) {
  return draw("svg", {width: 26, height: 8, class: "line-sign", "aria-hidden": "true"}, draw("path", {d: "M0 4H26", ...line_look(place)}));
}

/** A scale from values to pixels; `log` needs values above 0, what is below its start stands there. */
export function scale({from, to, log = false}, low, high) {
  const of = log ? (v) => Math.log(Math.max(v, from)) : (v) => v;
  const span = of(to) - of(from) || 1;
  return (v) => low + ((of(v) - of(from)) / span) * (high - low);
}

/** And back from pixels to values. */
export function inverse({from, to, log = false}, low, high) {
  const share = (pixel) => (pixel - low) / (high - low || 1);
  return log ? (pixel) => from * (to / from) ** share(pixel) : (pixel) => from + (to - from) * share(pixel);
}

/** Round values on an axis: at most so many steps, or powers of ten. */
export function ticks({from, to, log = false}, most = FEW_TICKS) {
  if (log) {
    const found = [];
    for (let e = Math.ceil(Math.log10(from) - 1e-9); 10 ** e <= to * (1 + 1e-9); e += 1) { found.push(10 ** e); }
    const every = Math.ceil(found.length / (most + 1));
    return found.filter((_, i) => i % every === 0);
  }
  const raw = (to - from) / most;
  if (!(raw > 0)) { return [from]; }
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= raw * (1 - 1e-9));
  const found = [];
  for (let i = Math.ceil(from / step - 1e-9); i * step <= to + step * 1e-9; i += 1) { found.push(i * step); }
  return found;
}

/** Points as a line, or as steps that keep a value up to the next point; null breaks the line. */
export function path_of(xs, ys, x, y, is_stepped) {
  const parts = [];
  let is_new = true;
  xs.forEach((value, i) => {
    if (ys[i] === null || ys[i] === undefined) { is_new = true; return; }
    const [px, py] = [x(value).toFixed(1), y(ys[i]).toFixed(1)];
    parts.push(is_new ? `M${px} ${py}` : is_stepped ? `H${px}V${py}` : `L${px} ${py}`);
    is_new = false;
  });
  return parts.join("") || "M0 0";
}

/**
 * A picture with a title that fits itself into its column.
 *
 * `show({x, y, series, limits, regions})`: x and y are axes {from, to, log, text, ticks}; a series is {place, xs, ys,
 * stepped, dots, names, labels, hollow}; a limit is {axis: "x"|"y", value, text, beyond: 1|-1} with the side that is
 * shaded; a region is a good stretch {from, to} of x. `pick(i, place)` makes points buttons, with arrow keys between them.
 */
export function plot({title, unit, height = 132, pick = null, label = ""}) {
  const name = h("h3", {}, title, unit);
  const box = h("div", {class: "plot-box", role: pick ? "group" : "img"});
  const el = h("figure", {class: "plot"}, name, box);
  if (label) { box.dataset.label = label; }
  let shown = null;
  const paint = () => {
    const width = Math.round(box.clientWidth);
    if (!shown || width < 80) { return; }
    const at = dots_in().indexOf(box.getRootNode().activeElement);
    box.replaceChildren(picture(shown, width, Math.max(height, Math.round(width * LEAST_RATIO)), pick));
    reach(Math.max(0, at), at >= 0);
  };
  const dots_in = () => [...box.querySelectorAll(".dot")];
  const reach = (i, is_focused) => { // one stop of the Tab key a picture
    dots_in().forEach((dot, k) => dot.setAttribute("tabindex", k === i ? 0 : -1));
    if (is_focused) { dots_in()[i]?.focus(); }
  };
  box.addEventListener("keydown", (event) => {
    const step = {ArrowLeft: -1, ArrowRight: 1}[event.key];
    const at = dots_in().indexOf(event.target);
    if (!step || at < 0) { return; }
    event.preventDefault();
    event.stopPropagation();
    reach(Math.min(dots_in().length - 1, Math.max(0, at + step)), true);
  });
  new ResizeObserver(paint).observe(box);
  const show = (what) => {
    shown = what;
    box.setAttribute("aria-label", what.told ?? "");
    paint();
  };
  return {el, show};
}

/** Grid, curves, limits and axes as one <svg>. */
export function picture({x: axis_x, y: axis_y, series, limits = [], regions = [], window: lit = null}, width, height, pick) {
  const longest = Math.max(0, ...(axis_y.ticks ?? ticks(axis_y)).map((value) => axis_y.text(value).length));
  const room = Math.max(LEFT, longest * DIGIT + 10);
  const [left, right, top, base] = [axis_y.room ?? room, width - RIGHT, ABOVE, height - BELOW];
  const [x, y] = [scale(axis_x, left, right), scale(axis_y, base, top)];
  const svg = draw("svg", {width, height});
  if (lit) { svg.append(draw("rect", {x: x(lit[0]), y: top, width: Math.max(0, x(lit[1]) - x(lit[0])), height: base - top, class: "lit"})); }
  svg.append(...grid(axis_x, axis_y, {x, y, left, right, top, base}));
  for (const {from, to} of regions) { svg.append(draw("rect", {x: x(from), y: top, width: x(to) - x(from), height: base - top, class: "good-region"})); }
  for (const limit of limits) { svg.append(...limit_marks(limit, {x, y, left, right, top, base, axis_x, axis_y})); }
  for (const one of series) {
    const d = path_of(one.xs, one.ys, x, y, one.stepped);
    if (!one.points) { svg.append(draw("path", {d, ...line_look(one.place), ...one.look})); }
    if (one.dots || one.points) { svg.append(...dots(one, x, y, pick)); }
    if (one.labels) { svg.append(...labels(one, x, y, right)); }
  }
  return svg;
}

function grid(axis_x, axis_y, {x, y, left, right, top, base}) {
  const marks = [];
  for (const value of axis_y.ticks ?? ticks(axis_y)) {
    const at = Math.round(y(value)) + 0.5;
    marks.push(draw("path", {d: `M${left} ${at}H${right}`, class: "grid"}));
    marks.push(letter(axis_y.text(value), {x: left - 6, y: at + 4, "text-anchor": "end", class: "tick"}));
  }
  for (const value of axis_x.ticks ?? ticks(axis_x)) {
    const at = x(value);
    const anchor = at < left + 12 ? "start" : at > right - 16 ? "end" : "middle";
    marks.push(draw("path", {d: `M${at.toFixed(1)} ${base}v4`, class: "grid"}));
    marks.push(letter(axis_x.text(value), {x: at, y: base + 16, "text-anchor": anchor, class: "tick"}));
  }
  return marks;
}

function limit_marks({axis, value, text, beyond = 1}, {x, y, left, right, top, base, axis_x, axis_y}) {
  const {from, to} = axis === "x" ? axis_x : axis_y;
  if (value < from || value > to) { return []; }
  if (axis === "x") {
    const at = x(value);
    const [start, end] = beyond > 0 ? [at, right] : [left, at];
    const is_late = at > (left + right) / 2;
    return [
      draw("rect", {x: start, y: top, width: Math.max(0, end - start), height: base - top, class: "over"}),
      draw("path", {d: `M${at} ${top}V${base}`, class: "limit"}),
      letter(text, {x: at + (is_late ? -4 : 4), y: base - 6, "text-anchor": is_late ? "end" : "start", class: "limit-text"}),
    ];
  }
  const at = y(value);
  const [start, end] = beyond > 0 ? [top, at] : [at, base];
  return [
    draw("rect", {x: left, y: start, width: right - left, height: Math.max(0, end - start), class: "over"}),
    draw("path", {d: `M${left} ${at}H${right}`, class: "limit"}),
    letter(text, {x: right, y: at < top + 14 ? at + 12 : at - 4, "text-anchor": "end", class: "limit-text"}),
  ];
}

function dots({place, xs, ys, names, hollow, look = {}}, x, y, pick) {
  return xs.flatMap((value, i) => {
    if (ys[i] === null || ys[i] === undefined) { return []; }
    const mark = draw("circle", {cx: x(value).toFixed(1), cy: y(ys[i]).toFixed(1), r: 4, fill: colour_of(place), ...look});
    if (names) { mark.append(draw("title")); mark.firstChild.textContent = names[i]; }
    if (hollow?.[i]) { mark.setAttribute("style", `fill: var(--rb-surface); stroke: ${colour_of(place)}; stroke-width: 1.8`); }
    if (pick) {
      Object.entries({tabindex: -1, role: "button", "aria-label": names?.[i] ?? "", class: "dot"}).forEach(([name, v]) => mark.setAttribute(name, v));
      mark.addEventListener("click", () => pick(i, place));
      mark.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") { return; }
        event.preventDefault();
        event.stopPropagation();
        pick(i, place);
      });
    }
    return [mark];
  });
}

/** What the points of a series are, beside them; one that would stand on another is left out. */
function labels({xs, ys, labels: texts}, x, y, right) {
  const taken = [];
  return xs.flatMap((value, i) => {
    if (ys[i] === null || ys[i] === undefined) { return []; }
    const [px, py] = [x(value), y(ys[i])];
    if (taken.some(([ox, oy]) => Math.abs(ox - px) < 34 && Math.abs(oy - py) < 13)) { return []; }
    taken.push([px, py]);
    const is_late = px > right - 36;
    return [letter(texts[i], {x: px + (is_late ? -7 : 7), y: Math.max(py - 5, 10), "text-anchor": is_late ? "end" : "start", class: "tick dot-label"})];
  });
}
