// "This round": who got how many tokens and why, at a height that no round changes.

const PHASES = ["plan", "reserve", "execute", "commit"];
const PHASE_STARTS = [0, 0.15, 0.3, 0.85];
const MOST_BRICKS_SHOWN = 4;
const LINE_HEIGHT = 26;
const MOST_CARD_HEIGHT = 236;

/** Make the card of a lane. */
function createCard(lane, isOnly, say) {
  const parts = {
    name: h("h3", { text: say("this_round") }),
    lane: h("span.rb-card-lane", { text: isOnly ? "" : lane.title }),
    phases: h("ol.rb-phases", {}, ...PHASES.map((phase) => h("li", { text: say(`phase_${phase}`) }))),
    sum: h("span.rb-sum", {}, h("span"), h("b")),
    list: h("ul.rb-lines"),
  };
  const head = h("header", {}, parts.name, parts.lane, parts.phases, parts.sum);
  const el = h("section.rb-card", { "data-testid": `card-${lane.key}` }, head, parts.list);
  return { el, head, ...parts, shown: null };
}

/** Every card a lane can show. */
function allCards(lane) {
  return [...lane.cards, lane.before, lane.between, lane.after].filter(Boolean);
}

/** Reserve the height of the longest card at this width. */
function fitCard(card, lane, width, size) {
  const cards = allCards(lane);
  const scale = size.card / 14;
  const bricks = brickColumn(cards) * scale;
  card.el.style.setProperty("--rb-brick-column", `${bricks}px`);
  const chips = (line) => line.chips.reduce((sum, [text]) => sum + textWidth(text, 12 * scale) + 22, 0);
  const height = (line) => {
    const room = width - bricks - 50 * scale - chips(line);
    const rows = Math.ceil((textWidth(line.text, size.card) * 1.03) / Math.max(80, room));
    return LINE_HEIGHT * scale + (Math.max(1, rows) - 1) * 20 * scale;
  };
  const heights = cards.map((one) =>
    one.lines.reduce((sum, line) => sum + height(line), one.more ? LINE_HEIGHT * scale : 0));
  card.el.style.setProperty("--rb-card-lines", `${Math.min(MOST_CARD_HEIGHT * scale, most(heights, 26))}px`);
  const sums = cards.map((one) => textWidth(`${one.sum ?? ""}${one.ms ?? ""}`, 12 * scale));
  const taken = textWidth(card.name.textContent, size.card, 700) + textWidth(card.lane.textContent, 12) + 30;
  card.el.classList.toggle("rb-two-heads", most(sums) + taken > width);
}

/** Width of the column of mini bricks. */
function brickColumn(cards) {
  const counts = cards.flatMap((card) => card.lines.map(brickCount));
  const count = most(counts);
  if (count > MOST_BRICKS_SHOWN) return 58;
  return Math.max(20, count * 11 + 8);
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
  setText(card.sum.children[1], data?.ms ?? "");
  const more = data?.more ? h("li.rb-more", { text: data.more }) : null;
  card.list.replaceChildren(...lines.map((line) => cardLine(line, payload)), ...(more ? [more] : []));
}

/** One line: chip, mini bricks, sentence, reasons. */
function cardLine(line, payload) {
  const request = payload.requests[line.req];
  return h("li", {},
    request ? chip(request) : h("span.rb-chip"),
    h("span.rb-minis", {}, ...(request ? miniBricks(line, request) : [])),
    h("span.rb-say", { text: line.text }),
    h("span.rb-chips", {}, ...line.chips.map(([text, kind]) => h(`span.rb-reason.rb-${kind}`, { text }))));
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
  [...card.phases.children].forEach((phase, i) => phase.classList.toggle("rb-now", i === reached));
}
