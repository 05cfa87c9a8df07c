// What a cell says: the token at its end, and as many words as fit.

/** The token that comes out at the end of a cell; returns the px it takes at the right. */
function drawToken(ctx, run, box, colour, parts) {
  const { size } = ctx.layout;
  const width = box.right - box.left + 2;
  if (!parts.token || width < 12) return 0;
  const isFirst = parts.token === 1;
  const small = width < 24 || (run.kind === "prefill" && width < 48);
  if (small && !isFirst) return 0;
  const inset = Math.min(parts.finish ? size.insetCap : size.inset, width / 2 + (parts.finish ? 3 : 0));
  const x = small ? box.right - (parts.finish ? 9 : 6) : box.right + 1 - inset;
  const y = (box.top + box.bottom) / 2;
  const height = box.bottom - box.top;
  const mark = isFirst ? diamond(run, colour, size, small, height) : circle(ctx, colour, size, height);
  ctx.sheet.full.marks.push({ x, y, ...mark.shape });
  if (!small) {
    const font = Math.min(Math.round(size.font * (parts.token > 99 ? 0.75 : 1)), height - 6);
    const row = textRow(x, y, String(parts.token), mark.ink, font, { align: "center", bold: true });
    ctx.sheet.full.numbers.push(row);
  }
  return small ? 14 : inset + size.circle / 2;
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

/** What a prefill cell may say, longest first. */
function prefillLabels(ctx, run, letter) {
  const name = ctx.payload.requests[run.req].label;
  const words = ctx.say("cell_prefill", { n: run.n });
  return letter ? [`${name} ${words}`, `${name} ${run.n}`, String(run.n)] : [words, String(run.n)];
}

/** What the cell of a decode, or of a member that is held up, may say, longest first. */
function decodeLabels(ctx, run, parts) {
  const name = ctx.payload.requests[run.req].label;
  const word = ctx.say(run.kind === "hold" ? "hold" : "cell_decode");
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
  const room = width - tokenRoom - 8;
  const text = labels.find((label) => textWidth(label, size.font, isPrefill ? 700 : 400) <= room);
  if (!text) return;
  const pad = room - textWidth(text, size.font, isPrefill ? 700 : 400);
  const x = box.left + Math.min(size.font * 0.66, 3 + pad / 2);
  ctx.sheet.full.plates.push(textRow(
    x, (box.top + box.bottom) / 2, text, isPrefill ? colour.on : colour.onsoft, size.font,
    { bold: isPrefill, plate: run.kind === "hold" ? null : isPrefill ? colour.strong : colour.soft },
  ));
}

/** Whether a label has the phase's word in it. */
function wordy(ctx, label, run) {
  const word = { prefill: "cell_prefill", hold: "hold" }[run.kind] ?? "cell_decode";
  return label.includes(ctx.say(word, { n: run.n }));
}

/** Write the longest of some labels that fits, in the middle of a box. */
function labelCentre(ctx, box, labels, ink, plate) {
  const { size } = ctx.layout;
  if (box.bottom - box.top < 14) return;
  const room = box.right - box.left - 6;
  const text = labels.find((label) => textWidth(label, size.font, 700) <= room);
  if (!text) return;
  const x = (box.left + box.right) / 2;
  const y = (box.top + box.bottom) / 2;
  const style = { align: "center", bold: true, plate };
  ctx.sheet.full.plates.push(textRow(x, y, text, ink, size.font, style));
}

/** The words "idle seat", once, in the middle of the run. */
function labelIdle(ctx, lane, run, from, to) {
  const { size } = ctx.layout;
  const text = ctx.say("cell_idle");
  if (lane.dense || to - from < textWidth(text, size.font) + 16) return;
  ctx.sheet.full.plates.push(textRow(
    (from + to) / 2, lane.rowCentre(lane.rowOf(run)), text, ctx.theme.ink2, size.font,
    { align: "center", plate: ctx.theme.surface },
  ));
}
