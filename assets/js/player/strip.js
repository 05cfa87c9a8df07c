// The budget strip: each round's tokens from the bottom up in the order the budget is spent.

const STRIP_PHASE = { d: "decode", p: "prefill", v: "draft", pad: "pad", idle: "idle" };
const MOST_STRIP_CELLS = 6000;
const THINNEST = 2;
const MANY = -1; // owner of a part that sums up many requests

/** Draw a lane's strip: one brick a token, or stacked bars. */
function drawStrip(ctx, lane) {
  if (!lane.strip) return;
  const { layout, theme } = ctx;
  const { start, end } = lane.lane.rounds;
  const overhang = layout.single ? 6 : 0;
  const from = layout.gutter - overhang;
  const to = layout.right + overhang;
  addRule(ctx.sheet, from, lane.stripEnd, to, lane.stripEnd, theme.line, theme.line);
  const grouped = lane.meanRound < 3 || lane.lane.strip.length * 8 > MOST_STRIP_CELLS;
  lane.lane.strip.forEach((parts, i) => {
    if (end[i] <= layout.from || start[i] >= layout.to) return;
    const column = { left: layout.cut(start[i]), right: layout.cut(end[i]) };
    if (column.right - column.left > 5) {
      column.left += lane.bricks ? 2 : 1;
      column.right -= lane.bricks ? 2 : 1;
    }
    if (lane.bricks) drawBricks(ctx, lane, parts, column, budgetOf(lane, i));
    else if (grouped) drawPhases(ctx, lane, parts, column);
    else drawBars(ctx, lane, parts, column);
  });
  drawBudget(ctx, lane, from, to);
}

/** The budget of a round of the lane. */
function budgetOf({ lane }, i) {
  return lane.budgets[i] ?? lane.budget;
}

/** The budget of a lane, or those before and after its forks. */
function budgetText({ lane }) {
  const known = lane.budgets.filter((n, i) => n !== lane.budgets[i - 1]);
  return (known.length ? known : [lane.budget]).map((n) => numberText(n)).join("→");
}

/** The line of the budget; a step where a fork has changed it. */
function drawBudget({ sheet, theme, layout }, lane, from, to) {
  const { rounds: { start, end }, budgets } = lane.lane;
  const yOf = (i) => lane.stripEnd - budgetOf(lane, i) * lane.stripUnit;
  const rule = (x0, x1, y0, y1) => addRule(sheet, x0, y0, x1, y1, theme.ink, theme.ink, 1.5);
  if (!budgets.length) rule(from, to, lane.stripY, lane.stripY);
  budgets.forEach((_, i) => {
    const isShown = end[i] > layout.from && start[i] < layout.to;
    const left = i ? layout.cut(start[i]) : from;
    const right = i + 1 < budgets.length ? layout.cut(start[i + 1]) : to;
    if (isShown) rule(left, right, yOf(i), yOf(i));
    if (isShown && i && yOf(i) !== yOf(i - 1)) rule(left, left, yOf(i - 1), yOf(i));
  });
}

/** One brick a token, with its owner's letter; unspent ones are dashed. */
function drawBricks(ctx, lane, parts, column, budget) {
  const { theme, layout } = ctx;
  let filled = 0;
  for (const [req, n, phase] of parts) {
    for (let k = 0; k < n && filled < budget; k += 1) {
      const box = brickBox(lane, filled, column);
      addCell(ctx, box, STRIP_PHASE[phase], ctx.colourOf(req));
      labelBrick(ctx, box, req, phase);
      filled += 1;
    }
  }
  if (layout.size.name === "phone") return;
  for (; filled < budget; filled += 1) {
    const box = brickBox(lane, filled, column);
    const line = { ...NO_LINE, line_color: theme.line2, line_dash: "2 3" };
    ctx.sheet.full.cells.push({ ...box, fill_color: null, ...line });
  }
}

/** Where the n-th token of a round stands. */
function brickBox(lane, n, column) {
  const bottom = lane.stripEnd - n * lane.stripUnit - 1;
  return { ...column, bottom, top: bottom - lane.stripUnit + 2 };
}

/** The owner's letter on a brick. */
function labelBrick(ctx, box, req, phase) {
  const { small } = ctx.layout.size;
  const text = ctx.payload.requests[req].label;
  if (box.bottom - box.top < 13 || phase === "idle") return;
  if (box.right - box.left < textWidth(text, small, 700) + 6) return;
  const colour = ctx.colourOf(req);
  const [ink, plate] = {
    p: [colour.on, colour.strong], d: [colour.onsoft, colour.soft],
  }[phase] ?? [colour.onsoft, ctx.theme.surface];
  const x = (box.left + box.right) / 2;
  const half = textWidth(text, small, 700) / 2 + 2;
  const plateBox = { left: x - half, right: x + half, top: box.top + 1, bottom: box.bottom - 1 };
  ctx.sheet.full.solids.push({ ...plateBox, fill_color: plate });
  const style = { align: "center", bold: true };
  ctx.sheet.full.numbers.push(textRow(x, (box.top + box.bottom) / 2, text, ink, small, style));
}

/** Stacked bars, one a request; those too thin to be told apart stand together in grey. */
function drawBars(ctx, lane, parts, column) {
  let bottom = lane.stripEnd;
  for (const [req, n, phase] of joinThin(parts, lane.stripUnit)) {
    const top = bottom - n * lane.stripUnit;
    const gap = bottom - top >= 4 ? 0.5 : 0;
    const box = { ...column, top: top + gap, bottom: bottom - gap };
    if (req === MANY) addGrey(ctx, box, phase);
    else addCell(ctx, box, STRIP_PHASE[phase], ctx.colourOf(req));
    bottom = top;
  }
}

/** Join neighbours of one phase that are less than `THINNEST` px each. */
function joinThin(parts, unit) {
  const joined = [];
  for (const [req, n, phase] of parts) {
    const last = joined.at(-1);
    if (req !== MANY && n * unit >= THINNEST) joined.push([req, n, phase]);
    else if (last && last[0] === MANY && last[2] === phase) last[1] += n;
    else joined.push([MANY, n, phase]);
  }
  return joined;
}

/** Bars by phase only, for rounds too many to tell requests apart. */
function drawPhases(ctx, lane, parts, column) {
  drawBars(ctx, lane, joinThin(parts.map(([, n, phase]) => [MANY, n, phase]), 1), column);
}

/** A bar of many requests: grey, darker for prefill. */
function addGrey(ctx, box, phase) {
  const { ink3, line, line2, idle } = ctx.theme;
  const fill = { d: line2, p: ink3, pad: idle, idle: line }[phase] ?? line2;
  ctx.sheet.full.cells.push({ ...box, fill_color: fill, ...NO_LINE });
  ctx.sheet.ghost.cells.push({ ...box, ...ghostStyle(line2, ctx) });
}
