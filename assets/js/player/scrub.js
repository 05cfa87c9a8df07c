// The scrub bar: a range input over the boundaries, drawn on the stage's own scale.

const TICK_ROW = 10;
const TICK = 9;
const CLOSEST_TICKS = 7; // px from mark to mark of one time: one still stands out from the next
const LEAST_STEP = 4; // px to the mark of another time, in a run of few
const MOST_OVERLAPPING = 60;
const MOST_TICKS_WIDTH = 84; // px that the marks of one time may take

/**
 * Make the scrub bar.
 * @param {Object} hooks {goTo(index), onDrag(isDragging)}
 */
function createScrub(hooks) {
  const input = h("input.rb-range", { type: "range", min: 0, step: 1, "data-testid": "scrub" });
  const ticks = h("div.rb-ticks", { "aria-hidden": "true" });
  const gaps = h("div.rb-gaps");
  const played = h("div.rb-played");
  const handle = h("div.rb-handle");
  const track = h("div.rb-track", {}, played, gaps);
  const el = h("div.rb-scrub", {}, ticks, track, input, handle);
  const scrub = { el, input, ticks, gaps, played, handle, track, marks: [], layout: null, clock: null };
  input.addEventListener("input", () => hooks.goTo(Number(input.value)));
  listenToPointer(scrub, hooks);
  return scrub;
}

/** Let the whole bar be dragged; the cursor snaps to the nearest boundary. */
function listenToPointer(scrub, hooks) {
  const seek = (event) => {
    const left = scrub.el.getBoundingClientRect().left;
    const t = scrub.layout.t(event.clientX - left);
    hooks.goTo(boundaryNear(scrub.clock, t));
  };
  scrub.el.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || !scrub.layout) return;
    event.preventDefault();
    scrub.el.setPointerCapture(event.pointerId);
    hooks.onDrag(true);
    scrub.input.focus({ preventScroll: true });
    seek(event);
  });
  scrub.el.addEventListener("pointermove", (event) => {
    if (scrub.el.hasPointerCapture(event.pointerId)) seek(event);
  });
  for (const end of ["pointerup", "pointercancel"]) {
    scrub.el.addEventListener(end, () => hooks.onDrag(false));
  }
}

/** Draw the bar for a stage that has been laid out. */
function drawScrub(scrub, ctx, layout) {
  const { clock, say } = ctx;
  Object.assign(scrub, { layout, clock });
  scrub.input.max = String(clock.bounds.length - 1);
  scrub.input.setAttribute("aria-label", say("scrub_label"));
  const ticks = ctx.shownLanes.length * TICK_ROW * (layout.size.font / 12);
  scrub.el.style.setProperty("--rb-ticks", `${Math.ceil(ticks)}px`);
  Object.assign(scrub.track.style, { left: `${layout.gutter}px`, width: `${layout.plot}px` });
  drawGaps(scrub, layout, ctx.future === "nothing" ? [] : clock.bounds);
  drawTicks(scrub, ctx, layout);
}

/** Small gaps in the track at the boundaries, where they have room. */
function drawGaps(scrub, layout, bounds) {
  scrub.gaps.replaceChildren();
  let before = layout.gutter;
  for (const t of bounds.slice(1, -1)) {
    const x = layout.x(t);
    if (x - before < 7 || x > layout.right - 4) continue;
    before = x;
    scrub.gaps.append(h("i", { style: { left: `${x - layout.gutter}px` } }));
  }
}

/** The event marks: a row a lane, arrivals in the first. */
function drawTicks(scrub, ctx, layout) {
  const { events } = ctx.payload;
  scrub.marks = [];
  scrub.ticks.replaceChildren();
  ctx.shownLanes.forEach((lane, row) => {
    const own = events.filter((event) => event.lane === lane || (row === 0 && event.lane === null));
    drawTickRow(scrub, ctx, layout, groupEvents(own), row);
  });
}

/**
 * One row of marks; those of one time stand side by side around it but never beyond the bar, the
 * closer the more they are, so that they stay near it. Few may overlap those before; of many, those
 * without room are left out.
 */
function drawTickRow(scrub, ctx, layout, groups, row) {
  const scale = layout.size.font / 12;
  const step = scale * (groups.flat().length > MOST_OVERLAPPING ? TICK : LEAST_STEP);
  let free = layout.gutter + 4.5 * scale;
  for (const all of groups) {
    const x = layout.x(all[0].t);
    if (x < layout.gutter - 1 || x > layout.right + 1) continue;
    const group = all.slice(0, 1 + MOST_TICKS_WIDTH / CLOSEST_TICKS);
    const wide = Math.min(13, Math.max(CLOSEST_TICKS, MOST_TICKS_WIDTH / (group.length - 1 || 1)));
    const open = placeTicks(group, layout, wide * scale);
    const { apart, length, last, wanted } = open.wanted < free ? placeTicks(group, layout, CLOSEST_TICKS * scale) : open;
    const from = Math.max(wanted, free);
    if (from - wanted > TICK * scale || from > last + 0.5) continue;
    group.forEach((event, i) => {
      const el = tick(ctx, event, from + i * apart, row * TICK_ROW * scale, TICK * scale);
      scrub.ticks.append(el);
      if (ctx.future === "nothing") scrub.marks.push({ el, t: event.t - ctx.clock.eps });
    });
    free = from + length + step;
  }
}

/** Where the marks of one time stand so far apart, around it: how long they are, and the first of them. */
function placeTicks(group, layout, apart) {
  const scale = layout.size.font / 12;
  const length = (group.length - 1) * apart;
  const last = layout.right - (group.at(-1).kind === "finish" ? 2 : 4.5) * scale - length;
  const around = layout.x(group[0].t) - length / 2;
  return { apart, length, last, wanted: Math.max(layout.gutter + 4.5 * scale, Math.min(around, last)) };
}

/** One mark, which tells on hover whose it is, what, in which lane and when. */
function tick({ payload, say }, event, left, top, size) {
  const request = payload.requests[event.req];
  const lane = payload.lanes[event.lane];
  const what = say(event.kind === "arrival" ? "tick_arrival" : `legend_${event.kind}`);
  const words = [request.id, what, lane && (lane.short ?? lane.title), timeText(payload, say, event.t)];
  const style = { left: `${left}px`, marginTop: `${top}px`, color: requestVar(request, "strong") };
  return h("i", { style, title: words.filter(Boolean).join(" · ") }, eventMark(event.kind, size));
}

/** Events by time. */
function groupEvents(events) {
  const groups = new Map();
  for (const event of events) {
    if (!groups.has(event.t)) groups.set(event.t, []);
    groups.get(event.t).push(event);
  }
  return [...groups.values()];
}

/** What of the bar moves with the cursor, as for `movers`. */
function scrubMovers({ layout, handle, played }) {
  return [
    { el: handle, at: (t) => ({ transform: `translateX(${layout.cut(t)}px)` }) },
    { el: played, at: (t) => ({ transform: `scaleX(${(layout.cut(t) - layout.gutter) / layout.plot})` }) },
  ];
}

/** Hide the marks that are not to be known yet. */
function settleTicks({ marks }, t) {
  for (const { el, t: from } of marks) if (el.hidden !== from > t) el.hidden = from > t;
}

/** Tell assistive technology where the cursor stands. */
function settleScrub(scrub, index, text) {
  scrub.input.value = String(index);
  scrub.input.setAttribute("aria-valuetext", text);
}
