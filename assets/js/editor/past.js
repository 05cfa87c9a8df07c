// Undo and redo of a table: every state it had, as many as there were.

export class Past {
  constructor() { this.forget(); }

  forget() {
    this.before = [];
    this.after = [];
  }

  /** The table is about to change: what it is now can be come back to. */
  keep(rows) {
    this.before.push(rows);
    this.after = [];
  }

  /** The state before this one, or undefined. */
  undo(rows) { return step(this.before, this.after, rows); }

  /** The state that was undone last, or undefined. */
  redo(rows) { return step(this.after, this.before, rows); }
}

function step(from, to, rows) {
  if (from.length === 0) { return undefined; }
  to.push(rows);
  return from.pop();
}

/** What a key press asks for: "undo", "redo" or null. */
export function past_key(event) {
  if (!(event.ctrlKey || event.metaKey) || event.altKey) { return null; }
  const key = event.key.toLowerCase();
  if (key === "y" && !event.shiftKey) { return "redo"; }
  if (key !== "z") { return null; }
  return event.shiftKey ? "redo" : "undo";
}
