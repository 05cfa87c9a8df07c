// The stage for a hall: the measures of SIZES.presenter are for 1920 × 1080 and scale with the screen.

const NOT_SCALED = new Set(["wordFrom", "card"]);
const ONE_LANE = { least: 330, most: 660, around: 398, card: 26 }; // the rest is for the step and the round
const BRICKS_HEIGHT = 150; // of a budget strip that is drawn in bricks
const BARS_BRICK = 22; // a strip drawn as bars is four of these
const MANY_LANES = {
  least: 330, most: 660, around: 330, card: 22, font: 20, small: 18, heads: 46, title: 40, laneTitle: 36,
  laneHeads: 40, stripMost: 44,
};
const MOST_LANES = { // three and four: all on the screen, and half a dozen lines of step and round below them
  ...MANY_LANES, around: 364, most: Infinity, card: 20, font: 18, title: 32, laneTitle: 30, laneHeads: 30,
  stripMost: 30, laneLeast: 0, leastRow: 7, laneGap: 10,
};

/**
 * The measures for a hall.
 * @param {Object} size the measures at 1920 × 1080
 * @param {number} scale of the screen against that
 * @param {Object[]} lanes shown; more than one share the width beside the step, in smaller type
 */
function presenterSize(size, scale, lanes) {
  const measures = { ...size, ...[ONE_LANE, MANY_LANES, MOST_LANES][Math.min(lanes.length, 3) - 1] };
  const { budget } = lanes[0];
  measures.brick = budget <= MOST_BRICKS ? Math.min(size.brick, BRICKS_HEIGHT / budget) : BARS_BRICK;
  for (const [name, value] of Object.entries(measures)) {
    if (typeof value === "number" && !NOT_SCALED.has(name)) measures[name] = rounded(value * scale);
  }
  measures.wordFrom *= scale;
  measures.card *= scale;
  return measures;
}

/** Whole px, but for thin lines. */
function rounded(value) {
  return value < 3 ? value : Math.round(value);
}

/**
 * In a hall the cards take what the stage leaves of the screen; a stage that needs more than its room
 * scrolls within it.
 */
function settleHall({ root, cardsEl, size, visible, stage }, room) {
  const isHall = size.name === "presenter";
  const isHigh = isHall && stage.layout.height > room + 1;
  Object.assign(stage.el.parentElement.style, isHigh ? { maxHeight: `${room}px`, overflowY: "auto" } : { maxHeight: "", overflowY: "" });
  cardsEl.style.height = "";
  if (isHall) cardsEl.style.height = `${visible - cardsEl.getBoundingClientRect().top + root.getBoundingClientRect().top}px`;
}

/** The room that cards have side by side: beside the step, when presenting. */
function cardsWidth({ width, size, cardsEl }) {
  if (size.name !== "presenter") return width;
  return width - parseFloat(getComputedStyle(cardsEl).marginLeft);
}
