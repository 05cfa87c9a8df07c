// What a person can do to the player: step, jump, scrub, play, change speed, zoom, choose lanes.

const EASE_STEP = 160;
const EASE_EVENT = 240;
const MOST_ZOOM = 64;
const LONGEST_FRAME = 0.25;

const reducedMotion = window.matchMedia("(prefers-reduced-motion: reduce)");

/** The actions of a player, for buttons, keys and the scrub bar alike. */
function actions(player) {
  const ready = (action) => (...values) => player.clock && player.width && action(player, ...values);
  return {
    forward: ready((p) => stepBy(p, 1)),
    back: ready((p) => stepBy(p, -1)),
    toStart: ready((p) => jumpToEdge(p, "t0")),
    toEnd: ready((p) => jumpToEdge(p, "t1")),
    toggle: ready((p) => (p.isPlaying ? pause(p) : play(p))),
    previousEvent: ready((p) => jumpToEvent(p, -1)),
    nextEvent: ready((p) => jumpToEvent(p, 1)),
    scrubTo: ready((p, index) => {
      pause(p);
      goTo(p, index, 0);
    }),
    setSpeed: ready((p, speed) => {
      p.speed = speed;
    }),
    faster: ready((p) => changeSpeed(p, 1)),
    slower: ready((p) => changeSpeed(p, -1)),
    zoomIn: ready((p) => setZoom(p, p.zoom * 2)),
    zoomOut: ready((p) => setZoom(p, p.zoom / 2)),
    showAround: ready(showAround),
    showLanes: ready(showLanes),
  };
}

/** Put the cursor on a boundary, sliding there in `ms`. */
function goTo(player, index, ms) {
  const { bounds } = player.clock;
  easeFor(player, ms);
  player.t = bounds[Math.max(0, Math.min(bounds.length - 1, index))];
  if (player.wanted) player.wanted = { t: player.t, step: 0 };
  show(player);
}

/** Let what moves slide for a while; not while dragging, playing fast or with reduced motion. */
function easeFor(player, ms) {
  clearTimeout(player.easeTimer);
  const isEased = ms > 0 && !player.isDragging && !reducedMotion.matches;
  player.root.classList.toggle("rb-ease", isEased);
  if (!isEased) return;
  player.root.style.setProperty("--rb-ease", `${ms}ms`);
  player.easeTimer = setTimeout(() => player.root.classList.remove("rb-ease"), ms + 40);
}

/** One boundary on or back; past the window's edge, ask for the next window. */
function stepBy(player, step) {
  const { clock } = player;
  const at = boundaryBefore(player.clock, player.t);
  const isGliding = player.t - clock.bounds[at] > clock.eps;
  pause(player);
  const next = step < 0 && isGliding ? at : at + step;
  if (next >= 0 && next < clock.bounds.length) goTo(player, next, EASE_STEP);
  else askBeyond(player, step);
}

/** Ask for the window after (or before) this one, if the run goes on there. */
function askBeyond(player, step) {
  const { payload, clock } = player;
  if (payload.whole || !payload.overview) return false;
  const edge = step > 0 ? clock.bounds.at(-1) : clock.bounds[0];
  const end = step > 0 ? payload.overview.t1 : payload.overview.t0;
  if (Math.abs(end - edge) <= clock.eps) return false;
  player.wanted = { t: edge, step };
  player.requestWindow(edge + step * clock.eps * 4);
  return true;
}

/** To the start or the end of the whole run. */
function jumpToEdge(player, edge) {
  const { payload, clock } = player;
  pause(player);
  const t = payload.overview?.[edge] ?? clock[edge];
  const isInside = t >= clock.t0 - clock.eps && t <= clock.t1 + clock.eps;
  if (payload.whole || isInside) goTo(player, edge === "t0" ? 0 : clock.bounds.length - 1, EASE_STEP);
  else showAround(player, t);
}

/** To the next or previous boundary at which something happens. */
function jumpToEvent(player, step) {
  const { clock, t } = player;
  pause(player);
  const stop = step > 0
    ? clock.stops.find((at) => at > t + clock.eps)
    : clock.stops.findLast((at) => at < t - clock.eps);
  if (stop !== undefined) goTo(player, boundaryBefore(clock, stop), EASE_EVENT);
  else if (!askBeyond(player, step)) goTo(player, step > 0 ? clock.bounds.length - 1 : 0, EASE_EVENT);
}

/** Start playing, from the start when the cursor stands at the end. */
function play(player) {
  const { clock } = player;
  easeFor(player, 0);
  const isAtEnd = player.t >= clock.bounds.at(-1) - clock.eps;
  if (isAtEnd && player.payload.whole) player.t = clock.t0;
  player.isPlaying = true;
  player.owed = 0;
  player.lastFrame = performance.now();
  onPlayingChanged(player);
  requestAnimationFrame((now) => frame(player, now));
}

/** Stop playing; a gliding cursor rests at the end of its round. */
function pause(player) {
  if (!player.isPlaying) return;
  player.isPlaying = false;
  onPlayingChanged(player);
}

/** Show that playing began or ended. */
function onPlayingChanged(player) {
  const { transport, isPlaying, say, root, clock } = player;
  showPlaying(transport, isPlaying, say);
  root.dataset.playing = String(isPlaying);
  player.cardsEl.setAttribute("aria-live", isPlaying ? "off" : "polite");
  if (isPlaying) return;
  const next = Math.min(clock.bounds.length - 1, lowerBound(clock.bounds, player.t - clock.eps));
  player.t = clock.bounds[next];
  show(player);
}

/** One frame of playing. */
function frame(player, now) {
  if (!player.isPlaying) return;
  const seconds = Math.min(LONGEST_FRAME, Math.max(0, (now - player.lastFrame) / 1000));
  player.lastFrame = now;
  if (!player.wanted) moveOn(player, seconds);
  if (player.isPlaying) requestAnimationFrame((next) => frame(player, next));
}

/** Move a playing cursor; at the end stop, or ask for the next window and wait for it. */
function moveOn(player, seconds) {
  const { clock } = player;
  if (reducedMotion.matches) jumpOn(player, seconds);
  else player.t = advance(clock, player.t, seconds, player.speed);
  show(player);
  if (player.t >= clock.bounds.at(-1) - clock.eps && !askBeyond(player, 1)) pause(player);
}

/** With reduced motion: whole rounds only. */
function jumpOn(player, seconds) {
  const { clock, t } = player;
  player.owed += seconds * player.speed;
  const whole = Math.floor(player.owed);
  player.owed -= whole;
  player.t = clock.bounds[Math.min(clock.bounds.length - 1, boundaryBefore(clock, t) + whole)];
}

/** The next faster or slower speed. */
function changeSpeed(player, step) {
  const at = SPEEDS.indexOf(player.speed) + step;
  player.speed = SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, at))];
  player.transport.speed.value = String(player.speed);
}

/** Show a shorter or longer part of the clock. */
function setZoom(player, zoom) {
  player.zoom = Math.max(1, Math.min(MOST_ZOOM, zoom));
  redraw(player);
}

/** Bring a time onto the stage and put the cursor there; in a large run this may need a window. */
function showAround(player, t) {
  const { clock, payload } = player;
  pause(player);
  if (payload.whole || (t >= clock.t0 && t <= clock.t1)) {
    goTo(player, boundaryNear(clock, t), 0);
    return;
  }
  clearTimeout(player.askTimer);
  player.askTimer = setTimeout(() => {
    player.wanted = { t, step: 0 };
    player.requestWindow(t);
  }, 80);
}

/** Show all lanes or one of them. */
function showLanes(player, key) {
  pause(player);
  player.view = key;
  player.range = null;
  chooseLanes(player);
  player.t = player.clock.bounds[boundaryBefore(player.clock, player.t)];
  rebuild(player);
}
