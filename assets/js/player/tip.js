// The card beside the pointer: all that is known of one cell. It tells no more of what lies ahead of
// the cursor than the stage shows.

const TIP_APART = { mouse: 14, keys: 14, touch: 28 };
const TIP_EDGE = 8;

/**
 * Make the card. `at` is the point of the stage that is told of, `by` what pointed at it, `row` the
 * one that the keys chose.
 * @returns {{el: Element, isOn: boolean, at: Object|null, by: string, row: number}}
 */
function createTip() {
  const el = h("div.rb-tip", { id: "rb-tip", role: "tooltip", "data-testid": "tip", hidden: true });
  return { el, isOn: false, at: null, by: "mouse", row: 0 };
}

/** Point at a place of the window. */
function pointAt(player, clientX, clientY, by) {
  const box = player.stage.el.getBoundingClientRect();
  Object.assign(player.tip, { at: { x: clientX - box.left, y: clientY - box.top }, by, isOn: true });
  refreshTip(player);
}

/** Point at a row of the cursor's round: the one chosen before, `step` rows on. */
function pointAtRow(player, step) {
  const points = pointsAtCursor(player);
  const { tip } = player;
  const row = Math.max(0, Math.min(points.length - 1, tip.row + step));
  Object.assign(tip, { by: "keys", isOn: true, row, at: points[row] ?? null });
  showTip(player);
}

/** Take the card away. */
function hideTip({ tip, stage }) {
  tip.isOn = false;
  if (tip.el.hidden) return;
  tip.el.hidden = true;
  stage.el.removeAttribute("aria-describedby");
}

/** Tell again, after the cursor moved or the stage was drawn anew. */
function refreshTip(player) {
  if (!player.tip.isOn) return;
  if (player.tip.by === "keys") pointAtRow(player, 0);
  else showTip(player);
}

/** Show the card of what lies at the point; no card where there is nothing. */
function showTip(player) {
  const { tip, stage } = player;
  const cell = tip.at && cellAt(stage.layout, tip.at.x, tip.at.y);
  const content = cell && tellCell(player, cell);
  setShown(tip.el, Boolean(content));
  if (!content) {
    stage.el.removeAttribute("aria-describedby");
    return;
  }
  tip.el.setAttribute("aria-live", tip.by === "keys" ? "polite" : "off");
  tip.el.replaceChildren(...content);
  stage.el.setAttribute("aria-describedby", "rb-tip");
  placeTip(player);
}

/** Put the card beside its point: right or left of it, else below or above; never upon it. */
function placeTip({ tip, stage }) {
  const { el, at, by } = tip;
  const box = stage.el.getBoundingClientRect();
  Object.assign(el.style, { left: "0px", top: "0px" });
  const own = el.getBoundingClientRect();
  const [x, y] = [at.x + box.left, at.y + box.top];
  const place = besidePoint(x, y, own, TIP_APART[by], { width: window.innerWidth, height: window.innerHeight });
  Object.assign(el.style, { left: `${place.x - own.left}px`, top: `${place.y - own.top}px` });
}

/**
 * Where a card of a size stands beside a point, inside a window.
 * @returns {{x: number, y: number}} its top left
 */
function besidePoint(x, y, card, apart, room) {
  const within = (value, length, all) => Math.max(TIP_EDGE, Math.min(all - TIP_EDGE - length, value));
  const isRight = x + apart + card.width + TIP_EDGE <= room.width;
  const isLeft = x - apart - card.width >= TIP_EDGE;
  if (isRight || isLeft) {
    const left = isRight ? x + apart : x - apart - card.width;
    return { x: left, y: within(y + apart, card.height, room.height) };
  }
  const isBelow = y + apart + card.height + TIP_EDGE <= room.height;
  const top = isBelow ? y + apart : y - apart - card.height;
  return { x: within(x - card.width / 2, card.width, room.width), y: top };
}

/** The content of a cell's card, or null when there is nothing to tell yet. */
function tellCell(player, cell) {
  const { payload, say, lanes, clock, t, tip, stage } = player;
  const { lane, round, req, wait, gap } = cell;
  const isAhead = round >= 0 && lane.rounds.start[round] >= t - clock.eps;
  if (isAhead && player.future === "nothing") return null;
  if ((wait || gap) && (isAhead || stage.layout.t(tip.at.x) > t + clock.eps)) return null;
  const request = payload.requests[req];
  const where = lanes.length > 1 ? h("span.rb-quiet", { text: lane.short ?? lane.title }) : null;
  const name = request && request.id !== request.label ? h("b", { text: request.id }) : null;
  const head = h("header", {}, request ? chip(request) : null, name, ...roundHead(player, cell), where);
  if (isAhead) return [head, h("p.rb-quiet", { text: say("tip_not_yet") })];
  return [head, ...tellPast(player, cell)];
}

/** "Round 3", "8 to 13 ms". */
function roundHead({ payload, say }, { lane, round }) {
  if (round < 0) return [];
  const { start, end } = timesOf(lane);
  const clock = { ...payload, axis: "time", timeAt: null };
  const from = timeNumber(clock, start[round]);
  const span = say("tip_span", { from, to: timeText(clock, say, end[round]) });
  const name = say("round_n", { n: numberText(lane.rounds.number[round]) });
  return [h("b", { text: name }), h("span", { text: span })];
}

/** What a cell got, the sentence about it, and the levels of its round. */
function tellPast(player, cell) {
  const { payload, say } = player;
  const { lane, round, req, run, wait } = cell;
  const line = req === null ? null : lane.cards[round]?.lines.find((one) => one.req === req);
  const got = run ? whatItGot(say, cell, payload.requests[req]) : whyItIsOut(player, cell);
  const parts = [
    got ? h("p.rb-got", { text: got }) : null,
    line ? h("p", { text: line.text }) : null,
    line?.chips.length ? h("p.rb-chips", {}, ...reasonChips(line)) : null,
    wait && !line ? h("p", { text: say("hold") }) : null,
    cell.gap?.text ? h("p", { text: cell.gap.text }) : null,
    ...levelsOfRound(player, cell),
  ];
  return parts.filter(Boolean);
}

/** "prefill 2 of a prompt of 6", "decode, output 2 of 3", in the words of the stage. */
function whatItGot(say, { round, run }, request) {
  const pad = run.pad > 0 ? [say("cell_pad", { n: numberText(run.pad) })] : [];
  const unsent = run.unsent ? [say("tip_unsent")] : [];
  const held = run.kind === "hold" && !run.n && !run.token ? [say(run.paused ? "tip_paused" : "tip_hold")] : [];
  const prompt = { n: numberText(run.n), all: numberText(request.prompt) };
  const first = {
    prefill: run.n > 0 ? [say(run.again ? "tip_again" : "tip_prefill", prompt)] : [],
    decode: [run.n > 1 ? say("tip_drafts", { n: numberText(run.n - 1), right: numberText(run.tokens - 1) }) : say("cell_decode")],
    idle: [say("cell_idle")],
  }[run.kind] ?? held;
  return [...first, ...pad, ...outputsOf(say, round, run, request), ...unsent].join(" · ");
}

/** "output 2 of 3", "outputs 2 to 4 of 5". */
function outputsOf(say, round, run, request) {
  if (!run.token) return [];
  const from = run.token + (run.kind === "decode" ? round - run.first : 0);
  const values = { n: numberText(from), from: numberText(from), to: numberText(from + run.tokens - 1), all: numberText(request.output) };
  return [say(run.tokens > 1 ? "tip_outputs" : "tip_output", values)];
}

/** Why a request has no cell: evicted, or it has waited and left. */
function whyItIsOut({ say, clock, t }, { wait, gap }) {
  if (gap) return say(`tip_${gap.kind}`);
  const hasLeft = wait && wait.end !== "joins" && wait.t1 !== null && wait.t1 <= t + clock.eps;
  return hasLeft ? wait.text : "";
}

/** Blocks used in a round, and for a round as a whole its tokens and who waits. */
function levelsOfRound({ say }, { lane, round, req }) {
  if (round < 0) return [];
  const { used, waiting, P, D } = lane.rounds;
  const lines = [];
  if (req === null) {
    lines.push(say("tip_tokens", { p: numberText(P[round]), d: numberText(D[round]), n: numberText(budgetOf({ lane }, round)) }));
    if (waiting[round]) lines.push(say("tip_waiting", { n: numberText(waiting[round]) }));
  }
  if (lane.pool) lines.push(say("tip_kv", { used: numberText(used[round]), n: numberText(lane.pool) }));
  return lines.map((text) => h("p.rb-quiet", { text }));
}
