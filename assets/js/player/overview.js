// The whole run in one small picture, with the part shown on the stage as a brush to drag.

const LEGEND_HEIGHT = 16;
const NAME_FONT = 12;

/**
 * Make the overview.
 * @param {{onMove: function(number): void, isAwaited: function(): boolean}} hooks onMove is called with the wished
 *   centre of the part shown; isAwaited tells whether it is still to come
 */
function createOverview(hooks) {
  const canvas = h("canvas");
  const brush = h("div.rb-brush");
  const legend = h("div.rb-overview-legend");
  const names = h("div");
  const el = h("div.rb-overview", { "data-testid": "overview", hidden: true }, canvas, names, brush, legend);
  const overview = { el, canvas, names, brush, legend, data: null, layout: null, held: null };
  const seek = (event) => {
    const x = event.clientX - el.getBoundingClientRect().left - overview.layout.gutter;
    const share = Math.max(0, Math.min(1, x / overview.layout.plot));
    overview.held = overview.data.t0 + share * (overview.data.t1 - overview.data.t0);
    placeBrush(overview);
    hooks.onMove(overview.held);
  };
  const letGo = () => {
    overview.held = null;
    if (!hooks.isAwaited()) placeBrush(overview);
  };
  el.addEventListener("pointerdown", (event) => {
    el.setPointerCapture(event.pointerId);
    seek(event);
  });
  el.addEventListener("pointermove", (event) => {
    if (el.hasPointerCapture(event.pointerId)) seek(event);
  });
  for (const end of ["pointerup", "pointercancel"]) el.addEventListener(end, letGo);
  return overview;
}

/** Put the brush where the part shown is, or around the time where it is held: that part may still be to come. */
function placeBrush({ brush, data, layout, held }) {
  const scale = layout.plot / (data.t1 - data.t0);
  const width = Math.max(6, (layout.to - layout.from) * scale);
  const from = layout.gutter + (held === null ? (layout.from - data.t0) * scale : (held - data.t0) * scale - width / 2);
  const left = Math.max(layout.gutter, Math.min(from, layout.right - width));
  Object.assign(brush.style, { left: `${left}px`, width: `${width}px` });
}

/** What the overview shows: the payload's own, or one made of its rounds; null when none is shown. */
function overviewData(payload, lanes, clock, isShown) {
  if (payload.overview) return payload.overview;
  if (!isShown) return null;
  return { t0: clock.t0, t1: clock.t1, lanes: lanes.map((lane) => binRounds(lane, clock)) };
}

/** A lane's rounds in bins of equal width. */
function binRounds(lane, clock, count = 240) {
  const { start, end, P, D, waiting } = lane.rounds;
  const bins = { key: lane.key, waiting: Array(count).fill(0), load: Array(count).fill(0) };
  for (let bin = 0; bin < count; bin += 1) {
    const t = clock.t0 + ((bin + 0.5) / count) * (clock.t1 - clock.t0);
    const i = lowerBound(end, t);
    if (i >= end.length || start[i] > t) continue;
    bins.waiting[bin] = waiting[i];
    bins.load[bin] = (P[i] + D[i]) / budgetOf({ lane }, i);
  }
  return bins;
}

/** Height of the overview of so many lanes. */
function overviewHeight(lanes) {
  return (lanes > 1 ? 30 * lanes : 40) + LEGEND_HEIGHT;
}

/** Draw the overview for a stage that has been laid out. */
function drawOverview(overview, ctx, layout, data) {
  Object.assign(overview, { data, layout });
  setShown(overview.el, Boolean(data) && ctx.future !== "nothing");
  if (overview.el.hidden) return;
  const lanes = data.lanes.filter((lane) => ctx.lanes.some((shown) => shown.key === lane.key));
  const height = overviewHeight(lanes.length) - LEGEND_HEIGHT;
  overview.el.style.height = `${height + LEGEND_HEIGHT}px`;
  paintOverview(overview.canvas, lanes, layout, height, ctx);
  overview.names.replaceChildren(...overviewNames(lanes, layout, height, ctx));
  overview.brush.style.height = `${height}px`;
  placeBrush(overview);
  setText(overview.legend, ctx.say("overview_legend", {
    from: timeText(ctx.payload, ctx.say, data.t0), to: timeText(ctx.payload, ctx.say, data.t1),
  }));
}

/** The names of the lanes in the gutter, each in one line before its curve. */
function overviewNames(lanes, { gutter }, height, { payload, say }) {
  if (gutter < 60) return [];
  const names = lanes.map(({ key }) => {
    const shown = payload.lanes.find((one) => one.key === key);
    return lanes.length > 1 ? shown?.short ?? shown?.title ?? "" : say("overview");
  });
  const cut = cutApart(names, names.map(() => gutter - 8), NAME_FONT);
  return names.map((name, row) => {
    const style = { top: `${((row + 0.5) * height) / lanes.length}px`, width: `${gutter - 8}px` };
    return h("span.rb-overview-name", { style, title: name, text: cut[row] });
  });
}

/** Paint each lane's budget use as bars and its queue as a line. */
function paintOverview(canvas, lanes, layout, height, { theme }) {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = layout.width * ratio;
  canvas.height = height * ratio;
  Object.assign(canvas.style, { width: `${layout.width}px`, height: `${height}px` });
  const pen = canvas.getContext("2d");
  pen.scale(ratio, ratio);
  const topWait = most(lanes.map((lane) => most(lane.waiting)), 1);
  lanes.forEach((lane, row) => {
    const each = height / lanes.length;
    const base = (row + 1) * each - 3;
    const room = each - 6;
    const step = layout.plot / lane.load.length;
    pen.fillStyle = theme.line2;
    lane.load.forEach((load, i) => {
      pen.fillRect(layout.gutter + i * step, base - room * load, step + 0.5, room * load);
    });
    pen.strokeStyle = theme.ink;
    pen.lineWidth = 1.5;
    pen.beginPath();
    lane.waiting.forEach((waiting, i) => {
      pen.lineTo(layout.gutter + (i + 0.5) * step, base - (room * waiting) / topWait);
    });
    pen.stroke();
  });
}
