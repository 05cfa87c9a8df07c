// Curves over the stage's own x axis: queue, running, throughput so far, KV blocks. Drawn once for
// a range; playing moves a clip and a line.

const CURVE_HEIGHT = 58;
const CURVE_ROOM = 40;
const CURVE_TOP = 10;
const LANE_DASHES = ["", "7 3", "2 3", "9 3 2 3"]; // lanes are told apart by colour and by dash
const LANE_COLOURS = [0, 4, 3, 5];

/** Make the panel of the curves. */
function createCurves(ctx, layout) {
  const kinds = curveKinds(ctx);
  const picture = () => drawCurves(ctx, layout, kinds);
  const ghost = h("div.rb-curves-ghost", {}, picture());
  const full = h("div.rb-curves-full", {}, picture());
  const cursor = h("div.rb-cursor", { style: { top: "0px", bottom: "0px" } });
  const values = kinds.map(() => ctx.lanes.map(() => h("b")));
  const names = kinds.map((kind, i) => curveName(ctx, layout, kind, values[i], i));
  const stack = h("div.rb-curves-stack", { style: { height: `${kinds.length * CURVE_HEIGHT}px` } },
    hidesFuture(ctx) ? null : ghost, full, cursor, ...names);
  const el = h("section.rb-curves", { "data-testid": "curves", "aria-label": ctx.say("curves") },
    ctx.lanes.length > 1 ? curveLegend(ctx) : null, stack);
  const settle = (states) => kinds.forEach(({ list, digits, unit }, i) => ctx.lanes.forEach((lane, l) => {
    const index = curveIndex(states.get(lane));
    setText(values[i][l], `${numberText(index < 0 ? 0 : list(lane)[index], digits)}${unit ? ` ${unit}` : ""}`);
  }));
  const place = (t) => {
    const x = Math.max(layout.gutter, Math.min(layout.right, layout.x(t)));
    cursor.style.transform = `translateX(${x}px)`;
    full.style.clipPath = `inset(0 ${Math.max(0, layout.width - x)}px 0 0)`;
  };
  return { el, settle, place };
}

/** The round whose values stand beside a curve. */
function curveIndex({ lit, ended, phase }) {
  return lit >= 0 && phase < 0 ? lit : ended;
}

/** What there is a curve of. */
function curveKinds({ payload, lanes, say }) {
  const tps = payload.overall_head.findIndex((head) => head.key === "output_tps");
  const unit = payload.overall_head[tps].unit;
  const kinds = [
    { name: say("curve_waiting"), list: (lane) => lane.rounds.waiting, digits: 0 },
    { name: say("curve_running"), list: runningOf, digits: 0 },
    { name: say("curve_tps"), list: (lane) => lane.overall.rows.map((row) => row[tps] ?? 0), digits: 1, unit },
  ];
  if (lanes.some((lane) => lane.pool)) {
    kinds.push({ name: say("gutter_kv"), list: (lane) => lane.rounds.used, digits: 0, limit: most(lanes.map((lane) => lane.pool ?? 0)) });
  }
  return kinds;
}

/** How many run in each round: seats held, used or not. */
function runningOf(lane) {
  return lane.moves.map(({ seats }) => seats[1]);
}

/** All curves as one picture. */
function drawCurves(ctx, layout, kinds) {
  const height = kinds.length * CURVE_HEIGHT;
  const picture = svg("svg", { width: layout.width, height, "aria-hidden": "true" });
  kinds.forEach((kind, i) => {
    const base = (i + 1) * CURVE_HEIGHT - (CURVE_HEIGHT - CURVE_ROOM - CURVE_TOP);
    const lists = ctx.lanes.map(kind.list);
    const top = kind.limit ?? most(lists.map((list) => most(list)), 1e-9);
    picture.append(svg("line", { x1: layout.gutter, x2: layout.right, y1: base + 0.5, y2: base + 0.5, class: "rb-curve-base" }));
    ctx.lanes.forEach((lane, l) => picture.append(drawCurve(lane, lists[l], layout, { base, top, place: l, alone: ctx.lanes.length === 1, eps: ctx.clock.eps })));
    picture.append(svg("text", { x: layout.right + 4, y: base - CURVE_ROOM + 4, class: "rb-curve-top" }));
    picture.lastChild.textContent = numberText(top, top < 10 ? 1 : 0);
  });
  return picture;
}

/** One lane's steps. */
function drawCurve(lane, values, layout, { base, top, place, alone, eps }) {
  const points = [];
  for (const { t0, t1, value } of equalStretches(lane.rounds, values, eps)) {
    if (t1 <= layout.from || t0 >= layout.to) continue;
    const y = (base - (CURVE_ROOM * value) / top).toFixed(1);
    const from = layout.cut(t0).toFixed(1);
    const isBreak = !points.length || points.at(-1).right !== from;
    points.push({ right: layout.cut(t1).toFixed(1), path: `${isBreak ? "M" : "L"}${from} ${y}H${layout.cut(t1).toFixed(1)}` });
  }
  const d = points.map(({ path }) => path).join("") || "M0 0";
  return svg("path", { d, class: "rb-curve", ...(alone ? {} : laneLine(place)) });
}

/** How the line of a lane among several looks. */
function laneLine(place) {
  const i = place % LANE_DASHES.length;
  return { style: `stroke: var(--rb-q${LANE_COLOURS[i]}-strong)`, "stroke-dasharray": LANE_DASHES[i] };
}

/** The name of a curve and its values at the cursor, in the gutter. */
function curveName({ lanes, size }, layout, { name }, values, i) {
  const el = h("div.rb-curve-name", { style: { top: `${i * CURVE_HEIGHT}px`, width: `${layout.gutter - 8}px` } },
    h("span", { text: name }), ...values);
  el.classList.toggle("rb-on-plot", size.name === "phone" || lanes.length > 1);
  return el;
}

/** Which line is which lane. */
function curveLegend({ lanes }) {
  return h("ul.rb-curve-legend", {}, ...lanes.map((lane, l) => {
    const line = svg("svg", { width: 30, height: 8 }, svg("path", { d: "M0 4H30", class: "rb-curve", ...laneLine(l) }));
    return h("li", {}, line, h("span", { text: lane.short ?? lane.title }));
  }));
}
