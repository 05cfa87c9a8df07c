// Tables whose columns never change their width: the state table, and what the metrics share.

const BOX_FROM = 8;
const MOST_ROWS = 200;
const CHIP_COLUMN = 34;

/** Width of the longest of some texts in a table's type, in px. */
function longest(texts, px, weight = 400) {
  return most(texts.map((text) => textWidth(text, px, weight)));
}

/** The type size of tables for a size of the stage. */
function tableFont(size) {
  return size.name === "wide" ? 14 : 13;
}

/** Make the state table of a lane. */
function createState(payload, lane, say, size, isOnly) {
  const font = tableFont(size);
  const { head, rows, start } = lane.state;
  const known = [start, ...rows];
  const widths = head.map((name, column) => {
    const room = column === head.length - 1 ? 20 : 14;
    return room + Math.max(longestWord(name, 12), longest(columnTexts(known, column), font));
  });
  const parts = {
    when: h("span.rb-quiet"),
    changed: h("span.rb-changed", { text: say("changed_by_it") }),
    body: h("tbody"),
  };
  const table = h("table.rb-table", { "data-testid": `state-${lane.key}` },
    columnGroup([CHIP_COLUMN, ...widths]),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, h("span.rb-hidden", { text: say("request") })),
      ...head.map((text) => h("th", { scope: "col", text })))),
    parts.body);
  const isBox = payload.requests.length > BOX_FROM;
  const box = h("div.rb-box", {}, table);
  box.classList.toggle("rb-bounded", isBox);
  const title = h("h3", { text: isOnly ? say("state") : `${say("state")} · ${lane.title}` });
  setTableWidth(table, CHIP_COLUMN + widths.reduce((sum, w) => sum + w, 0));
  const header = h("header", {}, title, parts.when, parts.changed);
  const el = h("section.rb-state", { style: { flexBasis: table.style.minWidth } }, header, box);
  return { el, ...parts, isBox, request: payload.requests };
}

/** The columns of a table with their widths in px. */
function columnGroup(widths) {
  return h("colgroup", {}, ...widths.map((px) => h("col", { style: { width: `${px}px` } })));
}

/** The width a table needs; it may be given more. */
function setTableWidth(table, px) {
  table.style.minWidth = `${Math.ceil(px)}px`;
}

/** The longest word of a head that may break between words. */
function longestWord(text, px) {
  return longest(text.split(" "), px);
}

/** [index of the request, its cells] of a state: a list along the requests, or an object by index. */
function knownRows(rows) {
  return Object.entries(rows).map(([i, row]) => [Number(i), row]);
}

/** Every distinct text a column can show. */
function columnTexts(known, column) {
  const texts = new Set();
  for (const rows of known) for (const [, row] of knownRows(rows)) if (row) texts.add(String(row[column]));
  return [...texts];
}

/** Show the state after round `index` (-1: before any); `isLit` marks what that round changed. */
function showState(table, lane, index, isLit, say) {
  const { rows, start } = lane.state;
  const now = index < 0 ? start : rows[index];
  const before = index <= 0 ? start : rows[index - 1];
  const number = index < 0 ? null : numberText(lane.rounds.number[index]);
  setText(table.when, number === null ? say("before_rounds") : say("after_round", { n: number }));
  table.changed.style.visibility = isLit ? "" : "hidden";
  const shown = knownRows(now).filter(([, row]) => row || !table.isBox).slice(0, MOST_ROWS);
  fillRows(table.body, shown.map(([i, row]) => ({
    request: table.request[i],
    cells: (row ?? lane.state.head.map(() => "–")).map((text, column) => ({
      text: String(text),
      isChanged: isLit && Boolean(row) && String(before?.[i]?.[column]) !== String(text),
    })),
  })));
}

/** Fill a table's body, using the rows that are there already. */
function fillRows(body, rows) {
  while (body.rows.length > rows.length) body.deleteRow(-1);
  rows.forEach((row, i) => {
    const tr = body.rows[i] ?? body.appendChild(newRow(row.cells.length));
    const key = row.request.id;
    if (tr.dataset.request !== key) {
      tr.dataset.request = key;
      tr.firstChild.replaceChildren(chip(row.request));
    }
    row.cells.forEach((cell, column) => {
      const value = tr.children[column + 1].firstChild;
      setText(value, cell.text);
      value.className = cell.isChanged ? "rb-changed" : "";
    });
  });
}

/** An empty row with a head and cells. */
function newRow(cells) {
  const tr = h("tr", {}, h("th", { scope: "row" }));
  for (let i = 0; i < cells; i += 1) tr.append(h("td", {}, h("span")));
  return tr;
}
