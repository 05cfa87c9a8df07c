// The one clock of all lanes: boundaries, and what is current in a lane at a time.

/** First index whose value is not below the target, in an ascending list. */
function lowerBound(list, target) {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] < target) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The clock of the shown lanes: over when the last round is, or when the last one left after it. A
 * round may reach beyond the end of a window: where it ends is a boundary of the next one.
 * @param {Object} payload
 * @param {Object[]} lanes the lanes shown
 * @returns {{t0: number, t1: number, eps: number, bounds: number[], first: number, stops: number[]}}
 *   bounds: the start and all ends of rounds; first: index of the first where a stopped cursor may
 *   stand (the left edge of a later window is none); stops: those where an event takes effect
 */
function makeClock(payload, lanes) {
  const t1 = payload.whole ? most(lanes.map((lane) => lane.end), payload.t0) : payload.t1;
  const eps = Math.max(1e-9, (t1 - payload.t0) * 1e-9);
  const late = payload.events.filter((event) => isAfterRounds(payload.lanes[event.lane], event.t, eps));
  const own = late.filter(({ lane }) => lanes.includes(payload.lanes[lane])).map(({ t }) => t);
  const all = [...lanes.flatMap((lane) => lane.rounds.end), ...own].filter((t) => t <= t1 + eps);
  all.sort((a, b) => a - b);
  const bounds = [payload.t0];
  for (const t of all) if (t - bounds.at(-1) > eps) bounds.push(t);
  const first = isFirstWindow(payload) ? 0 : 1;
  const clock = { t0: payload.t0, t1: t1 > payload.t0 ? t1 : payload.t0 + 1, eps, bounds, first };
  return { ...clock, stops: eventStops(payload, lanes, clock) };
}

/** Whether a lane's rounds are over before a time, so that it is no boundary by itself. */
function isAfterRounds(lane, t, eps) {
  if (!lane) return false;
  const { number, end } = lane.rounds;
  return (number.at(-1) ?? 0) === lane.num_rounds && t > (end.at(-1) ?? -Infinity) + eps;
}

/** Whether nothing lies before a payload's window. */
function isFirstWindow({ whole, overview, t0 }) {
  return whole || !overview || t0 <= overview.t0;
}

/**
 * The boundaries at which an event of the shown lanes takes effect, ascending. An arrival takes
 * effect at the first boundary at or after it, where it can take part.
 */
function eventStops(payload, lanes, clock) {
  const shown = new Set(lanes.map((lane) => payload.lanes.indexOf(lane)));
  const stops = new Set();
  for (const event of payload.events) {
    if (event.lane !== null && !shown.has(event.lane)) continue;
    const at = lowerBound(clock.bounds, event.t - clock.eps);
    if (at >= clock.first && at < clock.bounds.length) stops.add(clock.bounds[at]);
  }
  return [...stops].sort((a, b) => a - b);
}

/**
 * Where a step from a time ends: at the next boundary, the one before, or (step 0) the last one at
 * or before it; null when it is not in this window.
 * @param {"bounds"|"stops"} kind which boundaries count
 */
function stopFrom(clock, from, step, kind = "bounds") {
  const list = kind === "bounds" ? clock.bounds.slice(clock.first) : clock.stops;
  if (step > 0) return list[lowerBound(list, from + clock.eps)] ?? null;
  return list[lowerBound(list, from + (step < 0 ? -clock.eps : clock.eps)) - 1] ?? null;
}

/** Index of the last boundary at or before t. */
function boundaryBefore(clock, t) {
  return Math.max(0, lowerBound(clock.bounds, t + clock.eps) - 1);
}

/** Index of the boundary nearest to t. */
function boundaryNear(clock, t) {
  const before = boundaryBefore(clock, t);
  const next = Math.min(before + 1, clock.bounds.length - 1);
  return t - clock.bounds[before] <= clock.bounds[next] - t ? before : next;
}

/** Index of the lane's round that is lit at t (start < t ≤ end), or -1. */
function litRound(lane, clock, t) {
  const { start, end } = lane.rounds;
  const index = lowerBound(end, t - clock.eps);
  return index < end.length && start[index] < t - clock.eps ? index : -1;
}

/** Index of the lane's last round that has ended by t, or -1. */
function lastEnded(lane, clock, t) {
  return lowerBound(lane.rounds.end, t + clock.eps) - 1;
}

/** Tokens that are out once round `ended` is over; -1: before the window's first round. */
function tokensOut(lane, ended) {
  return ended < 0 ? (lane.emitted_before ?? 0) : lane.rounds.emitted[ended];
}

/** Whether all rounds of a lane are over with the window's round `ended`; -1: before its first. */
function areRoundsOver(lane, ended) {
  const { number } = lane.rounds;
  return (ended < 0 ? (number[0] ?? 1) - 1 : number[ended]) >= lane.num_rounds;
}

/** The card of a lane at t: a round's, or the one before, between or after rounds. */
function cardAt(lane, clock, t) {
  const lit = litRound(lane, clock, t);
  if (lit >= 0) return lane.cards[lit];
  const ended = lastEnded(lane, clock, t);
  const isEmpty = lane.num_rounds > 0 && lane.rounds.number.length === 0; // in this window
  if ((isEmpty || areRoundsOver(lane, ended)) && t >= lane.end - clock.eps) return lane.after;
  const isBegun = ended >= 0 || lane.rounds.number[0] > 1;
  return isBegun ? lane.between : lane.before;
}

/**
 * Whether the lanes' rounds begin and end together for as long as both run.
 * @param {Object[]} all start and end of the rounds of each lane
 */
function sameRounds(all, eps) {
  const [first, ...others] = all;
  return others.every(({ start, end }) => {
    const common = Math.min(end.length, first.end.length);
    for (let i = 0; i < common; i += 1) {
      if (Math.abs(start[i] - first.start[i]) > eps) return false;
      if (Math.abs(end[i] - first.end[i]) > eps) return false;
    }
    return true;
  });
}
