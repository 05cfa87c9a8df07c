// Which scenes a learner has seen to their last step, and which exercises were answered right. Kept
// in this browser and told to nobody.

const SEEN = "rb-seen";
const SOLVED = "rb-solved";

/** The names of the scenes seen so far. */
export function seen() { return kept_in(SEEN); }

/** Note a scene as seen; false if it was already. */
export function note_seen(name) { return note_in(SEEN, name); }

/** Whether an exercise was answered right. */
export function is_solved(key) { return kept_in(SOLVED).has(key); }

/** Note an exercise as answered; false if it was already. */
export function note_solved(key) { return note_in(SOLVED, key); }

/** Forget them all. */
export function forget_all() { for (const place of [SEEN, SOLVED]) { keep_in(place, []); } }

function kept_in(place) {
  try {
    const names = JSON.parse(localStorage.getItem(place) ?? "[]");
    return new Set(Array.isArray(names) ? names : []);
  } catch { return new Set(); }
}

function note_in(place, name) {
  const names = kept_in(place);
  if (names.has(name)) { return false; }
  keep_in(place, [...names, name]);
  return true;
}

function keep_in(place, names) {
  try { localStorage.setItem(place, JSON.stringify(names)); } catch { /* private window: progress lasts as long as the page */ }
}
