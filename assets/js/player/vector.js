// What a Bokeh figure of the stage shows, as SVG: the same rows, in px. Knows the four glyphs that
// the stage is made of, and their hatches as Bokeh draws them.

const GLYPHS = { Quad: quadSvg, Segment: segmentSvg, Text: textSvg, Scatter: markSvg };

/**
 * A figure as SVG.
 * @param {Object} figure Bokeh figure
 * @param {Object} layout of the stage
 * @param {Object} hatches made by `newHatches`
 */
function figureSvg(figure, layout, hatches) {
  return figure.renderers.map(({ glyph, data_source: { data } }) => {
    const count = data[Object.keys(data)[0]].length;
    const draw = GLYPHS[glyph.type];
    return Array.from({ length: count }, (_, i) => draw(rowOfGlyph(glyph, data, i, layout), glyph, hatches)).join("");
  }).join("");
}

/** One row of a glyph: a function from the name of a property to its value, with x in px. */
function rowOfGlyph(glyph, data, i, layout) {
  return (name) => {
    const spec = glyph[name];
    const isSpec = spec !== null && typeof spec === "object";
    const value = isSpec && "field" in spec ? data[spec.field][i] : isSpec && "value" in spec ? spec.value : spec;
    return TIME_COLUMNS.has(name) ? layout.x(value) : value;
  };
}

/** Line of a row. */
function lineLooks(get) {
  const dash = get("line_dash") ?? "solid";
  const dashes = Array.isArray(dash) ? dash.join(" ") : dash;
  return {
    ...inked("stroke", get("line_color"), get("line_alpha") ?? 1),
    "stroke-width": get("line_width"), "stroke-dasharray": /\d/.test(dashes) ? dashes : null,
  };
}

/** A rectangle: filled and outlined, or one hatch over another's fill. */
function quadSvg(get, glyph, hatches) {
  const box = { left: get("left"), right: get("right"), top: get("top"), bottom: get("bottom") };
  const rx = Math.min(Number(glyph.border_radius) || 0, (box.right - box.left) / 2, (box.bottom - box.top) / 2);
  if (get("hatch_pattern")) return rectSvg(box, { fill: hatches.use(get) });
  const looks = get("line_color") ? lineLooks(get) : {};
  return rectSvg(box, { rx: rx || null, ...inked("fill", get("fill_color")), ...looks });
}

/** A straight line. */
function segmentSvg(get) {
  return xmlTag("line", { x1: get("x0"), y1: get("y0"), x2: get("x1"), y2: get("y1"), ...lineLooks(get) });
}

/** A text, on a plate of its own where it has one. */
function textSvg(get, glyph) {
  const text = get("text");
  if (!text) return "";
  const [x, y, size] = [get("x"), get("y"), parseFloat(get("text_font_size"))];
  const bold = get("text_font_style") === "bold";
  const isCentred = get("text_align") === "center";
  const { up, down } = fontReach(size);
  const pad = Number(glyph.padding) || 0;
  const plate = get("background_fill_color");
  const width = textWidth(text, size, bold ? 700 : 400);
  const left = isCentred ? x - width / 2 - pad : x;
  const half = (up + down) / 2;
  const box = { left, right: left + width + 2 * pad, top: y - half - pad, bottom: y + half + pad };
  return (plate ? rectSvg(box, { rx: 2, ...inked("fill", plate) }) : "") + textAt(
    isCentred ? x : x + pad, y - half + up, text, size,
    { bold, anchor: isCentred ? "middle" : null, ...inked("fill", get("text_color")) },
  );
}

/** A mark; sizes and shapes are those of Bokeh's markers. */
function markSvg(get) {
  const r = get("size") / 2;
  const looks = { ...inked("fill", get("fill_color")), ...(get("line_color") ? lineLooks(get) : {}) };
  const turn = get("angle") ? ` rotate(${Math.round((get("angle") * 180) / Math.PI)})` : "";
  const transform = `translate(${Math.round(get("x") * 100) / 100} ${Math.round(get("y") * 100) / 100})${turn}`;
  if (get("marker") === "circle") return xmlTag("circle", { transform, r, ...looks });
  return xmlTag("path", { transform, d: markPath(get("marker"), r), ...looks });
}

/** The outline of a mark around its middle. */
function markPath(marker, r) {
  const low = (r * Math.sqrt(3)) / 3;
  const high = 2 * low;
  const points = {
    square: [[-r, -r], [r, -r], [r, r], [-r, r]],
    diamond: [[0, -r], [r / 1.5, 0], [0, r], [-r / 1.5, 0]],
    triangle: [[-r, low], [r, low], [0, -high]],
    inverted_triangle: [[-r, -low], [r, -low], [0, high]],
  }[marker];
  if (points) return `M${points.map((point) => point.map((n) => n.toFixed(2)).join(" ")).join("L")}Z`;
  return marker === "dash" ? `M${-r} 0L${r} 0` : `M${-r} ${-r}L${r} ${r}M${-r} ${r}L${r} ${-r}`;
}

// Lines of a hatch in quarters of its tile, as [x0, x1]: all run from the bottom to the top.
const HATCHES = {
  right_diagonal_line: [[-1, 1], [1, 3], [3, 5]],
  left_diagonal_line: [[1, -1], [3, 1], [5, 3]],
  diagonal_cross: [[0, 4], [4, 0]],
  vertical_line: [[2, 2]],
  cross: [[2, 2]],
  dot: [],
};

/**
 * The hatches of a picture: `use(get)` gives the fill for a row, `defs()` the patterns used.
 * Bokeh strokes the lines of a tile over and over while it adds them, so the first are the darkest.
 * @param {string} id begins the ids of the patterns
 */
function newHatches(id) {
  const patterns = new Map();
  const use = (get) => {
    const [kind, colour, alpha] = ["hatch_pattern", "hatch_color", "hatch_alpha"].map(get);
    const [scale, weight] = [get("hatch_scale"), get("hatch_weight")];
    const key = [kind, colour, alpha, scale, weight].join();
    if (!patterns.has(key)) patterns.set(key, patternSvg(`${id}-hatch${patterns.size}`, { kind, colour, alpha, scale, weight }));
    return `url(#${patterns.get(key).id})`;
  };
  return { use, defs: () => [...patterns.values()].map(({ text }) => text).join("") };
}

/** One pattern: its id and its markup. */
function patternSvg(id, { kind, colour, alpha, scale, weight }) {
  const lines = HATCHES[kind] ?? HATCHES.diagonal_cross;
  const shift = kind === "diagonal_cross" ? 0 : 0.5;
  const strokes = lines.map(([x0, x1], i) => xmlTag("path", {
    d: `M${(x0 * scale) / 4 + shift} ${scale}L${(x1 * scale) / 4 + shift} 0`,
    "stroke-width": weight, "stroke-linecap": "square",
    ...inked("stroke", colour, 1 - (1 - alpha) ** (lines.length - i)),
  }));
  const ink = inked("stroke", colour, alpha);
  if (kind === "cross") strokes.push(xmlTag("path", { d: `M0 ${scale / 2}L${scale} ${scale / 2}`, "stroke-width": weight, ...ink }));
  const dot = { cx: scale / 2, cy: scale / 2, r: scale / 4, ...inked("fill", colour, alpha) };
  if (kind === "dot") strokes.push(xmlTag("circle", dot));
  const tile = { id, width: scale, height: scale, patternUnits: "userSpaceOnUse" };
  return { id, text: xmlTag("pattern", tile, ...strokes) };
}
