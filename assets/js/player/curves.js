// Curves over the stage's own x axis: queue, running, throughput so far, KV blocks. Drawn once for
// a range; playing moves a clip and a line.

const CURVE_ROOM = 40;
const CURVE_ABOVE = 12;
const CURVE_TITLED = 26; // above it, where its name and values stand there and not in the gutter
const CURVE_BELOW = 8;
const LANE_DASHES = ["", "7 3", "2 3", "9 3 2 3"]; // lanes are told apart by colour and by dash
const LANE_COLOURS = [0, 4, 3, 2];
const CURVE_TIMES = 22;

/** Make the panel of the curves. */
function createCurves(ctx, layout) {
  const kinds = curveKinds(ctx);
  const isTitled = ctx.lanes.length > 1 || ctx.size.name === "phone";
  const above = isTitled ? CURVE_TITLED : CURVE_ABOVE;
  kinds.forEach((kind, i) => {
    kind.from = i * (above + CURVE_ROOM + CURVE_BELOW);
    kind.base = kind.from + above + CURVE_ROOM;
  });
  const picture = () => drawCurves(ctx, layout, kinds);
  const axes = h("div.rb-curves-axes", {}, drawAxes(ctx, layout, kinds, isTitled));
  const ghost = h("div.rb-curves-ghost", {}, picture());
  const full = h("div.rb-curves-full", {}, picture());
  const cursor = h("div.rb-cursor", { style: { top: "0px", bottom: `${CURVE_TIMES - 2}px` } });
  const values = kinds.map(() => ctx.lanes.map(() => h("b")));
  const names = kinds.map((kind, i) => curveName(ctx, layout, kind, values[i], isTitled));
  const times = curveTimes(ctx, layout, kinds);
  const stack = h("div.rb-curves-stack", { style: { height: `${kinds.at(-1).base + CURVE_TIMES}px` } },
    axes, hidesFuture(ctx) ? null : ghost, full, cursor, ...names, ...times.map(({ el: time }) => time));
  const el = h("section.rb-curves", { "data-testid": "curves", "aria-label": ctx.say("curves") },
    ctx.lanes.length > 1 ? curveLegend(ctx) : null, stack);
  const tell = (wanted, value) => kinds.forEach((kind, i) => kind[wanted] && ctx.lanes.forEach((lane, l) =>
    setText(values[i][l], numberText(value(kind, lane), kind.digits))));
  const settle = (states) => tell("at", ({ at }, lane) => at(lane, states.get(lane)));
  const place = (t) => {
    tell("live", ({ live }, lane) => live(lane, t));
    for (const { el: time, t: from } of times) time.hidden = hidesFuture(ctx) && from > t + ctx.clock.eps;
  };
  const movers = [
    { el: cursor, at: (t) => ({ transform: `translateX(${layout.cut(t)}px)` }) },
    { el: full, at: (t) => ({ clipPath: `inset(0 ${layout.width - layout.cut(t)}px 0 0)` }) },
  ];
  return { el, settle, place, movers };
}

/** How a value of rounds is read at the cursor: that of the round under way, nothing between rounds. */
function underWay(list) {
  return (lane, { lit, ended, phase }) => {
    if (lit < 0) return 0;
    return list(lane)[phase < 0 ? lit : ended] ?? 0;
  };
}

/** What there is a curve of; its value changes with the rounds (`at`), or also inside them (`live`). */
function curveKinds({ payload, lanes, say, clock }) {
  const tps = payload.overall_head.findIndex((head) => head.key === "output_tps");
  const unit = payload.overall_head[tps].unit;
  const rate = (lane) => lane.overall.rows.map((row) => row[tps] ?? 0);
  const used = (lane) => lane.rounds.used;
  const kinds = [
    {
      name: say("curve_waiting"), list: (lane) => lane.queue.n, spans: queueSpans, digits: 0,
      live: (lane, t) => waitingAt(lane, clock, t),
    },
    { name: say("curve_running"), list: runningOf, at: underWay(runningOf), digits: 0 },
    { name: say("curve_tps"), list: rate, at: (lane, { ended }) => lane.overall.rows[ended]?.[tps] ?? 0, digits: 1, unit },
  ];
  if (lanes.some((lane) => lane.pool)) {
    kinds.push({ name: say("gutter_kv"), list: used, at: underWay(used), digits: 0, limit: most(lanes.map((lane) => lane.pool ?? 0)) });
  }
  return kinds;
}

/** How many run in each round: seats held, used or not. */
function runningOf(lane) {
  return lane.moves.map(({ seats }) => seats[1]);
}

/** An empty picture as large as all curves. */
function curvePicture(layout, kinds) {
  return svg("svg", { width: layout.width, height: kinds.at(-1).base + CURVE_BELOW, "aria-hidden": "true" });
}

/** The value at the top of a curve: its limit, or the most there is. */
function curveTop({ limit, list }, lanes) {
  return limit ?? most(lanes.map((lane) => most(list(lane))));
}

/** The zero lines, and what the top of each curve stands for; that tells of the future, too. */
function drawAxes(ctx, layout, kinds, isTitled) {
  const picture = curvePicture(layout, kinds);
  const [dx, dy, anchor] = isTitled ? [-6, 4, "end"] : [5, -4, "start"];
  kinds.forEach((kind) => {
    const y = kind.base + 0.5;
    const top = curveTop(kind, ctx.lanes);
    picture.append(svg("line", { x1: layout.gutter, x2: layout.right, y1: y, y2: y, class: "rb-curve-base" }));
    if (!top || (hidesFuture(ctx) && !kind.limit)) return;
    const place = { x: layout.gutter + dx, y: y - CURVE_ROOM + dy, "text-anchor": anchor };
    const text = svg("text", { ...place, class: "rb-curve-top" });
    text.textContent = numberText(top, top < 10 ? 1 : 0);
    picture.append(text);
  });
  return picture;
}

/** The times of the stage, under the curves too. */
function curveTimes(ctx, layout, kinds) {
  return chooseTimes({ ...ctx, layout }).map(({ t, text, x }) =>
    ({ t, el: h("span.rb-time", { text, style: { left: `${x}px`, top: `${kinds.at(-1).base + 3}px` } }) }));
}

/** All curves as one picture. */
function drawCurves({ lanes, clock }, layout, kinds) {
  const picture = curvePicture(layout, kinds);
  kinds.forEach((kind) => {
    const top = curveTop(kind, lanes) || 1;
    lanes.forEach((lane, place) => {
      const look = lanes.length === 1 ? {} : laneLine(place);
      const spans = kind.spans?.(lane) ?? lane.rounds;
      const d = curvePath(spans, kind.list(lane), layout, { base: kind.base, top, eps: clock.eps });
      picture.append(svg("path", { d, class: "rb-curve", ...look }));
    });
  });
  return picture;
}

/** One lane's steps; where no round is under way the line breaks. */
function curvePath(spans, values, layout, { base, top, eps }) {
  const parts = [];
  let right = null;
  for (const { t0, t1, value } of equalStretches(spans, values, eps)) {
    if (t1 <= layout.from || t0 >= layout.to) continue;
    const y = (base - (CURVE_ROOM * value) / top).toFixed(1);
    const [from, to] = [layout.cut(t0).toFixed(1), layout.cut(t1).toFixed(1)];
    parts.push(`${right === from ? "L" : "M"}${from} ${y}H${to}`);
    right = to;
  }
  return parts.join("") || "M0 0";
}

/** How the line of a lane among several looks. */
function laneLine(place) {
  const i = place % LANE_DASHES.length;
  return { style: `stroke: var(--rb-q${LANE_COLOURS[i]}-strong)`, "stroke-dasharray": LANE_DASHES[i] };
}

/** The name of a curve and its values at the cursor: in the gutter, or as a line above it. */
function curveName({ lanes }, layout, { name, unit, from }, values, isTitled) {
  const word = h("span", { text: isTitled && unit ? `${name}, ${unit}` : name });
  const told = values.map((value, l) =>
    h("span", {}, lanes.length > 1 ? h("span", { text: `${lanes[l].short ?? lanes[l].title} ` }) : null, value,
      unit && !isTitled ? h("span", { text: ` ${unit}` }) : null));
  const width = isTitled ? layout.width : layout.gutter - 8;
  const el = h("div.rb-curve-name", { style: { top: `${from}px`, width: `${width}px` } }, word, ...told);
  el.classList.toggle("rb-above", isTitled);
  return el;
}

/** Which line is which lane. */
function curveLegend({ lanes }) {
  return h("ul.rb-curve-legend", {}, ...lanes.map((lane, l) => {
    const line = svg("svg", { width: 30, height: 8 }, svg("path", { d: "M0 4H30", class: "rb-curve", ...laneLine(l) }));
    return h("li", {}, line, h("span", { text: lane.short ?? lane.title }));
  }));
}
