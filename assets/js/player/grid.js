// The tables of metrics: groups of columns that keep their widths, and differences.

const KNOWN_AT_END = new Set(["makespan", "e2e"]);

/**
 * A table of groups of columns that keep their widths; a group is never narrower than its title
 * (or than `least`, the longest title it may be given).
 * @param {{rows: Node[], groups: {title: string, heads: Node[], widths: number[], quiet?: boolean, least?: string}[],
 *          id: string, font?: number, first?: number}} spec
 */
function createGrid({ rows, groups, id, font = 12, first = CHIP_COLUMN }) {
  for (const group of groups) group.widths = widened(group, font);
  const widths = [first, ...groups.flatMap((group) => group.widths)];
  const titles = groups.map(({ title, heads }) =>
    h("th.rb-group", { scope: "colgroup", colspan: heads.length, text: title }));
  const heads = groups.flatMap((group) => group.heads.map((head, i) =>
    h(i === 0 ? "th.rb-group" : "th", { scope: "col" }, head)));
  const isTitled = groups.some((group) => group.title);
  const head = h("thead", {},
    isTitled ? h("tr", {}, h("td"), ...titles) : null, h("tr", {}, h("td"), ...heads));
  const cells = rows.map(() => groups.map((group) => group.heads.map((_, i) => {
    const value = h("span");
    const classes = [i === 0 ? ".rb-group" : "", group.quiet ? ".rb-final" : ""].join("");
    return { td: h(`td${classes}`, {}, value), value };
  })));
  const body = h("tbody", {}, ...rows.map((row, r) =>
    h("tr", {}, h("th", { scope: "row" }, row), ...cells[r].flat().map((cell) => cell.td))));
  const table = h("table.rb-table.rb-grid", { "data-testid": id },
    columnGroup(widths), head, body);
  setTableWidth(table, widths.reduce((sum, width) => sum + width));
  const box = h("div.rb-box", {}, table);
  box.classList.toggle("rb-bounded", cells.length > BOX_FROM);
  return { el: table, box, cells, titles, fill: filler(box, body) };
}

/** The widths of a group's columns, wide enough together for its title. */
function widened({ title, least = title, widths }, font) {
  const missing = textWidth(least, font) + 16 - widths.reduce((sum, width) => sum + width);
  return missing > 0 ? widths.map((width) => width + missing / widths.length) : widths;
}

/** Write every cell: `value(row, group, column)` gives {text, name}. */
function fillGrid(grid, value) {
  grid.fill(grid.cells.length, (r) => grid.cells[r].forEach((columns, g) => columns.forEach((cell, c) => {
    const { text, name = "" } = value(r, g, c);
    setText(cell.value, text);
    setClass(cell.value, name);
  })));
}

/**
 * What a difference looks like: its text, and whether it is good or bad. While a lane still runs
 * nothing is good or bad yet, and what is only known at the end has no difference.
 */
function differenceCell(first, second, head, isOver) {
  if (first === null || second === null || (!isOver && KNOWN_AT_END.has(head.key))) return { text: "–" };
  const value = second - first;
  const text = differenceText(value, head.digits);
  if (text === "=" || head.better === "none" || !isOver) return { text, name: text === "=" ? "rb-same" : "rb-diff" };
  return { text, name: (value < 0) === (head.better === "less") ? "rb-good" : "rb-bad" };
}

/**
 * A cell of several lanes' values of one metric: a lane's own, or in the group after the lanes the
 * difference of two. Of more than two lanes the best is marked, once it is known.
 */
function comparedCell(values, group, head, isOver) {
  if (group >= values.length) return differenceCell(values[0], values[1], head, isOver);
  const isBest = values.length > 2 && isOver && head.better !== "none" && isBestOf(values, group, head.better);
  return { text: numberText(values[group], head.digits), name: isBest ? "rb-best" : "" };
}

/** Whether a value is the best of some that differ. */
function isBestOf(values, place, better) {
  const known = values.filter((value) => value !== null);
  const best = better === "less" ? Math.min(...known) : Math.max(...known);
  return values[place] === best && known.some((value) => value !== best);
}

/** Name of a metric, which opens its definition, with its unit in quiet type. */
function metricName(head, say) {
  return h("span", {}, defineButton(head, say), head.unit ? h("small", { text: ` ${head.unit}` }) : "");
}

/** Width of the column of metric names. */
function nameWidth(heads, { size }) {
  const font = tableFont(size);
  const width = ({ label, unit }) => textWidth(label, font) + textWidth(` ${unit ?? ""}`, font - 1);
  return most(heads.map(width)) + 12;
}

/** Every text a metric can show in a lane. */
function metricTexts(known, pick, digits) {
  const texts = new Set();
  for (const rows of known) for (const value of pick(rows)) texts.add(numberText(value, digits));
  return [...texts];
}

/** All known sets of a lane's part: at the start, after each round, final. */
function knownSets(part) {
  const { start, rows = rowsOf(part), final } = part;
  return [start, ...rows, final];
}

/** The set of a lane's part after round `index` (-1: before any). */
function setAt(part, index) {
  const { start, rows = rowsOf(part) } = part;
  return index < 0 ? start : rows[index];
}
