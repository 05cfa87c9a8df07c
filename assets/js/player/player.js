// The player: its state, and who is told what when the state changes. Knows nothing of Panel.

/**
 * Make a player.
 * @param {Element} root where it goes
 * @param {{full: Object, ghost: Object}} figures Bokeh figures with named renderers
 * @param {{full: Element, ghost: Element}} elements the figures' elements
 * @param {function(number): void} requestWindow asks for a window of a large run around a time
 * @returns {{setPayload: function(Object): void, destroy: function(): void}}
 */
function createPlayer(root, figures, elements, requestWindow) {
  const player = {
    root, requestWindow, payload: null, lanes: [], clock: null, say: null, theme: null,
    t: 0, speed: 1, isPlaying: false, isDragging: false, view: "all", zoom: 1, range: null,
    width: 0, size: SIZES.normal, lastFrame: 0, wanted: null, cards: [], states: [], metrics: null,
    memory: { isFinal: false }, signature: "",
  };
  const act = actions(player);
  Object.assign(player, {
    act,
    bar: createBar(act),
    stage: createStage(figures, elements),
    scrub: createScrub({ goTo: act.scrubTo, onDrag: (isDragging) => { player.isDragging = isDragging; } }),
    overview: createOverview(act.showAround),
    transport: createTransport(act),
    cardsEl: h("div.rb-cards", { "aria-live": "polite" }),
    panels: { state: h("div.rb-panel.rb-panel-state"), metrics: h("div.rb-panel.rb-panel-metrics") },
    empty: h("p.rb-empty", { hidden: true }),
  });
  player.tabs = createTabs(player.panels);
  player.transport.speed.value = "1";
  buildPage(player);
  const stops = [listenToKeys(act), watchLook(player), watchWidth(player)];
  return {
    setPayload: (payload) => setPayload(player, payload),
    destroy: () => {
      player.isPlaying = false;
      stops.forEach((stop) => stop());
    },
  };
}

/** Put the parts on the page, in their order. */
function buildPage(player) {
  const { bar, stage, scrub, overview, transport } = player;
  player.root.classList.add("rb-player");
  player.tables = h("div.rb-tables", {}, player.tabs.el, player.panels.state, player.panels.metrics);
  player.body = h("div.rb-body", {},
    stage.el, stage.times, scrub.el, overview.el, transport.el, player.cardsEl, player.tables);
  player.root.append(bar.el, player.empty, player.body);
}

/** Redraw when theme or presenter mode change; returns how to stop. */
function watchLook(player) {
  const restyle = () => player.payload && rebuild(player);
  window.addEventListener("rb-theme", restyle);
  return () => window.removeEventListener("rb-theme", restyle);
}

/** Redraw when the width changes; returns how to stop. */
function watchWidth(player) {
  const observer = new ResizeObserver(([entry]) => {
    const width = Math.floor(entry.contentRect.width);
    if (width < 1 || width === player.width) return;
    player.width = width;
    if (player.payload) rebuild(player);
  });
  observer.observe(player.root);
  return () => observer.disconnect();
}

/** Show a payload: a new run, or another window of the same one. */
function setPayload(player, payload) {
  const isSameRun = player.payload?.run === payload.run;
  player.payload = payload?.lanes ? payload : null;
  setShown(player.body, Boolean(player.payload));
  if (!player.payload) return;
  player.say = speaker(payload);
  if (!isSameRun) player.wanted = null;
  chooseLanes(player);
  player.t = startTime(player, payload);
  player.range = null;
  rebuild(player);
}

/** Where the cursor goes in a payload that has just come. */
function startTime(player, payload) {
  const { clock, wanted } = player;
  player.wanted = null;
  if (payload.reset) return clock.t0;
  const before = boundaryBefore(clock, wanted?.t ?? player.t);
  return clock.bounds[Math.max(0, Math.min(clock.bounds.length - 1, before + (wanted?.step ?? 0)))];
}

/** Take the lanes of the chosen view, and their clock. */
function chooseLanes(player) {
  const { payload } = player;
  const only = payload.lanes.filter((lane) => lane.key === player.view);
  if (!only.length) player.view = "all";
  player.lanes = only.length ? only : payload.lanes;
  player.clock = makeClock(payload, player.lanes);
}

/** Build cards and tables for the payload, and draw the stage. */
function rebuild(player) {
  if (!player.width) return;
  const { payload, say, lanes } = player;
  player.size = chooseSize(player.width);
  const isDark = document.documentElement.dataset.theme === "dark";
  player.theme = THEME[isDark ? "dark" : "light"];
  player.root.dataset.size = player.size.name;
  player.root.dataset.lanes = String(lanes.length);
  player.root.dataset.run = String(payload.run);
  player.root.lang = payload.lang;
  const isEmpty = lanes.every((lane) => lane.rounds.end.length === 0);
  setShown(player.empty, isEmpty);
  setText(player.empty, say("nothing_yet"));
  setShown(player.body, !isEmpty);
  const ctx = context(player);
  drawBar(player.bar, ctx);
  if (isEmpty) return;
  nameTransport(player.transport, say);
  showPlaying(player.transport, player.isPlaying, say);
  player.tabs.name(say);
  buildCards(player);
  buildTables(player, ctx);
  redraw(player);
}

/** What the drawing functions need to know. */
function context(player) {
  const { payload, lanes, clock, say, theme, size, width, view, memory } = player;
  return {
    payload, lanes, clock, say, theme, size, width, view, memory,
    range: player.range ?? [clock.t0, clock.t1],
    dark: document.documentElement.dataset.theme === "dark",
    shownLanes: lanes.map((lane) => payload.lanes.indexOf(lane)),
    colourOf: (req) => theme.requests[payload.requests[req].colour % 8],
    rowsTitle: size.name === "phone" ? "" : say("request"),
    canZoom: clock.bounds.length > 60,
  };
}

/** One card a lane, side by side. */
function buildCards(player) {
  const { lanes, say, size, width } = player;
  player.cards = lanes.map((lane) => createCard(lane, lanes.length === 1, say));
  const columns = size.name === "phone" ? 1 : Math.min(2, lanes.length);
  const room = (width - 24 * (columns - 1)) / columns;
  player.cards.forEach((card, i) => fitCard(card, lanes[i], room, size));
  player.cardsEl.replaceChildren(...player.cards.map((card) => card.el));
}

/** State tables and metrics. */
function buildTables(player, ctx) {
  const { lanes, payload, say, size } = player;
  player.states = lanes.map((lane) => createState(payload, lane, say, size, lanes.length === 1));
  player.metrics = createMetrics(ctx);
  player.panels.state.replaceChildren(...player.states.map((table) => table.el));
  player.panels.metrics.replaceChildren(...player.metrics.els);
}

/** Paint the canvases for the range shown, and put the cursor back. */
function redraw(player) {
  player.range = shownRange(player);
  const ctx = context(player);
  drawStage(player.stage, ctx);
  drawScrub(player.scrub, ctx, player.stage.layout);
  const data = overviewData(player.payload, player.lanes, player.clock, player.zoom > 1);
  drawOverview(player.overview, ctx, player.stage.layout, data);
  player.root.style.setProperty("--rb-gutter", `${player.stage.layout.gutter}px`);
  player.signature = "";
  show(player);
}

/** The part of the clock that the stage shows at this zoom. */
function shownRange({ clock, zoom, t, range }) {
  if (zoom === 1) return [clock.t0, clock.t1];
  const length = (clock.t1 - clock.t0) / zoom;
  const isKept = range && Math.abs(range[1] - range[0] - length) <= clock.eps;
  if (isKept && t >= range[0] && t <= range[1]) return range;
  const from = Math.max(clock.t0, Math.min(clock.t1 - length, t - length / 4));
  return [from, from + length];
}

/** Show the cursor where it is; tables and cards change only at boundaries. */
function show(player) {
  const { stage, scrub, clock, t } = player;
  const [from, to] = player.range;
  if (t < from - clock.eps || t > to + clock.eps) {
    redraw(player);
    return;
  }
  placeCursor(stage, t);
  placeHandle(scrub, t);
  const states = laneStates(player);
  const signature = states.map(({ lit, ended }) => `${lit},${ended}`).join(";");
  if (signature !== player.signature) {
    player.signature = signature;
    settle(player, states);
  }
  showPhases(player, states);
}

/** What is current in each lane at the cursor. */
function laneStates({ lanes, clock, t }) {
  return lanes.map((lane) => ({
    lit: litRound(lane, clock, t), ended: lastEnded(lane, clock, t),
  }));
}

/** Everything that changes from one round to the next. */
function settle(player, states) {
  const { stage, scrub, transport, clock, t, say, payload, lanes } = player;
  stage.overlay.settle(t);
  const where = wherePhrase(player, states);
  showWhere(transport, where);
  const spoken = [`${where[0]}${where[1]}`, where[2]].filter(Boolean).join(", ");
  settleScrub(scrub, boundaryBefore(clock, t), spoken);
  stage.el.setAttribute("aria-label", `${payload.title}. ${spoken}`);
  const atEnd = clock.bounds[boundaryBefore(clock, t)];
  const known = new Map();
  lanes.forEach((lane, i) => {
    const { lit, ended } = states[i];
    const isLit = lit >= 0 && lit === ended;
    known.set(lane, { ended, isLit, time: timeText(payload, say, atEnd) });
    showCard(player.cards[i], cardAt(lane, clock, t), payload);
    showState(player.states[i], lane, ended, isLit, say);
  });
  player.metrics.settle(known);
  markRoot(player, states, atEnd);
}

/** The state of the player as attributes of its root. */
function markRoot({ root, lanes, isPlaying }, states, time) {
  const i = Math.max(0, states.findIndex(({ lit }) => lit >= 0));
  const index = states[i].lit >= 0 ? states[i].lit : states[i].ended;
  root.dataset.round = String(index < 0 ? 0 : lanes[i].rounds.number[index]);
  root.dataset.time = String(time);
  root.dataset.playing = String(isPlaying);
}

/** "Round 3", " of 5", "13 ms"; the time alone where lanes have rounds of their own. */
function wherePhrase({ lanes, say, payload, clock, t, stage, size }, states) {
  const time = timeText(payload, say, clock.bounds[boundaryBefore(clock, t)]);
  if (lanes.length > 1 && !stage.layout.shared) return [time, "", ""];
  const i = states.findIndex(({ lit }) => lit >= 0);
  if (i < 0) return [say(t <= clock.t0 + clock.eps ? "at_start" : "no_round"), "", time];
  const lane = lanes[i];
  const all = most(lanes.map((one) => one.num_rounds));
  const name = say("round_n", { n: numberText(lane.rounds.number[states[i].lit]) });
  const of = size.name === "phone" ? "of_rounds_below" : "of_rounds";
  return [name, say(of, { n: numberText(all) }), time];
}

/** Light the phase of the round: in turn when playing slowly, else the last. */
function showPhases({ lanes, cards, isPlaying, speed, t }, states) {
  lanes.forEach((lane, i) => {
    const { lit } = states[i];
    const { start, end } = lane.rounds;
    const isSlow = isPlaying && speed <= 1 && lit >= 0;
    lightPhase(cards[i], isSlow ? (t - start[lit]) / (end[lit] - start[lit]) : lit < 0 ? -1 : 1);
  });
}
