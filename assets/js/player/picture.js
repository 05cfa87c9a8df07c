// A picture of the stage as it is seen: title, signs, lanes, cursor, times; as SVG, or as PNG made of
// it. The canvases are drawn again from the rows they show, the HTML over them is read off the page,
// so that nothing is laid out a second time. Refers to nothing outside itself.

const PICTURE_MARGIN = 24;
const SHARPNESS = 2;
const SWATCH_HATCHES = {
  "rb-sw-prefill": ["right_diagonal_line", (theme) => theme.requests[6].on, 0.2],
  "rb-sw-pad": ["diagonal_cross", (theme) => theme.idle, 0.7],
  "rb-sw-again": ["cross", (theme) => theme.requests[6].on, 0.4],
  "rb-sw-paused": ["vertical_line", (theme) => theme.idle, 0.7],
  "rb-sw-swapped": ["dot", (theme) => theme.requests[6].strong, 0.7],
  "rb-sw-idle": ["left_diagonal_line", (theme) => theme.idle, 0.5],
};

/**
 * The stage of a player as the text of an SVG file; null without a round.
 * @param {Object} player
 * @param {string} id begins all ids in it: pictures that share a page need different ones
 */
function pictureSvg(player, id = "rb") {
  const { stage, payload, theme, root, lanes } = player;
  const hasRounds = lanes.some((lane) => lane.rounds.end.length > 0);
  if (!stage.layout || player.body.hidden || !hasRounds) return null;
  const { layout, parts } = stage;
  const hatches = newHatches(id);
  const head = headSvg(player, hatches);
  const origin = stage.el.getBoundingClientRect();
  const onPage = (el) => domSvg(el, origin, theme, hatches);
  const cut = cutAt(player);
  const figures = ["ghost", "full"].map((name) =>
    xmlTag("g", { "clip-path": `url(#${id}-${name})` }, figureSvg(stage.figures[name], layout, hatches)));
  const times = domSvg(stage.times, { left: origin.left, top: stage.times.getBoundingClientRect().top - layout.height }, theme, hatches); // on the page it sticks to the foot
  const body = [onPage(parts.lits), ...figures, onPage(parts.cursor), onPage(parts.over), times];
  const width = Math.ceil(layout.width) + 2 * PICTURE_MARGIN;
  const height = Math.ceil(PICTURE_MARGIN * 2 + head.height + layout.height + stage.times.offsetHeight);
  const defs = xmlTag("defs", {}, clipSvg(`${id}-full`, -8, cut.past, layout), clipSvg(`${id}-ghost`, cut.future, layout.width + 8, layout), hatches.defs());
  return `<?xml version="1.0" encoding="UTF-8"?>\n${xmlTag("svg", {
    xmlns: "http://www.w3.org/2000/svg", width, height, viewBox: `0 0 ${width} ${height}`, role: "img",
    "xml:lang": payload.lang, "font-family": THEME.font, style: "font-variant-numeric:tabular-nums",
  }, xmlTag("title", {}, escaped(stage.el.getAttribute("aria-label"))), defs,
  xmlTag("rect", { width, height, ...inked("fill", theme.surface) }),
  xmlTag("g", { transform: `translate(${PICTURE_MARGIN} ${PICTURE_MARGIN})` }, head.text),
  xmlTag("g", { id: `${id}-stage`, transform: `translate(${PICTURE_MARGIN} ${PICTURE_MARGIN + head.height})` }, ...body))}\n`;
}

/** Where the full figure ends and the ghost begins; at the end of the run nothing is a ghost. */
function cutAt({ stage: { layout }, t }) {
  const x = Math.max(layout.gutter, Math.min(layout.right, layout.x(t)));
  return x >= layout.right - 0.25 ? { past: layout.width + 8, future: layout.width } : { past: x, future: x };
}

/** A clip path that lets through what lies between two x. */
function clipSvg(id, left, right, { height }) {
  return xmlTag("clipPath", { id }, rectSvg({ left, right, top: -8, bottom: height + 8 }, {}));
}

/** Title and signs over the stage: in one row where there is room. */
function headSvg({ payload, lanes, bar, stage: { layout }, theme, view }, hatches) {
  const { font } = layout.size;
  const size = Math.round(font * 1.33);
  const isPart = lanes.length === 1 || view !== "all";
  const lane = isPart ? lanes[0].title : "";
  const title = shortened(payload.title, layout.width - textWidth(lane, font) - 16, size);
  const after = textWidth(title, size, 700) + 12;
  const names = textAt(0, size, title, size, { bold: true, ...inked("fill", theme.ink) })
    + (lane ? textAt(after, size, lane, font, inked("fill", theme.ink2)) : "");
  const signs = bar.legend.getBoundingClientRect();
  const last = bar.legend.lastElementChild?.getBoundingClientRect() ?? signs;
  const used = after + (lane ? textWidth(lane, font) + 24 : 12);
  const isOneRow = signs.height < size * 2 && used + (last.right - signs.left) <= layout.width;
  const x = isOneRow ? layout.width - (last.right - signs.left) : 0;
  const y = isOneRow ? (size * 1.25 - signs.height) / 2 : size + 12;
  const legend = domSvg(bar.legend, { left: signs.left - x, top: signs.top - y }, theme, hatches);
  return { text: names + legend, height: Math.ceil((isOneRow ? size : y + signs.height) + 16) };
}

/** A text cut so that it fits. */
function shortened(text, room, size) {
  if (textWidth(text, size, 700) <= room) return text;
  const letters = [...text];
  while (letters.length > 1 && textWidth(`${letters.join("")}…`, size, 700) > room) letters.pop();
  return `${letters.join("")}…`;
}

/**
 * An element and all in it as it stands on the page: fills, borders, texts and drawings.
 * @param {Element} el
 * @param {{left: number, top: number}} origin what becomes 0, 0
 */
function domSvg(el, origin, theme, hatches) {
  const style = getComputedStyle(el);
  if (!el.getClientRects().length || style.visibility === "hidden") return "";
  const rect = el.getBoundingClientRect();
  const box = {
    left: rect.left - origin.left, right: rect.right - origin.left,
    top: rect.top - origin.top, bottom: rect.bottom - origin.top,
  };
  if (el instanceof SVGElement) return drawingSvg(el, box, style);
  const own = el.classList.contains("rb-lead") ? leadSvg(box, theme) : boxSvg(el, box, style, theme, hatches);
  const inside = [...el.childNodes].map((node) => {
    if (node.nodeType === Node.TEXT_NODE) return lettersSvg(node, origin, style);
    return node.nodeType === Node.ELEMENT_NODE ? domSvg(node, origin, theme, hatches) : "";
  });
  const all = own + inside.join("");
  return style.opacity === "1" || !all ? all : xmlTag("g", { opacity: style.opacity }, all);
}

/** Fill, hatch and border of an element. */
function boxSvg(el, box, style, theme, hatches) {
  const fill = inked("fill", style.backgroundColor);
  const line = parseFloat(style.borderTopWidth);
  const hatch = Object.keys(SWATCH_HATCHES).find((name) => el.classList.contains(name));
  const shape = { rx: parseFloat(style.borderTopLeftRadius) || null };
  const filled = fill.fill === "none" ? "" : rectSvg(box, { ...shape, ...fill });
  const hatched = hatch ? rectSvg(box, { ...shape, fill: swatchHatch(hatch, theme, hatches) }) : "";
  const stroke = inked("stroke", style.borderTopColor);
  if (!line || stroke.stroke === "none") return filled + hatched;
  const half = line / 2;
  const edge = { left: box.left + half, right: box.right - half, top: box.top + half, bottom: box.bottom - half };
  const dash = style.borderTopStyle === "dashed" ? "3 2" : null;
  return filled + hatched + rectSvg(edge, { ...shape, fill: "none", ...stroke, "stroke-width": line, "stroke-dasharray": dash });
}

/** The hatch of a sign in the legend. */
function swatchHatch(name, theme, hatches) {
  const [hatch_pattern, colourIn, hatch_alpha] = SWATCH_HATCHES[name];
  const looks = { hatch_pattern, hatch_alpha, hatch_color: colourIn(theme), hatch_scale: 8, hatch_weight: 1 };
  return hatches.use((key) => looks[key]);
}

/** A drawing on the page, which takes its colour from around it. */
function drawingSvg(el, box, style) {
  const inside = [...el.childNodes].map((node) => new XMLSerializer().serializeToString(node)).join("");
  const place = { x: box.left, y: box.top, width: box.right - box.left, height: box.bottom - box.top };
  const looks = { fill: el.getAttribute("fill"), stroke: el.getAttribute("stroke"), "stroke-width": el.getAttribute("stroke-width") };
  return xmlTag("svg", { ...place, viewBox: el.getAttribute("viewBox"), color: plainColour(style.color).colour, ...looks }, inside);
}

/** The letters of a text node, on their baseline. */
function lettersSvg(node, origin, style) {
  const range = document.createRange();
  range.selectNodeContents(node);
  const rect = range.getBoundingClientRect();
  const text = node.textContent.trim();
  if (!text || !rect.width) return "";
  const size = parseFloat(style.fontSize);
  const { up, down } = fontReach(size);
  const baseline = rect.top - origin.top + (rect.height - up - down) / 2 + up;
  const looks = { bold: Number(style.fontWeight) >= 600, ...inked("fill", style.color) };
  return textAt(rect.left - origin.left, baseline, text, size, looks);
}

/** The dimension arrow of a lane that is done first; its tips are no elements of the page. */
function leadSvg({ left, right, top }, theme) {
  const y = top + 0.75;
  const tip = (x, way) => `M${x + way * 6} ${y - 5}L${x} ${y}L${x + way * 6} ${y + 5}`;
  const d = `M${left} ${y}H${right}${tip(left + 1, 1)}${tip(right - 1, -1)}`;
  return xmlTag("path", { d, fill: "none", stroke: theme.ink, "stroke-width": 1.5 });
}

/** A picture as a file: {blob, round}; null while nothing is drawn. */
async function pictureFile(player, kind, id) {
  const text = pictureSvg(player, id);
  if (!text) return null;
  const vector = new Blob([text], { type: "image/svg+xml" });
  return { blob: kind === "png" ? await pixels(vector) : vector, round: player.root.dataset.round };
}

/** An SVG file as PNG, sharp on any screen. */
async function pixels(vector) {
  const url = URL.createObjectURL(vector);
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = h("canvas", { width: image.naturalWidth * SHARPNESS, height: image.naturalHeight * SHARPNESS });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve) => { canvas.toBlob(resolve, "image/png"); });
  } finally {
    URL.revokeObjectURL(url);
  }
}

/**
 * Give a picture to whoever asks on the page: an `rb-picture` event whose detail has the kind,
 * "svg" or "png", `take`, which gets the file, and an `id` if the picture will not be alone.
 * @returns {function(): void} stop listening
 */
function listenToPictures(player) {
  const onAsk = ({ detail: { kind, id, take } }) => pictureFile(player, kind, id).then(take);
  window.addEventListener("rb-picture", onAsk);
  return () => window.removeEventListener("rb-picture", onAsk);
}
