// Be the scheduler: the next round as a column beside the stage, filled by hand.
//
// What is typed stays here until the round is run. Python judges and executes it; it answers with
// what is wrong, or with a run that is one round longer.

const MOST_BY_HAND = 40; // requests: each has a row
const HAND_WIDTHS = { normal: 176, phone: 168, wide: 200, presenter: 360 };
const HAND_PITCH = { phone: 50 };

/** Make the parts: the column of the next round, and the row of buttons. */
function createHands(player) {
  const hands = {
    player, draft: new Map(), drawnFor: "", lane: null, judged: null, isMended: false,
    column: h("div.rb-hand", { role: "group", hidden: true, "data-testid": "hand" }),
    said: h("div.rb-hand-said", { role: "status" }),
    buttons: h("div.rb-hand-buttons"),
    inputs: new Map(), bricks: null,
  };
  hands.bar = h("section.rb-hand-bar", { hidden: true, "data-testid": "hand-bar" }, hands.said, hands.buttons);
  hands.column.addEventListener("keydown", (event) => onHandKey(hands, event));
  return hands;
}

/** The lane that is played by hand where it is the only one shown. */
function handLane({ lanes, size }) {
  return lanes.length === 1 && lanes[0].hand && size.name !== "presenter" ? lanes[0] : null;
}

/** Whether a lane waits for a round from a person. */
function isOpen(lane) {
  return Boolean(lane?.hand) && !lane.hand.is_done;
}

/** Width in px of the column beside the stage. */
function handWidth(player) {
  return isOpen(handLane(player)) ? HAND_WIDTHS[player.size.name] : 0;
}

/** The measures of the stage where each row has room for its stepper. */
function handSize(player) {
  const pitch = isOpen(handLane(player)) ? HAND_PITCH[player.size.name] : 0;
  return pitch ? { ...player.size, pitch } : player.size;
}

/** What a row of the stage is: where steppers stand beside them, a request. */
function handRows(player) {
  return isOpen(handLane(player)) ? "requests" : player.rows;
}

/** Least height of the stage, so that no row is too low for its stepper. */
function handRoom(player) {
  const lane = handLane(player);
  if (!isOpen(lane)) return 0;
  const { pitch, heads, caption, brick } = handSize(player);
  return player.payload.requests.length * pitch + heads + caption + brick * Math.min(11, lane.budget) + 60;
}

/** The clock of a run by hand: its first rounds do not fill all of the stage. */
function stretchClock(clock, lane) {
  if (!isOpen(lane)) return clock;
  const { end, start } = lane.rounds;
  const mean = end.length ? (end.at(-1) - start[0]) / end.length : 1;
  return { ...clock, t1: Math.max(clock.t1, clock.t0 + 4 * mean) };
}

/** A payload without what is still to come in a run by hand. */
function handPayload(payload, lanes) {
  const [lane] = lanes;
  if (lanes.length > 1 || !isOpen(lane)) return payload;
  return { ...payload, events: payload.events.filter(({ t }) => t <= lane.hand.now) };
}

/** One more lane, to be played by hand, shown alone. */
function beginByHand(player, key) {
  pause(player);
  awaitLane(player, (lane) => showAlone(player, lane));
  player.laneParts.command({ do: "hand_begin", key });
}

/** From now on only this lane is shown, at its end. */
function showAlone(player, lane) {
  Object.assign(player, { view: lane.key, range: null, chosen: Infinity });
}

// Drawing.

/** Draw column and buttons for a freshly drawn stage; what was typed for this round stays. */
function drawHands(hands, ctx, layout) {
  const lane = handLane(hands.player);
  hands.lane = lane;
  setShown(hands.bar, Boolean(lane) || ctx.lanes.some(isOpen));
  setShown(hands.column, isOpen(lane));
  if (!lane) {
    drawElsewhere(hands, ctx);
    return;
  }
  if (hands.judged !== lane.hand) Object.assign(hands, { judged: lane.hand, isMended: false });
  const round = `${lane.key} ${lane.hand.round}`;
  const isNew = round !== hands.drawnFor;
  if (isNew) hands.draft = new Map();
  hands.drawnFor = round;
  const hadFocus = hands.hadFocus || hasFocus(hands.column);
  Object.assign(hands, { hadFocus: false });
  hands.column.inert = false;
  if (isOpen(lane)) drawColumn(hands, ctx, layout);
  drawHandBar(hands, ctx);
  showDraft(hands);
  if (isNew && hadFocus) hands.inputs.values().next().value?.focus();
}

/** Whether the focus is inside an element of the player. */
function hasFocus(el) {
  return el.contains(el.getRootNode().activeElement);
}

/** The column: a head, a stepper in each row, and the budget that fills. */
function drawColumn(hands, { say, payload, size }, layout) {
  const { lane } = hands;
  const [place] = layout.lanes;
  const { hand } = lane;
  const name = { n: numberText(hand.round) };
  hands.column.setAttribute("aria-label", say("hand_group", name));
  Object.assign(hands.column.style, { width: `${HAND_WIDTHS[size.name]}px`, height: `${layout.height}px` });
  const head = h("div.rb-hand-head", {
    text: say("hand_head", name), style: { height: `${size.heads - 8}px`, lineHeight: `${size.heads - 8}px` },
  });
  hands.inputs = new Map();
  const rows = hand.present.map((offer) => handRow(hands, offer, say, place, payload.requests[offer.req]));
  const here = new Set(hand.present.map((offer) => offer.req));
  const coming = payload.requests.flatMap((request, req) => (here.has(req) || request.absent || request.arrival <= hand.now
    ? [] : [h("span.rb-hand-coming", { text: say("hand_coming"), style: { top: `${place.rowCentre(req)}px` } })]));
  hands.bricks = h("div.rb-hand-bricks", { "aria-hidden": "true", style: { top: `${place.stripY}px` } });
  hands.place = place;
  hands.column.replaceChildren(head, ...rows, ...coming, hands.bricks);
}

/** One request's stepper, and what is wrong with what it was given. */
function handRow(hands, offer, say, place, request) {
  const faults = hands.lane.hand.problems.filter((problem) => problem.id === offer.id);
  const id = `rb-hand-${offer.req}`;
  const input = h("input", {
    type: "text", inputmode: "numeric", role: "spinbutton", maxlength: 6, autocomplete: "off", "data-id": offer.id,
    "aria-label": say("hand_input", { id: offer.id, n: numberText(offer.left) }), "aria-valuemin": 0, "aria-valuemax": offer.left,
    oninput: () => typeGrant(hands, offer, input.value),
    "aria-invalid": faults.length ? "true" : null, "aria-describedby": faults.length ? id : null,
  });
  const step = (by, key) => h("button", {
    type: "button", text: by < 0 ? "−" : "+", "aria-label": say(key, { id: offer.id }), "data-testid": `${key}-${offer.id}`,
    onclick: () => stepGrant(hands, offer, by),
  });
  hands.inputs.set(offer.id, input);
  const left = offer.is_decode && hands.player.size.name !== "phone" ? say("hand_decode") : say("hand_of", { n: numberText(offer.left) });
  const note = offer.most === 0 && offer.why ? offer.why : left;
  const row = h("div.rb-hand-row", { style: { top: `${place.rowCentre(offer.req)}px` } }, h("div.rb-stepper", {}, step(-1, "hand_fewer"), input, step(1, "hand_more")), h("span.rb-hand-of", { text: note }),
  faults.length ? h("p.rb-hand-fault", { id, text: faults.map((one) => one.text).join(" ") }) : null);
  row.style.setProperty("--rb-own", requestVar(request, "strong"));
  return row;
}

/** Buttons and what is said beside them. */
function drawHandBar(hands, { say }) {
  const { hand } = hands.lane;
  const { key } = hands.lane;
  const send = (what) => () => sendHand(hands, { do: what, key });
  const button = (word, act, id, look = "") => h(`button.rb-hand-do${look}`, { type: "button", text: say(word), onclick: act, "data-testid": id });
  const undo = hand.round > 1 ? [button("hand_undo", send("hand_undo"), "hand-undo")] : [];
  const { command, act } = hands.player.laneParts;
  const stop = () => { act.showLanes("all"); command({ do: "remove_lane", key }); };
  hands.run = button("hand_run", () => runRound(hands), "hand-run", ".rb-hand-main");
  hands.buttons.replaceChildren(...(hand.is_done
    ? [button("hand_compare", () => compareByHand(hands), "hand-compare", ".rb-hand-main"), ...undo, button("hand_close", stop, "hand-stop")]
    : [hands.run, button("hand_policy", () => takePolicy(hands), "hand-policy"), ...undo,
      button("hand_finish", () => finishByPolicy(hands), "hand-finish"), button("hand_stop", stop, "hand-stop")]));
}

/** Where several lanes are shown, the way back to the one that waits for a round. */
function drawElsewhere(hands, { lanes, say }) {
  const lane = lanes.find(isOpen);
  hands.drawnFor = "";
  if (!lane) return;
  const { showLanes } = hands.player.act;
  hands.said.replaceChildren(h("span", { text: say("hand_here", { lane: lane.title }) }));
  hands.buttons.replaceChildren(h("button.rb-hand-do.rb-hand-main", {
    type: "button", text: say("hand_go_on"), onclick: () => showLanes(lane.key), "data-testid": "hand-go-on",
  }));
}

/** Show what is typed: numbers, bricks, and what is left of the budget. */
function showDraft(hands) {
  const { lane, draft, inputs, player } = hands;
  const { say } = player;
  const { hand } = lane;
  const general = hands.isMended ? [] : hand.problems.filter((problem) => !inputs.has(problem.id)).map((problem) => problem.text);
  if (hand.is_done) {
    const [total, ...others] = hand.outcome;
    hands.said.replaceChildren(h("b", { text: total }), h("ul", {}, ...others.map((text) => h("li", { text }))));
    return;
  }
  for (const [id, input] of inputs) {
    const n = draft.get(id) ?? 0;
    const text = n < 0 ? say("hand_evict") : String(n);
    if (input.value !== text && !(n === 0 && input.matches(":focus"))) input.value = text;
    input.setAttribute("aria-valuenow", String(n));
    input.closest(".rb-hand-row").classList.toggle("rb-given", n !== 0);
  }
  const given = [...draft.values()].reduce((sum, n) => sum + Math.max(0, n), 0);
  const left = hand.budget - given;
  const amount = left < 0 ? say("hand_over", { n: numberText(-left) }) : say("hand_left", { n: numberText(left), all: numberText(hand.budget) });
  const about = general.length ? general.join(" ") : hand.note || (hand.round === 1 ? say("hand_turn") : "");
  hands.said.replaceChildren(h(left < 0 ? "b.rb-bad" : "b", { text: amount }),
    h(general.length ? "p.rb-bad" : "p", { text: about }));
  drawHandBricks(hands);
}

/** One brick a token, in the order of giving; what is left of the budget is dashed. */
function drawHandBricks({ bricks, place, lane, draft, player }) {
  const { hand } = lane;
  const unit = place.stripUnit;
  const tokens = hand.present.flatMap((offer) => Array(Math.min(hand.budget + 2, Math.max(0, draft.get(offer.id) ?? 0))).fill(offer));
  const count = Math.max(hand.budget, Math.min(tokens.length, hand.budget + 2));
  bricks.style.height = `${hand.budget * unit}px`;
  bricks.replaceChildren(...Array.from({ length: count }, (_, n) => {
    const offer = tokens[n];
    const style = { bottom: `${n * unit}px`, height: `${unit - 2}px` };
    if (!offer) return h("i", { style });
    const request = player.payload.requests[offer.req];
    const look = offer.is_decode ? ["soft", "onsoft"] : ["strong", "on"];
    Object.assign(style, { background: requestVar(request, look[0]), color: requestVar(request, look[1]), fontSize: `${Math.min(11, unit - 5)}px`, lineHeight: `${unit - 2}px` });
    return h(n < hand.budget ? "i.rb-full" : "i.rb-full.rb-much", { style, text: unit >= 14 ? request.label : "" });
  }));
}

// What a person does.

/** Another number of tokens for a request; below nothing, one that runs gives up its seat. */
function setGrant(hands, offer, n) {
  const least = hands.lane.hand.can_evict && offer.runs ? -1 : 0;
  const value = Math.max(least, Math.min(999999, n));
  if (value) hands.draft.set(offer.id, value);
  else hands.draft.delete(offer.id);
  hands.isMended = true;
  forgive(hands.inputs.get(offer.id));
  if (value > offer.left) complain(hands, offer, "hand_at_most");
  showDraft(hands);
}

/** Say beside a number what is wrong with it. */
function complain(hands, offer, word) {
  const input = hands.inputs.get(offer.id);
  const id = `rb-hand-${offer.req}`;
  forgive(input);
  input.setAttribute("aria-invalid", "true");
  input.setAttribute("aria-describedby", id);
  const text = hands.player.say(word, { id: offer.id, n: numberText(offer.left) });
  input.closest(".rb-hand-row").append(h("p.rb-hand-fault", { id, role: "alert", text }));
}

/** What was wrong with a number is not said of the next one. */
function forgive(input) {
  if (!input.hasAttribute("aria-invalid")) return;
  input.removeAttribute("aria-invalid");
  input.closest(".rb-hand-row").querySelector(".rb-hand-fault").remove();
}

function stepGrant(hands, offer, by) {
  setGrant(hands, offer, (hands.draft.get(offer.id) ?? 0) + by);
}

/** What was typed: full-width digits count; anything else stands there, is nothing, and that is said. */
function typeGrant(hands, offer, text) {
  const typed = text.normalize("NFKC").trim();
  const isNumber = /^\d*$/.test(typed);
  setGrant(hands, offer, isNumber ? Number(typed) : 0);
  if (!isNumber) complain(hands, offer, "hand_number");
}

/** Up and down count, Enter runs the round; no key of it reaches the player. */
function onHandKey(hands, event) {
  if (event.isComposing || event.ctrlKey || event.altKey || event.metaKey) return;
  const id = event.target.dataset?.id;
  const offer = hands.lane?.hand.present.find((one) => one.id === id);
  if (!offer) return;
  const by = { ArrowUp: 1, ArrowDown: -1 }[event.key];
  if (by) stepGrant(hands, offer, by);
  else if (event.key === "Enter") runRound(hands);
  else return;
  event.preventDefault();
  event.stopPropagation();
}

/** Give what is typed, in the order of the rows that may be given something; 0 gives up a seat. */
function runRound(hands) {
  const grant = {};
  for (const { id } of hands.lane.hand.present) {
    const n = hands.draft.get(id);
    if (n) grant[id] = Math.max(0, n);
  }
  sendHand(hands, { do: "hand_give", key: hands.lane.key, grant });
}

/** Fill in what the policy would give; it can still be changed. */
function takePolicy(hands) {
  hands.draft = new Map(hands.lane.hand.policy.map(([id, n]) => [id, n || -1]));
  hands.isMended = true;
  showDraft(hands);
  hands.run.focus();
}

/** Let the policy go on from here, its own run beside. */
function finishByPolicy(hands) {
  sendHand(hands, { do: "hand_finish", key: hands.lane.key });
  hands.player.act.showLanes("all");
}

/** Show the policy's run beside this one. */
function compareByHand(hands) {
  sendHand(hands, { do: "hand_compare", key: hands.lane.key });
  hands.player.act.showLanes("all");
}

/** Ask Python; the cursor goes to the end of what comes back, and until then nothing is typed. */
function sendHand(hands, wish) {
  const { player } = hands;
  pause(player);
  hands.hadFocus = hasFocus(hands.column);
  hands.column.inert = true;
  player.chosen = Infinity;
  player.laneParts.command(wish);
}
