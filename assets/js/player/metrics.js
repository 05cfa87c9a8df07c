// Metrics: per request and overall, as of the cursor and final, and the difference of two lanes.

const MOST_COLUMN_REQUESTS = 4;

/** Column widths of the metrics per request, by metric, over all lanes. */
function requestWidths(payload, lanes, font) {
  return payload.per_request_head.map((head, column) => {
    const texts = lanes.flatMap((lane) => metricTexts(
      knownSets(lane.per_request), (rows) => rows.map((row) => row?.[column] ?? null), head.digits));
    return longest(texts, font) + 10;
  });
}

/** Whether the payload has metrics for every request. */
function hasRequestMetrics(payload, lanes) {
  return payload.per_request_head?.length > 0 && lanes.every((lane) => lane.per_request?.final?.length > 0);
}

/** Metrics per request of one lane: as of the cursor, and final. */
function createRequestMetrics(ctx, lane) {
  const { payload, say } = ctx;
  const heads = payload.per_request_head;
  const widths = requestWidths(payload, [lane], tableFont(ctx.size))
    .map((w, i) => Math.max(w, textWidth(heads[i].label, 12) + 10));
  const latest = say("final_at", { time: finalTime(ctx, lane) });
  const group = (title, quiet) =>
    ({ title, quiet, widths, least: latest, heads: heads.map((head) => document.createTextNode(head.label)) });
  const grid = createGrid({
    rows: payload.requests.map(chip), id: `per-request-${lane.key}`,
    groups: [group("", false), group(latest, true)], font: ctx.size.font,
  });
  const settle = (states) => {
    const { ended, isLit, time } = states.get(lane);
    setText(grid.titles[0], say("as_of", { time }));
    const now = setAt(lane.per_request, ended);
    const before = setAt(lane.per_request, ended - 1);
    fillGrid(grid, (r, g, c) => {
      const value = (g === 0 ? now : lane.per_request.final)[r]?.[c] ?? null;
      const isChanged = g === 0 && isLit && ended >= 0 && (before?.[r]?.[c] ?? null) !== value;
      return { text: numberText(value, heads[c].digits), name: isChanged ? "rb-changed" : "" };
    });
  };
  return { grid, settle };
}

/** Width of the longest value of an overall metric in a lane. */
function overallWidth(lane, column, head, font) {
  return longest(metricTexts(knownSets(lane.overall), (row) => [row[column]], head.digits), font);
}

/** When a lane's run is over, as text. */
function finalTime({ payload, say }, lane) {
  return timeText(payload, say, payload.overview?.t1 ?? lane.rounds.end.at(-1));
}

/** Overall metrics of one lane: a row as of the cursor, a row at the end. */
function createOverallOne(ctx, lane) {
  const { payload, say } = ctx;
  const heads = payload.overall_head;
  const widths = heads.map((head, column) => Math.max(
    overallWidth(lane, column, head, tableFont(ctx.size)),
    longest([head.label, head.unit ?? ""], 12)) + 14);
  const time = h("span");
  const grid = createGrid({
    rows: [time, h("span.rb-final", { text: say("final_at", { time: finalTime(ctx, lane) }) })],
    groups: [{ title: "", heads: heads.map(stackedName), widths }], id: `overall-${lane.key}`,
    first: textWidth(say("final_at", { time: finalTime(ctx, lane) }), tableFont(ctx.size)) + 16,
  });
  const settle = (states) => {
    const { ended, isLit, time: now } = states.get(lane);
    setText(time, say("as_of", { time: now }));
    const sets = [setAt(lane.overall, ended), lane.overall.final];
    const before = setAt(lane.overall, ended - 1);
    fillGrid(grid, (r, _, c) => {
      const isChanged = r === 0 && isLit && ended >= 0 && before[c] !== sets[0][c];
      const name = isChanged ? "rb-changed" : "";
      return { text: numberText(sets[r][c], heads[c].digits), name: r === 1 ? "rb-final" : name };
    });
  };
  return { grid, settle };
}

/** A metric's label above its unit. */
function stackedName(head) {
  return h("span.rb-stacked", {}, head.label, h("small", { text: head.unit ?? "" }));
}

/** Metrics per request of several lanes, as lanes of requests or as requests of metrics. */
function createRequestComparison(ctx) {
  const { payload, lanes } = ctx;
  const heads = payload.per_request_head;
  const byMetric = payload.requests.length <= MOST_COLUMN_REQUESTS;
  const widths = requestWidths(payload, lanes, tableFont(ctx.size));
  const columns = byMetric ? payload.requests : heads;
  const columnHead = (column) => (byMetric ? chip(column) : document.createTextNode(column.label));
  const width = (i) => (byMetric
    ? Math.max(30, ...widths)
    : Math.max(widths[i], textWidth(heads[i].label, 12) + 10));
  const groups = comparisonGroups(ctx).map((title) => ({
    title, heads: columns.map(columnHead), widths: columns.map((_, i) => width(i)),
  }));
  const rows = byMetric ? heads.map(metricName) : payload.requests.map(chip);
  const first = byMetric ? nameWidth(heads, ctx) : CHIP_COLUMN;
  const grid = createGrid({ rows, groups, first, id: "per-request", font: ctx.size.font });
  const settle = (states, isFinal) => {
    const sets = lanes.map(({ per_request: part }, i) =>
      (isFinal ? part.final : setAt(part, states.get(lanes[i]).ended)));
    const isOver = isFinal || areOver(lanes, states);
    fillGrid(grid, (r, g, c) => {
      const [request, metric] = byMetric ? [c, r] : [r, c];
      const value = (lane) => sets[lane][request]?.[metric] ?? null;
      if (g < lanes.length) return { text: numberText(value(g), heads[metric].digits) };
      return differenceCell(value(0), value(1), heads[metric], isOver);
    });
  };
  return { grid, settle };
}

/** Titles of the column groups: the lanes, and their difference when they are two. */
function comparisonGroups({ lanes, say }) {
  const titles = lanes.map((lane) => lane.short ?? lane.title);
  return lanes.length === 2 ? [...titles, say("difference")] : titles;
}

/** Overall metrics of several lanes: a row a metric. */
function createOverallComparison(ctx) {
  const { payload, lanes } = ctx;
  const heads = payload.overall_head;
  const font = tableFont(ctx.size);
  const widest = most(lanes.flatMap((lane) => heads.map((head, c) => overallWidth(lane, c, head, font))));
  const groups = comparisonGroups(ctx).map((title) => ({
    title: "", heads: [document.createTextNode(title)],
    widths: [Math.max(widest + 22, textWidth(title, 12) + 16)],
  }));
  const first = nameWidth(heads, ctx);
  const grid = createGrid({ rows: heads.map(metricName), groups, first, id: "overall" });
  const settle = (states, isFinal) => {
    const sets = lanes.map(({ overall: part }, i) =>
      (isFinal ? part.final : setAt(part, states.get(lanes[i]).ended)));
    const isOver = isFinal || areOver(lanes, states);
    fillGrid(grid, (r, g) => {
      if (g < lanes.length) return { text: numberText(sets[g][r], heads[r].digits) };
      return differenceCell(sets[0][r], sets[1][r], heads[r], isOver);
    });
  };
  return { grid, settle };
}

/** Whether all tokens of these lanes are out. */
function areOver(lanes, states) {
  return lanes.every((lane) => tokensOut(lane, states.get(lane).ended) === lane.total_tokens);
}

/** A titled section around a grid. */
function metricSection(name, title, grid, ...extra) {
  const box = h("div.rb-box", {}, grid.el);
  box.classList.toggle("rb-bounded", grid.cells.length > BOX_FROM);
  const header = h("header", {}, h("h3", { text: title }), ...extra);
  return h(`section.${name}`, { style: { flexBasis: grid.el.style.minWidth } }, header, box);
}

/**
 * All metrics of a view.
 * @returns {{els: Element[], settle: function(Map): void}}
 */
function createMetrics(ctx) {
  return ctx.lanes.length === 1 ? metricsOfOne(ctx) : metricsOfSeveral(ctx);
}

/** The metrics of one lane. */
function metricsOfOne(ctx) {
  const [lane] = ctx.lanes;
  const parts = [];
  const els = [];
  if (hasRequestMetrics(ctx.payload, ctx.lanes)) {
    const perRequest = createRequestMetrics(ctx, lane);
    parts.push(perRequest);
    const unit = commonUnit(ctx.payload.per_request_head);
    els.push(metricSection("rb-metrics", ctx.say("metrics"), perRequest.grid, unit));
  }
  const overall = createOverallOne(ctx, lane);
  els.push(metricSection("rb-overall", ctx.say("overall"), overall.grid));
  return { els, settle: (states) => [...parts, overall].forEach((part) => part.settle(states)) };
}

/** The unit that all metrics share, as a quiet word. */
function commonUnit(heads) {
  const units = new Set(heads.map((head) => head.unit));
  return h("span.rb-quiet", { text: units.size === 1 ? [...units][0] : "" });
}

/** The metrics of several lanes, with the choice of now or final. */
function metricsOfSeveral(ctx) {
  const { say, payload, lanes } = ctx;
  const parts = [];
  const els = [];
  let last = null;
  const settle = (states = last) => {
    last = states;
    parts.forEach((part) => part.settle(states, ctx.memory.isFinal));
  };
  const toggle = () => finalToggle(ctx, els, () => settle());
  if (hasRequestMetrics(payload, lanes)) {
    const perRequest = createRequestComparison(ctx);
    parts.push(perRequest);
    els.push(metricSection("rb-metrics", say("per_request"), perRequest.grid, toggle()));
  }
  const overall = createOverallComparison(ctx);
  parts.push(overall);
  els.push(metricSection("rb-overall", say("overall"), overall.grid, els.length ? null : toggle()));
  return { els, settle };
}

/** The choice between the values at the cursor and the final ones. */
function finalToggle({ say, memory }, els, onChange) {
  const holder = h("div.rb-segments.rb-small", { role: "group", "aria-label": say("metrics") });
  const draw = () => holder.replaceChildren(...[["now", false], ["final", true]].map(([key, isFinal]) =>
    segment(say(key), memory.isFinal === isFinal, () => {
      memory.isFinal = isFinal;
      draw();
      onChange();
    }, `metrics-${key}`)));
  draw();
  return holder;
}
