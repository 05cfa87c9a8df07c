// What a person can do to the player: step, jump, scrub, play, change speed, zoom, choose lanes.

const EASE_STEP = 160;
const EASE_EVENT = 240;
const LONGEST_FRAME = 1; // seconds that playing goes on without a look, as in a tab that is not seen
const ASK_DELAY = 80;

const reducedMotion = window.matchMedia("(prefers-reduced-motion: reduce)");

/** The actions of a player, for buttons, keys and the scrub bar alike. */
function actions(player) {
  const ready = (action) => (...values) => player.clock && player.width && action(player, ...values);
  return {
    forward: ready((p) => stepBy(p, 1)),
    back: ready((p) => stepBy(p, -1)),
    toStart: ready((p) => jumpToEdge(p, "t0")),
    toEnd: ready((p) => jumpToEdge(p, "t1")),
    phaseForward: ready((p) => stepPhase(p, 1)),
    phaseBack: ready((p) => stepPhase(p, -1)),
    toggle: ready((p) => (p.isPlaying ? pause(p) : play(p))),
    previousEvent: ready((p) => jumpToEvent(p, -1)),
    nextEvent: ready((p) => jumpToEvent(p, 1)),
    scrubTo: ready((p, index) => {
      pause(p);
      goTo(p, p.clock.bounds[Math.min(p.clock.bounds.length - 1, Math.max(p.clock.first, index))], 0);
    }),
    drag: ready(drag),
    setSpeed: ready(setSpeed),
    faster: ready((p) => changeSpeed(p, 1)),
    slower: ready((p) => changeSpeed(p, -1)),
    everything: ready(showEverything),
    oneLane: ready((p, key) => showLaneNumber(p, Number(key))),
    zoomIn: ready((p) => setZoom(p, p.zoom * 2)),
    zoomOut: ready((p) => setZoom(p, p.zoom / 2)),
    showAround: ready(showAround),
    showLanes: ready(showLanes),
    addLane: ready(addLane),
    forkLane: ready(forkLane),
    shownRound: ready(shownRound),
    beginByHand: ready(beginByHand),
  };
}

/** Put the cursor on a boundary of the window, sliding there in `ms`. */
function goTo(player, t, ms) {
  easeFor(player, ms);
  Object.assign(player, { t, chosen: t, wanted: null, soon: null });
  show(player);
}

/** The cursor is taken up, or let go. */
function drag(player, isDragging) {
  player.isDragging = isDragging;
  if (player.panelTimer) settlePanels(player);
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

/** One boundary on or back, in this window or the next. */
function stepBy(player, step) {
  const from = player.t;
  pause(player);
  stepFrom(player, from, step, "bounds", EASE_STEP);
}

/** To the next or previous boundary at which something happens. */
function jumpToEvent(player, step) {
  const from = player.t;
  pause(player);
  stepFrom(player, from, step, "stops", EASE_EVENT);
}

/** Step from a time; past the window's edge in another window, if the run goes on there. */
function stepFrom(player, from, step, kind, ms) {
  const { clock } = player;
  const stop = stopFrom(clock, from, step, kind);
  const edge = edgeOf(player, step);
  if (stop !== null) goTo(player, stop, ms);
  else if (edge !== null) want(player, { t: edge, from, step, kind });
  else if (kind === "stops") goTo(player, clock.bounds.at(step > 0 ? -1 : 0), ms);
  if (step > 0) askAhead(player);
}

/** To the start or the end of the whole run. */
function jumpToEdge(player, edge) {
  const { payload, clock } = player;
  pause(player);
  const t = edge === "t1" ? endOf(player) : payload.overview?.t0 ?? clock.t0;
  const stop = covers(payload, t) ? stopFrom(clock, t, 0) : null;
  if (stop !== null) goTo(player, stop, EASE_STEP);
  else want(player, { t, from: t, step: 0 });
}

/** Start playing, from the start when the cursor stands at the end. */
function play(player) {
  const { clock } = player;
  easeFor(player, 0);
  if (player.tip.by === "keys") hideTip(player); // it would lie upon what plays
  const isAtEnd = player.t >= clock.bounds.at(-1) - clock.eps && edgeOf(player, 1) === null;
  const t = player.payload.overview?.t0 ?? clock.t0;
  if (isAtEnd && covers(player.payload, t)) player.t = t;
  else if (isAtEnd) want(player, { t, from: t, step: 0, isPlaying: true });
  player.isPlaying = true;
  player.owed = 0;
  player.lastFrame = performance.now();
  onPlayingChanged(player);
  const turn = {};
  player.turn = turn;
  requestAnimationFrame((now) => look(player, turn, now));
}

/** Stop playing; a gliding cursor rests at the end of its round. */
function pause(player) {
  if (!player.isPlaying) return;
  Object.assign(player, { isPlaying: false, turn: null });
  if (player.wanted?.isPlaying) player.wanted = null;
  onPlayingChanged(player);
}

/** Show that playing began or ended. */
function onPlayingChanged(player) {
  const { transport, isPlaying, say, root, clock } = player;
  showPlaying(transport, isPlaying, say);
  root.dataset.playing = String(isPlaying);
  if (isPlaying) return;
  const next = lowerBound(clock.bounds, player.t - clock.eps);
  player.t = clock.bounds[Math.min(clock.bounds.length - 1, Math.max(clock.first, next))] ?? player.t;
  player.chosen = player.t;
  show(player);
}

/** Look where a playing cursor has come to, again and again; between, the browser moves it. */
function look(player, turn, now) {
  if (player.turn !== turn) return;
  if (player.wanted) player.lastFrame = now;
  else moveOn(player, now);
  setTimeout(() => requestAnimationFrame((next) => look(player, turn, next)), untilLook(player));
}

/** Move a playing cursor; at the edge go on in the next window, at the end stop. */
function moveOn(player, now) {
  const { clock } = player;
  catchUp(player, now);
  show(player);
  askAhead(player);
  if (player.t < clock.bounds.at(-1) - clock.eps) return;
  const edge = edgeOf(player, 1);
  if (edge === null) pause(player);
  else want(player, { t: edge, from: player.t, step: 1, isPlaying: true });
}

/** Bring the time of a playing cursor up to now. */
function catchUp(player, now) {
  const seconds = Math.min(LONGEST_FRAME, Math.max(0, (now - player.lastFrame) / 1000));
  player.lastFrame = now;
  if (reducedMotion.matches) jumpOn(player, seconds);
  else player.t = advance(player.clock, player.t, seconds, player.speed);
  player.chosen = player.t;
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
  setSpeed(player, SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, at))]);
  player.transport.speed.value = String(player.speed);
}

/** Play at so many rounds a second. */
function setSpeed(player, speed) {
  stopGlide(player);
  player.speed = speed;
  show(player);
}

/** Show a shorter or longer part of the clock around the cursor. */
function setZoom(player, zoom) {
  player.zoom = Math.max(1, Math.min(MOST_ZOOM, zoom));
  player.pannedAt = null;
  redraw(player);
}

/** Bring a time onto the stage and put the cursor there; in a large run this may need a window. */
function showAround(player, t, lessonStep = null) {
  const { clock, payload } = player;
  pause(player);
  const stop = covers(payload, t) ? stopFrom(clock, t, 0) : null;
  player.soon = stop === null ? { t, from: t, step: 0, lessonStep } : null;
  if (stop !== null) goTo(player, stop, 0);
  else player.askTimer ??= setTimeout(() => wantSoon(player), ASK_DELAY);
}

/**
 * Want the window that was last asked for. One that is on its way is waited for: who drags sees those in
 * between, and not all of them at the end.
 */
function wantSoon(player) {
  player.askTimer = null;
  const { soon } = player;
  if (!soon) return;
  if (isAwaited(player)) {
    player.askTimer = setTimeout(() => wantSoon(player), ASK_DELAY);
    return;
  }
  player.soon = null;
  want(player, soon);
}

/** Show all lanes or one of them. */
function showLanes(player, key) {
  pause(player);
  const { payload, chosen } = player;
  player.view = key;
  player.range = null;
  chooseLanes(player);
  const stop = covers(payload, chosen) ? stopFrom(player.clock, chosen, 0) : null;
  player.t = stop ?? player.clock.bounds[0];
  rebuild(player);
  if (stop === null) want(player, { t: chosen, from: chosen, step: 0 });
}

/** Show the lane of a number alone, if there is one to choose. */
function showLaneNumber(player, number) {
  const { lanes } = player.payload;
  const lane = lanes.length > 1 ? lanes[number - 1] : undefined;
  if (lane && lane.key !== player.view) showLanes(player, lane.key);
}

/** Show all lanes, and all of the window. */
function showEverything(player) {
  showAll(player);
  if (player.view !== "all") showLanes(player, "all");
}
