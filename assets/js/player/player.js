// The player: its state, and who is told what when the state changes. Knows nothing of Panel.

const LONG_CLOCK = 60; // boundaries from which on zoom has buttons, and an overview while zoomed in
const LEAST_CARD = 300; // px of a card and between two, as in the style sheet
const CARD_GAP = 24;
const WIDEST_LABEL = 3.2; // of a request, times the type size, up to which chips below each other are of one width

/**
 * Make a player.
 * @param {Element} root where it goes
 * @param {{full: Object, ghost: Object}} figures Bokeh figures with named renderers
 * @param {{full: Element, ghost: Element}} elements the figures' elements
 * @param {function(number): void} requestWindow asks for a window of a large run around a time
 * @param {?function(Object): void} command tells Python what to do with lanes; none where there is no Python
 * @returns {{setPayload: function(Object): void, destroy: function(): void, views: Object}} views:
 *   get() and set({rows, axis, future}) of the choices of `views.js`
 */
function createPlayer(root, figures, elements, requestWindow, command = null) {
  const player = {
    root, requestWindow, payload: null, lanes: [], clock: null, say: null, theme: null,
    t: 0, chosen: 0, speed: 1, isPlaying: false, isDragging: false, view: "all", zoom: 1,
    range: null, pannedAt: null, zoomFrame: 0, width: 0, visible: 0, size: SIZES.normal, lastFrame: 0, glide: [], received: null, wanted: null, soon: null,
    rows: null, axis: "time", future: "ghost", raw: null,
    asked: null, secondHead: 0, cards: [], states: [], metrics: null, memory: { isFinal: false, isMore: false }, signature: "",
  };
  const act = actions(player);
  const lanes = createLanes(act, command);
  Object.assign(player, {
    act,
    laneParts: lanes,
    views: createViews(player),
    stage: createStage(figures, elements),
    scrub: createScrub({ goTo: act.scrubTo, onDrag: act.drag }),
    overview: createOverview({ onMove: act.showAround, isAwaited: () => Boolean(player.wanted ?? player.soon) }),
    transport: createTransport(act),
    cardsEl: h("div.rb-cards"),
    voice: h("p.rb-hidden", { role: "status", "data-testid": "voice" }),
    extras: h("div.rb-extras"),
    empty: h("p.rb-empty", { hidden: true }),
    tip: createTip(),
  });
  player.below = createPanels(player);
  player.hands = createHands(player);
  player.bar = createBar(act, lanes, player.views.el);
  player.transport.speed.value = "1";
  buildPage(player);
  [player.cardsEl, player.stage.el.parentElement].forEach(watch_more);
  const stops = [
    listen_to_keys(act), announceMoves(player), listenToStage(player), watchLook(player), watchRoom(player),
    listenToPictures(player), listenForWishes(player),
  ];
  return {
    setPayload: (payload) => setPayload(player, payload),
    views: viewHandle(player),
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
  const stageBox = h("div.rb-stage-box", {}, stage.el, player.laneParts.heads, player.hands.column);
  const dock = h("div.rb-dock", {},
    stage.times, scrub.el, overview.el, player.hands.bar, player.extras, transport.el);
  player.body = h("div.rb-body", {}, stageBox, dock, player.cardsEl, player.below.el);
  player.root.append(
    bar.el, player.empty, player.body, player.tip.el, player.laneParts.menu.el, player.voice);
}

/** Redraw when theme or presenter mode change; returns how to stop. */
function watchLook(player) {
  const restyle = () => player.payload && rebuild(player);
  window.addEventListener("rb-theme", restyle);
  return () => window.removeEventListener("rb-theme", restyle);
}

/** Redraw when the width or what is visible of the page changes; returns how to stop. */
function watchRoom(player) {
  const measure = (width) => {
    const visible = scrollerOf(player.root).clientHeight;
    if (width < 1 || (width === player.width && visible === player.visible)) return;
    if (!player.width) player.announce(); // a step chooses lanes and time before anything is drawn
    Object.assign(player, { width, visible });
    if (player.payload) rebuild(player);
  };
  const observer = new ResizeObserver(([entry]) => measure(Math.floor(entry.contentRect.width)));
  const onResize = () => measure(player.width);
  observer.observe(player.root);
  window.addEventListener("resize", onResize);
  return () => {
    observer.disconnect();
    window.removeEventListener("resize", onResize);
  };
}

/** The lanes of a view: the one chosen, or all. */
function lanesOf(payload, view) {
  const only = payload.lanes.filter((lane) => lane.key === view);
  return only.length ? only : payload.lanes;
}

/** Take the lanes of the chosen view, and their clock. */
function chooseLanes(player) {
  const { payload } = player;
  if (!payload.lanes.some((lane) => lane.key === player.view)) player.view = "all";
  player.lanes = lanesOf(payload, player.view);
  player.clock = stretchClock(makeClock(payload, player.lanes), handLane(player));
  payload.timeAt = teller(payload, player.lanes);
}

/** Build cards and tables for the payload, and draw the stage. */
function rebuild(player) {
  if (!player.width) return;
  const { payload, say, lanes } = player;
  player.size = chooseSize(player.width, lanes);
  const isDark = document.documentElement.dataset.theme === "dark";
  player.theme = THEME[isDark ? "dark" : "light"];
  player.root.dataset.size = player.size.name;
  player.root.dataset.lanes = String(lanes.length);
  player.root.dataset.run = String(payload.run);
  player.label = Math.min(WIDEST_LABEL, longest(payload.requests.map(({ label }) => label), 100, 700) / 100);
  player.root.style.setProperty("--rb-label", String(player.label));
  player.root.lang = payload.lang;
  const isEmpty = payload.whole && payload.requests.length === 0;
  setShown(player.empty, isEmpty);
  setText(player.empty, say("nothing_yet"));
  setShown(player.body, !isEmpty);
  const ctx = context(player);
  drawBar(player.bar, ctx);
  drawSwitches(player, say);
  if (isEmpty) return;
  nameTransport(player.transport, say);
  placeExtras(player);
  showPlaying(player.transport, player.isPlaying, say);
  buildCards(player);
  buildPanels(player, ctx);
  redraw(player);
}

/** Events and speed: in the transport, or in a row of their own where that has no room for them. */
function placeExtras({ size, extras, transport }) {
  const holder = size.name === "phone" ? extras : transport.el;
  if (transport.speed.parentElement !== holder) holder.append(transport.events.el, transport.speed);
}

/** The payload, with the requests of the only lane shown if it has some of its own. */
function payloadOf({ payload, lanes }) {
  const own = lanes.length === 1 && lanes[0].requests;
  return own ? { ...payload, requests: own } : handPayload(payload, lanes);
}

/** What the drawing functions need to know. */
function context(player) {
  const { lanes, clock, say, theme, view, memory, zoom } = player;
  const [size, width] = [handSize(player), player.width - handWidth(player)];
  const payload = payloadOf(player);
  const isLong = clock.bounds.length > LONG_CLOCK;
  const hasOverview = Boolean(payload.overview) || (isLong && zoom > 1);
  return {
    payload, lanes, clock, t: player.t, say, theme, size, width, barWidth: player.width, view, memory, rows: handRows(player), future: player.future,
    range: player.range ?? [clock.t0, clock.t1],
    dark: document.documentElement.dataset.theme === "dark",
    shownLanes: lanes.map((lane) => payload.lanes.indexOf(lane)),
    colourOf: (req) => theme.requests[payload.requests[req].colour % 8],
    rowsTitle: size.name === "phone" ? "" : say("request"),
    hasOverview, canZoom: isLong || (zoom > 1 && size.name !== "phone"),
  };
}

/** The height that the stage may take, in px; to know it the browser has to lay out the page. */
function roomOf(player, { size, hasOverview }) {
  const overview = hasOverview ? overviewHeight(player.lanes.length) : 0;
  const heads = size.leastRow ? 0 : player.secondHead; // of three lanes and more in a hall they have their place
  const others = heads + barRest(player.bar) + overview;
  const isThin = player.lanes.some((lane) => lane.num_seats > MOST_REQUEST_ROWS); // rows without words to lose
  return Math.max(handRoom(player), stageRoom(size, player.visible, others, isThin ? 1 : player.lanes.length));
}

/** One card a lane, side by side. */
function buildCards(player) {
  const { lanes, say, size } = player;
  player.cards = lanes.map((lane) =>
    createCard(lane, lanes.length === 1, say, (phase) => goToPhase(player, lane, phase)));
  const width = cardsWidth(player);
  const columns = size.name === "phone" ? 1 : Math.min(lanes.length, Math.floor((width + CARD_GAP) / (LEAST_CARD + CARD_GAP)));
  const room = (width - CARD_GAP * (columns - 1)) / columns;
  const wider = Math.max(0, player.label * 12 + 8 - 18) * (size.card / 14);
  player.secondHead = fitCards(player.cards, lanes, room - wider, size);
  player.cardsEl.replaceChildren(...player.cards.map((card) => card.el));
}

/** Paint the canvases for the range shown, and put the cursor back. */
function redraw(player) {
  stopGlide(player);
  player.range = shownRange(player);
  const ctx = context(player);
  ctx.room = roomOf(player, ctx);
  drawStage(player.stage, ctx);
  placeLaneTools(player.laneParts, ctx, player.stage.layout);
  drawHands(player.hands, ctx, player.stage.layout);
  drawScrub(player.scrub, ctx, player.stage.layout);
  const data = overviewData(player.payload, player.lanes, player.clock, ctx.hasOverview);
  drawOverview(player.overview, ctx, player.stage.layout, data);
  player.root.style.setProperty("--rb-gutter", `${player.stage.layout.gutter}px`);
  showZoom(player, ctx);
  staleLate(player, ctx);
  fitTransport(player.transport, longestWhere(player), player.width - player.stage.layout.gutter);
  player.signature = "";
  show(player);
  if (player.panelTimer) settlePanels(player);
  settleHall(player, ctx.room);
}

/** Tell how far the stage is zoomed in; the buttons are there when they are of use. */
function showZoom({ bar, stage, root, zoom, range }, ctx) {
  if (bar.zoom.hidden === ctx.canZoom) drawBar(bar, ctx);
  limitZoom(bar, zoom);
  stage.el.classList.toggle("rb-zoomed", zoom > 1);
  [root.dataset.from, root.dataset.to] = range.map(String);
}

/** The part of the clock that the stage shows at this zoom. */
function shownRange({ clock, zoom, t, range, pannedAt }) {
  if (zoom === 1) return [clock.t0, clock.t1];
  const length = (clock.t1 - clock.t0) / zoom;
  const isKept = range && Math.abs(range[1] - range[0] - length) <= clock.eps;
  if (isKept && (t === pannedAt || (t >= range[0] && t <= range[1]))) return range;
  const from = Math.min(t, Math.max(clock.t0, Math.min(clock.t1 - length, t - length / 4)));
  return [from, from + length];
}

/** Show the cursor where it is; tables and cards change only at boundaries. */
function show(player) {
  if (!player.range) return; // a run without a round has no stage
  const { stage, scrub, clock, t } = player;
  const [from, to] = player.range;
  const isOff = t < from - clock.eps || t > to + clock.eps;
  if (player.zoom > 1 && isOff && t !== player.pannedAt) {
    redraw(player);
    return;
  }
  const states = laneStates(player);
  const told = states.map(({ lit, ended, phase }) => `${lit},${ended},${phase}`);
  const signature = [boundaryBefore(clock, t), ...told].join(";");
  const isNew = signature !== player.signature;
  player.signature = signature;
  settleCursor(stage, t, computedUntil(player, states));
  settleTicks(scrub, t);
  if (isNew) settle(player, states);
  tellTime(player, states);
  if (!isGliding(player)) placeMovers(player);
}
