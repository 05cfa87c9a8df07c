// What the page around the player may hear and ask: where the cursor stands, and to show a step of a
// lesson. The player works as well without anybody who listens.

const SPOKEN_DELAY = 400;
const STEP_EVENTS = { cancel: "cancelled", preempt: "preempted" }; // words of a step that events have others for
const SPOKEN_SPEED = 1; // rounds a second up to which playing is told round by round

/**
 * Tell the page, as the event "rb-moved", whenever the cursor has come to another boundary, playing
 * begins or ends, or another run is shown; "rb-who" asks for it at once.
 * @returns {function(): void} stop telling
 */
function announceMoves(player) {
  const handle = {
    act: player.act,
    state: () => stateOf(player),
    placeOf: (step) => placeOf(player, step),
    showStep: (step, place) => showStep(player, step, place),
    signs: () => Object.entries(SWATCHES).map(([key, draw]) => ({ key, el: draw() })),
    views: viewHandle(player),
    cards: () => player.cardsEl.getBoundingClientRect(),
  };
  const tell = () => {
    if (!player.payload || !player.clock) return;
    drawMarks(player);
    speak(player);
    window.dispatchEvent(new CustomEvent("rb-moved", { detail: handle }));
  };
  player.announce = tell;
  const restyle = () => player.payload && rebuild(player);
  const observer = new MutationObserver(tell);
  observer.observe(player.root, {
    attributes: true, attributeFilter: [
      "data-time", "data-run", "data-playing", "data-lanes", "data-from", "data-rows", "data-axis", "data-future",
    ],
  });
  window.addEventListener("rb-who", tell);
  window.addEventListener("rb-present", restyle);
  return () => {
    observer.disconnect();
    clearTimeout(player.speakTimer);
    window.removeEventListener("rb-who", tell);
    window.removeEventListener("rb-present", restyle);
  };
}

/** Where the player stands. */
function stateOf({ payload, clock, t, view, isPlaying }) {
  return {
    run: payload.run, t, view, isPlaying, eps: clock.eps, end: payload.overview?.t1 ?? clock.t1,
    views: ["all", ...payload.lanes.map((lane) => lane.key)],
    next: stopFrom(clock, t, 1), previous: stopFrom(clock, t, -1),
  };
}

/** The lane a step speaks of: the one of its name, else the last. */
function laneOf(payload, key) {
  const index = payload.lanes.findIndex((lane) => lane.key === key);
  return index < 0 ? payload.lanes.length - 1 : index;
}

/** The view of a step: one lane alone, or all. */
function viewOf(payload, step) {
  return step.alone ? payload.lanes[laneOf(payload, step.lane)].key : "all";
}

/**
 * Where a step stands in this run: its view, a time that is a boundary of it, or null when the run
 * has no such event, and whether another window of a large run has to be shown for it; then the
 * time is near that boundary.
 */
function placeOf({ payload }, step) {
  const view = viewOf(payload, step);
  const lanes = lanesOf(payload, view);
  const clock = makeClock(payload, lanes);
  const time = timeOfStep(payload, lanes, clock, step);
  const isFar = time !== null && !covers(payload, time);
  return { view, t: time === null || isFar ? time : stopFrom(clock, time, 0) ?? time, isFar };
}

/** The time that a step names, in whatever way; of an event in another window the one it usually has. */
function timeOfStep(payload, lanes, clock, { round = "start", time = null, usual = null, lane: key }) {
  const start = payload.overview?.t0 ?? payload.t0;
  if (time !== null) return time;
  if (round === "start" || round === 0) return start;
  if (round === "end") return endOf({ payload, lanes, clock });
  const index = laneOf(payload, key);
  if (typeof round === "string") return timeOfEvent(payload, clock, round, index) ?? (payload.whole ? null : usual);
  return timeOfRound(payload, payload.lanes[index], round);
}

/**
 * When an event such as "C first" takes effect in a lane; null where there is none. An eviction
 * stands at the start of its round, and has taken effect at its end.
 */
function timeOfEvent({ events, requests, lanes }, clock, name, lane) {
  const cut = name.lastIndexOf(" ");
  const [id, word] = [name.slice(0, cut), name.slice(cut + 1)];
  const kind = STEP_EVENTS[word] ?? word;
  const event = events.find((one) => one.kind === kind && requests[one.req].id === id &&
    (one.lane === null || one.lane === lane));
  if (event && kind === "preempted") {
    const { start, end } = lanes[lane].rounds;
    return end[lowerBound(start, event.t - clock.eps)] ?? null;
  }
  return event ? clock.bounds[lowerBound(clock.bounds, event.t - clock.eps)] ?? null : null;
}

/**
 * Show a step: its lanes, its rows, and its place in time.
 * @param {Object} step of the lesson
 * @param {{view: string, t: number|null}} place where to stand instead; t null: where it is
 */
function showStep(player, step, place = placeOf(player, step)) {
  player.marked = step.highlight ?? [];
  const { payload } = player;
  const view = payload.lanes.some((lane) => lane.key === place.view) ? place.view : "all";
  if (view !== player.view) showLanes(player, view);
  if (step.view && step.view !== player.below.chosen) chooseTab(player, step.view);
  const isOwn = place.t === placeOf(player, step).t;
  if (place.t !== null) moveTo(player, place.t, isOwn ? step : null);
  drawMarks(player, true);
}

/** Slide to a time, which is that of a step if there is one; in a large run it may lie in another window. */
function moveTo(player, t, lessonStep) {
  pause(player);
  const stop = covers(player.payload, t) ? stopFrom(player.clock, t, 0) : null;
  if (stop === null) showAround(player, t, lessonStep);
  else if (Math.abs(stop - player.t) > player.clock.eps) goTo(player, stop, EASE_EVENT);
}

/** Bands behind the rows, or on seats behind the cells, of the requests that a step is about. */
function drawMarks(player, isNew = false) {
  const { stage, payload, marked = [] } = player;
  const { layout } = stage;
  if (!layout || (!isNew && stage.markedFor === layout)) return;
  stage.markedFor = layout;
  const chosen = payload.requests.flatMap((request, i) => (marked.includes(request.id) ? [i] : []));
  stage.parts.marks.replaceChildren(...layout.lanes.flatMap((lane) =>
    chosen.flatMap((req) => bandsOf(layout, lane, req).map((band) => bandOf(lane, band, payload.requests[req])))));
}

/** A band; on seats it is a frame, as the cells would cover it. */
function bandOf(lane, { left, right, row }, request) {
  const el = h(lane.byRequest ? "i" : "i.rb-frame");
  Object.assign(el.style, {
    left: `${left}px`, width: `${right - left}px`, top: `${lane.rowsY + row * lane.pitch}px`,
    height: `${lane.pitch}px`, borderColor: requestVar(request, "strong"), background: requestVar(request, "soft"),
  });
  return el;
}

/** Where a request has its row in a lane; on seats, where its runs begin and end. */
function bandsOf(layout, lane, req) {
  if (lane.byRequest) return [{ left: -8, right: layout.width, row: req }];
  const { start, end } = lane.lane.rounds;
  const runs = lane.lane.runs.filter((run) => run.req === req);
  const rows = [...new Set(runs.map((run) => run.seat))];
  return rows.map((row) => {
    const own = runs.filter((run) => run.seat === row);
    const last = own.at(-1);
    return { row, left: layout.cut(start[own[0].first]) - MARK_REACH, right: layout.cut(end[last.first + last.count - 1]) + MARK_REACH };
  });
}

/** Say where the cursor stands and what each lane did there, once for many quick steps. */
function speak(player) {
  const key = `${player.payload.run} ${player.payload.lang} ${player.root.dataset.time} ${player.view}`;
  if (key === player.spoken || (player.isPlaying && player.speed > SPOKEN_SPEED)) return;
  clearTimeout(player.speakTimer);
  player.speakTimer = setTimeout(() => {
    if (!player.clock) return;
    player.spoken = key;
    // A page that has just opened tells nothing: nobody has stepped.
    if (navigator.userActivation.hasBeenActive) setText(player.voice, spokenRound(player));
  }, SPOKEN_DELAY);
}

/** The round in words: its name, then the lines of each lane's card. */
function spokenRound(player) {
  const { stage, lanes, clock, t, payload } = player;
  const cards = lanes.map((lane) => {
    const lines = cardAt(lane, clock, t)?.lines ?? [];
    const said = lines.length
      ? lines.map((line) => `${payload.requests[line.req]?.id ?? line.label ?? ""} ${line.text}`)
      : [player.say("no_round")];
    return lanes.length > 1 ? player.say("said_lane", { lane: lane.short ?? lane.title, text: said.join(" ") }) : said.join(" ");
  });
  return [stage.el.getAttribute("aria-label"), ...cards].join(" ");
}
