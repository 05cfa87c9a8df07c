// Round heads: their names over the rounds, and the pill of the round that is lit.

const WIDE_ROUND = 3.5; // times the type size

/** One row of round heads with its lit pill. */
function buildHeads(stage, ctx, lane, y) {
  const { layout } = ctx;
  const height = layout.shared || layout.single ? layout.size.heads : layout.size.laneHeads;
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
  const heads = number.map((n, i) => {
    const [from, to] = [layout.x(start[i]), layout.x(end[i])];
    const long = say("round_n", { n: numberText(n) });
    const text = isWordy && width(long) + 4 <= to - from ? long : numberText(n);
    return { i, n, x: (from + to) / 2, half: width(text) / 2, text, isWide: to - from >= WIDE_ROUND * font };
  }).filter(({ x }) => x >= layout.gutter && x <= layout.right);
  return everySoMany(heads);
}

/**
 * The heads of every 1st, 2nd, 5th … round: the first step at which none touches the next. A round
 * much wider than its number always has it.
 */
function everySoMany(heads) {
  const isApart = (head, i, list) => i === 0 || head.x - head.half > list[i - 1].x + list[i - 1].half + 4;
  for (const step of STEPS) {
    const chosen = heads.filter(({ n, isWide }) => isWide || n % step === 0);
    if (chosen.every(isApart)) return chosen;
  }
  return [];
}

/** Light the pill at t and dim the heads ahead of it. */
function settleHeads({ layout, clock, say, future }, { lane, heads, pill }, t) {
  const { rounds } = lane.lane;
  const lit = litRound(lane.lane, clock, t);
  const isShown = lit >= 0 && isRoundShown(layout, rounds, lit);
  setShown(pill, isShown);
  const isCut = future === "nothing" && isShown && rounds.end[lit] > t + clock.eps;
  const covered = isShown ? placePill(layout, pill, rounds, { lit, isCut }, say) : [-1, -1];
  for (const head of heads) {
    const isAhead = rounds.end[head.i] > t + clock.eps;
    head.el.classList.toggle("rb-future", isAhead);
    const isCovered = head.x + head.half > covered[0] && head.x - head.half < covered[1];
    head.el.style.visibility = isCovered || (isAhead && future === "nothing") ? "hidden" : "";
  }
}

/**
 * Give the pill its round's width, or its text's where the round is narrower, or where its end is
 * not to be known yet.
 */
function placePill(layout, pill, rounds, { lit, isCut }, say) {
  const { font } = layout.size;
  const from = Math.max(layout.gutter, layout.x(rounds.start[lit]));
  const to = isCut ? from : Math.min(layout.right, layout.x(rounds.end[lit]));
  const name = numberText(rounds.number[lit]);
  const isPhone = layout.size.name === "phone";
  const text = isPhone ? name : say("round_n", { n: name });
  const width = Math.max(to - from, textWidth(text, font, 700) + 12);
  const wanted = isCut ? from + width / 2 : (from + to) / 2;
  const centre = Math.min(layout.width - width / 2, Math.max(width / 2, wanted));
  setText(pill, text);
  pill.style.left = `${centre - width / 2}px`;
  pill.style.width = `${width}px`;
  return [centre - width / 2 - 4, centre + width / 2 + 4];
}
