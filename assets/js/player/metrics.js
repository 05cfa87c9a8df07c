// Metrics: per request and overall, as of the cursor and final, and the difference of two lanes.
// A few are always there; "more" brings the others.

const MOST_COLUMN_REQUESTS = 4;

/** Metrics of a table that are shown, each with its column; what is nothing in every lane is not. */
function shownHeads({ payload, lanes, memory }, table) {
  const isKnown = (column) => table !== "overall" || lanes.some((lane) =>
    lane.overall.final[column] !== null || lane.overall.rows.some((row) => row[column] !== null));
  return payload[`${table}_head`]
    .map((head, column) => ({ ...head, column }))
    .filter((head) => !head.more || (memory.isMore && isKnown(head.column)));
}

/** Column widths of the metrics per request, by metric, over all lanes. */
function requestWidths(heads, lanes, font) {
  return heads.map(({ column, digits }) => {
    const texts = lanes.flatMap((lane) => metricTexts(
      knownSets(lane.per_request), (rows) => rows.map((row) => row?.[column] ?? null), digits));
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
  const heads = shownHeads(ctx, "per_request").map((head) => ({ ...head, label: head.short }));
  const widths = requestWidths(heads, [lane], tableFont(ctx.size))
    .map((w, i) => Math.max(w, textWidth(heads[i].label, 12) + 10));
  const latest = finalTitle(ctx, lane);
  const longestTitle = [latest, allText(ctx, lane.overall.final)]
    .reduce((a, b) => (textWidth(b, tableFont(ctx.size)) > textWidth(a, tableFont(ctx.size)) ? b : a));
  const group = (title, quiet) =>
    ({ title, quiet, widths, least: longestTitle, heads: heads.map((head) => defineButton(head, say)) });
  const grid = createGrid({
    rows: payload.requests.map(chip), id: `per-request-${lane.key}`,
    groups: [group("", false), group(latest, true)], font: ctx.size.font,
  });
  const all = createAllRow(ctx, lane, grid, heads.length);
  const settle = (states) => {
    const { ended, isLit, time } = states.get(lane);
    setText(grid.titles[0], say("as_of", { time }));
    all.settle(ended);
    const now = setAt(lane.per_request, ended);
    const before = setAt(lane.per_request, ended - 1);
    fillGrid(grid, (r, g, c) => {
      const { column } = heads[c];
      const value = g === 0 ? now[r][column] : finalValue(ctx, lane, lane.per_request.final[r][column]);
      const isChanged = g === 0 && isLit && ended >= 0 && before[r][column] !== value;
      return { text: numberText(value, heads[c].digits), name: isChanged ? "rb-changed" : "" };
    });
  };
  return { grid, settle };
}

/** Under the requests of one lane: tokens and throughput of all, as of the cursor and final. */
function createAllRow(ctx, lane, { el }, span) {
  const [now, last] = [h("td.rb-group", { colspan: span }), h("td.rb-group.rb-final", { colspan: span })];
  el.append(h("tfoot", {}, h("tr", {}, h("th", { scope: "row", text: ctx.say("all") }), now, last)));
  const settle = (ended) => {
    setText(now, allText(ctx, setAt(lane.overall, ended)));
    setText(last, isFinalKnown(ctx, lane) ? allText(ctx, lane.overall.final) : "–");
  };
  return { settle };
}

/** "7 tokens, 359/s" of a set of overall metrics; a dash while nothing has come out. */
function allText({ payload, say }, set) {
  const [tokens, rate] = ["tokens", "output_tps"].map((key) =>
    set[payload.overall_head.findIndex((head) => head.key === key)]);
  if (!tokens) return "–";
  return say(`all_${payload.unit}`, { n: numberText(tokens), rate: numberText(rate, 1) });
}

/** Width of the longest value of an overall metric in a lane. */
function overallWidth(lane, { column, digits }, font) {
  return longest(metricTexts(knownSets(lane.overall), (row) => [row[column]], digits), font);
}

/** When a lane's run is over, as text. */
function finalTime({ payload, say }, lane) {
  return timeText(payload, say, payload.overview ? lane.end : lane.rounds.end.at(-1));
}

/** "final, 19.5 ms", or that the end comes after the guess; a run by hand that is not over has no end yet. */
function finalTitle(ctx, lane) {
  if (isOpen(lane)) return ctx.say("final");
  return hidesFuture(ctx) ? ctx.say("after_guess") : ctx.say("final_at", { time: finalTime(ctx, lane) });
}

/** Whether there is an end to tell of: it is not to be guessed first, and no round by hand is awaited. */
function isFinalKnown(ctx, lane) {
  return !hidesFuture(ctx) && !isOpen(lane);
}

/** A final value, if it is known. */
function finalValue(ctx, lane, value) {
  return isFinalKnown(ctx, lane) ? value : null;
}

/** Overall metrics of one lane: a row as of the cursor, a row at the end. */
function createOverallOne(ctx, lane) {
  const { say } = ctx;
  const heads = shownHeads(ctx, "overall");
  const widths = heads.map((head) => Math.max(
    overallWidth(lane, head, tableFont(ctx.size)),
    longest([head.label, head.unit ?? ""], 12)) + 14);
  const time = h("span");
  const latest = finalTitle(ctx, lane);
  const grid = createGrid({
    rows: [time, h("span.rb-final", { text: latest })],
    groups: [{ title: "", heads: heads.map((head) => stackedName(head, say)), widths }], id: `overall-${lane.key}`,
    first: textWidth(latest, tableFont(ctx.size)) + 16,
  });
  const settle = (states) => {
    const { ended, isLit, time: now } = states.get(lane);
    setText(time, say("as_of", { time: now }));
    const sets = [setAt(lane.overall, ended), lane.overall.final];
    const before = setAt(lane.overall, ended - 1);
    fillGrid(grid, (r, _, c) => {
      const { column, digits } = heads[c];
      const isChanged = r === 0 && isLit && ended >= 0 && before[column] !== sets[0][column];
      const value = r === 1 ? finalValue(ctx, lane, sets[1][column]) : sets[0][column];
      return { text: numberText(value, digits), name: r === 1 ? "rb-final" : isChanged ? "rb-changed" : "" };
    });
  };
  return { grid, settle };
}

/** A metric's label above its unit. */
function stackedName(head, say) {
  return h("span.rb-stacked", {}, defineButton(head, say), h("small", { text: head.unit ?? "" }));
}

/** Overall metrics of one lane, a row a metric: there are too many for columns. */
function createOverallRows(ctx, lane) {
  const { say } = ctx;
  const heads = shownHeads(ctx, "overall");
  const font = tableFont(ctx.size);
  const latest = finalTitle(ctx, lane);
  const now = h("span");
  const width = Math.max(most(heads.map((head) => overallWidth(lane, head, font))) + 22, textWidth(latest, 12) + 16);
  const groups = [now, document.createTextNode(latest)].map((head, i) =>
    ({ title: "", heads: [head], widths: [width], quiet: i === 1 }));
  const rows = heads.map((head) => metricName(head, say));
  const grid = createGrid({ rows, groups, first: nameWidth(heads, ctx), id: `overall-${lane.key}` });
  const settle = (states) => {
    const { ended, isLit, time } = states.get(lane);
    setText(now, say("as_of", { time }));
    const [set, before] = [setAt(lane.overall, ended), setAt(lane.overall, ended - 1)];
    fillGrid(grid, (r, g) => {
      const { column, digits } = heads[r];
      if (g === 1) return { text: numberText(finalValue(ctx, lane, lane.overall.final[column]), digits) };
      const isChanged = isLit && ended >= 0 && before[column] !== set[column];
      return { text: numberText(set[column], digits), name: isChanged ? "rb-changed" : "" };
    });
  };
  return { grid, settle };
}

/** Metrics per request of several lanes, as lanes of requests or as requests of metrics. */
function createRequestComparison(ctx) {
  const { payload, lanes, say } = ctx;
  const heads = shownHeads(ctx, "per_request");
  const byMetric = payload.requests.length <= MOST_COLUMN_REQUESTS;
  const widths = requestWidths(heads, lanes, tableFont(ctx.size));
  const columns = byMetric ? payload.requests : heads;
  const columnHead = (column) => (byMetric ? chip(column) : defineButton(column, say));
  const width = (i) => (byMetric
    ? Math.max(30, ...widths)
    : Math.max(widths[i], textWidth(heads[i].label, 12) + 10));
  const groups = comparisonGroups(ctx).map((title) => ({
    title, heads: columns.map(columnHead), widths: columns.map((_, i) => width(i)),
  }));
  const rows = byMetric ? heads.map((head) => metricName(head, say)) : payload.requests.map(chip);
  const first = byMetric ? nameWidth(heads, ctx) : CHIP_COLUMN;
  const grid = createGrid({ rows, groups, first, id: "per-request", font: ctx.size.font });
  const settle = (states, isFinal) => {
    const sets = lanes.map(({ per_request: part }, i) =>
      (isFinal ? part.final : setAt(part, states.get(lanes[i]).ended)));
    const isOver = isFinal || areOver(lanes, states);
    fillGrid(grid, (r, g, c) => {
      const [request, head] = byMetric ? [c, heads[r]] : [r, heads[c]];
      return comparedCell(sets.map((set) => set[request][head.column]), g, head, isOver);
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
  const { lanes, say } = ctx;
  const heads = shownHeads(ctx, "overall");
  const font = tableFont(ctx.size);
  const widest = most(lanes.flatMap((lane) => heads.map((head) => overallWidth(lane, head, font))));
  const groups = comparisonGroups(ctx).map((title) => ({
    title: "", heads: [document.createTextNode(title)],
    widths: [Math.max(widest + 22, textWidth(title, 12) + 16)],
  }));
  const first = nameWidth(heads, ctx);
  const grid = createGrid({ rows: heads.map((head) => metricName(head, say)), groups, first, id: "overall" });
  const settle = (states, isFinal) => {
    const sets = lanes.map(({ overall: part }, i) =>
      (isFinal ? part.final : setAt(part, states.get(lanes[i]).ended)));
    const isOver = isFinal || areOver(lanes, states);
    const isEven = (column) => isOver || haveSameCount(lanes, states, column);
    fillGrid(grid, (r, g) => (g >= lanes.length && !isEven(heads[r].column)
      ? { text: "–" }
      : comparedCell(sets.map((set) => set[heads[r].column]), g, heads[r], isOver)));
  };
  return { grid, settle };
}

/** Whether a metric of the lanes is over equally many so far; one that is no mean always is. */
function haveSameCount(lanes, states, column) {
  const counts = lanes.map((lane) => lane.overall.counted[column]?.[states.get(lane).ended] ?? 0);
  return new Set(counts).size === 1;
}

/** Whether all tokens of these lanes are out. */
function areOver(lanes, states) {
  return lanes.every((lane) => tokensOut(lane, states.get(lane).ended) === lane.total_tokens);
}

/** A titled section around a grid. */
function metricSection(name, title, grid, ...extra) {
  const header = h("header", {}, h("h3", { text: title }), ...extra);
  return h(`section.${name}`, { style: { flexBasis: grid.el.style.minWidth } }, header, grid.box);
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
  const overall = (ctx.memory.isMore ? createOverallRows : createOverallOne)(ctx, lane);
  els.push(metricSection("rb-overall", ctx.say("overall"), overall.grid, moreButton(ctx)));
  return { els, settle: (states) => [...parts, overall].forEach((part) => part.settle(states)) };
}

/** The unit that all metrics share, as a quiet word. */
function commonUnit(heads) {
  const units = new Set(heads.map((head) => head.unit));
  return h("span.rb-quiet.rb-unit", { text: units.size === 1 ? [...units][0] : "" });
}

/** The metrics of several lanes, with the choice of now or final. */
function metricsOfSeveral(ctx) {
  const { say, payload, lanes } = ctx;
  const parts = [];
  const els = [];
  let last = null;
  const settle = (states = last) => {
    last = states;
    parts.forEach((part) => part.settle(states, ctx.memory.isFinal && !hidesFuture(ctx)));
  };
  const toggle = () => finalToggle(ctx, els, () => settle());
  if (hasRequestMetrics(payload, lanes)) {
    const perRequest = createRequestComparison(ctx);
    parts.push(perRequest);
    els.push(metricSection("rb-metrics", say("per_request"), perRequest.grid, toggle()));
  }
  const overall = createOverallComparison(ctx);
  parts.push(overall);
  const extra = [els.length ? null : toggle(), moreButton(ctx)];
  els.push(metricSection("rb-overall", say("overall"), overall.grid, ...extra));
  return { els, settle };
}

/** Shows all metrics, or the few again. */
function moreButton({ say, memory, onMore }) {
  return h("button.rb-small-button", {
    type: "button", text: say(memory.isMore ? "metrics_less" : "metrics_more"), onclick: onMore,
    "aria-pressed": String(memory.isMore), "data-testid": "metrics-more",
  });
}

/** The choice between the values at the cursor and the final ones. */
function finalToggle(ctx, els, onChange) {
  const { say, memory } = ctx;
  if (hidesFuture(ctx)) return h("span.rb-quiet", { text: `${say("final")}: ${say("after_guess")}` });
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
