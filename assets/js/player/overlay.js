// The HTML over the stage: round heads, gutter, lane titles, times, and what is lit at the cursor.

/** Build the HTML over a freshly drawn stage. */
function buildOverlay(stage, ctx, waitWords) {
  const { layout } = ctx;
  stage.parts.over.replaceChildren();
  stage.parts.lits.replaceChildren();
  stage.times.replaceChildren();
  const lanes = layout.lanes.map((lane, i) => overlayLane(stage, ctx, lane, waitWords[i]));
  const heads = layout.shared
    ? [buildHeads(stage, ctx, longestLane(layout.lanes), 0)]
    : layout.lanes.map((lane) => buildHeads(stage, ctx, lane, lane.headsY));
  const times = buildTimes(stage, ctx);
  const top = layout.shared ? layout.size.heads - 6 : 0;
  Object.assign(stage.parts.cursor.style, { top: `${top}px`, height: `${layout.height - top}px` });
  const settle = (t) => {
    for (const row of heads) row.settle(t);
    for (const lane of lanes) lane.settle(t);
    times.settle(t);
  };
  return { settle, placeTag: times.placeTag };
}

/** The lane with the most rounds, whose heads serve all when they are shared. */
function longestLane(lanes) {
  const length = (lane) => lane.lane.rounds.end.length;
  return lanes.reduce((best, lane) => (length(lane) > length(best) ? lane : best));
}

/** Put a text at a place of the overlay. */
function label(stage, className, text, x, y, style = {}) {
  const el = h(`span.${className}`, { text, style: { left: `${x}px`, top: `${y}px`, ...style } });
  stage.parts.over.append(el);
  return el;
}

/** One row of round heads with its lit pill. */
function buildHeads(stage, ctx, lane, y) {
  const { layout } = ctx;
  const height = layout.shared ? layout.size.heads : layout.size.heads - 4;
  const middle = y + height / 2 - 3;
  const heads = chooseHeads(ctx, lane).map((head) =>
    ({ ...head, el: label(stage, "rb-head", head.text, head.x, middle) }));
  const box = { height: `${height - 6}px`, lineHeight: `${height - 6}px` };
  const pill = label(stage, "rb-pill", "", 0, y, box);
  if (lane.byRequest) label(stage, "rb-gutter", ctx.rowsTitle, 0, middle);
  return { settle: (t) => settleHeads(ctx, { lane, heads, pill }, t) };
}

/** The heads that have room: "Round 3", or "3", or every so many. */
function chooseHeads({ layout, say }, lane) {
  const { start, end, number } = lane.lane.rounds;
  const { font } = layout.size;
  const width = (text) => textWidth(text, font);
  const longest = width(say("round_n", { n: numberText(number.at(-1) ?? 1) }));
  const isWordy = layout.size.name !== "phone" && lane.meanRound >= longest + 12;
  const step = thinning(lane.meanRound, Math.max(20, width(numberText(number.at(-1) ?? 1)) + 8));
  const heads = [];
  for (let i = 0; i < number.length; i += 1) {
    if (number[i] % step) continue;
    const [from, to] = [layout.x(start[i]), layout.x(end[i])];
    const x = (from + to) / 2;
    const long = say("round_n", { n: numberText(number[i]) });
    const text = isWordy && width(long) + 4 <= to - from ? long : numberText(number[i]);
    const half = width(text) / 2;
    const isFree = !heads.length || x - half > heads.at(-1).x + heads.at(-1).half + 4;
    if (isFree && x >= layout.gutter && x <= layout.right) heads.push({ i, x, half, text });
  }
  return heads;
}

/** Light the pill at t and dim the heads ahead of it. */
function settleHeads({ layout, clock, say }, { lane, heads, pill }, t) {
  const { rounds } = lane.lane;
  const lit = litRound(lane.lane, clock, t);
  setShown(pill, lit >= 0);
  const covered = lit >= 0 ? placePill(layout, pill, rounds, lit, say) : [-1, -1];
  for (const head of heads) {
    head.el.classList.toggle("rb-future", rounds.end[head.i] > t + clock.eps);
    const isCovered = head.x + head.half > covered[0] && head.x - head.half < covered[1];
    head.el.style.visibility = isCovered ? "hidden" : "";
  }
}

/** Give the pill its round's width, or its text's where the round is narrower. */
function placePill(layout, pill, rounds, lit, say) {
  const { font } = layout.size;
  const from = Math.max(layout.gutter, layout.x(rounds.start[lit]));
  const to = Math.min(layout.right, layout.x(rounds.end[lit]));
  const name = numberText(rounds.number[lit]);
  const isPhone = layout.size.name === "phone";
  const text = isPhone ? name : say("round_n", { n: name });
  const width = Math.max(to - from, textWidth(text, font, 700) + 12);
  const centre = Math.min(layout.width - width / 2, Math.max(width / 2, (from + to) / 2));
  setText(pill, text);
  pill.style.left = `${centre - width / 2}px`;
  pill.style.width = `${width}px`;
  return [centre - width / 2 - 4, centre + width / 2 + 4];
}

/** Everything written for one lane. */
function overlayLane(stage, ctx, lane, words) {
  const lit = h("div.rb-lit");
  const top = litTop(ctx.layout, lane);
  Object.assign(lit.style, { top: `${top}px`, height: `${lane.bottom + 4 - top}px` });
  stage.parts.lits.append(lit);
  writeGutter(stage, ctx, lane);
  const title = ctx.layout.single ? null : writeTitle(stage, ctx, lane);
  const captions = ctx.layout.single ? writeCaptions(stage, ctx, lane) : [];
  const waits = words.map((word) => ({ ...word, el: writeWait(stage, ctx, word) }));
  const batches = writeBatches(stage, ctx, lane);
  const lead = writeLead(stage, ctx, lane);
  const settle = (t) => {
    settleLit(ctx, lane, lit, captions, t);
    title?.(t);
    for (const wait of waits) setShown(wait.el, wait.until <= t + ctx.clock.eps);
    for (const batch of batches) setShown(batch.el, batch.from <= t + ctx.clock.eps);
    if (lead) setShown(lead.el, t >= lead.from - ctx.clock.eps);
  };
  return { settle };
}

/** Where a lane's lit column begins: under its pill, or where the lane before it ends. */
function litTop({ shared, size }, lane) {
  if (!shared) return lane.headsY + size.heads - 12;
  return lane.top <= size.heads ? size.heads - 6 : lane.top - 4;
}

/** The lit column and the captions over the strip. */
function settleLit(ctx, lane, lit, captions, t) {
  const { layout, clock } = ctx;
  const rounds = lane.lane.rounds;
  const index = litRound(lane.lane, clock, t);
  setShown(lit, index >= 0);
  if (index >= 0) {
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

/** Row names at the left: requests, or seats and the queue; and the budget. */
function writeGutter(stage, ctx, lane) {
  const { layout, payload, say } = ctx;
  const isPhone = layout.size.name === "phone";
  if (lane.byRequest) payload.requests.forEach((request, row) => writeRequest(stage, ctx, lane, request, row));
  else writeSeats(stage, ctx, lane);
  const y = layout.single ? lane.stripY + 10 : lane.stripY + 8;
  if (layout.single) {
    label(stage, "rb-gutter", say("gutter_budget"), 0, y);
    const amount = isPhone ? numberText(lane.lane.budget) : say("gutter_tokens", { n: numberText(lane.lane.budget) });
    label(stage, "rb-gutter", amount, 0, y + layout.size.font * 1.35, { color: "var(--rb-ink)" });
  } else if (!isPhone) {
    label(stage, "rb-gutter", say("gutter_budget_n", { n: numberText(lane.lane.budget) }), 0, y);
  }
}

/** Chip and lengths of a request's row. */
function writeRequest(stage, ctx, lane, request, row) {
  const { layout } = ctx;
  if (lane.dense) return;
  const holder = h("span.rb-row-name", { style: { top: `${lane.rowCentre(row)}px` } }, chip(request));
  if (layout.size.name !== "phone") {
    holder.append(h("span", { text: `${numberText(request.prompt)} → ${numberText(request.output)}` }));
  }
  stage.parts.over.append(holder);
}

/** Names of the seats, and of the queue row above them. */
function writeSeats(stage, ctx, lane) {
  const { say, layout } = ctx;
  const isPhone = layout.size.name === "phone";
  if (!isPhone) label(stage, "rb-gutter", say("gutter_queue"), 0, lane.queueY + lane.queue / 2);
  if (lane.dense) {
    const text = isPhone ? String(lane.count) : say("gutter_seats", { n: lane.count });
    label(stage, "rb-gutter", text, 0, lane.rowsY + 8);
    return;
  }
  for (let row = 0; row < lane.count; row += 1) {
    const text = isPhone ? String(row + 1) : say("gutter_seat", { n: row + 1 });
    label(stage, "rb-gutter", text, 0, lane.rowCentre(row));
  }
}

/** Title row of a lane; returns how to update its counts. */
function writeTitle(stage, ctx, lane) {
  const { say, layout, clock } = ctx;
  const counts = h("span.rb-lane-count", { style: { right: `${layout.width - layout.right - 4}px` } });
  const rule = layout.size.name === "phone" ? null : h("span.rb-lane-rule", { text: lane.lane.rule });
  const row = h(
    "div.rb-lane-title",
    { style: { top: `${lane.titleY}px`, height: `${layout.size.title}px` } },
    h("span.rb-lane-name", {}, h("b", { text: lane.lane.title }), rule),
    counts,
  );
  stage.parts.over.append(row);
  const rounds = lane.lane.rounds;
  return (t) => {
    const ended = lastEnded(lane.lane, clock, t);
    const out = ended < 0 ? startTokens(rounds, lane.lane) : rounds.emitted[ended];
    const tokens = say("tokens_of", { n: numberText(out), all: numberText(lane.lane.total_tokens) });
    const lit = litRound(lane.lane, clock, t);
    const at = lit >= 0 ? `${say("round_n", { n: numberText(rounds.number[lit]) })}${say("of_rounds", { n: numberText(lane.lane.num_rounds) })} · ` : "";
    setText(counts, layout.shared ? tokens : at + tokens);
  };
}

/** Tokens that were out before the window's first round. */
function startTokens(rounds, lane) {
  const first = rounds.emitted[0] ?? 0;
  const inFirst = lane.runs.filter((run) => run.first === 0 && run.token > 0).length;
  return Math.max(0, first - inFirst);
}

/** `P 2 · D 2` over each round's bricks. */
function writeCaptions(stage, ctx, lane) {
  const { layout } = ctx;
  const { start, end, P, D } = lane.lane.rounds;
  const y = lane.stripY - layout.size.font * 0.75;
  const captions = [];
  for (let i = 0; i < end.length; i += 1) {
    const from = layout.x(start[i]);
    const to = layout.x(end[i]);
    const text = [P[i] ? `P ${numberText(P[i])}` : "", D[i] ? `D ${numberText(D[i])}` : ""].filter(Boolean).join(" · ");
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
  if (layout.single) return [];
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
  const end = lane.lane.rounds.end.at(-1);
  if (layout.single || !payload.whole || end === undefined || clock.t1 - end <= clock.eps) return null;
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
