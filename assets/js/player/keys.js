// The keyboard, for the whole page, except where somebody types.

const TYPING = new Set(["TEXTAREA", "SELECT", "BUTTON", "A", "SUMMARY"]);
const RANGE_KEYS = new Set(["ArrowRight", "ArrowLeft", "ArrowUp", "ArrowDown", "Home", "End"]);

/** Whether a key belongs to the element it was pressed in. */
function belongsElsewhere(event) {
  const target = event.composedPath()[0];
  if (!(target instanceof Element)) return false;
  if (target.tagName === "INPUT") return target.type !== "range" || RANGE_KEYS.has(event.key);
  if (target.tagName === "BUTTON") return event.key === " " || event.key === "Enter";
  return TYPING.has(target.tagName) || target.isContentEditable;
}

/**
 * Listen to the keys of the player.
 * @param {Object} act the player's actions
 * @returns {function(): void} stop listening
 */
function listenToKeys(act) {
  const table = {
    ArrowRight: act.forward, ArrowLeft: act.back, " ": act.toggle, Home: act.toStart,
    End: act.toEnd, "[": act.previousEvent, "]": act.nextEvent, "+": act.faster, "=": act.faster,
    "-": act.slower, "−": act.slower,
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
