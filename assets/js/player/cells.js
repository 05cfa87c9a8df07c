// The rows of a lane: one rectangle a phase and round, its hatch, words, tokens and end cap.

const NO_LINE = { line_color: null, line_alpha: 1, line_width: 1, line_dash: "solid" };
const MERGE_UNDER = 12;
const DENSE_UNDER = 3.5;
const OUTLINED = new Set(["hold", "paused", "preempted", "swapped"]);
const HATCH_IDLE_FROM = 3;
const LEAST_FIRST = 7; // px of a cell without words that still has the mark of a first token
const MOST_HATCHED = 80; // with a colour of their own
const IN_OWN_COLOUR = new Set(["hatch_pad", "hatch_paused", "hatch_swapped"]);

/** Fill, line and hatch of a phase in a request's colour. */
function phaseStyle(phase, colour, { theme, dark }, roomy) {
  const outline = (color, alpha) => ({ ...NO_LINE, line_color: color, line_alpha: alpha });
  switch (phase) {
    case "prefill":
      return { fill_color: colour.strong, ...NO_LINE, hatch: "hatch_prefill" };
    case "again":
      return { fill_color: colour.strong, ...NO_LINE, hatch: "hatch_again" };
    case "paused":
      return { fill_color: null, ...outline(colour.strong, 1), hatch: "hatch_paused" };
    case "swapped":
      return { fill_color: null, ...outline(colour.strong, 1), line_dash: "6 3", hatch: "hatch_swapped" };
    case "preempted":
      return { fill_color: null, ...outline(colour.strong, 1), line_width: 1.5, line_dash: "6 3" };
    case "draft":
      return { fill_color: theme.surface, ...outline(colour.strong, dark ? 0.75 : 0.6) };
    case "pad":
      return { fill_color: theme.surface, ...outline(colour.strong, 0.7), hatch: "hatch_pad" };
    case "idle":
      return { fill_color: null, ...outline(theme.idle, roomy ? 1 : 0.6), hatch: "hatch_idle" };
    case "hold":
      return { fill_color: null, ...outline(colour.strong, 0.45) };
    default:
      return { fill_color: colour.soft, ...outline(colour.strong, dark ? 0.75 : 0.45) };
  }
}

/**
 * Colour and measures of the hatches. Bokeh draws the diagonal ones up to three times over each
 * other, so their alpha is the third part of what is seen.
 */
function styleHatches(figure, { theme, layout }) {
  const { hatch, weight } = layout.size;
  const styles = {
    hatch_prefill: { hatch_color: theme.requests[0].on, hatch_alpha: 0.1, hatch_scale: hatch },
    hatch_again: { hatch_color: theme.requests[0].on, hatch_alpha: 0.32, hatch_scale: (hatch * 2) / 3 },
    hatch_paused: { hatch_alpha: 0.55, hatch_scale: (hatch * 2) / 3 },
    hatch_swapped: { hatch_alpha: 0.7, hatch_scale: hatch * 0.42 },
    hatch_idle: { hatch_color: theme.idle, hatch_alpha: 0.33, hatch_scale: hatch },
    hatch_pad: { hatch_alpha: 0.55, hatch_scale: (hatch * 2) / 3 },
  };
  for (const renderer of figure.renderers) {
    const style = styles[renderer.name];
    if (!style) continue;
    const { hatch_color: color, ...measures } = style;
    const colored = color ? { hatch_color: { value: color } } : {};
    const values = Object.fromEntries(Object.entries(measures).map(([name, value]) => [name, { value }]));
    renderer.glyph.setv({ ...colored, ...values, hatch_weight: { value: weight } });
  }
}

/** Line of what has not happened yet. */
function ghostStyle(color, ctx) {
  return { line_color: color, line_alpha: ctx.dark ? 0.8 : 0.6, line_width: 1, line_dash: "3 3" };
}

/** In rows of a few px: no lines, and a decode dark enough to be seen. */
function denseStyle(phase, colour, { theme }) {
  if (OUTLINED.has(phase)) return { fill_color: null, line_color: colour.strong, line_alpha: 0.45, line_width: 0.5 };
  const fills = {
    decode: mixed(colour.soft, colour.strong, 0.3), prefill: colour.strong, again: colour.strong,
    idle: faint(theme.idle),
  };
  return { line_color: null, fill_color: fills[phase] ?? theme.line2 };
}

/** A hex colour at an alpha of .15: many thin rows of it keep apart from the grey of tokens. */
function faint(colour) {
  return `${colour}26`;
}

/** Two hex colours mixed, with `share` of the second. */
function mixed(first, second, share) {
  const parts = [1, 3, 5].map((at) => {
    const [a, b] = [first, second].map((colour) => parseInt(colour.slice(at, at + 2), 16));
    return Math.round(a + (b - a) * share).toString(16).padStart(2, "0");
  });
  return `#${parts.join("")}`;
}

/** Put a rectangle on the sheet, and its ghost. */
function addCell(ctx, box, phase, colour) {
  const height = box.bottom - box.top;
  const roomy = height >= (phase === "pad" ? 5 : 8) && box.right - box.left >= 6;
  const style = phaseStyle(phase, colour, ctx, roomy);
  const isDense = height < (phase === "idle" ? HATCH_IDLE_FROM : DENSE_UNDER);
  if (isDense) Object.assign(style, denseStyle(phase, colour, ctx));
  const { full } = ctx.sheet;
  const isSpared = IN_OWN_COLOUR.has(style.hatch) && full[style.hatch].length >= MOST_HATCHED;
  const isHatched = roomy || (phase === "idle" && !isDense && box.right - box.left >= 6);
  if (phase === "idle" && !isHatched) style.fill_color = faint(ctx.theme.idle);
  full.cells.push({ ...box, ...style });
  if (style.hatch && isHatched && !isSpared) full[style.hatch].push({ ...box, hatch_color: colour.strong });
  const ghost = ghostStyle(phase === "idle" ? ctx.theme.idle : colour.strong, ctx);
  if (isDense) Object.assign(ghost, { line_alpha: 0.3, line_dash: "solid" });
  ctx.sheet.ghost.cells.push({ ...box, ...ghost });
}

/** Draw all runs of a lane. */
function drawRuns(ctx, lane) {
  const named = new Set();
  const lastRun = new Map();
  for (const run of lane.lane.runs) {
    const rounds = lane.lane.rounds;
    const stop = run.first + run.count - 1;
    const before = lastRun.get(run.req);
    lastRun.set(run.req, { kind: run.kind, stop });
    if (rounds.end[stop] < ctx.layout.from || rounds.start[run.first] > ctx.layout.to) continue;
    const continues = before?.kind === run.kind && before.stop + 1 === run.first;
    const letter = !lane.byRequest && !named.has(run.req);
    if (letter && hasRoomForLetter(ctx, run, rounds)) named.add(run.req);
    drawRun(ctx, lane, run, { letter, word: !continues });
  }
}

/** Whether the cell that a run begins with is wide enough for its request's letter. */
function hasRoomForLetter({ layout }, run, { start, end }) {
  const from = layout.cut(start[run.first]);
  const oneRound = layout.cut(end[run.first]) - from;
  const whole = layout.cut(end[run.first + run.count - 1]) - from;
  return (oneRound < MERGE_UNDER ? whole : oneRound) >= 24;
}

/** Draw one run: cell by cell where a round is wide enough, else as one rectangle. */
function drawRun(ctx, lane, run, flags) {
  const { start, end } = lane.lane.rounds;
  const stop = run.first + run.count - 1;
  const { x, cut } = ctx.layout;
  const from = cut(start[run.first]);
  const to = cut(end[stop]);
  const isWhole = end[stop] <= ctx.layout.to + ctx.clock.eps;
  if ((x(end[stop]) - x(start[run.first])) / run.count < MERGE_UNDER) {
    const parts = { finish: run.finish && isWhole, token: 0, letter: flags.letter };
    drawCell(ctx, lane, run, from, to, parts);
    return;
  }
  for (let k = 0; k < run.count; k += 1) {
    const [since, until] = [start[run.first + k], end[run.first + k]];
    if (until <= ctx.layout.from || since >= ctx.layout.to) continue;
    const isEnded = until <= ctx.layout.to + ctx.clock.eps;
    const token = run.token > 0 ? run.token + (run.kind === "decode" ? k : 0) : 0;
    const leaves = lane.left.get(run.req);
    drawCell(ctx, lane, run, cut(since), cut(until), {
      token: isEnded ? token : 0,
      finish: run.finish && isEnded && k === run.count - 1,
      left: leaves && isEnded && Math.abs(leaves.t - until) <= ctx.clock.eps,
      letter: flags.letter && k === 0,
      word: flags.word && k === 0,
    });
  }
  if (isWordInMiddle(run)) labelRun(ctx, lane, run, flags);
}

/** The phase of a run as it is drawn: a prefill that repeats work, and a pause, have signs of their own. */
function cellPhase(run) {
  if (run.kind === "prefill" && run.again) return "again";
  return run.kind === "hold" && run.paused ? "paused" : run.kind;
}

/** Whether a run's word stands once, in its middle: of an idle seat, or who is held up without a token. */
function isWordInMiddle(run) {
  return run.kind === "idle" || (run.kind === "hold" && !run.token);
}

/** Draw one cell with what it carries. */
function drawCell(ctx, lane, run, from, to, parts) {
  const colour = ctx.colourOf(run.req);
  const centre = lane.rowCentre(lane.rowOf(run));
  const inset = to - from > 5 ? 1 : 0;
  const box = {
    left: from + inset, right: to - inset, top: centre - lane.cell / 2, bottom: centre + lane.cell / 2,
  };
  if (run.pad > 0) drawPadded(ctx, run, box, colour);
  else addCell(ctx, box, cellPhase(run), colour);
  if (parts.finish) addCap(ctx, lane, box, colour);
  if (lane.dense) {
    if (lane.cell >= LEAST_FIRST && parts.token === 1) drawToken(ctx, run, box, colour, parts, true);
    return;
  }
  const room = drawToken(ctx, run, box, colour, parts);
  if (run.pad > 0) labelPadded(ctx, run, box, room, colour, parts);
  else if (!isWordInMiddle(run)) labelCell(ctx, run, box, colour, parts, room);
}

/** A prefill cell's two parts: the prompt, and padding up to the longest prompt of the batch. */
function paddedParts(run, box) {
  const split = box.left + ((box.right - box.left) * run.n) / (run.n + run.pad);
  return [{ ...box, right: split - 1 }, { ...box, left: run.n > 0 ? split + 1 : box.left }];
}

/** Draw a prefill cell whose right part is padding. */
function drawPadded(ctx, run, box, colour) {
  const [own, padding] = paddedParts(run, box);
  if (run.n > 0) addCell(ctx, own, "prefill", colour);
  addCell(ctx, padding, "pad", colour);
}

/** The numbers of both parts, each where its part has room beside the token. */
function labelPadded(ctx, run, box, tokenRoom, colour, parts) {
  const [own, padding] = paddedParts(run, box);
  const words = [ctx.say("cell_pad", { n: run.pad }), String(run.pad)];
  if (run.n > 0) labelCentre(ctx, own, prefillLabels(ctx, run, parts.letter), colour.on, colour.strong);
  const free = { ...padding, right: padding.right - tokenRoom };
  labelCentre(ctx, free, words, colour.onsoft, ctx.theme.surface);
}

/** The end cap of a finished request. */
function addCap(ctx, lane, box, colour) {
  const wide = box.right - box.left >= 10 && lane.cell >= 10;
  const reach = lane.cell >= 10 ? 3 : 0;
  ctx.sheet.full.solids.push({
    left: box.right - (wide ? 4 : 2), right: box.right, top: box.top - reach,
    bottom: box.bottom + reach, fill_color: colour.strong,
  });
}
