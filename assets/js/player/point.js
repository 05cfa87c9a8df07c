// What lies under a point of the stage: a cell, a wait, or a round as a whole.

/** Index of the lane's round that covers a time, or -1. */
function roundCovering({ rounds: { start, end } }, t) {
  const index = lowerBound(end, t);
  return index < end.length && start[index] <= t ? index : -1;
}

/** The run of a request in a round. */
function runIn(lane, req, round) {
  return lane.runs.find((run) => run.req === req && run.first <= round && round < run.first + run.count);
}

/**
 * What lies at a point.
 * @param {Object} layout of the stage
 * @param {number} px
 * @param {number} py from the stage's top left
 * @returns {{lane: Object, round: number, req: number|null, run: Object|null, wait: Object|null, gap: Object|undefined}|null}
 */
function cellAt(layout, px, py) {
  if (px < layout.gutter || px > layout.right) return null;
  const lane = layout.lanes.find(({ headsY, bottom }) => py >= headsY && py <= bottom);
  if (!lane) return null;
  const t = layout.t(px);
  const round = roundCovering(lane.lane, t);
  if (py >= lane.rowsY && py < lane.rowsEnd) return inRow(lane, round, t, py);
  if (py >= lane.queueY && py < lane.rowsY && !lane.isCrowded) return inQueue(lane, round, t, py);
  if (round < 0) return null;
  return { lane: lane.lane, round, ...partOfStrip(lane, round, py) };
}

/** The cell or the wait of a row. */
function inRow(lane, round, t, py) {
  const row = Math.floor((py - lane.rowsY) / lane.pitch);
  const run = lane.lane.runs.find((one) =>
    lane.rowOf(one) === row && one.first <= round && round < one.first + one.count);
  if (run) return { lane: lane.lane, round, req: run.req, run, wait: null };
  const gap = lane.lane.gaps.find((one) => lane.rowOf(one) === row && isDuring(one, t));
  if (gap) return { lane: lane.lane, round, req: gap.req, run: null, wait: null, gap };
  if (!lane.byRequest) return null;
  return waitAt(lane, round, t, (wait) => wait.req === row);
}

/** The wait of a line over the seats. */
function inQueue(lane, round, t, py) {
  const row = Math.round((py - lane.queueY - lane.waitBase) / lane.waitStep);
  return waitAt(lane, round, t, (wait, i) => lane.rowOfWait[i] === row);
}

/** Whether a time lies in a wait or a gap; those that end out of sight go on. */
function isDuring({ t0, t1 }, t) {
  return t0 <= t && t < (t1 ?? Infinity);
}

/** The wait at a time that is meant, if there is one. */
function waitAt({ lane }, round, t, isMeant) {
  const wait = lane.waits.find((one, i) => isDuring(one, t) && isMeant(one, i));
  return wait ? { lane, round, req: wait.req, run: null, wait } : null;
}

/** Whose part of the budget strip it is; nobody's elsewhere. */
function partOfStrip(lane, round, py) {
  const none = { req: null, run: null, wait: null };
  if (py < lane.stripY || py > lane.stripEnd) return none;
  let left = Math.floor((lane.stripEnd - py) / lane.stripUnit);
  for (const [req, n] of lane.lane.strip[round]) {
    if (left < n) return req < 0 ? none : { ...none, req, run: runIn(lane.lane, req, round) ?? null };
    left -= n;
  }
  return none;
}

/** Points in the middle of all rows that have something to tell in the round of the cursor. */
function pointsAtCursor({ stage: { layout }, clock, t }) {
  return layout.lanes.flatMap((lane) => {
    const round = litRound(lane.lane, clock, t);
    if (round < 0) return [];
    const { start, end } = lane.lane.rounds;
    const x = (layout.cut(start[round]) + layout.cut(end[round])) / 2;
    const rows = Array.from({ length: lane.count }, (_, row) => ({ x, y: lane.rowCentre(row) }));
    return rows.filter((point) => cellAt(layout, point.x, point.y));
  });
}
