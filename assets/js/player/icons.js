// Inline SVG: transport icons and the small marks that the legend and the scrub bar share.

const ICON_PATHS = {
  toStart: "M3 3h2v10H3zM9.5 3v10L5 8zM14 3v10L9.5 8z",
  back: "M4.5 3h2v10h-2zM12.5 3v10L7 8z",
  play: "M4.5 2.5v11L13.5 8z",
  pause: "M4 3h3v10H4zM9 3h3v10H9z",
  forward: "M9.5 3h2v10h-2zM3.5 3v10L9 8z",
  toEnd: "M11 3h2v10h-2zM6.5 3v10L11 8zM2 3v10l4.5-5z",
  plus: "M7.2 3h1.6v4.2H13v1.6H8.8V13H7.2V8.8H3V7.2h4.2z",
  minus: "M3 7.2h10v1.6H3z",
  view: "M8 3c3.5 0 6 3 7 5-1 2-3.5 5-7 5s-6-3-7-5c1-2 3.5-5 7-5zm0 1.5C5.5 4.5 3.6 6.5 2.7 8c.9 1.5 2.8 3.5 5.3 3.5s4.4-2 5.3-3.5C12.4 6.5 10.5 4.5 8 4.5zM8 6a2 2 0 1 1 0 4 2 2 0 0 1 0-4z",
  more: "M1.5 8a1.5 1.5 0 1 1 3 0a1.5 1.5 0 1 1-3 0zM6.5 8a1.5 1.5 0 1 1 3 0a1.5 1.5 0 1 1-3 0zM11.5 8a1.5 1.5 0 1 1 3 0a1.5 1.5 0 1 1-3 0z",
};

/** A transport icon, drawn in the colour of the text. */
function icon(name, size = 16) {
  const path = svg("path", { d: ICON_PATHS[name], fill: "currentColor", "fill-rule": "evenodd" });
  return svg("svg", { viewBox: "0 0 16 16", width: size, height: size, "aria-hidden": "true" }, path);
}

/** A button that is an icon; it gets its name later, in the payload's language. */
function iconButton(name, onclick, id) {
  return h("button.rb-icon", { type: "button", onclick, "data-testid": id }, icon(name));
}

const MARK_SHAPES = {
  arrival: () => svg("path", { d: "M0 1.5h10L5 9.5z", fill: "currentColor" }),
  first: () => svg("path", { d: "M5 0l5 5-5 5-5-5z", fill: "currentColor" }),
  finish: () => svg("rect", { x: 3, y: 0, width: 4, height: 10, fill: "currentColor" }),
  cancelled: () =>
    svg("path", { d: "M1 1l8 8M9 1L1 9", stroke: "currentColor", "stroke-width": 2.2, fill: "none" }),
  preempted: () =>
    svg("path", { d: "M8.5 1v8L1.5 5z", stroke: "currentColor", "stroke-width": 1.5, fill: "none" }),
  rejected: () => svg("path", {
    d: "M5 0a5 5 0 1 1 0 10A5 5 0 0 1 5 0zM2.2 4v2h5.6V4z", fill: "currentColor", "fill-rule": "evenodd",
  }),
  timed_out: () => svg("path", {
    d: "M5 .75a4.25 4.25 0 1 1 0 8.5a4.25 4.25 0 0 1 0-8.5zM5 2.5V5.3L7 6.5",
    stroke: "currentColor", "stroke-width": 1.5, fill: "none",
  }),
};

/** The mark of an event kind, as the payload names it. */
function eventMark(kind, size = 9) {
  const looks = { viewBox: "0 0 10 10", width: size, height: size, "aria-hidden": "true", "data-kind": kind };
  return svg("svg", looks, MARK_SHAPES[kind]());
}
