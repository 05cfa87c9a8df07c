// SVG written as text, so that it is the same wherever it goes: a file, an image, a printed page.

const XML_SIGNS = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const NOT_XML = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;

/** A text as XML may hold it: signs escaped, and what XML forbids replaced. */
function escaped(text) {
  return String(text).replace(NOT_XML, "\uFFFD").replace(/[&<>"]/g, (sign) => XML_SIGNS[sign]);
}

/**
 * An element as text.
 * @param {string} name
 * @param {Object} attributes numbers are rounded; null and undefined are left out
 * @param {...string} children markup, already escaped
 */
function xmlTag(name, attributes, ...children) {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([key, value]) => ` ${key}="${escaped(typeof value === "number" ? Math.round(value * 100) / 100 : value)}"`)
    .join("");
  const inside = children.join("");
  return inside ? `<${name}${written}>${inside}</${name}>` : `<${name}${written}/>`;
}

/** A CSS colour as one that every reader of SVG knows, and its alpha. */
function plainColour(css) {
  if (!css || css === "none" || css === "transparent") return { colour: "none", alpha: 1 };
  if (css.startsWith("#")) {
    return { colour: css.slice(0, 7), alpha: css.length === 9 ? parseInt(css.slice(7), 16) / 255 : 1 };
  }
  const numbers = css.match(/[\d.]+(?:e-\d+)?/g).map(Number);
  const scale = css.startsWith("color(") ? 255 : 1;
  const hex = numbers.slice(0, 3).map((part) => Math.round(part * scale).toString(16).padStart(2, "0"));
  const alpha = numbers[3] ?? 1;
  return alpha === 0 ? { colour: "none", alpha } : { colour: `#${hex.join("")}`, alpha };
}

/** `fill` or `stroke` of a colour, with its opacity where it has one. */
function inked(role, css, alpha = 1) {
  const plain = plainColour(css);
  const opacity = plain.alpha * alpha;
  return { [role]: plain.colour, [`${role}-opacity`]: opacity < 1 && plain.colour !== "none" ? opacity : null };
}

/** A rectangle by its edges. */
function rectSvg({ left, right, top, bottom }, looks) {
  return xmlTag("rect", { x: left, y: top, width: Math.max(0, right - left), height: Math.max(0, bottom - top), ...looks });
}

/** A text at its baseline. */
function textAt(x, baseline, text, size, { bold = false, anchor = null, ...looks }) {
  const weight = bold ? "bold" : null;
  return xmlTag("text", { x, y: baseline, "font-size": size, "font-weight": weight, "text-anchor": anchor, ...looks }, escaped(text));
}

/** How far a font reaches above and below its baseline, in px. */
function fontReach(size) {
  measureContext.font = `${size}px ${THEME.font}`;
  const { fontBoundingBoxAscent: up, fontBoundingBoxDescent: down } = measureContext.measureText("x");
  return { up, down };
}
