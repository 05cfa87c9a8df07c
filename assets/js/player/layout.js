// Where everything on the stage stands, in px from its top left; nothing is drawn here.

const MOST_REQUEST_ROWS = 40;
const MOST_BRICKS = 16;
const MOST_WAIT_ROWS = 3;

/**
 * Lay the stage out.
 * @param {Object} view {payload, lanes, clock, size, width, range: [from, to]}
 * @returns {Object} width, height, x(t), cut(t) (x kept inside), t(px), and a layout for each lane
 */
function layoutStage({ payload, lanes, clock, size, width, range }) {
  const single = lanes.length === 1;
  const gutter = single ? size.gutter : size.gutterSeats;
  const plot = Math.max(40, width - gutter - (single ? size.right : size.rightSeats));
  const [from, to] = range;
  const base = {
    width, gutter, plot, from, to, single, size,
    right: gutter + plot,
    x: (t) => gutter + ((t - from) / (to - from)) * plot,
    cut: (t) => gutter + ((Math.max(from, Math.min(to, t)) - from) / (to - from)) * plot,
    t: (px) => from + ((px - gutter) / plot) * (to - from),
  };
  const shared = sameRounds(lanes, clock.eps);
  const plans = lanes.map((lane) => planLane(payload, lane, base, shared && !single));
  fitRows(plans, size, shared ? size.heads : 0);
  let y = shared ? size.heads : 0;
  const placed = plans.map((plan) => {
    const lane = placeLane(plan, y, base);
    y = lane.bottom + (single ? 2 : 8);
    return lane;
  });
  return { ...base, shared, lanes: placed, height: Math.ceil(y) };
}

/** What a lane needs, before it is known where it stands. */
function planLane(payload, lane, base, sharedHeads) {
  const { single, size } = base;
  const byRequest = single && payload.requests.length <= MOST_REQUEST_ROWS;
  const bricks = single && lane.budget <= MOST_BRICKS;
  const stripUnit = bricks
    ? Math.max(8, Math.min(size.brick, Math.floor((size.brick * 11) / lane.budget)))
    : Math.min(single ? size.brick : size.unit, (single ? size.brick * 4 : 60) / lane.budget);
  return {
    lane, byRequest, bricks, stripUnit,
    count: Math.max(1, byRequest ? payload.requests.length : lane.num_seats),
    pitch: single ? size.pitch : size.pitchSeats,
    cell: single ? size.cell : size.cellSeats,
    title: single ? 0 : size.title,
    heads: single || sharedHeads ? 0 : size.heads - 4,
    ...queuePlan(lane, byRequest, base),
    caption: single ? size.caption : 8,
    strip: stripUnit * lane.budget,
  };
}

/** The queue: a line for each that waits at once, texts above them, names of batches below. */
function queuePlan(lane, byRequest, { size, x, to }) {
  if (byRequest) return { queue: 0 };
  const scale = size.font / 12;
  const free = [];
  const rowOfWait = lane.waits.map((wait) => {
    const from = x(wait.t0) - 6;
    const row = free.findIndex((until) => until <= from);
    free[row < 0 ? free.length : row] = x(Math.min(wait.t1 ?? to, to)) + 6;
    return row < 0 ? free.length - 1 : row;
  });
  const rows = Math.max(1, free.length);
  const isCrowded = rows > MOST_WAIT_ROWS;
  const height = 22 + (isCrowded ? 0 : (rows - 1) * 18) + (lane.batches?.length ? 10 : 0);
  return {
    queue: Math.round(height * scale), waitStep: 18 * scale, waitBase: 16 * scale,
    rowOfWait, isCrowded,
  };
}

/** Shrink the rows of all lanes alike until the stage is not too high. */
function fitRows(plans, size, headsHeight) {
  const fixed = (plan) => plan.title + plan.heads + plan.queue + plan.caption + plan.strip + 8;
  const room = size.most - headsHeight - plans.reduce((sum, plan) => sum + fixed(plan), 0);
  const rows = plans.reduce((sum, plan) => sum + plan.count, 0);
  for (const plan of plans) {
    const fit = Math.max(1.5, room / rows);
    if (fit >= plan.pitch) continue;
    plan.pitch = fit >= 3 ? Math.floor(fit) : fit;
    plan.cell = cellHeight(plan.pitch);
  }
}

/** Cell height in a row that had to shrink. */
function cellHeight(pitch) {
  if (pitch >= 14) return Math.round(pitch * 0.72);
  return pitch >= 4 ? pitch - 1 : pitch;
}

/** Put a planned lane at y. */
function placeLane(plan, y, base) {
  const titleY = y;
  const headsY = titleY + plan.title;
  const queueY = headsY + plan.heads;
  const rowsY = queueY + plan.queue;
  const rowsEnd = rowsY + plan.count * plan.pitch;
  const stripY = Math.round(rowsEnd + plan.caption) + 0.5;
  const bottom = stripY + plan.strip;
  const rowCentre = (row) => rowsY + (row + 0.5) * plan.pitch;
  return {
    ...plan, top: y, titleY, headsY, queueY, rowsY, rowsEnd, stripY, bottom, rowCentre,
    dense: plan.pitch < 14,
    rowOf: (item) => (plan.byRequest ? item.req : item.seat),
    meanRound: meanWidth(plan.lane, base),
  };
}

/** Mean width in px of the lane's rounds. */
function meanWidth(lane, base) {
  const { start, end } = lane.rounds;
  if (!end.length) return base.plot;
  return ((base.x(end.at(-1)) - base.x(start[0])) / end.length) || 1;
}

/** Every how many rounds something is written so that it stands at least `apart` px from the next. */
function thinning(meanRound, apart) {
  return [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((step) => step * meanRound >= apart) ?? 2000;
}
