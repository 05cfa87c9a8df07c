// Where everything on the stage stands, in px from its top left; nothing is drawn here.

const MOST_REQUEST_ROWS = 40;
const MOST_CHOSEN_ROWS = 200;
const MOST_BRICKS = 16;
const MOST_WAIT_ROWS = 3;
const LANE_GAP = 12; // between the strips of a lane and the title of the next
const LEAST_ROW = 1; // px of one among very many
const LEAST_PITCH = 14; // px of a row that has a name and words
const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000];

/**
 * Lay the stage out.
 * @param {Object} view {payload, lanes, clock, size, width, room, rows, range: [from, to]}; rows:
 *   "requests" or "seats" as chosen, or null
 * @returns {Object} width, height, x(t), cut(t) (x kept inside), t(px), and a layout for each lane
 */
function layoutStage({ payload, lanes, clock, size, width, room, rows, range }) {
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
  const shared = sameRounds(lanes.map((lane) => lane.rounds), clock.eps);
  base.lanes = lanes.length;
  base.byRequest = areRowsRequests(payload, lanes, rows);
  const planned = (isCrowded, isBare = false) => {
    const plans = lanes.map((lane) => planLane(payload, lane, { ...base, isCrowded, isBare }, shared && !single));
    return { plans, spare: fitRows(plans, room - (shared ? size.heads : 0)) };
  };
  const isTold = ({ plans }) => plans.every((plan) => hasWords(plan, size));
  const open = planned(false);
  const { plans, spare } = isTold(open) ? open : seen(planned(true), () => planned(true, true), size);
  planLines(plans, payload, base, spare);
  let y = shared ? size.heads : 0;
  const placed = plans.map((plan) => {
    const lane = placeLane(plan, y, base);
    y = lane.bottom + (single ? 2 : plan.gap);
    return lane;
  });
  return { ...base, shared, lanes: placed, height: Math.ceil(y) };
}

/** Lanes with their strips; in a hall without, where only that gives rows their least height, or where all do not fit. */
function seen(full, bare, { leastRow = 0 }) {
  const isLow = ({ plans }) => plans.some(({ pitch }) => pitch < leastRow);
  if (!isLow(full)) return full;
  const other = bare();
  return full.spare < 0 || !isLow(other) ? other : full;
}

/** What a lane needs, before it is known where it stands. */
function planLane(payload, lane, base, sharedHeads) {
  const { single, size, byRequest, lanes, isBare } = base;
  const bricks = single && lane.budget <= MOST_BRICKS;
  const stripUnit = bricks
    ? Math.max(8, Math.min(size.brick, Math.floor((size.brick * 11) / lane.budget)))
    : Math.min(single ? size.brick : size.unit, (single ? size.brick * 4 : stripMost(size, lanes)) / lane.budget);
  return {
    lane, byRequest, bricks, stripUnit,
    count: Math.max(1, byRequest ? payload.requests.length : shownSeats(lane)),
    pitch: single ? size.pitch : size.pitchSeats,
    cell: single ? size.cell : size.cellSeats,
    title: single ? 0 : sharedHeads ? size.title : size.laneTitle,
    heads: single || sharedHeads ? 0 : size.laneHeads,
    ...queuePlan(lane, byRequest, base),
    caption: isBare ? size.laneGap : single ? size.caption : sharedHeads ? 8 : 6,
    strip: isBare ? 0 : stripUnit * lane.budget,
    ...(isBare ? { kvGap: 0, kv: 0 } : kvPlan(lane, base)), lineGap: 0, line: 0,
    gap: single ? 6 : size.laneGap ?? LANE_GAP * (size.font / 12),
  };
}

/** The height that a strip under seats may have: a little more where only two lanes share the stage. */
function stripMost(size, lanes) {
  return lanes > 2 ? size.stripMost : size.stripMost * 1.25;
}

/** Whether a row is a request: as chosen, or where one lane has few enough of them. */
function areRowsRequests({ requests }, lanes, rows) {
  if (requests.length > MOST_CHOSEN_ROWS) return false;
  return rows ? rows === "requests" : lanes.length === 1 && requests.length <= MOST_REQUEST_ROWS;
}

/**
 * Rows of the seat view: all seats of the lane, or, when this window uses far fewer, only those,
 * in steps of four. A window is as long as one can play without new data, so nothing jumps within.
 */
function shownSeats(lane) {
  const used = Math.ceil((most(lane.runs.map((run) => run.seat)) + 1) / 4) * 4;
  return used * 2 <= lane.num_seats ? used : lane.num_seats;
}

/**
 * The queue: a line for each that waits at once, texts above them, names of batches below. Where it
 * is crowded, or the rows of the seats are too thin for words, one line tells how many wait.
 */
function queuePlan(lane, byRequest, { size, x, to, isCrowded: isNarrow }) {
  if (byRequest) return { queue: 0 };
  const scale = size.font / 12;
  const free = [];
  const rowOfWait = lane.waits.map((wait) => {
    const from = x(wait.t0) - 6;
    const row = free.findIndex((until) => until <= from);
    free[row < 0 ? free.length : row] = x(Math.min(wait.t1 ?? to, to)) + 6;
    return row < 0 ? free.length - 1 : row;
  });
  const rows = free.length;
  const isCrowded = rows > (isNarrow ? 1 : MOST_WAIT_ROWS);
  const lines = isCrowded ? 1 : rows;
  const label = lane.batches?.length ? (lines ? 15 : 14) : 0;
  const height = (lines ? 20 + (lines - 1) * 18 : 0) + label;
  return {
    queue: Math.round(height * scale), waitStep: 18 * scale, waitBase: 15 * scale, hasQueue: lines > 0,
    rowOfWait, isCrowded,
  };
}

/** Shrink the rows of all lanes alike until the stage fits the room; returns the px left over. */
function fitRows(plans, height) {
  const strips = (plan) => plan.caption + plan.strip + plan.kvGap + plan.kv;
  const fixed = (plan) => plan.title + plan.heads + plan.queue + strips(plan) + plan.gap;
  const room = height - plans.reduce((sum, plan) => sum + fixed(plan), 0);
  const rows = plans.reduce((sum, plan) => sum + plan.count, 0);
  for (const plan of plans) {
    const fit = Math.max(LEAST_ROW, room / rows);
    if (fit >= plan.pitch) continue;
    plan.pitch = fit >= 3 ? Math.floor(fit) : fit;
    plan.cell = cellHeight(plan.pitch);
  }
  return room - plans.reduce((sum, plan) => sum + plan.count * plan.pitch, 0);
}

/** Whether the cells of a plan are high enough for words. */
function hasWords({ pitch, cell }, { font }) {
  return pitch >= LEAST_PITCH && cell >= font;
}

/** Cell height in a row that had to shrink. */
function cellHeight(pitch) {
  if (pitch >= LEAST_PITCH) return Math.round(pitch * 0.72);
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
  const rowCentre = (row) => rowsY + (row + 0.5) * plan.pitch;
  return {
    ...plan, top: y, titleY, headsY, queueY, rowsY, rowsEnd, stripY, rowCentre,
    ...placeLevels(plan, stripY + plan.strip),
    dense: !hasWords(plan, base.size),
    isNarrow: plan.pitch < Math.max(LEAST_PITCH, base.size.font + 2),
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
  return STEPS.find((step) => step * meanRound >= apart) ?? STEPS.at(-1);
}
