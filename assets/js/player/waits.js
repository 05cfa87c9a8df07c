// Waiting: in its own row where a row is a request, else in the queue row above the seats.

/** Draw a lane's waiting lines; returns the words that belong beside them. */
function drawWaits(ctx, lane) {
  const { waits } = lane.lane;
  if (lane.isCrowded) {
    drawQueueLength(ctx, lane);
    return [];
  }
  const words = waits.flatMap((wait, i) => {
    if (!isInView(wait, ctx.layout)) return [];
    const y = lane.byRequest
      ? lane.rowCentre(wait.req)
      : lane.queueY + lane.waitBase + lane.rowOfWait[i] * lane.waitStep;
    drawWait(ctx, wait, y, lane.byRequest, lane.byRequest && lane.isNarrow);
    if (lane.byRequest || !wait.text) return [];
    return [waitWords(ctx, lane, wait, y, lane.rowOfWait[i])];
  });
  return keptApart(words.flatMap((word) => (hasRoom(ctx, lane, word) ? [word] : perched(ctx, lane, word, words))), ctx.layout.size);
}

/** Those sentences that touch none before them: rows are closer than a sentence over one and one beside another need. */
function keptApart(words, { font }) {
  const boxOf = ({ text, x, above }) => {
    const width = textWidth(text, font, 700) + 6;
    return above ? [x - width / 2, x + width / 2] : [x, x + width];
  };
  const touch = (one, other) => {
    const [[from, to], [left, right]] = [boxOf(one), boxOf(other)];
    return Math.abs(one.y - other.y) < font && from < right && left < to;
  };
  return words.reduce((kept, word) => (kept.some((other) => touch(word, other)) ? kept : [...kept, word]), []);
}

/**
 * A sentence without room beside its triangle stands over it, in the first row, where it keeps
 * clear of the other sentences of that row.
 */
function perched(ctx, lane, word, words) {
  const { layout } = ctx;
  const half = textWidth(word.text, layout.size.font, 700) / 2 + 3;
  const x = Math.min(layout.width - half, Math.max(layout.gutter + half, (layout.x(word.from) + layout.cut(word.until)) / 2));
  const isClear = words.every((other) => {
    if (other === word || other.row > 0) return true;
    const width = textWidth(other.text, layout.size.font, 700) + 6;
    const left = other.above ? other.x - width / 2 : layout.x(other.from) - 8;
    return x + half < left || x - half > (other.above ? left : other.x) + width;
  });
  const y = lane.queueY + lane.waitBase - layout.size.font * 1.1;
  return word.row === 0 && isClear && word.from >= layout.from ? [{ ...word, above: true, x, y }] : [];
}

/** Whether any of a wait lies in the range shown. */
function isInView(wait, layout) {
  return wait.t0 <= layout.to && (wait.t1 ?? Infinity) >= layout.from;
}

/** Whether a sentence beside its triangle keeps clear of the next one in its row and of the edge. */
function hasRoom(ctx, lane, word) {
  if (word.above) return true;
  const end = word.x + textWidth(word.text, ctx.layout.size.font, 700) + 8;
  if (end > ctx.layout.width) return false;
  return lane.lane.waits.every((wait, i) =>
    lane.rowOfWait[i] !== word.row || wait.t0 <= word.from || ctx.layout.x(wait.t0) > end);
}

/**
 * One waiting line from the arrival's triangle to the first round. A triangle at the very start
 * stands left of it, or the cursor there would hide half of it.
 */
function drawWait(ctx, wait, y, byRequest, small) {
  const { layout, sheet } = ctx;
  const color = ctx.colourOf(wait.req).strong;
  const from = layout.x(wait.t0);
  const start = layout.cut(wait.t0);
  const isJoining = wait.end === "joins" || wait.t1 === null;
  const to = layout.cut(wait.t1 ?? layout.to) - (isJoining ? 1 : LEFT_ROOM * (layout.size.font / 12));
  if (to > start) {
    const look = { line_color: color, line_width: small ? 1 : 2 };
    sheet.full.rules.push({ x0: start, x1: to, y0: y, y1: y, ...look });
  }
  const queued = !byRequest || !isJoining || to - start > 2;
  if (small || !queued || wait.t0 < layout.from) return;
  const half = layout.size.arrival / 2 + 1;
  sheet.full.marks.push({
    x: wait.t0 > ctx.clock.t0 ? from : from - half, y: y - 0.5, marker: "inverted_triangle", size: layout.size.arrival, angle: 0,
    fill_color: color, line_color: null, line_width: 0,
  });
}

/**
 * Where the sentence of a wait stands: above its line, in a lower row on it, as there is another above;
 * or beside the triangle of a short one.
 */
function waitWords(ctx, lane, wait, y, row) {
  const { layout } = ctx;
  const from = layout.cut(wait.t0);
  const to = layout.cut(wait.t1 ?? layout.to);
  const above = to - from >= textWidth(wait.text, layout.size.font, 700) + 12;
  return {
    text: wait.text, req: wait.req, from: wait.t0, until: wait.t1 ?? layout.to, above, row,
    x: above ? (from + to) / 2 : Math.max(to, from + 6) + 6,
    y: above ? y - (row ? 0 : layout.size.font * 0.75) : y - (lane.lane.batches?.length ? layout.size.font / 3 : 0),
  };
}

/** When too many wait to tell them apart: the number waiting as a bar a round. */
function drawQueueLength(ctx, lane) {
  const { start, end, waiting } = lane.lane.rounds;
  const top = most(waiting, 1);
  const below = lane.lane.batches?.length ? ctx.layout.size.font * 1.3 : 3;
  const height = lane.queue - below - 3;
  const base = lane.queueY + lane.queue - below;
  for (let i = 0; i < end.length; i += 1) {
    if (!waiting[i] || end[i] < ctx.layout.from || start[i] > ctx.layout.to) continue;
    ctx.sheet.full.cells.push({
      left: ctx.layout.cut(start[i]), right: ctx.layout.cut(end[i]), bottom: base,
      top: base - Math.max(1, (height * waiting[i]) / top),
      fill_color: ctx.theme.ink3, ...NO_LINE,
    });
  }
}
