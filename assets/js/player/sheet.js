// A sheet collects what is to be drawn as rows in px; `fillFigure` hands them to a Bokeh figure.

const TIME_COLUMNS = new Set(["left", "right", "x", "x0", "x1"]);

/** An empty sheet for the two figures. */
function newSheet() {
  return {
    full: {
      rules: [], cells: [], hatch_prefill: [], hatch_again: [], hatch_idle: [], hatch_pad: [],
      hatch_paused: [], hatch_swapped: [], boxes: [], solids: [], plates: [], rings: [], marks: [],
      numbers: [],
    },
    ghost: { rules: [], cells: [], boxes: [] },
  };
}

const SPARE_HEIGHT = 240;

/**
 * Give a figure its size, its ranges and all its rows. Its frame is as wide as the stage, so that
 * nothing is cut at the first and the last boundary; the gutters are room in the x range. A new
 * size costs Bokeh far more than new rows: the figure is higher than the stage and keeps its height
 * while the stage fits into it.
 * @param {Object} figure Bokeh figure whose renderers have the names of the sheet's parts
 * @param {Object} parts one half of a sheet
 * @param {Object} layout of the stage
 */
function fillFigure(figure, parts, layout) {
  const isFit = layout.height <= figure.height && layout.height > figure.height - SPARE_HEIGHT;
  const height = isFit ? figure.height : layout.height + SPARE_HEIGHT / 2;
  setChanged(figure, { width: layout.width, height });
  setChanged(figure.x_range, { start: layout.t(0), end: layout.t(layout.width) });
  setChanged(figure.y_range, { start: height, end: 0 });
  for (const renderer of figure.renderers) {
    const source = renderer.data_source;
    const names = Object.keys(source.data);
    const rows = parts[renderer.name];
    if (!rows.length && !source.data[names[0]].length) continue;
    const missing = names.includes("text") ? source.data.text.length - rows.length : 0;
    source.data = toColumns([...rows, ...blankTexts(missing)], names, layout);
  }
}

/** Set the properties of a Bokeh model that differ from what they are. */
function setChanged(model, values) {
  const changed = Object.entries(values).filter(([name, value]) => model[name] !== value);
  if (changed.length) model.setv(Object.fromEntries(changed));
}

/**
 * Texts that show nothing, far off the stage. Bokeh takes over new data in several steps and may
 * paint between them; a text without its font is then an error, so that the number of texts of a
 * source never shrinks.
 */
function blankTexts(count) {
  return Array.from({ length: Math.max(0, count) }, () => textRow(-9999, -9999, "", "#000000", 12));
}

/** Rows of px as columns, with x in time. */
function toColumns(rows, names, layout) {
  const columns = {};
  for (const name of names) {
    columns[name] = TIME_COLUMNS.has(name)
      ? Float64Array.from(rows, (row) => layout.t(row[name]))
      : rows.map((row) => row[name]);
  }
  return columns;
}

/** A straight line in both figures, in the colour of the past and of the future. */
function addRule(sheet, x0, y0, x1, y1, past, future, width = 1) {
  const row = { x0, y0, x1, y1, line_width: width };
  sheet.full.rules.push({ ...row, line_color: past });
  sheet.ghost.rules.push({ ...row, line_color: future });
}

/** A text on the canvas; `plate` is the fill behind it. */
function textRow(x, y, text, color, size, { align = "left", bold = false, plate = null } = {}) {
  return {
    x, y, text,
    text_color: color,
    text_align: align,
    text_font_size: `${size}px`,
    text_font_style: bold ? "bold" : "normal",
    background_fill_color: plate,
  };
}
