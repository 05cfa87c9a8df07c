// Every round in words: a list to read, to search, and to copy. Of a long run a part is on the page
// at a time; search and copying go over all that is loaded.

const LOG_PART = 60;

/** Make the log of the lanes shown. */
function createLog(ctx, goToTime) {
  const { say } = ctx;
  const entries = logEntries(ctx);
  const parts = {
    input: h("input.rb-log-find", { type: "search", "aria-label": say("log_find"), placeholder: say("log_find"), "data-testid": "log-find" }),
    hits: h("span.rb-quiet", { role: "status", "data-testid": "log-hits" }),
    copy: h("button.rb-small-button", { type: "button", text: say("log_copy"), "data-testid": "log-copy" }),
    said: h("span.rb-quiet", { role: "status" }),
    list: h("ol.rb-log-list", { "data-testid": "log" }),
    earlier: h("button.rb-small-button", { type: "button", text: say("log_earlier") }),
    later: h("button.rb-small-button", { type: "button", text: say("log_later") }),
    none: h("p.rb-quiet", { hidden: true }),
  };
  parts.box = h("div.rb-log-box", { tabindex: 0, role: "region", "aria-label": say("log") },
    parts.earlier, parts.list, parts.none, parts.later);
  const el = h("section.rb-log", {},
    h("header", {}, parts.input, parts.hits, h("span.rb-push"), parts.said, parts.copy),
    logCover(ctx), parts.box);
  const log = { ...parts, el, ctx, entries, goToTime, shown: [], from: 0, query: "", states: null };
  listenToLog(log);
  filterLog(log);
  return { el, settle: (states) => settleLog(log, states) };
}

/** What the buttons and the box of the log do. */
function listenToLog(log) {
  const move = (step) => {
    drawLog(log, log.from + step * LOG_PART);
    log.box.scrollTop = step > 0 ? 0 : log.box.scrollHeight;
  };
  log.earlier.addEventListener("click", () => move(-1));
  log.later.addEventListener("click", () => move(1));
  log.copy.addEventListener("click", () => copyLog(log));
  log.input.addEventListener("input", () => {
    log.query = log.input.value.trim().toLowerCase();
    filterLog(log);
  });
}

/** Says that a window of a large run is not all of it. */
function logCover({ payload, lanes, say }) {
  if (payload.whole) return null;
  return h("p.rb-quiet", {}, ...lanes.map(({ rounds: { number }, num_rounds: all, short }) =>
    h("span", { text: `${lanes.length > 1 ? `${short}: ` : ""}${say("log_part", {
      from: numberText(number[0] ?? 0), to: numberText(number.at(-1) ?? 0), all: numberText(all),
    })} ` })));
}

/** An entry for each round of the lanes, by the time it ends. */
function logEntries(ctx) {
  const entries = ctx.lanes.flatMap((lane, place) => lane.cards.map((card, i) => logEntry(ctx, lane, place, card, i)));
  return entries.sort((a, b) => a.t - b.t || a.place - b.place);
}

/** A round as text: its name, its time and cost, and a line for each request. */
function logEntry(ctx, lane, place, card, i) {
  const { lanes } = ctx;
  const [name, span] = roundHead(ctx, { lane, round: i }).map((el) => el.textContent);
  const told = card.lines.map((line) => `${line.label} ${line.text}`);
  return {
    lane, place, round: i, t: lane.rounds.end[i],
    name: lanes.length > 1 ? `${name} · ${lane.short ?? lane.title}` : name,
    about: `${span} · ${card.sum}${card.ms}`,
    lines: card.more ? [...told, card.more] : told,
  };
}

/** The lines of an entry that a query hits: all without one, and all where its head is hit. */
function hitLines(entry, query) {
  if (!query || `${entry.name} ${entry.about}`.toLowerCase().includes(query)) return entry.lines;
  return entry.lines.filter((line) => line.toLowerCase().includes(query));
}

/** Find the entries that are told: those that are hit, and in predict mode those that are over. */
function filterLog(log) {
  const { ctx, entries, query, states } = log;
  const isOver = ({ lane, round }) => !hidesFuture(ctx) || round <= (states?.get(lane).ended ?? -1);
  log.shown = entries.filter(isOver).map((entry) => ({ entry, lines: hitLines(entry, query) })).filter(({ lines }) => lines.length);
  const hits = log.shown.reduce((sum, { lines }) => sum + lines.length, 0);
  const values = { n: numberText(hits), rounds: numberText(log.shown.length), all: numberText(entries.length) };
  setText(log.hits, ctx.say(query ? "log_hits" : "log_rounds", values));
  setShown(log.none, !log.shown.length);
  setText(log.none, query ? ctx.say("log_none", { text: log.input.value.trim() }) : ctx.say("log_empty"));
  drawLog(log, query ? 0 : log.from);
}

/** Put a part of the entries on the page. */
function drawLog(log, from) {
  const last = Math.max(0, log.shown.length - 1);
  log.from = Math.max(0, Math.min(Math.floor(last / LOG_PART) * LOG_PART, from));
  const part = log.shown.slice(log.from, log.from + LOG_PART);
  log.list.start = log.from + 1;
  log.list.replaceChildren(...part.map((one) => logItem(log, one)));
  setShown(log.earlier, log.from > 0);
  setShown(log.later, log.from + LOG_PART < log.shown.length);
  markLog(log);
}

/** One round of the list. */
function logItem({ goToTime, query }, { entry, lines }) {
  const button = h("button", { type: "button", text: entry.name, onclick: () => goToTime(entry.t) });
  const head = h("div.rb-log-head", {}, h("h4", {}, button), h("span.rb-quiet", { text: entry.about }));
  const item = h("li", {}, head, h("ul", {}, ...lines.map((line) => h("li", {}, ...marked(line, query)))));
  item.entry = entry;
  return item;
}

/** A text with what a query hits marked. */
function marked(text, query) {
  const at = query ? text.toLowerCase().indexOf(query) : -1;
  if (at < 0) return [document.createTextNode(text)];
  const parts = [text.slice(0, at), text.slice(at, at + query.length), text.slice(at + query.length)];
  return [document.createTextNode(parts[0]), h("mark", { text: parts[1] }), document.createTextNode(parts[2])];
}

/** Follow the cursor: the round it stands in is marked, and brought into the part shown. */
function settleLog(log, states) {
  log.states = states;
  if (hidesFuture(log.ctx)) filterLog(log);
  const at = log.query ? -1 : log.shown.findLastIndex(({ entry }) => isAtCursor(entry, states));
  if (at >= 0 && (at < log.from || at >= log.from + LOG_PART)) drawLog(log, Math.floor(at / LOG_PART) * LOG_PART);
  else markLog(log);
  if (at >= 0) scrollInto(log.box, log.list.children[at - log.from]);
}

/** Whether a lane's cursor stands in the entry's round. */
function isAtCursor({ lane, round }, states) {
  const { lit, ended } = states.get(lane);
  return round === (lit >= 0 ? lit : ended);
}

/** Mark the rounds of the cursor. */
function markLog({ list, states }) {
  if (!states) return;
  for (const item of list.children) {
    if (isAtCursor(item.entry, states)) item.setAttribute("aria-current", "step");
    else item.removeAttribute("aria-current");
  }
}

/** Scroll a box, and nothing around it, so that an item in it is seen. */
function scrollInto(box, item) {
  const top = item.offsetTop; // the box is what it is measured from
  if (top < box.scrollTop || top + item.offsetHeight > box.scrollTop + box.clientHeight) {
    box.scrollTop = Math.max(0, top - 8);
  }
}

/** The entries shown as plain text: a head a round, a line a request. */
function logText({ shown }) {
  return shown.map(({ entry, lines }) => [`${entry.name} · ${entry.about}`, ...lines.map((line) => `  ${line}`)].join("\n")).join("\n\n");
}

/** Copy what is shown; without leave to use the clipboard it is selected instead. */
async function copyLog(log) {
  const { say } = log.ctx;
  try {
    await navigator.clipboard.writeText(logText(log));
    setText(log.said, say("log_copied"));
  } catch {
    window.getSelection().selectAllChildren(log.list);
    setText(log.said, say("log_copy_by_hand"));
  }
  setTimeout(() => setText(log.said, ""), 4000);
}
