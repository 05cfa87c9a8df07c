// "This round": who got how many tokens and why, at a height that no round changes.

const PHASES = ["plan", "reserve", "execute", "commit"];
const PHASE_STARTS = [0, 0.15, 0.3, 0.85];
const MOST_BRICKS_SHOWN = 4;
const LINE_HEIGHT = 24;
const NEXT_LINE_HEIGHT = 18;
const SECOND_HEAD = 18;
const MOST_CARD_HEIGHT = 236;
const SQUEEZED = 240;
const MOST_ON_PHONE = 3 * LINE_HEIGHT + 6;
const MANY_CARDS = 3; // from so many on they stand in two rows, and each has less height
const MOST_AMONG_MANY = 5 * LINE_HEIGHT;

/** Make the card of a lane; `onPhase` is told which phase is wanted. */
function createCard(lane, isOnly, say, onPhase) {
  const parts = {
    name: h("h3", { text: say("this_round") }),
    lane: h("b.rb-card-lane", { title: isOnly ? "" : lane.title }),
    phases: h("ol.rb-phases", { "aria-label": say("phases") }, ...PHASES.map((phase, i) => h("li", {},
      h("button", { type: "button", text: say(`phase_${phase}`), title: say(`phase_${phase}_help`), onclick: () => onPhase(i) })))),
    sum: h("span.rb-sum", {}, h("span"), h("b")),
    list: h("ul.rb-lines", { tabindex: 0 }),
  };
  const head = h("header", {}, parts.name, parts.lane, parts.phases, parts.sum);
  const el = h("section.rb-card", { "data-testid": `card-${lane.key}` }, head, parts.list);
  return { el, ...parts, shown: null };
}

/** Every card a lane can show. */
function allCards(lane) {
  return [...lane.cards, lane.before, lane.between, lane.after].filter(Boolean);
}

/**
 * Fit cards that stand side by side: all heads have the sum in their row, or all have it in rows
 * below. Returns the height that those take.
 */
function fitCards(cards, lanes, width, size) {
  const font = sentenceFont(size, cards.length === 1);
  const limit = cards.length < MANY_CARDS ? MOST_CARD_HEIGHT : MOST_AMONG_MANY;
  cards.forEach((card, i) => fitCard(card, lanes[i], width, size, { font, limit }));
  const scale = size.card / 14;
  const sums = lanes.flatMap(allCards).map((one) => `${one.sum ?? ""}${one.ms ?? ""}`);
  const sum = longest(sums, 12 * scale, 700);
  const isNamed = size.name !== "presenter" || cards.length > 1;
  const name = isNamed ? textWidth(cards[0].name.textContent, font, 700) + 24 * scale : 0;
  const cut = cutApart(lanes.map(({ short, title }) => short ?? title), lanes.map(() => width - name), font, 700);
  cards.forEach((card, i) => setText(card.lane, cards.length > 1 ? cut[i] : ""));
  const lane = longest(cards.map((card) => card.lane.textContent), font, 700);
  const isHigh = name + lane + phasesWidth(cards, size) + 12 + sum > width;
  const rows = isHigh ? most(sums.map((text) => rowCount(text, 12 * scale, width * 0.94))) : 0;
  for (const card of cards) {
    card.el.classList.toggle("rb-two-heads", isHigh);
    card.el.style.setProperty("--rb-sum-rows", String(rows));
  }
  return rows * SECOND_HEAD * scale;
}

/** Width of the names of the phases, which only a card alone has. */
function phasesWidth(cards, size) {
  if (cards.length > 1) return 0;
  const scale = size.card / 14;
  const names = [...cards[0].phases.children].map((phase) => phase.textContent);
  return names.reduce((sum, name) => sum + textWidth(name, 12 * scale, 700) + 16 * scale, 12);
}

/** The type size of sentences: one less where lanes share the width of a laptop. */
function sentenceFont(size, isOnly) {
  return size.name === "normal" && !isOnly ? 13 : size.card;
}

/**
 * Reserve the place of the longest lines at this width. Sentences of all rounds begin at one place,
 * beside the widest bricks; where that would squeeze them, beside those of their own round.
 */
function fitCard(card, lane, width, size, { font, limit }) {
  const scale = size.card / 14;
  const cards = allCards(lane);
  const common = brickColumn(cards) * scale;
  const chips = (line) => line.chips.reduce((sum, [text]) => sum + textWidth(text, 12 * scale) + 22, 0);
  const rest = width - 50 * scale - most(cards.flatMap((one) => one.lines.map(chips)));
  card.column = (one) => (rest - common < SQUEEZED * scale ? brickColumn([one]) * scale : common);
  const height = (line, bricks) => {
    const room = width - bricks - 50 * scale - chips(line);
    const rows = rowCount(line.text, font, Math.max(80, room));
    return (LINE_HEIGHT + (rows - 1) * NEXT_LINE_HEIGHT) * scale;
  };
  const heights = cards.map((one) => one.lines.reduce(
    (sum, line) => sum + height(line, card.column(one)), one.more ? LINE_HEIGHT * scale : 0));
  const room = Math.min(size.name === "phone" ? MOST_ON_PHONE : limit * scale, most(heights, LINE_HEIGHT));
  card.el.style.setProperty("--rb-card-lines", `${room}px`);
}

/** Width of the column of mini bricks, at 14 px type: that of the widest line. */
function brickColumn(cards) {
  return Math.ceil(most(cards.flatMap((card) => card.lines.map(bricksWidth)), 20));
}

/** Width of a line's mini bricks: 9 px each with 2 px between; a number has 4 px around it. */
function bricksWidth(line) {
  const count = brickCount(line);
  if (count <= MOST_BRICKS_SHOWN) return count * 11;
  const kinds = [line.p, line.d, line.pad].filter((n) => n > 0);
  return kinds.reduce((sum, n) => sum + 17 + textWidth(`×${numberText(n)}`, 12), 0);
}

/** Rows that a text takes at a width, broken between words and between Chinese characters. */
function rowCount(text, px, room) {
  const pieces = text.match(WORD_OR_CHARACTER) ?? [];
  let rows = 1;
  let filled = 0;
  for (const piece of pieces) {
    const width = textWidth(piece, px);
    if (filled + textWidth(piece.trimEnd(), px) > room) {
      rows += 1;
      filled = 0;
    }
    filled += width;
  }
  return rows;
}

/** Bricks a line has. */
function brickCount(line) {
  return (line.p ?? 0) + (line.d ?? 0) + (line.pad ?? 0);
}

/** Show a card; nothing is touched when it is the one shown already. */
function showCard(card, data, payload) {
  if (card.shown === data) return;
  card.shown = data;
  const lines = data?.lines ?? [];
  setText(card.sum.children[0], data?.sum ?? "");
  card.sum.title = `${data?.sum ?? ""}${data?.ms ?? ""}`;
  setText(card.sum.children[1], data?.ms ?? "");
  if (data) card.el.style.setProperty("--rb-brick-column", `${card.column(data)}px`);
  const more = data?.more ? h("li.rb-more", { text: data.more }) : null;
  const items = lines.map((line) => cardLine(line, payload));
  card.list.replaceChildren(...items, ...(more ? [more] : []));
}

/** One line: chip, mini bricks, sentence, reasons; or a sentence about the whole round. */
function cardLine(line, payload) {
  if (line.isWhole) return h("li.rb-whole", {}, h("span.rb-say", { text: line.text }));
  const request = payload.requests[line.req] ?? { label: line.label ?? "", id: "", colour: 6 };
  return h("li", {},
    chip(request),
    h("span.rb-minis", {}, ...miniBricks(line, request)),
    h("span.rb-say", { text: line.text }),
    h("span.rb-chips", {}, ...reasonChips(line)));
}

/** The reasons of a line. */
function reasonChips(line) {
  return line.chips.map(([text, kind]) => h(`span.rb-reason.rb-${kind}`, { text }));
}

/** The tokens of a line as the strip's own signs; many of a kind as one and a number. */
function miniBricks(line, request) {
  const style = {
    "--rb-strong": requestVar(request, "strong"), "--rb-soft": requestVar(request, "soft"),
    "--rb-on": requestVar(request, "on"),
  };
  const kinds = [["p", line.p], ["d", line.d], ["pad", line.pad]].filter(([, n]) => n > 0);
  const isMany = brickCount(line) > MOST_BRICKS_SHOWN;
  return kinds.flatMap(([kind, n]) => {
    const bricks = Array.from({ length: isMany ? 1 : n }, () => {
      const brick = h(`i.rb-mini.rb-mini-${kind}`);
      for (const [name, value] of Object.entries(style)) brick.style.setProperty(name, value);
      return brick;
    });
    return isMany ? [...bricks, h("span.rb-times-n", { text: `×${numberText(n)}` })] : bricks;
  });
}

/** Light the phase that a share of the round has reached. */
function lightPhase(card, share) {
  const reached = PHASE_STARTS.filter((start) => share >= start).length - 1;
  [...card.phases.children].forEach((phase, i) => {
    if (phase.classList.contains("rb-now") === (i === reached)) return;
    phase.classList.toggle("rb-now", i === reached);
    if (i === reached) phase.firstChild.setAttribute("aria-current", "step");
    else phase.firstChild.removeAttribute("aria-current");
  });
}
