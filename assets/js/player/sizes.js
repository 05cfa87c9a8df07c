// The measures of the stage in px for each kind of screen; the style sheet has the same classes.
// least, most: height of the stage; laneLeast: of each of more lanes than two; around: what stands above and below it on the first screen, with
// three lines of "this round" and the tabs below. kv, kvSeats: height of the strip of blocks, alone and under seats.

const SIZES = {
  normal: {
    name: "normal", gutter: 104, gutterSeats: 76, right: 34, rightSeats: 30, heads: 28, title: 28,
    pitch: 40, cell: 28, pitchSeats: 36, cellSeats: 26, brick: 18, caption: 30, unit: 5,
    font: 12, small: 11, circle: 18, diamond: 17, inset: 14, insetCap: 17, arrival: 11, hatch: 12,
    weight: 1, wordFrom: 48, kv: 26, kvSeats: 16, levelGap: 10, stripMost: 32, laneTitle: 22, laneHeads: 22, least: 340, most: 520, laneLeast: 205, around: 276, card: 14,
  },
  phone: {
    name: "phone", gutter: 36, gutterSeats: 36, right: 16, rightSeats: 16, heads: 28, title: 26,
    pitch: 40, cell: 28, pitchSeats: 36, cellSeats: 26, brick: 16, caption: 30, unit: 5,
    font: 12, small: 11, circle: 18, diamond: 17, inset: 14, insetCap: 17, arrival: 11, hatch: 12,
    weight: 1, wordFrom: Infinity, kv: 22, kvSeats: 14, levelGap: 8, stripMost: 40, laneTitle: 24, laneHeads: 24, least: 460, most: 460, laneLeast: 225, around: 0, card: 14,
  },
  wide: {
    name: "wide", gutter: 124, gutterSeats: 92, right: 40, rightSeats: 36, heads: 34, title: 36,
    pitch: 56, cell: 40, pitchSeats: 50, cellSeats: 36, brick: 24, caption: 36, unit: 7,
    font: 14, small: 13, circle: 24, diamond: 22, inset: 18, insetCap: 22, arrival: 14, hatch: 14,
    weight: 1.2, wordFrom: 56, kv: 34, kvSeats: 22, levelGap: 12, stripMost: 44, laneTitle: 30, laneHeads: 30, least: 420, most: 700, laneLeast: 270, around: 286, card: 15,
  },
  presenter: {
    name: "presenter", gutter: 210, gutterSeats: 160, right: 64, rightSeats: 60, heads: 54, title: 54,
    pitch: 88, cell: 62, pitchSeats: 72, cellSeats: 52, brick: 35, caption: 62, unit: 9,
    font: 24, small: 21, circle: 34, diamond: 33, inset: 27, insetCap: 32, arrival: 20, hatch: 19,
    weight: 1.5, wordFrom: 100, kv: 50, kvSeats: 32, levelGap: 16, stripMost: 80, laneTitle: 44, laneHeads: 50, least: 640, most: 640, laneLeast: 390, around: 0, card: 28,
  },
};

/** The measures for a player of this width and these lanes on this screen. */
function chooseSize(width, lanes) {
  const scale = Number(document.documentElement.dataset.presenter);
  if (scale > 0) return presenterSize(SIZES.presenter, scale, lanes);
  if (window.innerWidth <= 900) return SIZES.phone;
  return width >= 1100 ? SIZES.wide : SIZES.normal;
}

/**
 * How high the stage may be so that it is on the first screen together with what belongs to it.
 * @param {Object} size
 * @param {number} visible height of what scrolls around the player
 * @param {number} extra height of parts that are only there for some payloads
 * @param {number} lanes how many there are: more than two may need more than the first screen
 */
function stageRoom(size, visible, extra, lanes) {
  const least = lanes > 2 ? size.laneLeast * lanes : size.least;
  return Math.max(least, Math.min(size.most, visible - size.around - extra));
}

/** The element that scrolls around another, across shadow roots; the page if there is none. */
function scrollerOf(element) {
  for (let el = element; el; el = el.parentElement ?? el.getRootNode().host) {
    if (/auto|scroll/.test(getComputedStyle(el).overflowY)) return el;
  }
  return document.documentElement;
}
