// Change from here: asking for a lane that goes its own way, and the mark where it parts.

const MOST_CHANGEABLE = 40000; // rounds of a run that can be gone on with

/**
 * Wait for the lane that a wish will bring: show it when it comes.
 * @param {Object} player
 * @param {function(Object): void} then is given the new lane
 */
function awaitLane(player, then) {
  const { lanes, most_lanes: most } = player.payload;
  if (lanes.length >= most) return;
  player.awaited = { keys: new Set(lanes.map((lane) => lane.key)), then };
}

/** A payload is about to be shown: if it has the awaited lane, tell who waits for it. */
function greetLane(player, payload) {
  const { awaited } = player;
  if (!awaited) return;
  const lane = payload.lanes.find(({ key }) => !awaited.keys.has(key));
  player.awaited = null;
  if (!lane) return;
  player.laneParts.newcomer = lane.key;
  awaited.then(lane);
}

/** One more lane, as the wish says; all are shown, and then that one too. */
function addLane(player, wish) {
  showLanes(player, "all");
  awaitLane(player, () => {});
  player.laneParts.command(wish);
}

/** The round that the cursor stands in or has just ended, from 1. */
function shownRound(player, lane) {
  const { clock, t } = player;
  const lit = litRound(lane, clock, t);
  const index = lit >= 0 ? lit : Math.max(0, lastEnded(lane, clock, t));
  return lane.rounds.number[index] ?? 1;
}

/** One more lane that shares the past of this one, and the form for what is to change in it. */
function forkLane(player, key) {
  const lane = player.payload.lanes.find((one) => one.key === key);
  if (!lane) return;
  pause(player);
  awaitLane(player, (added) => {
    if (player.view !== "all") player.view = "all";
    setTimeout(() => window.dispatchEvent(new CustomEvent("rb-setup", { detail: { lane: added.key } })));
  });
  player.laneParts.command({ do: "fork_lane", key, round: shownRound(player, lane) });
}

/** The lane that a button outside the stage is about: the last of those shown, of those a policy runs if there is one. */
function lastShown({ lanes }) {
  return (lanes.findLast((lane) => !lane.hand) ?? lanes.at(-1))?.key;
}

/** Why one more lane cannot be made of this one, or nothing. */
function whyNoLane(payload, lane, say) {
  if (payload.lanes.length >= payload.most_lanes) return say("lane_most", { n: payload.most_lanes });
  return lane.num_rounds > MOST_CHANGEABLE ? say("lane_too_long") : "";
}

/** The line that begins to play by hand: for this lane, or for the last that a policy runs. */
function handItem(lanes, payload, say, lane = payload.lanes.findLast((one) => !one.hand)) {
  if (!lane) return [];
  const isSmall = payload.whole && payload.requests.length <= MOST_BY_HAND;
  return [{
    text: say("lane_hand"), id: "lane-hand", note: say("lane_hand_note"), act: () => lanes.act.beginByHand(lane.key),
    why: whyNoLane(payload, lane, say) || (isSmall ? "" : say("lane_hand_many", { n: MOST_BY_HAND })),
  }];
}

/** The lines of a lane's menu that make another lane of it. */
function forkItems(lanes, payload, lane, say) {
  return [
    {
      text: say("lane_fork"), id: "lane-fork", why: whyNoLane(payload, lane, say), act: () => lanes.act.forkLane(lane.key),
      note: say("lane_fork_note", { n: lanes.act.shownRound(lane) }),
    },
    ...handItem(lanes, payload, say, lane), null,
  ];
}

/** Where a lane parts from what it was: a line, and the rounds before it paler. */
function writeForks(stage, { layout }, lane) {
  for (const fork of lane.lane.forks ?? []) {
    if (fork.t === null || fork.t < layout.from || fork.t > layout.to) continue;
    const x = layout.x(fork.t);
    const place = (top) => ({ top: `${top}px`, height: `${lane.bottom - top}px` });
    const width = `${Math.max(0, x - layout.gutter)}px`;
    stage.parts.over.append(
      h("div.rb-fork-past", { style: { ...place(lane.headsY), left: `${layout.gutter}px`, width } }),
      h("div.rb-fork-line", { style: { ...place(lane.queueY - 2), left: `${x}px` } }));
  }
}

/** Buttons outside the stage ask for a fork, or to play by hand, of the lane shown last; returns how to stop. */
function listenForWishes(player) {
  const wishes = { "rb-fork": player.act.forkLane, "rb-hand": player.act.beginByHand };
  const listeners = Object.entries(wishes).map(([name, act]) => [name, () => act(lastShown(player))]);
  for (const [name, listener] of listeners) window.addEventListener(name, listener);
  return () => listeners.forEach(([name, listener]) => window.removeEventListener(name, listener));
}
