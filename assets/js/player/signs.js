// What the signs of the stage look like in the legend, and which of them a run uses.

const SWATCHES = {
  legend_wait: () => svg("svg", { width: 22, height: 12, viewBox: "0 0 22 12" },
    svg("path", { d: "M5 7h16", stroke: "currentColor", "stroke-width": 2 }),
    svg("path", { d: "M0 2h10L5 10z", fill: "currentColor" })),
  legend_prefill: () => h("i.rb-swatch.rb-sw-prefill"),
  legend_decode: () => h("i.rb-swatch.rb-sw-decode"),
  legend_first: () => eventMark("first", 13),
  legend_token: () => svg("svg", { width: 14, height: 14, viewBox: "0 0 14 14" },
    svg("circle", { cx: 7, cy: 7, r: 6, fill: "none", stroke: "currentColor", "stroke-width": 1.5 })),
  legend_padding: () => h("i.rb-swatch.rb-sw-pad"),
  legend_idle: () => h("i.rb-swatch.rb-sw-idle"),
  hold: () => h("i.rb-swatch.rb-sw-hold"),
  legend_paused: () => h("i.rb-swatch.rb-sw-paused"),
  legend_again: () => h("i.rb-swatch.rb-sw-again"),
  legend_draft: () => h("i.rb-swatch.rb-sw-draft"),
  legend_unsent: () => svg("svg", { width: 14, height: 14, viewBox: "0 0 14 14" },
    svg("circle", { cx: 7, cy: 7, r: 6, fill: "none", stroke: "var(--rb-ink3)", "stroke-width": 1 })),
  legend_preempted: () => eventMark("preempted", 12),
  legend_swapped: () => h("i.rb-swatch.rb-sw-swapped"),
  legend_cancelled: () => eventMark("cancelled", 11),
  legend_rejected: () => eventMark("rejected", 12),
  legend_timed_out: () => eventMark("timed_out", 13),
  legend_finish: () => eventMark("finish", 15),
  legend_ghost: () => h("i.rb-swatch.rb-sw-ghost"),
};

/** The signs that what is shown uses, in their order: where the future is hidden, those up to the cursor. */
function legendKeys({ payload, lanes, size, future, t, clock }) {
  const isPhone = size.name === "phone";
  const until = future === "nothing" ? t - clock.eps : Infinity;
  const begun = lanes.map((lane) => begunBy(lane, until));
  const has = {
    legend_wait: lanes.length === 1 && begun[0].waits.length > 0,
    legend_token: lanes.length === 1 && !isPhone,
    legend_ghost: future !== "nothing",
    ...signsOfRuns(begun.flatMap(({ runs }) => runs)),
    ...signsOfEvents(payload, lanes, begun, until + 2 * clock.eps),
    legend_draft: begun.some(({ strip }) => strip.some((parts) => parts.some((part) => part[2] === "v"))),
    legend_paused: begun.some(({ runs, gaps }) => runs.some((run) => run.paused) || gaps.some((gap) => gap.kind === "paused")),
    legend_swapped: begun.some(({ gaps }) => gaps.some((gap) => gap.kind === "swapped")),
  };
  return Object.keys(SWATCHES).filter((key) => has[key] ?? true);
}

/** What of a lane began before a time. */
function begunBy({ runs, waits, gaps, strip, rounds: { start } }, until) {
  return {
    runs: runs.filter(({ first }) => start[first] < until),
    waits: waits.filter(({ t0 }) => t0 < until),
    gaps: gaps.filter(({ t0 }) => t0 < until),
    strip: strip.filter((_, i) => start[i] < until),
  };
}

/** Which signs the cells use. */
function signsOfRuns(runs) {
  return {
    legend_padding: runs.some((run) => run.pad > 0),
    legend_idle: runs.some((run) => run.kind === "idle"),
    hold: runs.some((run) => run.kind === "hold" && !run.paused),
    legend_again: runs.some((run) => run.again),
    legend_unsent: runs.some((run) => run.unsent),
  };
}

/** Which signs the events use. */
function signsOfEvents(payload, lanes, begun, until) {
  const shown = payload.events.filter(({ lane, t }) => lanes.includes(payload.lanes[lane]) && t <= until);
  const kinds = new Set(shown.map((event) => event.kind));
  const isOut = (kind) => begun.some(({ gaps }) => gaps.some((gap) => gap.kind === kind));
  return {
    legend_preempted: isOut("preempted") || kinds.has("preempted"),
    legend_cancelled: kinds.has("cancelled"),
    legend_rejected: kinds.has("rejected"),
    legend_timed_out: kinds.has("timed_out"),
  };
}
