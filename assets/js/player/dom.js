// Making elements. Text from outside reaches the page only through textContent.

const WORD_OR_CHARACTER = /[\u3000-\u9fff\uff00-\uffef]|[^\s\u3000-\u9fff\uff00-\uffef]+\s*/g;
const SVG_NS = "http://www.w3.org/2000/svg";

/**
 * Make an element.
 * @param {string} tag tag, with optional classes: "div.rb-a.rb-b"
 * @param {Object} props attributes; `text` sets textContent, `style` an object, `on…` a listener
 * @param {...(Node|null)} children nodes to append; null is skipped
 * @returns {HTMLElement}
 */
function h(tag, props = {}, ...children) {
  const [name, ...classes] = tag.split(".");
  const el = document.createElement(name);
  if (classes.length) el.className = classes.join(" ");
  for (const [key, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (key === "text") el.textContent = value;
    else if (key === "style") Object.assign(el.style, value);
    else if (key.startsWith("on")) el.addEventListener(key.slice(2), value);
    else el.setAttribute(key, value === true ? "" : value);
  }
  el.append(...children.filter((child) => child !== null && child !== undefined));
  return el;
}

/** Make an SVG element with attributes and children. */
function svg(tag, attributes = {}, ...children) {
  const el = document.createElementNS(SVG_NS, tag);
  for (const [key, value] of Object.entries(attributes)) el.setAttribute(key, value);
  el.append(...children);
  return el;
}

/** Set text only when it differs, so that nothing is laid out again for nothing. */
function setText(el, text) {
  if (el.textContent !== text) el.textContent = text;
}

/** Set the classes of an element only when they differ. */
function setClass(el, name) {
  if (el.className !== name) el.className = name;
}

/** Show or hide an element. */
function setShown(el, shown) {
  el.hidden = !shown;
}

/** CSS variable of a request's colour, by role: strong, on, soft, onsoft. */
function requestVar(request, role) {
  return `var(--rb-q${request.colour % 8}-${role})`;
}

/** The letter chip of a request. */
function chip(request) {
  return h("span.rb-chip", {
    text: request.label,
    title: request.id,
    style: { background: requestVar(request, "strong"), color: requestVar(request, "on") },
  });
}

const measureContext = document.createElement("canvas").getContext("2d");
const measured = new Map();

/** Width of a text in px in the font of the page. */
function textWidth(text, px = 12, weight = 400) {
  const key = `${weight}/${px}/${text}`;
  if (measured.size > 5000) measured.clear();
  if (!measured.has(key)) {
    measureContext.font = `${weight} ${px}px ${THEME.font}`;
    measured.set(key, measureContext.measureText(text).width);
  }
  return measured.get(key);
}

/** The end of a text, from a word or a Chinese character on, that has room; what differs stands there. */
function tailOf(text, room, px, weight = 400) {
  const ends = [...text.matchAll(WORD_OR_CHARACTER)].map(({ index }) => (index ? "…" : "") + text.slice(index));
  return ends.find((end) => textWidth(end, px, weight) <= room) ?? ends.at(-1) ?? "";
}

/** The beginning of a text, up to a word or a Chinese character, that has room. */
function headOf(text, room, px, weight = 400) {
  const starts = [...text.matchAll(WORD_OR_CHARACTER)].map(({ index, 0: { length } }) => index + length);
  const heads = starts.reverse().map((end) => (end < text.length ? `${text.slice(0, end).trimEnd()}…` : text));
  return heads.find((head) => textWidth(head, px, weight) <= room) ?? heads.at(-1) ?? "";
}

/** Both ends of a text, what is between them left out. */
function endsOf(text, room, px, weight = 400) {
  if (textWidth(text, px, weight) <= room) return text;
  return headOf(text, room / 2, px, weight) + tailOf(text, room / 2, px, weight).slice(1);
}

/**
 * Texts cut to the room that each has, so that no two read alike: of most the end is kept, else the
 * beginning or both.
 */
function cutApart(texts, rooms, px, weight = 400) {
  const cuts = [tailOf, headOf, endsOf].map((cut) => texts.map((text, i) => cut(text, rooms[i], px, weight)));
  return cuts.find((cut) => new Set(cut).size === new Set(texts).size) ?? cuts[0];
}

/** The most of a list, without spreading it (lists may be long). */
function most(list, start = 0) {
  return list.reduce((best, value) => Math.max(best, value), start);
}
