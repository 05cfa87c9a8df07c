// Which scenes a learner has seen to their last step. Kept in this browser and told to nobody.

const PLACE = "rb-seen";

/** The names of the scenes seen so far. */
export function seen() {
  try {
    const names = JSON.parse(localStorage.getItem(PLACE) ?? "[]");
    return new Set(Array.isArray(names) ? names : []);
  } catch { return new Set(); }
}

/** Note a scene as seen; false if it was already. */
export function note_seen(name) {
  const names = seen();
  if (names.has(name)) { return false; }
  keep_seen([...names, name]);
  return true;
}

/** Forget them all. */
export function forget_seen() { keep_seen([]); }

function keep_seen(names) {
  try { localStorage.setItem(PLACE, JSON.stringify(names)); } catch { /* private window: progress lasts as long as the page */ }
}
