// The scrub bar: a range input over the boundaries, drawn on the stage's own scale.

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
  const scrub = { el, input, ticks, gaps, played, handle, track, layout: null, clock: null };
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
  Object.assign(scrub.track.style, { left: `${layout.gutter}px`, width: `${layout.plot}px` });
  drawGaps(scrub, layout, clock);
  drawTicks(scrub, ctx, layout);
}

/** Small gaps in the track at the boundaries, where they have room. */
function drawGaps(scrub, layout, clock) {
  scrub.gaps.replaceChildren();
  let before = layout.gutter;
  for (const t of clock.bounds.slice(1, -1)) {
    const x = layout.x(t);
    if (x - before < 7 || x > layout.right - 4) continue;
    before = x;
    scrub.gaps.append(h("i", { style: { left: `${x - layout.gutter}px` } }));
  }
}

/** The event marks; those of one time stand side by side, those without room are left out. */
function drawTicks(scrub, ctx, layout) {
  const { payload, shownLanes } = ctx;
  const scale = layout.size.font / 12;
  const apart = 13 * scale;
  scrub.ticks.replaceChildren();
  let free = -Infinity;
  for (const group of groupEvents(payload.events, shownLanes)) {
    const x = layout.x(group[0].t);
    if (x < layout.gutter - 1 || x > layout.right + 1) continue;
    const wanted = x - ((group.length - 1) * apart) / 2;
    let at = Math.max(wanted, group[0].t <= ctx.clock.t0 ? layout.gutter + 5 : free);
    if (at - wanted > apart / 2 && group[0].t > ctx.clock.t0) continue;
    for (const event of group) {
      const color = requestVar(payload.requests[event.req], "strong");
      const mark = h("i", { style: { left: `${at}px`, color } });
      mark.append(eventMark(event.kind, 9 * scale));
      scrub.ticks.append(mark);
      at += apart;
    }
    free = at;
  }
}

/** Events of the shown lanes by time, each (kind, request) once. */
function groupEvents(events, shownLanes) {
  const groups = new Map();
  const seen = new Set();
  for (const event of events) {
    const key = `${event.t}/${event.kind}/${event.req}`;
    if (seen.has(key) || (event.lane !== null && !shownLanes.includes(event.lane))) continue;
    seen.add(key);
    if (!groups.has(event.t)) groups.set(event.t, []);
    groups.get(event.t).push(event);
  }
  return [...groups.values()];
}

/** Move the handle to t. */
function placeHandle(scrub, t) {
  const { layout } = scrub;
  const x = Math.max(layout.gutter, Math.min(layout.right, layout.x(t)));
  scrub.handle.style.transform = `translateX(${x}px)`;
  scrub.played.style.transform = `scaleX(${(x - layout.gutter) / layout.plot})`;
}

/** Tell assistive technology where the cursor stands. */
function settleScrub(scrub, index, text) {
  scrub.input.value = String(index);
  scrub.input.setAttribute("aria-valuetext", text);
}
