// The stage: two Bokeh figures one upon the other, HTML over them, and what moves between.

const MARK_REACH = 3; // px by which the frame of a step goes beyond the cells it is about

/**
 * Make the stage. The figures are inert: Bokeh's own elements would take the focus from it.
 * @param {{full: Object, ghost: Object}} figures Bokeh figures
 * @param {{full: Element, ghost: Element}} elements their elements on the page
 */
function createStage(figures, elements) {
  const parts = {
    lits: h("div.rb-lits"),
    marks: h("div.rb-marks"), // of the requests that a step is about; on seats they end where their request is not to be known yet
    ghost: h("div.rb-layer", { inert: true }, elements.ghost),
    full: h("div.rb-layer", { inert: true }, elements.full),
    cursor: h("div.rb-cursor"),
    over: h("div.rb-over"),
  };
  const { lits, marks, ghost, full, cursor, over } = parts;
  const windows = h("div.rb-windows", {}, h("div.rb-window", {}, ghost), h("div.rb-window", {}, full));
  const looks = { role: "img", tabindex: 0, "data-testid": "stage" };
  const el = h("figure.rb-stage", looks, lits, marks, windows, cursor, over);
  const times = h("div.rb-times", { "aria-hidden": "true" });
  return { el, times, parts, figures, layout: null, overlay: null };
}

/** Draw everything for a view; the canvases are painted here and nowhere else. */
function drawStage(stage, view) {
  const layout = layoutStage(view);
  const ctx = { ...view, layout, sheet: newSheet() };
  drawRules(ctx);
  const waitWords = layout.lanes.map((lane) => {
    lane.left = departuresOf(ctx, lane);
    drawRuns(ctx, lane);
    drawAbsences(ctx, lane);
    drawDepartures(ctx, lane);
    drawBatches(ctx, lane);
    drawStrip(ctx, lane);
    drawLevels(ctx, lane);
    return drawWaits(ctx, lane);
  });
  if (ctx.future === "nothing") hideFuture(ctx.sheet.ghost);
  styleHatches(stage.figures.full, ctx);
  fillFigure(stage.figures.full, ctx.sheet.full, layout);
  fillFigure(stage.figures.ghost, ctx.sheet.ghost, layout);
  Object.assign(stage, { layout, isFutureHidden: ctx.future === "nothing", drawn: null });
  for (const part of [stage.parts.lits, stage.parts.marks]) part.style.clipPath = "";
  stage.el.style.height = `${layout.height}px`;
  stage.overlay = buildOverlay(stage, ctx, waitWords);
}

/** Take all away that tells what is still to come; rows and strips keep their rules. */
function hideFuture(ghost) {
  Object.assign(ghost, { cells: [], boxes: [], rules: ghost.rules.filter(({ y0, y1 }) => y0 === y1) });
}

/** Row rules and round boundaries. */
function drawRules(ctx) {
  const { theme, layout, sheet } = ctx;
  for (const lane of layout.lanes) {
    for (let row = 0; row <= lane.count; row += lane.isNarrow ? lane.count : 1) {
      const y = Math.round(lane.rowsY + row * lane.pitch) + 0.5;
      const left = layout.single ? 0 : layout.gutter;
      addRule(sheet, left, y, layout.right, y, theme.line, theme.line);
    }
    drawBoundaries(ctx, lane);
  }
}

/** The vertical hairlines of a lane's rounds. */
function drawBoundaries({ theme, layout, sheet }, lane) {
  const { number, start, end } = lane.lane.rounds;
  const step = thinning(lane.meanRound, lane.meanRound < 8 ? 24 : 1);
  const top = layout.single ? lane.top : lane.queueY;
  const line = (t) => {
    if (t < layout.from || t > layout.to) return;
    const x = Math.round(layout.x(t)) + (layout.x(t) > layout.right - 1 ? -0.5 : 0.5);
    addRule(sheet, x, top, x, lane.bottom + 4, theme.line2, theme.line);
  };
  for (let i = 0; i < end.length; i += 1) {
    if (i === 0 || (step === 1 && start[i] > end[i - 1])) line(start[i]);
    if (number[i] % step === 0) line(end[i]);
  }
}

/** The box around a closed batch. */
function drawBatches({ theme, layout, sheet }, lane) {
  const { start, end } = lane.lane.rounds;
  for (const batch of lane.lane.batches ?? []) {
    const isHidden = end[batch.first + batch.count - 1] <= layout.from || start[batch.first] >= layout.to;
    if (isHidden) continue;
    const rows = batchRows(lane, batch);
    const box = {
      left: layout.cut(start[batch.first]) - 1.5,
      right: layout.cut(end[batch.first + batch.count - 1]) + 1.5,
      top: lane.rowsY + rows.from * lane.pitch + 1,
      bottom: lane.rowsY + rows.to * lane.pitch - 1,
      line_color: theme.ink3, line_alpha: 1, line_width: 1.5,
    };
    sheet.full.boxes.push({ ...box, line_dash: "solid" });
    sheet.ghost.boxes.push({ ...box, line_dash: "4 3" });
  }
}

/** The rows a batch spans: its members' where a row is a request, else the first seats. */
function batchRows(lane, batch) {
  if (!lane.byRequest && batch.seats) return { from: 0, to: batch.seats };
  const stop = batch.first + batch.count;
  const rows = lane.lane.runs
    .filter((run) => run.first >= batch.first && run.first < stop)
    .map(lane.rowOf);
  return { from: lane.byRequest ? Math.min(...rows) : 0, to: most(rows) + 1 };
}

/**
 * What of a stage moves with the cursor, as for `movers`. The edge of the picture opens when the
 * cursor rests there. In slow motion each lane is shown up to a time of its own (`cutSteps`), and
 * nothing else opens or shuts.
 */
function stageMovers(stage) {
  const { layout, parts, isFutureHidden, drawn } = stage;
  const isAtEnd = (t, isAtRest) => isAtRest && layout.x(t) >= layout.right - 0.25;
  const edge = (...when) => (isAtEnd(...when) ? layout.width : layout.cut(when[0]));
  const until = (reach) => (...when) => {
    const right = isAtEnd(...when) ? "-8px" : `calc(100% - ${layout.cut(when[0]) - reach}px)`;
    return { clipPath: `inset(-8px ${right} -8px -8px)` };
  };
  return [
    { el: parts.cursor, at: (t) => ({ transform: `translateX(${layout.cut(t)}px)` }) },
    ...windowMovers(parts.full, drawn ? () => 0 : (...when) => edge(...when) - layout.width),
    ...windowMovers(parts.ghost, drawn ? () => 0 : edge),
    stage.overlay.tag,
    ...(isFutureHidden ? [{ el: parts.lits, at: until(0) }] : []),
    ...(isFutureHidden && !layout.byRequest ? [{ el: parts.marks, at: until(MARK_REACH + 1) }] : []),
  ];
}

/**
 * Show a part of a layer: its window moves, and the layer within the other way, so that it stays where
 * it is. To move is all that a browser can do without painting anew; a clip path is painted each time.
 */
function windowMovers(layer, x) {
  return [
    { el: layer.parentElement, at: (...when) => ({ transform: `translateX(${x(...when)}px)` }) },
    { el: layer, at: (...when) => ({ transform: `translateX(${-x(...when)}px)` }) },
  ];
}

/**
 * What of a stage a time decides besides where things stand.
 * @param {?number[]} drawn in slow motion the time up to which each lane has computed, else null
 */
function settleCursor(stage, t, drawn) {
  const { layout, parts } = stage;
  stage.drawn = drawn;
  const isOff = Math.abs(layout.x(t) - layout.cut(t)) > 0.5;
  if (parts.cursor.hidden !== isOff) parts.cursor.hidden = isOff;
  parts.full.style.clipPath = drawn ? stairs(layout, drawn, 0) : "";
  parts.ghost.style.clipPath = drawn ? stairs(layout, drawn, layout.width) : "";
}

/** What lies between an edge of the stage and a time of its own in each lane. */
function stairs({ lanes, height, cut }, times, edge) {
  const steps = lanes.flatMap((_, i) => {
    const top = i ? lanes[i].top : -8;
    const bottom = lanes[i + 1]?.top ?? height + 8;
    return [top, bottom].map((y) => `${cut(times[i])}px ${y}px`);
  });
  return `polygon(${[`${edge}px -8px`, ...steps, `${edge}px ${height + 8}px`].join()})`;
}
