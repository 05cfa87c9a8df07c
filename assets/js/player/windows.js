// Windows of a large run: which one is shown, which one has come, and how the next is asked for.
//
// The server answers a request with the window around a time, and says nothing when that is the
// window it sent last. The last window received is therefore kept even when it is not the one
// shown, and looked at first.

const ASK_AHEAD_FROM = 0.75; // of the window, while moving forward
const LONGEST_ANSWER = 3000; // ms

/** Whether the cursor can stand at a time of a payload and go `step` from there. */
function covers({ whole, t0, t1 }, t, step = 0) {
  if (whole) return true;
  return step > 0 ? t0 <= t && t < t1 : t <= t1 && (step < 0 ? t0 < t : t0 <= t);
}

/** The edge behind which the run of these lanes goes on, or null when it does not. */
function edgeBeyond(payload, lanes, clock, step) {
  if (payload.whole || !payload.overview) return null;
  if (step < 0) return isFirstWindow(payload) ? null : payload.t0;
  if (payload.t1 >= payload.overview.t1 - clock.eps) return null;
  const isOver = (lane) => areRoundsOver(lane, lastEnded(lane, clock, payload.t1));
  return lanes.every(isOver) ? null : payload.t1;
}

/** The same for what the player shows. */
function edgeOf({ payload, lanes, clock }, step) {
  return edgeBeyond(payload, lanes, clock, step);
}

/** When the run of the shown lanes is over; in a large run as nearly as the overview tells. */
function endOf({ payload, lanes, clock }) {
  const { overview } = payload;
  if (!overview) return clock.t1;
  const bins = overview.lanes.filter((bin) => lanes.some((lane) => lane.key === bin.key));
  const isBusy = ({ load, waiting }) => load.findLastIndex((share, i) => share > 0 || waiting[i] > 0);
  const share = (most(bins.map(isBusy)) + 1) / bins[0].load.length;
  return overview.t0 + share * (overview.t1 - overview.t0);
}

/**
 * When a lane's round ends, in a shorter run its last one; of one that lies in another window a time
 * outside this one whose window has it.
 */
function timeOfRound({ whole, overview, t0, t1 }, lane, round) {
  const { number, end } = lane.rounds;
  const wanted = Math.min(round, lane.num_rounds);
  const time = end[number.indexOf(wanted)];
  if (time !== undefined || whole || !overview) return time ?? null;
  const { rounds } = overview.lanes.find(({ key }) => key === lane.key);
  const edge = rounds.findLastIndex((over) => over < wanted);
  const near = overview.t0 + (Math.max(0, edge) / (rounds.length - 1)) * (overview.t1 - overview.t0);
  const past = (t1 - t0) * 1e-6;
  return wanted < number[0] ? Math.min(near, t0 - past) : Math.max(near, t1 + past);
}

/** Ask the server for a window, unless that is what was asked for last. */
function ask(player, t) {
  if (player.asked === t) return;
  Object.assign(player, { asked: t, askedAt: performance.now() });
  player.requestWindow(t);
}

/** Whether a window is on its way, unless its answer is lost. */
function isAwaited({ asked, askedAt }) {
  return asked !== null && performance.now() - askedAt < LONGEST_ANSWER;
}

/**
 * Go where another window is needed.
 * @param {Object} player
 * @param {{t: number, from: number, step: number, kind: string, isPlaying: boolean, lessonStep: ?Object}} wanted
 *   t: what the window must cover; from, step, kind: as for `stopFrom`; isPlaying: the cursor
 *   crosses the edge without a stop; lessonStep: where to stand, of which `from` is near
 */
function want(player, wanted) {
  player.wanted = wanted;
  if (covers(player.received, wanted.t, wanted.step)) takeWanted(player);
  else ask(player, wanted.t);
}

/** Show the window that has come, with the cursor where it was to go; or ask for the one after. */
function takeWanted(player) {
  const { wanted, received } = player;
  const lanes = lanesOf(received, player.view);
  const clock = makeClock(received, lanes);
  if (wanted.isPlaying) {
    showWindow(player, received, Math.max(clock.t0, Math.min(clock.t1, wanted.from)));
    return;
  }
  const step = wanted.step || -1;
  const from = wanted.lessonStep ? placeOf({ payload: received }, wanted.lessonStep).t ?? wanted.from : wanted.from;
  const stop = stopFrom(clock, from, wanted.step, wanted.kind);
  const edge = stop === null ? edgeBeyond(received, lanes, clock, step) : null;
  if (edge !== null) {
    want(player, { ...wanted, step, t: edge });
    return;
  }
  player.chosen = stop ?? clock.bounds.at(step > 0 ? -1 : 0);
  showWindow(player, received, player.chosen);
}

/** While moving forward: have the next window here before the edge is reached. */
function askAhead(player) {
  const { clock, t } = player;
  if (t < clock.t0 + ASK_AHEAD_FROM * (clock.t1 - clock.t0)) return;
  const edge = edgeOf(player, 1);
  if (edge !== null && !covers(player.received, edge, 1)) ask(player, edge);
}

/** A payload has come: a new run, the window that is wanted, one for later, or other words. */
function setPayload(player, raw) {
  const payload = onAxis(raw, player.axis);
  const isSameRun = Boolean(player.payload) && player.payload.run === payload.run;
  Object.assign(player, { raw, received: payload });
  player.asked = null;
  if (payload.lanes) greetLane(player, payload);
  setShown(player.body, Boolean(payload.lanes));
  if (!payload.lanes) player.payload = null;
  else if (!isSameRun) startRun(player, payload);
  else if (player.wanted) {
    if (covers(payload, player.wanted.t, player.wanted.step)) takeWanted(player);
  } else if (payload.whole || payload.lang !== player.payload.lang) {
    if (covers(payload, player.t)) showWindow(player, payload, player.t);
    else want(player, { t: player.t, from: player.t, step: 0, isPlaying: player.isPlaying });
  }
}

/** Show a new run at the boundary nearest to the time the person chose last, or from its start. */
function startRun(player, payload) {
  const clock = makeClock(payload, lanesOf(payload, player.view));
  if (payload.reset) Object.assign(player, { isPlaying: false, chosen: clock.t0, zoom: 1 });
  const { chosen } = player;
  const near = Number.isFinite(chosen) ? clock.bounds[Math.max(clock.first, boundaryNear(clock, chosen))] : stopFrom(clock, chosen, 0);
  showWindow(player, payload, near ?? clock.bounds[0]);
  if (!Number.isFinite(chosen)) player.chosen = player.t;
  const last = payload.overview?.t1 ?? clock.t1;
  if (covers(payload, Math.min(chosen, last))) return;
  want(player, { t: Math.min(chosen, last), from: chosen, step: 0 });
}

/** Take a payload over and draw it. */
function showWindow(player, payload, t) {
  const before = player.payload;
  const isMoved = before?.run !== payload.run || before.t0 !== payload.t0 || before.t1 !== payload.t1;
  Object.assign(player, { payload, t, wanted: null, say: speaker(payload) });
  if (isMoved) player.range = null;
  chooseLanes(player);
  rebuild(player);
}
