// Who is out: gaps of the evicted in their rows, and the marks of those who leave without being done.

const DEPARTURES = new Set(["cancelled", "rejected", "timed_out"]);

/** Who leaves a lane without being done, by request. */
function departuresOf({ payload }, lane) {
  const index = payload.lanes.indexOf(lane.lane);
  const own = payload.events.filter((event) => event.lane === index && DEPARTURES.has(event.kind));
  return new Map(own.map((event) => [event.req, event]));
}

/** The signs of an event, as scatter rows; `dx` and `dy` are px from their place. */
function signOf(kind, colour, { theme, layout }) {
  const k = layout.size.font / 12;
  const line = { line_color: colour.strong, line_width: 1.5 * k, fill_color: theme.surface, angle: 0 };
  switch (kind) {
    case "cancelled":
      return [{ ...line, marker: "x", size: 10 * k, line_width: 2.2 * k, fill_color: null }];
    case "preempted":
      return [{ ...line, marker: "triangle", size: 11 * k, angle: Math.PI / 2 }];
    case "rejected":
      return [
        { ...line, marker: "circle", size: 12 * k, fill_color: colour.strong },
        { ...line, marker: "dash", size: 7 * k, line_width: 2.2 * k, line_color: theme.surface },
      ];
    default:
      return [
        { ...line, marker: "circle", size: 12 * k },
        { ...line, marker: "dash", size: 4 * k, angle: Math.PI / 2, dy: -1.6 * k },
        { ...line, marker: "dash", size: 4 * k, dx: 1.4 * k },
      ];
  }
}

/** Put a sign at a place. */
function addSign(ctx, kind, req, x, y) {
  const rows = signOf(kind, ctx.colourOf(req), ctx);
  ctx.sheet.full.marks.push(...rows.map((row) => ({ ...row, x: x + (row.dx ?? 0), y: y + (row.dy ?? 0) })));
}

/** The gaps of a lane: from an eviction until the request is back or has left, and pauses between rounds. */
function drawAbsences(ctx, lane) {
  const { layout, clock } = ctx;
  for (const gap of lane.lane.gaps) {
    const until = gap.t1 ?? layout.to;
    const isOff = until <= layout.from + clock.eps || gap.t0 >= layout.to || until <= gap.t0;
    if (isOff) continue;
    drawGap(ctx, lane, gap, layout.cut(gap.t0), layout.cut(until));
  }
}

/** One gap: outlined, with its mark and its word. */
function drawGap(ctx, lane, gap, from, to) {
  const { size } = ctx.layout;
  const colour = ctx.colourOf(gap.req);
  const y = lane.rowCentre(lane.rowOf(gap));
  const inset = to - from > 5 ? 1 : 0;
  const box = { left: from + inset, right: to - inset, top: y - lane.cell / 2, bottom: y + lane.cell / 2 };
  addCell(ctx, box, gap.kind, colour);
  if (lane.dense) return;
  const name = lane.byRequest ? "" : `${ctx.payload.requests[gap.req].label} `;
  const word = ctx.say(`cell_${gap.kind}`);
  if (gap.kind !== "preempted") {
    labelCentre(ctx, box, [name + word, word, name].filter(Boolean), colour.onsoft, ctx.theme.surface, 400);
    return;
  }
  const k = size.font / 12;
  if (to - from < 16 * k) return;
  addSign(ctx, "preempted", gap.req, box.left + 10 * k, y);
  const room = to - from - 24 * k - (lane.left.has(gap.req) ? LEFT_ROOM * k : 0);
  const text = [name + word, name.trim()].find((one) => one && textWidth(one, size.font) <= room);
  if (text) ctx.sheet.full.plates.push(textRow(box.left + 19 * k, y, text, colour.onsoft, size.font));
}

/**
 * The marks of a lane's departures: at the end of the last cell or gap, or of the waiting line. In
 * rows of a few px, and over a crowd that waits, there are none.
 */
function drawDepartures(ctx, lane) {
  const { layout } = ctx;
  const seats = new Map([...lane.lane.runs, ...lane.lane.gaps].map((item) => [item.req, item]));
  for (const { req, kind, t } of lane.left.values()) {
    if (t < layout.from || t > layout.to + ctx.clock.eps) continue;
    const item = seats.get(req);
    const wait = lane.lane.waits.findIndex((one) => one.req === req);
    if (item || lane.byRequest) {
      if (lane.dense) continue;
      const y = lane.rowCentre(item ? lane.rowOf(item) : req);
      addSign(ctx, kind, req, departureX(ctx, item ? null : lane.lane.waits[wait], t), y);
    } else if (wait >= 0 && !lane.isCrowded) {
      const y = lane.queueY + lane.waitBase + lane.rowOfWait[wait] * lane.waitStep;
      addSign(ctx, kind, req, departureX(ctx, lane.lane.waits[wait], t), y);
    }
  }
}

/** Where the mark stands: just before the end; behind the triangle of who leaves at once. */
function departureX({ layout }, wait, t) {
  const k = layout.size.font / 12;
  const before = layout.x(t) - 9 * k;
  return wait ? Math.max(before, layout.x(wait.t0) + 15 * k) : before;
}
