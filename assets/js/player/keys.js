// The keyboard, for the whole page, except where a key has a meaning of its own.

const PRESSES = new Set([" ", "Enter"]);
const MOVES = new Set(["ArrowRight", "ArrowLeft", "ArrowUp", "ArrowDown", "Home", "End"]);
const NOT_TYPED_IN = new Set(["button", "checkbox", "file", "radio", "range", "submit"]);

/** Whether a key has a meaning of its own in the element it was pressed in. */
function belongsElsewhere(event) {
  const target = event.composedPath()[0];
  if (!(target instanceof Element) || target.classList.contains("rb-range")) return false;
  if (target.isContentEditable) return true;
  switch (target.tagName) {
    case "TEXTAREA":
    case "SELECT":
      return true;
    case "INPUT":
      if (!NOT_TYPED_IN.has(target.type)) return true;
      return target.type === "range" ? MOVES.has(event.key) : PRESSES.has(event.key);
    case "BUTTON":
    case "A":
    case "SUMMARY":
      return PRESSES.has(event.key);
    default:
      return false;
  }
}

/**
 * Listen to the keys of the player. The scrub bar has no keys of its own: all of them do there
 * what they do everywhere.
 * @param {Object} act the player's actions
 * @returns {function(): void} stop listening
 */
function listenToKeys(act) {
  const table = {
    ArrowRight: act.forward, ArrowLeft: act.back, " ": act.toggle, Home: act.toStart,
    End: act.toEnd, "[": act.previousEvent, "]": act.nextEvent, "+": act.faster, "=": act.faster,
    "-": act.slower, "−": act.slower, 0: act.showAll,
  };
  const onKey = (event) => {
    const action = table[event.key];
    if (!action || event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
    if (event.defaultPrevented || belongsElsewhere(event)) return;
    event.preventDefault();
    action();
  };
  document.addEventListener("keydown", onKey);
  return () => document.removeEventListener("keydown", onKey);
}
