// All keys of the page, in one table: what listens, the sheet of keys and the tips on buttons read it.
//
// The player and the frame around it each listen for the actions they have; whoever comes first and
// acts has the key. An action that nobody has does nothing and is not on the sheet.

// `in_lab`: it counts in the lab too, where there is no stage to be seen.
// group: where it stands on the sheet. keys: as the browser names them. shown: as a person does.
// The words of an action are `keys.<action>` of the catalogues.
export const KEYS = [
  {group: "play", action: "toggle", keys: [" "], shown: ["Space"]},
  {group: "play", action: "forward", keys: ["ArrowRight"], shown: ["→"]},
  {group: "play", action: "back", keys: ["ArrowLeft"], shown: ["←"]},
  {group: "play", action: "phaseForward", keys: ["."], shown: ["."]},
  {group: "play", action: "phaseBack", keys: [","], shown: [","]},
  {group: "play", action: "nextEvent", keys: ["]"], shown: ["]"]},
  {group: "play", action: "previousEvent", keys: ["["], shown: ["["]},
  {group: "play", action: "toStart", keys: ["Home"], shown: ["Home"]},
  {group: "play", action: "toEnd", keys: ["End"], shown: ["End"]},
  {group: "play", action: "faster", keys: ["+", "="], shown: ["+"]},
  {group: "play", action: "slower", keys: ["-", "−"], shown: ["−"]},
  {group: "lesson", action: "nextStep", keys: ["n", "N"], shown: ["N"]},
  {group: "lesson", action: "previousStep", keys: ["b", "B"], shown: ["B"]},
  {group: "lesson", action: "present", keys: ["p", "P"], shown: ["P"]},
  {group: "lesson", action: "budgetUp", keys: ["ArrowUp"], shown: ["↑"]},
  {group: "lesson", action: "budgetDown", keys: ["ArrowDown"], shown: ["↓"]},
  {group: "view", action: "oneLane", keys: ["1", "2", "3", "4"], shown: ["1", "4"], is_range: true},
  {group: "view", action: "everything", keys: ["0"], shown: ["0"]},
  {group: "view", action: "requests", keys: ["r", "R"], shown: ["R"], in_lab: true},
  {group: "view", action: "setup", keys: ["s", "S"], shown: ["S"], in_lab: true},
  {group: "view", action: "language", keys: ["l", "L"], shown: ["L"], in_lab: true},
  {group: "view", action: "theme", keys: ["t", "T"], shown: ["T"], in_lab: true},
  {group: "view", action: "help", keys: ["?", "？"], shown: ["?"], in_lab: true},
  {group: "view", action: "leave", keys: ["Escape"], shown: ["Esc"], in_lab: true},
];

const KEY_OF = new Map(KEYS.flatMap((entry) => entry.keys.map((key) => [key, entry])));
const PRESSES = new Set([" ", "Enter"]);
const ARROWS = new Set(["ArrowRight", "ArrowLeft", "ArrowUp", "ArrowDown", "Home", "End"]);
const NOT_TYPED_IN = new Set(["button", "checkbox", "file", "radio", "range", "submit"]);

/** A name with the key that does the same, for the tip on a button. */
export function with_key(name, action) {
  const entry = KEYS.find((one) => one.action === action);
  return entry ? `${name} (${entry.shown[0]})` : name;
}

/** Whether a key has a meaning of its own in the element it was pressed in. */
function belongs_elsewhere(event) {
  const target = event.composedPath()[0];
  if (!(target instanceof Element) || target.classList.contains("rb-range")) { return false; }
  if (target.isContentEditable || target.tagName === "TEXTAREA" || target.tagName === "SELECT") { return true; }
  if (target.tagName === "INPUT") {
    if (!NOT_TYPED_IN.has(target.type)) { return true; }
    return (target.type === "range" ? ARROWS : PRESSES).has(event.key);
  }
  return ["BUTTON", "A", "SUMMARY"].includes(target.tagName) && PRESSES.has(event.key);
}

/**
 * Whether the keys of the page rest: in a dialog, and in what lies over the page like one, only its own count.
 * One that has just closed has the focus until the next frame, and counts no more.
 */
function is_in_dialog(event) {
  return event.composedPath().some((el) => el instanceof HTMLElement && (el.tagName === "DIALOG" ? el.open : "over" in el.dataset));
}

/**
 * Listen for the keys of some actions. `actions` maps names to functions, which get the key; one
 * that returns false leaves the key to others. With `first`, before those who listen without.
 * Returns how to stop.
 */
export function listen_to_keys(actions, first = false) {
  const on_key = (event) => {
    const entry = KEY_OF.get(event.key);
    const action = actions[entry?.action];
    if (document.documentElement.dataset.face === "lab" && !entry?.in_lab) { return; }
    if (!action || event.ctrlKey || event.altKey || event.metaKey || event.isComposing) { return; }
    if (event.defaultPrevented || belongs_elsewhere(event) || is_in_dialog(event)) { return; }
    if (action(event.key) !== false) { event.preventDefault(); }
  };
  document.addEventListener("keydown", on_key, first);
  return () => document.removeEventListener("keydown", on_key, first);
}
