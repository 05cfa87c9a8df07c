// Zoom and pan by wheel, pinch and drag, and pointing at cells: what is done on the stage itself.
//
// All lanes share one x range, so they stay in step by themselves. A range that a person chose is kept
// although the cursor may stand outside of it, until the cursor moves.

const MOST_ZOOM = 64;
const WHEEL_ZOOM = 0.01;
const MOST_WHEEL_ZOOM = 0.5;
const WHEEL_LINE = 16;
const DRAG_FROM = 4;

/** Show a part of the clock; the canvases are painted once a frame. */
function showRange(player, from, length) {
  const { clock, zoomFrame } = player;
  const all = clock.t1 - clock.t0;
  const shown = Math.max(all / MOST_ZOOM, Math.min(all, length));
  const isAll = shown > all * 0.99;
  const start = Math.max(clock.t0, Math.min(clock.t1 - shown, from));
  player.zoom = isAll ? 1 : all / shown;
  player.range = isAll ? null : [start, start + shown];
  player.pannedAt = player.t;
  if (zoomFrame) return;
  player.zoomFrame = requestAnimationFrame(() => {
    player.zoomFrame = 0;
    if (player.stage.layout) redraw(player);
  });
}

/** The part of the clock shown, or about to be. */
function rangeOf({ range, clock }) {
  return range ?? [clock.t0, clock.t1];
}

/** Zoom by a factor; what lies at `px` of the stage stays there. */
function zoomAround(player, px, factor) {
  const { gutter, plot } = player.stage.layout;
  const [from, to] = rangeOf(player);
  const share = Math.max(0, Math.min(1, (px - gutter) / plot));
  const shortest = (player.clock.t1 - player.clock.t0) / MOST_ZOOM;
  const length = Math.max(shortest, Math.min(player.clock.t1 - player.clock.t0, (to - from) / factor));
  showRange(player, from + share * (to - from - length), length);
}

/** Move the part shown by so many px. */
function panBy(player, px) {
  const [from, to] = rangeOf(player);
  showRange(player, from + (px / player.stage.layout.plot) * (to - from), to - from);
}

/** Show all of the window again. */
function showAll(player) {
  if (player.zoom === 1) return;
  Object.assign(player, { zoom: 1, range: null, pannedAt: null });
  redraw(player);
}

/** Listen to what is done on the stage; returns how to stop what listens beyond it. */
function listenToStage(player) {
  const { el } = player.stage;
  const fingers = { at: new Map(), from: null, isMoved: false };
  const ready = (action) => (event) => player.stage.layout && player.clock && action(player, event, fingers);
  el.addEventListener("wheel", ready(onWheel), { passive: false });
  el.addEventListener("dblclick", ready(showAll));
  el.addEventListener("pointerdown", ready(onDown));
  el.addEventListener("pointermove", ready(onMove));
  for (const end of ["pointerup", "pointercancel"]) el.addEventListener(end, ready(onUp));
  el.addEventListener("pointerleave", ({ pointerType }) => pointerType !== "touch" && hideTip(player));
  el.addEventListener("focus", ready(() => el.matches(":focus-visible") && pointAtRow(player, 0)));
  el.addEventListener("blur", () => hideTip(player));
  el.addEventListener("keydown", ready(onStageKey));
  return listenToLeaving(player);
}

/** Escape, a tap elsewhere and scrolling take the card away. */
function listenToLeaving(player) {
  const { el } = player.stage;
  const onKey = ({ key }) => key === "Escape" && hideTip(player);
  const onTap = (event) => event.composedPath().includes(el) || hideTip(player);
  const onScroll = ({ target }) => target !== player.root && player.tip.by !== "keys" && hideTip(player);
  document.addEventListener("keydown", onKey);
  document.addEventListener("pointerdown", onTap);
  document.addEventListener("scroll", onScroll, { capture: true, passive: true });
  return () => {
    document.removeEventListener("keydown", onKey);
    document.removeEventListener("pointerdown", onTap);
    document.removeEventListener("scroll", onScroll, { capture: true });
  };
}

/** Wheel: with ctrl (and a pinch on a touch pad) zoom, sideways pan, else the page scrolls. */
function onWheel(player, event) {
  const unit = event.deltaMode === 0 ? 1 : WHEEL_LINE;
  if (event.ctrlKey || event.metaKey) {
    event.preventDefault();
    const wish = -event.deltaY * unit * WHEEL_ZOOM;
    const step = Math.max(-MOST_WHEEL_ZOOM, Math.min(MOST_WHEEL_ZOOM, wish));
    zoomAround(player, inStage(player, event), Math.exp(step));
    return;
  }
  const sideways = event.shiftKey ? event.deltaX || event.deltaY : event.deltaX;
  if (player.zoom === 1 || (!event.shiftKey && Math.abs(sideways) <= Math.abs(event.deltaY))) {
    hideTip(player);
    return;
  }
  event.preventDefault();
  panBy(player, sideways * unit);
}

/** A pointer's px from the left of the stage. */
function inStage({ stage }, { clientX }) {
  return clientX - stage.el.getBoundingClientRect().left;
}

/** A finger or button comes down: remember from where a drag or a pinch starts. */
function onDown(player, event, fingers) {
  if (event.button !== 0) return;
  if (event.isPrimary) fingers.at.clear();
  fingers.isMoved = fingers.at.size > 0;
  fingers.at.set(event.pointerId, { x: inStage(player, event) });
  startGesture(player, fingers);
}

/** Take the present fingers and range as where the gesture starts. */
function startGesture(player, fingers) {
  fingers.from = { ...spread(fingers), range: rangeOf(player) };
}

/** Middle of the fingers, and how far they are apart. */
function spread({ at }) {
  const xs = [...at.values()].map(({ x }) => x);
  return { x: xs.reduce((sum, x) => sum + x, 0) / xs.length, apart: Math.max(...xs) - Math.min(...xs) };
}

/** A pointer moves: it points, drags or pinches. */
function onMove(player, event, fingers) {
  if (!fingers.at.has(event.pointerId)) {
    if (event.pointerType !== "touch") pointAt(player, event.clientX, event.clientY, "mouse");
    return;
  }
  fingers.at.set(event.pointerId, { x: inStage(player, event) });
  const now = spread(fingers);
  const isPinch = fingers.at.size > 1;
  if (!fingers.isMoved && Math.abs(now.x - fingers.from.x) < DRAG_FROM) return;
  fingers.isMoved = true;
  if (!isPinch && player.zoom === 1) return;
  player.stage.el.setPointerCapture(event.pointerId);
  hideTip(player);
  follow(player, fingers.from, now);
}

/** Keep the times under the fingers where these went. */
function follow(player, { x, apart, range: [from, to] }, now) {
  const { gutter, plot } = player.stage.layout;
  const all = player.clock.t1 - player.clock.t0;
  const factor = apart > 0 ? Math.max(1, now.apart) / apart : 1;
  const length = Math.max(all / MOST_ZOOM, Math.min(all, (to - from) / factor));
  const t = from + ((x - gutter) / plot) * (to - from);
  showRange(player, t - ((now.x - gutter) / plot) * length, length);
}

/** A finger or button goes up; a tap points at what lies there. */
function onUp(player, event, fingers) {
  if (!fingers.at.delete(event.pointerId)) return;
  if (fingers.at.size) startGesture(player, fingers);
  else if (event.type === "pointerup" && !fingers.isMoved) {
    const isTouch = event.pointerType === "touch";
    pointAt(player, event.clientX, event.clientY, isTouch ? "touch" : "mouse");
  }
}

/** Up and down choose a row of the cursor's round. */
function onStageKey(player, event) {
  const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (!step || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  pointAtRow(player, player.tip.isOn ? step : 0);
}
