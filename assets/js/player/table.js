// Tables whose columns never change their width: the state table, and what the metrics share.

const BOX_FROM = 8;
const MOST_ROWS = 200;
const CHIP_COLUMN = 34;
const ROWS_SEEN = 14; // as many as a box can show, and some more
const FILL_REST_AFTER = 150; // ms

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
  const { head, start, changes } = lane.state;
  const known = [start, ...changes.map((change) => change.map(([, ...row]) => row))]
    .map((rows, k) => rows.map((row, i) => stateTexts(payload, lane, k ? changes[k - 1][i][0] : i, row)));
  const widths = head.map((name, column) => {
    const room = column === head.length - 1 ? 20 : 14;
    const title = isOnly ? textWidth(name, size.font) : longestWord(name, 12);
    return room + Math.max(title, longest(columnTexts(known, column), font));
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
  return { el, ...parts, payload, fill: filler(box, parts.body) };
}

/**
 * How a table in a box is filled: of many rows those that are seen at once, the others when the cursor
 * rests, as to lay out hundreds of rows at each round would hold up scrubbing.
 * @returns {function(number, function(number): void)} fills so many rows, each by its number
 */
function filler(box, body) {
  const now = { first: 0, count: 0, fill: null, timer: 0, isWhole: true };
  const fillFrom = (from, to) => {
    for (let i = from; i < Math.min(to, now.count); i += 1) now.fill(i);
  };
  const fillSeen = () => fillFrom(now.first, now.first + ROWS_SEEN);
  box.addEventListener("scroll", () => {
    now.first = Math.floor(box.scrollTop / (body.rows[0]?.offsetHeight || 1));
    if (!now.isWhole) fillSeen();
  });
  const fillRest = () => {
    fillFrom(0, now.count);
    now.isWhole = true;
  };
  return (count, fill) => {
    clearTimeout(now.timer);
    Object.assign(now, { count, fill, isWhole: count <= ROWS_SEEN });
    if (now.isWhole) fillRest();
    else {
      fillSeen();
      now.timer = setTimeout(fillRest, FILL_REST_AFTER);
    }
  };
}

const ROWS = new WeakMap();

/** Rows of a table after each round, made once of what each round changes. */
function rowsOf(part) {
  if (!ROWS.has(part)) {
    let now = part.start;
    ROWS.set(part, part.changes.map((change) => {
      now = withChange(now, change);
      return now;
    }));
  }
  return ROWS.get(part);
}

/** The same rows with those changed put in. */
function withChange(rows, change) {
  if (!change.length) return rows;
  const changed = rows.slice();
  for (const [place, ...row] of change) changed[place] = row;
  return changed;
}

/** The rows after round `index`; -1: before any. */
function rowsAfter(part, index) {
  return index < 0 ? part.start : rowsOf(part)[index];
}

/** A state row as it is written: arrival, prompt left, computed, out, state. */
function stateTexts({ requests }, lane, i, [computed, emitted, status]) {
  if (status === "elsewhere") return ["–", "–", "–", "–", lane.state.names[status]];
  const { prompt, output } = requests[i];
  const arrival = lane.state.arrivals[i];
  return [
    numberText(arrival < 0 ? null : arrival, 6), numberText(Math.max(0, prompt - computed)),
    numberText(computed), `${numberText(emitted)} / ${numberText(output)}`, lane.state.names[status],
  ];
}

/** The rows before and at the cursor; in slow motion those around the phase. */
function stateSteps(lane, { lit, ended, phase }) {
  const { state } = lane;
  if (phase < 0) {
    const now = rowsAfter(state, ended);
    return [lit >= 0 && lit === ended ? rowsAfter(state, ended - 1) : now, now];
  }
  const before = rowsAfter(state, lit - 1);
  const collected = withChange(before, state.collected[lit]);
  const scheduled = withChange(collected, state.scheduled[lit]);
  return [[before, collected], [collected, scheduled], [scheduled, scheduled]][phase];
}

/** Computed, emitted and state of one request at the cursor. */
function stateRow(lane, req, state) {
  return stateSteps(lane, state)[1][req];
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

/** Every distinct text a column can show. */
function columnTexts(known, column) {
  const texts = new Set();
  for (const rows of known) for (const row of rows) texts.add(row[column]);
  return [...texts];
}

/** Show the state at the cursor, and mark what its round or phase changed. */
function showState(table, lane, state, say) {
  const { payload } = table;
  const [before, now] = stateSteps(lane, state);
  setText(table.when, whenText(lane, state, say));
  table.changed.style.visibility = now === before ? "hidden" : "";
  setText(table.changed, say(state.phase < 0 ? "changed_by_it" : "changed_by_phase"));
  keepRows(table.body, payload.requests.slice(0, Math.min(MOST_ROWS, now.length)), lane.state.head.length);
  table.fill(table.body.rows.length, (i) => {
    const old = stateTexts(payload, lane, i, before[i]);
    stateTexts(payload, lane, i, now[i]).forEach((text, column) => {
      const value = table.body.rows[i].children[column + 1].firstChild;
      setText(value, text);
      setClass(value, text === old[column] ? "" : "rb-changed");
    });
  });
}

/** "after round 3", or in slow motion "round 3: reserve". */
function whenText(lane, { lit, ended, phase }, say) {
  const index = phase < 0 ? ended : lit;
  if (index < 0) return say("before_rounds");
  const n = numberText(lane.rounds.number[index]);
  return phase < 0 ? say("after_round", { n }) : say("in_phase", { n, phase: say(`phase_${PHASES[phase]}`) });
}

/** Give a table's body a row a request, using those that are there already. */
function keepRows(body, requests, columns) {
  while (body.rows.length > requests.length) body.deleteRow(-1);
  requests.forEach((request, i) => {
    const tr = body.rows[i] ?? body.appendChild(newRow(columns));
    if (tr.dataset.request === request.id) return;
    tr.dataset.request = request.id;
    tr.firstChild.replaceChildren(chip(request));
  });
}

/** An empty row with a head and cells. */
function newRow(cells) {
  const tr = h("tr", {}, h("th", { scope: "row" }));
  for (let i = 0; i < cells; i += 1) tr.append(h("td", {}, h("span")));
  return tr;
}
