// The round axis: a payload on a clock of rounds, one as wide as the other, instead of on time.
//
// Everything that stands at a time stands at a number of rounds then, so that the stage, the cursor
// and the scrub bar need not know which axis it is. The times of the rounds stay in `lane.times`.
// Round k of all lanes is then one place, whenever each lane came to it.

/** A payload on the round axis; only that of a whole run can be. */
function onRounds(payload) {
  const places = payload.lanes.map((lane) => (t) => roundPlace(lane.rounds, t));
  const lanes = payload.lanes.map((lane, i) => laneOnRounds(lane, places[i]));
  const events = payload.events.flatMap((event) => lanes.flatMap((_, lane) =>
    (event.lane ?? lane) === lane ? [{ ...event, lane, t: places[lane](event.t) }] : []));
  return {
    ...payload, lanes, axis: "rounds", t0: 0, t1: Math.max(1, most(lanes.map(({ end }) => end))),
    lasts: payload.t1 - payload.t0, events: events.sort((a, b) => a.t - b.t),
  };
}

/** A lane with rounds for times. */
function laneOnRounds(lane, place) {
  const { start, end } = lane.rounds;
  const moved = (item) => ({ ...item, t0: place(item.t0), t1: item.t1 === null ? null : place(item.t1) });
  return {
    ...lane,
    rounds: { ...lane.rounds, start: start.map((_, i) => i), end: end.map((_, i) => i + 1) },
    times: { start, end }, end: place(lane.end),
    queue: { ...lane.queue, t: lane.queue.t.map(place) }, waits: lane.waits.map(moved), gaps: lane.gaps.map(moved),
  };
}

/** Where a time stands among rounds; between two of them on their boundary. */
function roundPlace({ start, end }, t) {
  const i = lowerBound(end, t);
  if (i >= end.length) return end.length;
  return i + Math.max(0, (t - start[i]) / (end[i] - start[i]));
}

/** The time of a place among rounds; one inside a round with one decimal. */
function timeOfPlace({ start, end }, place) {
  const i = Math.min(end.length, Math.ceil(place)) - 1;
  if (i < 0) return 0;
  const share = Math.min(1, place - i);
  return share === 1 ? end[i] : Math.round((start[i] + share * (end[i] - start[i])) * 10) / 10;
}

/** Start and end of a lane's rounds on its own clock, on either axis. */
function timesOf(lane) {
  return lane.times ?? lane.rounds;
}

/** The lane with the most rounds. */
function longestOf(lanes) {
  return lanes.reduce((best, lane) => (lane.rounds.end.length > best.rounds.end.length ? lane : best));
}

/**
 * How to tell the time of a place on the round axis: lanes whose rounds are at different times have
 * none in common, and are told by rounds.
 * @returns {(function(number): number)|null}
 */
function teller(payload, lanes) {
  const times = lanes.map(timesOf);
  if (payload.axis !== "rounds" || !sameRounds(times, 1e-6)) return null;
  return (place) => timeOfPlace(timesOf(longestOf(lanes)), place);
}
