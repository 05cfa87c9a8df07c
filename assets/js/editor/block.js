// A block of cells from a spreadsheet: tabs or commas between them, quotes around any, heads or none.

const THOUSANDS = /^\d{1,3}(,\d{3})+$/;

/** Lines of cells, or null if the text is a single value. */
export function cells_of(text) {
  const block = text.replace(/\r\n?/g, "\n").replace(/\n+$/, "");
  if (block.includes("\t")) { return split(block, "\t"); }
  const one = block.trim();
  const has_cells = block.includes(",") && !THOUSANDS.test(one);
  if (!block.includes("\n") && !(has_cells && one.split(",").length > 2)) { return null; }
  return split(block, ",");
}

function split(block, divider) {
  const lines = [[]];
  const cell = new RegExp(`(?:"((?:[^"]|"")*)"|([^${divider}\n]*))(${divider}|\n|$)`, "gy");
  for (let found = cell.exec(block); found; found = cell.exec(block)) {
    lines.at(-1).push((found[1]?.replaceAll('""', '"') ?? found[2]).trim());
    if (found[3] === "\n") { lines.push([]); }
    if (found[3] === "") { break; }
  }
  return lines.filter((line) => line.some((one) => one !== ""));
}

/**
 * What each column of a block is called: its heads if it has some, else the columns from `first` on.
 * Returns {fields, lines, unknown}; a column whose head nobody knows has no field.
 */
export function read_block(lines, columns, first, names) {
  const heads = lines[0].map((head) => names[plain_name(head)] ?? null);
  const has_heads = heads.some((field) => field !== null && field !== "id") &&
    lines[0].every((head) => head === "" || Number.isNaN(Number(head)));
  if (!has_heads) { return {fields: columns.slice(columns.indexOf(first)), lines, unknown: []}; }
  const unknown = lines[0].filter((head, i) => head !== "" && heads[i] === null);
  return {fields: heads, lines: lines.slice(1), unknown};
}

/** As `plain_name` in app/rows.py: without unit, case and what divides words. */
function plain_name(head) {
  const words = head.normalize("NFKC").toLowerCase().split("(")[0].replaceAll("_", " ");
  return words.replace(/\b(ms|ticks?|tokens?)\b/g, "").replace(/[^\p{L}\p{N}]+/gu, "");
}
