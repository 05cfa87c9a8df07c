// The measures of the stage in px for each kind of screen; the style sheet has the same classes.

const SIZES = {
  normal: {
    name: "normal", gutter: 104, gutterSeats: 76, right: 34, rightSeats: 30, heads: 28, title: 28,
    pitch: 40, cell: 28, pitchSeats: 36, cellSeats: 26, brick: 18, caption: 30, unit: 5,
    font: 12, small: 11, circle: 18, diamond: 17, inset: 14, insetCap: 17, arrival: 11, hatch: 12,
    weight: 1, wordFrom: 48, most: 520, card: 14,
  },
  phone: {
    name: "phone", gutter: 36, gutterSeats: 36, right: 16, rightSeats: 16, heads: 28, title: 26,
    pitch: 40, cell: 28, pitchSeats: 36, cellSeats: 26, brick: 16, caption: 30, unit: 5,
    font: 12, small: 11, circle: 18, diamond: 17, inset: 14, insetCap: 17, arrival: 11, hatch: 12,
    weight: 1, wordFrom: Infinity, most: 460, card: 14,
  },
  wide: {
    name: "wide", gutter: 124, gutterSeats: 92, right: 40, rightSeats: 36, heads: 34, title: 36,
    pitch: 56, cell: 40, pitchSeats: 50, cellSeats: 36, brick: 24, caption: 36, unit: 7,
    font: 14, small: 13, circle: 24, diamond: 22, inset: 18, insetCap: 22, arrival: 14, hatch: 14,
    weight: 1.2, wordFrom: 56, most: 640, card: 15,
  },
  presenter: {
    name: "presenter", gutter: 210, gutterSeats: 160, right: 64, rightSeats: 60, heads: 54, title: 54,
    pitch: 88, cell: 62, pitchSeats: 72, cellSeats: 52, brick: 35, caption: 62, unit: 9,
    font: 24, small: 21, circle: 34, diamond: 33, inset: 27, insetCap: 32, arrival: 20, hatch: 19,
    weight: 1.5, wordFrom: 100, most: 640, card: 28,
  },
};

/** The measures for a player of this width on this screen. */
function chooseSize(width) {
  if (document.documentElement.dataset.presenter === "true") return SIZES.presenter;
  if (window.innerWidth <= 900) return SIZES.phone;
  return width >= 1100 ? SIZES.wide : SIZES.normal;
}
