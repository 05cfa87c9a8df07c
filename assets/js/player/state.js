// What changes from one round to the next, told to every part of the player.

const PANELS_AFTER = 40; // ms

/** What is current in each lane at the cursor: its round, the last one over, in slow motion a phase. */
function laneStates(player) {
  const { lanes, clock, t } = player;
  const slow = isSlow(player);
  return lanes.map((lane) => {
    const lit = litRound(lane, clock, t);
    const ended = lastEnded(lane, clock, t);
    const isInside = slow && lit >= 0 && lit !== ended;
    return { lit, ended, phase: isInside ? phaseOf(lane, lit, t) : -1 };
  });
}

/** Whether what lies ahead of the cursor is hidden, until a guess is made. */
function hidesFuture({ future }) {
  return future === "nothing";
}

/** Everything that changes from one round to the next. */
function settle(player, states) {
  const { stage, scrub, clock, t, say, payload } = player;
  stage.overlay.settle(t);
  const [round, of, time] = wherePhrase({ ...player, size: SIZES.normal }, states);
  const spoken = [`${round}${of}`, time].filter(Boolean).join(say("said_comma"));
  settleScrub(scrub, boundaryBefore(clock, t), spoken);
  stage.el.setAttribute("aria-label", say("said_stage", { title: payload.title, where: spoken }));
  player.root.classList.toggle("rb-slow", states.some(({ phase }) => phase >= 0));
  if (hidesFuture(player)) drawLegend(player.bar, player);
  markRoot(player, states, clock.bounds[boundaryBefore(clock, t)]);
  if (player.isDragging) player.panelTimer ??= setTimeout(() => settlePanels(player), PANELS_AFTER);
  else settlePanels(player, states);
}

/** Cards and panels as of the cursor. While it is dragged they follow it: the stage comes first. */
function settlePanels(player, states = laneStates(player)) {
  clearTimeout(player.panelTimer);
  player.panelTimer = undefined;
  const { clock, t, say, payload, lanes } = player;
  const time = timeText(payload, say, clock.bounds[boundaryBefore(clock, t)]);
  const known = new Map();
  lanes.forEach((lane, i) => {
    const { lit, ended } = states[i];
    known.set(lane, { ...states[i], isLit: lit >= 0 && lit === ended, time });
    showCard(player.cards[i], cardInPhase(player, lane, states[i]), payload);
    if (player.states[i]) showState(player.states[i], lane, states[i], say);
  });
  player.metrics.settle(known);
  lateInView(player)?.settle(known);
  refreshTip(player);
}

/** The state of the player as attributes of its root. */
function markRoot({ root, lanes, payload, isPlaying }, states, time) {
  const i = Math.max(0, namedLane(lanes, states));
  const index = states[i].lit >= 0 ? states[i].lit : states[i].ended;
  root.dataset.round = String(index < 0 ? 0 : lanes[i].rounds.number[index]);
  root.dataset.time = String(payload.timeAt?.(time) ?? time);
  root.dataset.playing = String(isPlaying);
}

/** Index of the lane that names the round: of those with a lit one, that with most rounds; or -1. */
function namedLane(lanes, states) {
  const rounds = states.map(({ lit }, i) => (lit >= 0 ? lanes[i].num_rounds : -1));
  const longest = most(rounds, -1);
  return longest < 0 ? -1 : rounds.indexOf(longest);
}

/** "Round 3", " of 5", "13 ms"; the time alone where lanes have rounds of their own. */
function wherePhrase({ lanes, say, payload, clock, t, stage, size, future }, states) {
  const time = isToldByRounds(payload) ? "" : timeText(payload, say, tagTime(payload, clock, t));
  if (lanes.length > 1 && !stage.layout.shared) return [time, "", ""];
  const i = namedLane(lanes, states);
  if (i < 0) return [say(t <= clock.t0 + clock.eps ? "at_start" : "no_round"), "", time];
  const lane = lanes[i];
  const name = say("round_n", { n: numberText(lane.rounds.number[states[i].lit]) });
  const of = size.name === "phone" ? "of_rounds_below" : "of_rounds";
  return [name, future === "nothing" ? "" : say(of, { n: numberText(lane.num_rounds) }), time];
}

/** Width of the longest text that tells where the cursor stands. */
function longestWhere({ lanes, say, payload, clock, stage }) {
  const { t0, bounds } = clock;
  const times = [bounds.at(-1), (t0 + bounds.at(-1)) / 2 + 0.1].map((t) =>
    timeText(payload, say, tagTime(payload, clock, t)));
  const time = longest(times, 13, lanes.length > 1 && !stage.layout.shared ? 700 : 400);
  if (lanes.length > 1 && !stage.layout.shared) return time;
  const n = numberText(most(lanes.map((lane) => lane.num_rounds)));
  const name = textWidth(say("round_n", { n }), 13, 700) + textWidth(say("of_rounds", { n }), 13);
  return name + time + textWidth(" · ", 13);
}

/** Tell where the cursor stands within its round. */
function tellTime(player, states) {
  const { stage, t, transport } = player;
  stage.overlay.tag.tell(t, nextLook(player));
  showWhere(transport, wherePhrase(player, states));
  showPhases(player, states);
}

/** Light the phase of the round: in turn when playing slowly or in slow motion, else the last. */
function showPhases(player, states) {
  const { lanes, cards, isPlaying, speed, t } = player;
  lanes.forEach((lane, i) => {
    const { lit, phase } = states[i];
    const { start, end } = lane.rounds;
    const isInTurn = lit >= 0 && (phase >= 0 || (isPlaying && speed <= 1 && !reducedMotion.matches));
    lightPhase(cards[i], isInTurn ? (t - start[lit]) / (end[lit] - start[lit]) : lit < 0 ? -1 : 1);
  });
  lateInView(player)?.place?.(t);
}
