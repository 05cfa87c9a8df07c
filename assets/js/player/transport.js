// Buttons, the round's name, the speed, and the loop that plays.

const SPEEDS = [0.25, 0.5, 1, 2, 4, 8];
const SHORTEST_SHARE = 1 / 3;
const LONGEST_SHARE = 3;
const BUTTONS_WIDTH = 208;
const EVENT_KEYS = 56;
const TRANSPORT_GAP = 10;

/**
 * Make the transport.
 * @param {Object} act {toStart, back, toggle, forward, toEnd, previousEvent, nextEvent, setSpeed}
 */
function createTransport(act) {
  const button = (name, action) => iconButton(name, action, name);
  const buttons = {
    toStart: button("toStart", act.toStart),
    back: button("back", act.back),
    play: h("button.rb-play", { type: "button", onclick: act.toggle, "data-testid": "play" }),
    forward: button("forward", act.forward),
    toEnd: button("toEnd", act.toEnd),
  };
  const label = h("div.rb-where", { "aria-hidden": "true" }, h("b"), h("span"), h("span.rb-where-time"));
  const key = (text, action, id) =>
    h("button.rb-key", { type: "button", text, onclick: action, "data-testid": id });
  const events = {
    name: h("span"),
    previous: key("[", act.previousEvent, "previous-event"),
    next: key("]", act.nextEvent, "next-event"),
  };
  events.el = h("div.rb-events", {}, ...Object.values(events));
  const speed = h("select.rb-speed", {
    "data-testid": "speed",
    onchange: () => act.setSpeed(Number(speed.value)),
  });
  const el = h(
    "div.rb-transport", { "data-testid": "transport" },
    h("div.rb-buttons", {}, ...Object.values(buttons)), label,
    events.el, speed,
  );
  return { el, buttons, label, events, speed };
}

/** Write the words of the transport in the payload's language, unless they stand there. */
function nameTransport(transport, say) {
  const told = SPEEDS.map((value) => say("speed_n", { n: value }));
  if (transport.told === told.join()) return;
  transport.told = told.join();
  const names = { toStart: "to_start", back: "step_back", forward: "step_forward", toEnd: "to_end" };
  for (const [name, key] of Object.entries(names)) nameButton(transport.buttons[name], say(key), name);
  nameButton(transport.events.previous, say("previous_event"), "previousEvent");
  nameButton(transport.events.next, say("next_event"), "nextEvent");
  setText(transport.events.name, say("event"));
  transport.speed.setAttribute("aria-label", say("speed"));
  const chosen = transport.speed.value || "1";
  transport.speed.replaceChildren(...SPEEDS.map((value, i) => h("option", { value, text: told[i] })));
  transport.speed.value = chosen;
}

/** Give a button its name, for the ear and, with the key of its action, for the pointer. */
function nameButton(button, text, action = null) {
  button.setAttribute("aria-label", text);
  button.title = with_key(text, action);
}

/** Show the play button as play or pause. */
function showPlaying(transport, isPlaying, say) {
  transport.buttons.play.replaceChildren(icon(isPlaying ? "pause" : "play", 20));
  nameButton(transport.buttons.play, say(isPlaying ? "pause" : "play"), "toggle");
}

/** Write where the cursor stands: bold, plain, time. */
function showWhere(transport, [bold, plain, time]) {
  const [first, second, third] = transport.label.children;
  setText(first, bold);
  setText(second, plain);
  setText(third, time);
}

/** Drop the word before the event keys where the longest text of the place leaves it no room. */
function fitTransport(transport, where, width) {
  const { events, buttons, speed } = transport;
  const isInRow = speed.parentElement.contains(buttons.play);
  const others = EVENT_KEYS + BUTTONS_WIDTH + speedWidth(transport) + textWidth(events.name.textContent, 12);
  const gaps = 3 * TRANSPORT_GAP;
  setShown(events.name, !isInRow || where + others + gaps <= width);
}

/** Width of the choice of speeds, measured once for its words and the type size: to ask lays out the page. */
function speedWidth(transport) {
  const { size } = transport.el.closest(".rb-player").dataset;
  const key = [transport.told, size, document.documentElement.dataset.presenter].join();
  if (transport.measured?.key !== key || !transport.measured.width) transport.measured = { key, width: transport.speed.offsetWidth };
  return transport.measured.width;
}

/** How long the round before a boundary plays, in mean rounds: in proportion to it, within limits. */
function shareOf({ bounds }, index) {
  const mean = (bounds.at(-1) - bounds[0]) / Math.max(1, bounds.length - 1);
  return Math.min(LONGEST_SHARE, Math.max(SHORTEST_SHARE, (bounds[index] - bounds[index - 1]) / mean));
}

/**
 * Advance a playing cursor.
 * @param {Object} clock
 * @param {number} t time of the cursor
 * @param {number} seconds wall time since the last frame
 * @param {number} speed rounds a second
 * @returns {number} the new time, at most the last boundary
 */
function advance(clock, t, seconds, speed) {
  const { bounds, eps } = clock;
  let left = seconds * speed;
  let index = boundaryBefore(clock, t);
  let at = t;
  while (left > 0 && index < bounds.length - 1) {
    const length = bounds[index + 1] - bounds[index];
    const share = shareOf(clock, index + 1);
    const rest = ((bounds[index + 1] - at) / length) * share;
    if (left < rest - eps) return at + (left / share) * length;
    left -= rest;
    index += 1;
    at = bounds[index];
  }
  return at;
}
