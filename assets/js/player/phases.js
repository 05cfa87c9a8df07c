// Slow motion: the four phases of a round one by one. The cursor then rests inside the round, at a
// share of it that belongs to the phase; at every boundary the round is seen as committed.

const PHASE_STOPS = [0.075, 0.225, 0.575, 1];
const PLAN = 0;
const EXECUTE = 2;
const COMMIT = 3;
const MOST_LINES = 8;

/** Whether the cursor rests inside a round. */
function isSlow({ isPlaying, clock, t }) {
  return !isPlaying && Math.abs(clock.bounds[boundaryNear(clock, t)] - t) > clock.eps;
}

/** The phase that a time has reached in a lane's round. */
function phaseOf({ rounds: { start, end } }, round, t) {
  const share = (t - start[round]) / (end[round] - start[round]);
  return PHASE_STARTS.filter((from) => share >= from).length - 1;
}

/** The time up to which each lane has computed, where one only plans or reserves; else null. */
function computedUntil({ lanes, t }, states) {
  const isBefore = ({ phase }) => phase >= 0 && phase < EXECUTE;
  if (!states.some(isBefore)) return null;
  return lanes.map((lane, i) => (isBefore(states[i]) ? lane.rounds.start[states[i].lit] : t));
}

/** When a phase of a lane's round is shown. */
function phaseTime({ rounds: { start, end } }, round, phase) {
  return phase === COMMIT ? end[round] : start[round] + PHASE_STOPS[phase] * (end[round] - start[round]);
}

/** One phase on or back, over all lanes shown; beyond the window a whole round. */
function stepPhase(player, step) {
  pause(player);
  const { clock, lanes, t } = player;
  const isAhead = (time) => (time - t) * step > clock.eps && time <= clock.bounds.at(-1) + clock.eps;
  const stops = lanes.flatMap((lane) => stopsNear(lane, clock, t)).filter(isAhead);
  if (!stops.length) stepBy(player, step);
  else goTo(player, step > 0 ? Math.min(...stops) : Math.max(...stops), EASE_STEP);
}

/** The times of all phases of the rounds around a time, and where the window begins. */
function stopsNear(lane, clock, t) {
  const next = lowerBound(lane.rounds.end, t - clock.eps);
  const rounds = [next - 1, next, next + 1].filter((i) => i >= 0 && i < lane.rounds.end.length);
  return [clock.bounds[clock.first], ...rounds.flatMap((round) =>
    PHASE_STOPS.map((_, phase) => phaseTime(lane, round, phase)))];
}

/** To a phase of the round a lane is in, or of its next one. */
function goToPhase(player, lane, phase) {
  pause(player);
  const { clock, t } = player;
  const next = lowerBound(lane.rounds.end, t - clock.eps);
  const round = Math.min(next, lane.rounds.end.length - 1);
  goTo(player, phaseTime(lane, round, phase), EASE_STEP);
}

/** The card of a lane at the cursor; in slow motion what the phase did. */
function cardInPhase({ payload, say, clock, t }, lane, { lit, phase }) {
  if (phase < 0) return cardAt(lane, clock, t);
  const make = [planCard, reserveCard, executeCard][phase];
  return { ms: "", more: "", ...make(lane, lit, { payload, say }) };
}

/** Who gets how many, and why the others get nothing. */
function planCard(lane, round, { say }) {
  const { P, D, V } = lane.rounds;
  const card = lane.cards[round];
  const lines = card.lines.filter((line) => line.tells !== "comes")
    .map((line) => (line.tells ? line : { ...line, text: planText(line, say), chips: [] }));
  const sum = say("plan_sum", { n: numberText(P[round] + D[round] + V[round]), all: numberText(budgetOf({ lane }, round)) });
  return { sum, lines, more: card.more };
}

/** What a request gets of the budget. */
function planText({ p, d, v, pad }, say) {
  const counted = (key, n) => say(n === 1 ? `${key}_one` : key, { n: numberText(n) });
  const parts = [
    p ? counted("plan_prefill", p) : "",
    d && v ? say("plan_drafts", { n: numberText(d + v), v: numberText(v) }) : "",
    d && !v ? say("plan_decode") : "",
    pad ? counted("plan_pad", pad) : "",
  ].filter(Boolean);
  return parts.length ? parts.reduce((first, more) => say("plan_both", { first, more })) : say("plan_nothing");
}

/** Who enters or leaves a seat, and the blocks that change hands. */
function reserveCard(lane, round, { say }) {
  const { queue, seats, in: entering = [], again = [], out = [], gone = [] } = lane.moves[round];
  const before = heldBefore(lane, round);
  const held = blocksHeld(lane, round);
  const shown = lane.cards[round].lines.filter(({ p, d, pad, tells }) => p || d || pad || tells === "gone");
  const whose = [...new Set([...gone, ...out, ...again, ...entering, ...shown.map((line) => line.req)])];
  const lines = whose.filter((req) => req >= 0).slice(0, MOST_LINES).map((req) => {
    const how = [["gone", gone], ["out", out], ["again", again], ["in", entering]].find(([, who]) => who.includes(req));
    const seat = say(`reserve_${how ? how[0] : "keep"}`);
    const blocks = lane.pool ? blockText(before.get(req) ?? 0, held.get(req) ?? 0, say) : "";
    return { req, text: say(blocks ? "reserve_both" : "reserve_seat", { seat, blocks }), chips: [] };
  });
  const [q0, q1, s0, s1] = [...queue, ...seats].map((n) => numberText(n));
  const [k0, k1] = [before, held].map((counts) => numberText([...counts.values()].reduce((a, b) => a + b, 0)));
  return { sum: say(lane.pool ? "reserve_sum_kv" : "reserve_sum", { q0, q1, s0, s1, k0, k1 }), lines };
}

/** How many blocks a request takes or gives back. */
function blockText(before, now, say) {
  const n = Math.abs(now - before);
  if (!n) return now ? say("reserve_blocks", { all: numberText(now) }) : "";
  const key = now > before ? "reserve_take" : "reserve_give";
  return say(n === 1 ? `${key}_one` : key, { n: numberText(n), all: numberText(now) });
}

/** The arithmetic of the round's time, and who arrives while it lasts. */
function executeCard(lane, round, { payload, say }) {
  const { sum, ms, lines } = lane.cards[round];
  const time = payload.unit === "tick" ? say("cost_tick") : costText(lane, round, say);
  const coming = lines.filter((line) => line.tells === "comes");
  return { sum, ms, lines: [{ text: time, chips: [], isWhole: true }, ...coming] };
}

/** "the round itself 2 + prompt 2 × 0.5 + decode 2 × 1 = 5 ms". */
function costText(lane, round, say) {
  const { rounds } = lane;
  const prices = lane.prices.findLast(({ first }) => first <= round);
  const decodes = rounds.D[round] + (prices.pads ? rounds.bucket_padding[round] : 0);
  const terms = [
    ["cost_prefill", rounds.P[round], prices.per_prefill],
    ["cost_decode", decodes, prices.per_decode],
    ["cost_kv", prices.kv_read?.[round - prices.first] ?? 0, prices.per_kv_token],
    ["cost_draft", rounds.V[round], prices.per_draft],
  ].filter(([, n, price]) => n && price);
  const rest = prices.rest?.[round - prices.first] ?? 0;
  const parts = [
    say("cost_base", { t: numberText(prices.base, 6) }),
    ...terms.map(([key, n, price]) => say(key, { n: numberText(n), price: numberText(price, 6) })),
  ];
  if (rest) parts.push(say(`cost_${prices.rest_of}`, { t: numberText(rest, 6) }));
  return `${parts.join(" + ")} = ${lane.cards[round].ms}`;
}
