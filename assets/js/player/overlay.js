// The HTML over the stage: round heads, gutter, lane titles, times, and what is lit at the cursor.

const TITLE_FONT = 1.2; // of a lane's title, times that of the stage

/** Build the HTML over a freshly drawn stage. */
function buildOverlay(stage, ctx, waitWords) {
  const { layout } = ctx;
  stage.parts.over.replaceChildren();
  stage.parts.lits.replaceChildren();
  stage.times.replaceChildren();
  const titles = layout.single ? [] : cutTitles(ctx);
  const lanes = layout.lanes.map((lane, i) => overlayLane(stage, ctx, lane, waitWords[i], titles[i]));
  const heads = layout.shared
    ? [buildHeads(stage, ctx, layout.lanes.find(({ lane }) => lane === longestOf(ctx.lanes)), 0)]
    : layout.lanes.map((lane) => buildHeads(stage, ctx, lane, lane.headsY));
  const times = buildTimes(stage, ctx);
  const top = layout.shared ? layout.size.heads - 6 : layout.lanes[0].headsY;
  Object.assign(stage.parts.cursor.style, { top: `${top}px`, height: `${layout.height - top}px` });
  const settle = (t) => {
    for (const row of heads) row.settle(t);
    for (const lane of lanes) lane.settle(t);
    times.settle(t);
  };
  return { settle, tag: times.tag };
}

/** Put a text at a place of the overlay. */
function label(stage, className, text, x, y, style = {}) {
  const el = h(`span.${className}`, { text, style: { left: `${x}px`, top: `${y}px`, ...style } });
  stage.parts.over.append(el);
  return el;
}

/** Everything written for one lane. */
function overlayLane(stage, ctx, lane, words, name) {
  const lit = h("div.rb-lit");
  const top = litTop(ctx.layout, lane);
  Object.assign(lit.style, { top: `${top}px`, height: `${lane.bottom + 4 - top}px` });
  stage.parts.lits.append(lit);
  writeGutter(stage, ctx, lane);
  const title = ctx.layout.single ? null : writeTitle(stage, ctx, lane, name);
  const captions = ctx.layout.single ? writeCaptions(stage, ctx, lane) : [];
  writeForks(stage, ctx, lane); // under the sentences, so that its line cuts through none
  const waits = words.map((word) => ({ ...word, el: writeWait(stage, ctx, word) }));
  const batches = writeBatches(stage, ctx, lane);
  const levels = writeLevels(stage, ctx, lane);
  const lead = writeLead(stage, ctx, lane);
  const settle = (t) => {
    settleLit(ctx, lane, lit, captions, t);
    title?.(t);
    levels(t);
    const ahead = ctx.future === "nothing" ? -ctx.clock.eps : ctx.clock.eps; // what begins at the cursor is still to come
    for (const wait of waits) setShown(wait.el, wait.until <= t + ahead);
    for (const batch of batches) setShown(batch.el, batch.from <= t + ahead);
    if (lead) setShown(lead.el, t >= lead.from - ctx.clock.eps);
  };
  return { settle };
}

/** Where a lane's lit column begins: under its pill, or where the lane before it ends. */
function litTop({ shared, size }, lane) {
  if (!shared) return lane.headsY + size.laneHeads - 8;
  return lane.top <= size.heads ? size.heads - 6 : lane.top - 4;
}

/** Whether any of a round lies in the part of the clock that is shown. */
function isRoundShown({ from, to }, { start, end }, index) {
  return end[index] > from && start[index] < to;
}

/** The lit column and the captions over the strip. */
function settleLit(ctx, lane, lit, captions, t) {
  const { layout, clock } = ctx;
  const rounds = lane.lane.rounds;
  const index = litRound(lane.lane, clock, t);
  const isShown = index >= 0 && isRoundShown(layout, rounds, index);
  setShown(lit, isShown);
  if (isShown) {
    const from = Math.max(layout.gutter, layout.x(rounds.start[index]));
    const to = Math.min(layout.right, layout.x(rounds.end[index]));
    lit.style.transform = `translateX(${from}px)`;
    lit.style.width = `${Math.max(1, to - from)}px`;
  }
  for (const caption of captions) {
    const isLit = caption.i === index;
    caption.el.classList.toggle("rb-now", isLit);
    caption.el.style.visibility =
      rounds.end[caption.i] <= t + clock.eps || isLit ? "" : "hidden";
  }
}

/** The titles of the lanes, as much of each as its row has room for. */
function cutTitles(ctx) {
  const { layout, payload } = ctx;
  const lanes = layout.lanes.map(({ lane }) => lane);
  const rooms = lanes.map((lane) => layout.right - countWidth(lane, ctx) - 8);
  return cutApart(lanes.map((lane) => stageTitle(lane, payload)), rooms, layout.size.font * TITLE_FONT, 700);
}

/** Title row of a lane, named so far as it has room; returns how to update its counts. */
function writeTitle(stage, ctx, lane, name) {
  const { say, layout, clock, payload } = ctx;
  const place = h("span.rb-lane-count", { style: { right: `${layout.width - layout.right - 4}px` } });
  const title = stageTitle(lane.lane, payload);
  const count = countWidth(lane.lane, ctx);
  const rule = layout.size.name === "phone" ? null : h("span.rb-lane-rule", { text: lane.lane.rule, title: lane.lane.rule_full });
  const row = h(
    "div.rb-lane-title",
    { style: { top: `${lane.titleY}px`, height: `${lane.title}px`, paddingRight: `${layout.width - layout.right + count}px` } },
    h("span.rb-lane-name", {}, h("b", { text: name, title }), rule),
    place,
  );
  stage.parts.over.append(row);
  return (t) => setText(place, countText(lane.lane, ctx, litRound(lane.lane, clock, t), lastEnded(lane.lane, clock, t)));
}

/** "Round 3 of 5 · 2 of 7 tokens"; the round only where lanes have rounds of their own. */
function countText(lane, ctx, lit, ended) {
  const counts = { n: numberText(tokensOut(lane, ended)), all: numberText(lane.total_tokens) };
  const tokens = ctx.say(ctx.future === "nothing" ? "tokens_out" : "tokens_of", counts);
  return lit >= 0 && !ctx.layout.shared ? `${roundOf(lane, lit, ctx)} · ${tokens}` : tokens;
}

/** The room in px that the longest count of a lane takes, with some before it. */
function countWidth(lane, ctx) {
  const last = lane.rounds.end.length - 1;
  return textWidth(countText(lane, ctx, last, last), ctx.layout.size.font, 700) + 16;
}

/** "Round 3 of 5"; without the last where the future is not shown. */
function roundOf(lane, lit, { say, future }) {
  const name = say("round_n", { n: numberText(lane.rounds.number[lit]) });
  return future === "nothing" ? name : name + say("of_rounds", { n: numberText(lane.num_rounds) });
}

/** `P 2 · D 2` over each round's bricks. */
function writeCaptions(stage, ctx, lane) {
  const { layout } = ctx;
  const { start, end, P, D } = lane.lane.rounds;
  const part = (letter, n) => (n ? [`${letter} ${numberText(n)}`] : []);
  const y = lane.stripY - layout.size.font * 0.75;
  const captions = [];
  for (let i = 0; i < end.length; i += 1) {
    const from = layout.x(start[i]);
    const to = layout.x(end[i]);
    const text = [...part("P", P[i]), ...part("D", D[i])].join(" · ");
    if (to - from < textWidth(text, layout.size.font, 700) + 4) continue;
    if (from < layout.gutter - 1 || to > layout.right + 1) continue;
    captions.push({ i, el: label(stage, "rb-caption", text, (from + to) / 2, y) });
  }
  return captions;
}

/** The sentence beside a waiting line. */
function writeWait(stage, ctx, word) {
  const { layout, payload } = ctx;
  const half = textWidth(word.text, layout.size.font, 700) / 2;
  const x = word.above ? Math.min(word.x, layout.width - half) : word.x;
  const el = label(stage, word.above ? "rb-wait" : "rb-wait.rb-beside", word.text, x, word.y);
  el.style.color = requestVar(payload.requests[word.req], "strong");
  return el;
}

/** Names of the closed batches, at their first round. */
function writeBatches(stage, ctx, lane) {
  const { layout } = ctx;
  if (lane.byRequest) return [];
  const { start, end } = lane.lane.rounds;
  return (lane.lane.batches ?? []).flatMap((batch) => {
    const x = layout.x(start[batch.first]);
    const width = layout.x(end[batch.first + batch.count - 1]) - x;
    if (width < textWidth(batch.label, layout.size.font) + 4 || x < layout.gutter - 1) return [];
    const y = lane.rowsY - layout.size.font * 0.6;
    return [{ el: label(stage, "rb-batch", batch.label, x + 3, y), from: start[batch.first] }];
  });
}

/** The dimension arrow of a lane that is done before the last one. */
function writeLead(stage, ctx, lane) {
  const { layout, clock, payload, say } = ctx;
  const { end } = lane.lane;
  if (layout.single || !payload.whole || clock.t1 - end <= clock.eps) return null;
  const from = layout.x(end) + 5;
  const width = layout.right - from;
  const amount = spanText(payload, say, clock.t1 - end);
  const text = say("lead", { time: amount });
  if (width < textWidth(text, layout.size.font, 700) + 48) return null;
  const row = Math.min(lane.count - 1, Math.floor(lane.count / 2));
  const style = { left: `${from}px`, width: `${width}px`, top: `${lane.rowCentre(row)}px` };
  const el = h("div.rb-lead", { style }, h("span", { text }));
  stage.parts.over.append(el);
  return { el, from: end };
}
