// Levels under the budget strip, as steps on the same axis: KV blocks used, and how many wait.

/** What the KV strip of a lane takes; nothing without a pool. */
function kvPlan(lane, { single, size }) {
  if (!lane.pool) return { kvGap: 0, kv: 0 };
  return { kvGap: size.levelGap, kv: single ? size.kv : size.kvSeats };
}

/** Whether anybody waits in a lane at all: in a large run not only in this window. */
function isEverWaiting(payload, lane) {
  const whole = payload.overview?.lanes.find((one) => one.key === lane.key);
  return most(whole?.waiting ?? lane.rounds.waiting) > 0;
}

/**
 * Give the lanes a strip of the queue's length where rows need not shrink for it. Over seats the
 * queue has a row of its own, which shows who waits or how many.
 * @param {Object[]} plans planned lanes
 * @param {number} spare px that the rows leave
 */
function planLines(plans, payload, { size }, spare) {
  if (size.name === "phone") return;
  const wanting = plans.filter((plan) => plan.byRequest && isEverWaiting(payload, plan.lane));
  const needed = size.levelGap + size.kvSeats;
  if (needed * wanting.length > spare) return;
  for (const plan of wanting) Object.assign(plan, { lineGap: size.levelGap, line: size.kvSeats });
}

/** Where the levels of a planned lane stand below its budget strip. */
function placeLevels(plan, stripEnd) {
  const kvY = stripEnd + plan.kvGap;
  const kvEnd = kvY + plan.kv;
  const lineY = kvEnd + plan.lineGap;
  return { stripEnd, kvY, kvEnd, lineY, bottom: lineY + plan.line };
}

/** Draw a lane's levels. */
function drawLevels(ctx, lane) {
  const { theme } = ctx;
  const { rounds, queue } = lane.lane;
  if (lane.kv) {
    const box = { top: lane.kvY, bottom: lane.kvEnd };
    drawSteps(ctx, rounds, rounds.used, lane.lane.pool, { ...box, fill: theme.line2 });
    levelRule(ctx, lane.kvEnd, theme.line);
    levelRule(ctx, lane.kvY, theme.ink, 1.5);
  }
  if (lane.line) {
    const box = { top: lane.lineY, bottom: lane.bottom };
    drawSteps(ctx, queueSpans(lane.lane), queue.n, most(queue.n, 1), { ...box, fill: null });
    levelRule(ctx, lane.bottom, theme.line);
  }
}

/** A level's base or limit, as wide as that of the budget. */
function levelRule({ layout, sheet }, y, color, width = 1) {
  const overhang = layout.single ? 6 : 0;
  addRule(sheet, layout.gutter - overhang, y, layout.right + overhang, y, color, color, width);
}

/** When each length of a lane's queue begins and ends. */
function queueSpans({ queue: { t }, rounds }) {
  return { start: t, end: [...t.slice(1), Math.max(t.at(-1), rounds.end.at(-1) ?? 0)] };
}

/** How many waited until a time. */
function waitingAt({ queue }, clock, t) {
  return queue.n[lowerBound(queue.t, t - clock.eps) - 1] ?? 0;
}

/** Values of stretches of time as steps between a base and a top that stands for `limit`. */
function drawSteps(ctx, spans, values, limit, { top, bottom, fill }) {
  const { layout, theme, sheet } = ctx;
  let before = null;
  for (const { t0, t1, value } of equalStretches(spans, values, ctx.clock.eps)) {
    if (t1 <= layout.from || t0 >= layout.to) continue;
    const box = { left: layout.cut(t0), right: layout.cut(t1), bottom };
    const y = bottom - (bottom - top) * Math.min(1, value / limit);
    const joins = before?.right === box.left ? before.y : bottom;
    before = { right: box.right, y };
    if (fill && value > 0) sheet.full.cells.push({ ...box, top: y, fill_color: fill, ...NO_LINE });
    if (value > 0) sheet.ghost.cells.push({ ...box, top: y, ...ghostStyle(theme.line2, ctx) });
    const look = { line_color: theme.ink2, line_width: 1.5 };
    sheet.full.rules.push({ x0: box.left, x1: box.right, y0: y, y1: y, ...look });
    if (joins !== y && layout.x(t0) >= layout.gutter) {
      sheet.full.rules.push({ x0: box.left, x1: box.left, y0: joins, y1: y, ...look });
    }
  }
}

/** Rounds, or other stretches, that follow on each other with equal values, as {t0, t1, value}. */
function equalStretches({ start, end }, values, eps) {
  const stretches = [];
  for (let i = 0; i < end.length; i += 1) {
    const last = stretches.at(-1);
    const isSame = last && last.value === values[i] && start[i] - last.t1 <= eps;
    if (isSame) last.t1 = end[i];
    else stretches.push({ t0: start[i], t1: end[i], value: values[i] });
  }
  return stretches;
}

/** Names and current values of a lane's levels in the gutter; returns how to update them. */
function writeLevels(stage, ctx, lane) {
  const parts = [];
  if (lane.kv) parts.push(writeKv(stage, ctx, lane));
  if (lane.line) parts.push(writeLine(stage, ctx, lane));
  return (t) => {
    const lit = litRound(lane.lane, ctx.clock, t);
    const index = lit >= 0 ? lit : lastEnded(lane.lane, ctx.clock, t);
    for (const part of parts) part(index, t);
  };
}

/** "KV blocks", "12 of 24"; in one row beside the lower strips of seats. */
function writeKv(stage, ctx, lane) {
  const { say, layout } = ctx;
  const { font, name } = layout.size;
  const pool = numberText(lane.lane.pool);
  if (name === "phone") {
    label(stage, "rb-gutter", "KV", 0, lane.kvY + lane.kv / 2);
    return () => {};
  }
  const key = layout.single ? "gutter_kv_used" : "gutter_kv_row";
  const fits = textWidth(say(key, { used: pool, n: pool }), font) <= layout.gutter - 6;
  const text = (used) => (fits ? say(key, { used, n: pool }) : say("gutter_kv_pool", { n: pool }));
  const y = layout.single ? lane.kvY + font * 0.4 : lane.kvY + lane.kv / 2;
  if (layout.single) label(stage, "rb-gutter", say("gutter_kv"), 0, y);
  const style = layout.single ? { color: "var(--rb-ink)" } : {};
  const el = label(stage, "rb-gutter", text(pool), 0, layout.single ? y + font * 1.35 : y, style);
  return (index) => setText(el, text(numberText(index < 0 ? 0 : lane.lane.rounds.used[index])));
}

/** "Waiting 2". */
function writeLine(stage, ctx, lane) {
  const el = label(stage, "rb-gutter", "", 0, lane.lineY + lane.line / 2);
  return (_, t) => setText(el, ctx.say("gutter_waiting", { n: numberText(waitingAt(lane.lane, ctx.clock, t)) }));
}
