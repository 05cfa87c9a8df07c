// What a cell says: the token at its end, and as many words as fit.

const PLATE_PADDING = 2; // as in the figure: a text with a plate begins so far inside of it
const LEAST_NUMBERED = 15; // px of a cell that has room for the number of its token
const LEFT_ROOM = 16; // for the mark of who leaves without being done

/** The tokens that come out at the end of a cell; returns the px they take at the right. */
function drawToken(ctx, run, box, colour, parts, isDense = false) {
  const { size } = ctx.layout;
  const width = box.right - box.left + 2;
  const edge = parts.left ? LEFT_ROOM * (size.font / 12) : 0;
  if (!parts.token || width < 12) return edge;
  const isFirst = parts.token === 1 && run.tokens < 2;
  const height = box.bottom - box.top;
  const small = isDense || height < LEAST_NUMBERED || width < 24 + edge || (run.kind === "prefill" && width < 48);
  if (small && !isFirst) return edge;
  const y = (box.top + box.bottom) / 2;
  if (run.tokens > 1) return edge + drawTokens(ctx, run, { x: box.right + 1 - edge, y, height, width, finish: parts.finish }, colour);
  const inset = edge + Math.min(parts.finish ? size.insetCap : size.inset, (width - edge) / 2 + (parts.finish ? 3 : 0));
  const x = small ? box.right - edge - (parts.finish ? 9 : 6) : box.right + 1 - inset;
  const mark = isFirst ? diamond(run, colour, size, small, height) : circle(ctx, colour, size, height);
  if (run.unsent) Object.assign(mark, unsentLook(ctx, mark));
  ctx.sheet.full.marks.push({ x, y, ...mark.shape });
  if (!small) {
    const font = Math.min(Math.round(size.font * (parts.token > 99 ? 0.75 : 1)), height - 6);
    const row = textRow(x, y, String(parts.token), mark.ink, font, { align: "center", bold: true });
    ctx.sheet.full.numbers.push(row);
  }
  return small ? edge + 14 : inset + (isFirst ? mark.shape.size / Math.SQRT2 : size.circle / 2);
}

/** Several tokens of one round: one ring around the first and the last number. */
function drawTokens(ctx, run, { x, y, height, width, finish }, colour) {
  const { size } = ctx.layout;
  const tall = Math.min(size.circle, height - 4);
  const text = `${run.token}–${run.token + run.tokens - 1}`;
  const font = Math.min(size.small, height - 6);
  const wide = textWidth(text, font, 700) + tall * 0.6;
  const right = x - (finish ? 8 : 5) * (size.font / 12);
  if (wide > width - 8) return 0;
  const ring = { left: right - wide, right, top: y - tall / 2, bottom: y + tall / 2 };
  const line = { ...NO_LINE, line_color: colour.strong, line_width: 1.5 * (size.circle / 18) };
  ctx.sheet.full.rings.push({ ...ring, fill_color: ctx.theme.surface, ...line });
  const style = { align: "center", bold: true };
  ctx.sheet.full.numbers.push(textRow(right - wide / 2, y, text, colour.onsoft, font, style));
  return x - right + wide;
}

/** A token that was generated but not sent: grey, and nothing inside of it but its number. */
function unsentLook({ theme }, { shape }) {
  return { shape: { ...shape, fill_color: null, line_color: theme.ink3, line_width: 1 }, ink: theme.ink3 };
}

/** The first token: a square on its tip that inverts its cell. */
function diamond(run, colour, size, small, height) {
  const onPrefill = run.kind === "prefill" && run.pad === 0;
  const shape = {
    marker: "square", size: small ? 6 : Math.min(size.diamond, (height - 1) / Math.SQRT2), angle: Math.PI / 4, line_width: 0,
    line_color: null, fill_color: onPrefill ? colour.on : colour.onsoft,
  };
  return { shape, ink: onPrefill ? colour.strong : colour.soft };
}

/** A later token: a ring. */
function circle(ctx, colour, size, height) {
  const shape = {
    marker: "circle", size: Math.min(size.circle, height - 4), angle: 0, line_width: 1.5 * (size.circle / 18),
    line_color: colour.strong, fill_color: ctx.theme.surface,
  };
  return { shape, ink: colour.onsoft };
}

/** The word of a prefill cell: "prefill", or "again". */
function prefillWord(run) {
  return run.again ? "cell_again" : "cell_prefill";
}

/** What a prefill cell may say, longest first. */
function prefillLabels(ctx, run, letter) {
  const name = ctx.payload.requests[run.req].label;
  const words = ctx.say(prefillWord(run), { n: run.n });
  return letter ? [`${name} ${words}`, `${name} ${run.n}`, name, String(run.n)] : [words, String(run.n)];
}

/** The word of a cell without a number of its own. */
function quietWord(run) {
  if (run.kind === "idle") return "cell_idle";
  if (run.kind === "hold") return run.paused ? "cell_paused" : "hold";
  return "cell_decode";
}

/** What the cell of a decode, or of a member that is held up, may say, longest first. */
function decodeLabels(ctx, run, parts) {
  const name = ctx.payload.requests[run.req].label;
  const word = ctx.say(quietWord(run));
  if (parts.letter) return [`${name} ${word}`, name];
  return parts.word ? [word] : [];
}

/** Write the longest label that fits left of the token. */
function labelCell(ctx, run, box, colour, parts, tokenRoom) {
  const { size } = ctx.layout;
  const width = box.right - box.left + 2;
  if (width < 24) return;
  const isPrefill = run.kind === "prefill";
  const all = isPrefill ? prefillLabels(ctx, run, parts.letter) : decodeLabels(ctx, run, parts);
  const labels = width >= size.wordFrom ? all : all.filter((label) => !wordy(ctx, label, run));
  const room = width - tokenRoom - 7;
  const text = labels.find((label) => textWidth(label, size.font, isPrefill ? 700 : 400) <= room);
  if (!text) return;
  const pad = room - textWidth(text, size.font, isPrefill ? 700 : 400);
  const x = box.left + Math.min(size.font * 0.66, 3 + pad / 2) - PLATE_PADDING;
  ctx.sheet.full.plates.push(textRow(
    x, (box.top + box.bottom) / 2, text, isPrefill ? colour.on : colour.onsoft, size.font,
    { bold: isPrefill, plate: isPrefill ? colour.strong : run.kind === "hold" ? null : colour.soft },
  ));
}

/** Whether a label has the phase's word in it. */
function wordy(ctx, label, run) {
  const word = run.kind === "prefill" ? prefillWord(run) : quietWord(run);
  return label.includes(ctx.say(word, { n: run.n }));
}

/** Write the longest of some labels that fits, in the middle of a box. */
function labelCentre(ctx, box, labels, ink, plate, weight = 700) {
  const { size } = ctx.layout;
  if (box.bottom - box.top < 14) return;
  const room = box.right - box.left - 4;
  const text = labels.find((label) => textWidth(label, size.font, weight) <= room);
  if (!text) return;
  const x = (box.left + box.right) / 2;
  const y = (box.top + box.bottom) / 2;
  const style = { align: "center", bold: weight === 700, plate };
  ctx.sheet.full.plates.push(textRow(x, y, text, ink, size.font, style));
}

/**
 * The word of an idle seat or of a member that is held up, once: in the middle of the first round
 * that has room for it, else of the run.
 */
function labelRun(ctx, lane, run, { letter }) {
  const { size } = ctx.layout;
  const word = ctx.say(quietWord(run));
  const name = letter && run.kind === "hold" ? `${ctx.payload.requests[run.req].label} ` : "";
  const places = wordPlaces(ctx.layout, lane, run);
  const fits = (one, [from, to]) => textWidth(one, size.font) + 12 <= to - from;
  const text = [name + word, word].find((one) => places.some((place) => fits(one, place)));
  if (lane.dense || !text || size.name === "phone") return;
  const [from, to] = places.find((place) => fits(text, place));
  const ink = run.kind === "idle" ? ctx.theme.ink2 : ctx.colourOf(run.req).onsoft;
  const plate = run.kind === "idle" || run.paused ? ctx.theme.surface : null;
  const y = lane.rowCentre(lane.rowOf(run));
  ctx.sheet.full.plates.push(textRow((from + to) / 2, y, text, ink, size.font, { align: "center", plate }));
}

/** Where the word of a run may stand: in each of its rounds, or across all of them. */
function wordPlaces({ cut }, { lane: { rounds: { start, end } } }, { first, count }) {
  const rounds = Array.from({ length: count }, (_, k) => [cut(start[first + k]), cut(end[first + k])]);
  return [...rounds, [rounds[0][0], rounds.at(-1)[1]]];
}
