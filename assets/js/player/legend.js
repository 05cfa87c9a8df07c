// The line over the stage: its title, which lanes are shown, zoom, and what the signs mean.

const SWATCHES = {
  legend_wait: () => svg("svg", { width: 22, height: 12, viewBox: "0 0 22 12" },
    svg("path", { d: "M1 7h20", stroke: "currentColor", "stroke-width": 2 }),
    svg("path", { d: "M0 2h10L5 10z", fill: "currentColor" })),
  legend_prefill: () => h("i.rb-swatch.rb-sw-prefill"),
  legend_decode: () => h("i.rb-swatch.rb-sw-decode"),
  legend_first: () => eventMark("first", 13),
  legend_token: () => svg("svg", { width: 14, height: 14, viewBox: "0 0 14 14" },
    svg("circle", { cx: 7, cy: 7, r: 6, fill: "none", stroke: "currentColor", "stroke-width": 1.5 })),
  legend_padding: () => h("i.rb-swatch.rb-sw-pad"),
  legend_idle: () => h("i.rb-swatch.rb-sw-idle"),
  legend_finish: () => eventMark("finish", 15),
  legend_ghost: () => h("i.rb-swatch.rb-sw-ghost"),
};

/** The signs that this payload uses, in their order. */
function legendKeys(lanes, size) {
  const isPhone = size.name === "phone";
  const runs = lanes.flatMap((lane) => lane.runs);
  const has = {
    legend_wait: lanes.length === 1 && lanes[0].waits.length > 0,
    legend_token: lanes.length === 1 && !isPhone,
    legend_padding: runs.some((run) => run.pad > 0),
    legend_idle: runs.some((run) => run.kind === "idle"),
    legend_ghost: lanes.length > 1 && !isPhone,
  };
  return Object.keys(SWATCHES).filter((key) => has[key] ?? true);
}

/**
 * Make the bar over the stage.
 * @param {Object} act {showLanes(key), zoomIn, zoomOut}
 */
function createBar(act) {
  const parts = {
    title: h("h2.rb-title"),
    views: h("div.rb-segments", { role: "group" }),
    zoom: h("div.rb-zoom", {},
      iconButton("minus", act.zoomOut, "zoom-out"), iconButton("plus", act.zoomIn, "zoom-in")),
    legend: h("ul.rb-legend"),
  };
  return { el: h("div.rb-bar", {}, ...Object.values(parts)), ...parts, act };
}

/** Fill the bar for a view. */
function drawBar(bar, { payload, lanes, say, view, size, canZoom }) {
  setText(bar.title, payload.title);
  bar.legend.replaceChildren(...legendKeys(lanes, size).map((key) =>
    h("li", {}, SWATCHES[key](), h("span", { text: say(key) }))));
  drawViews(bar, payload, view, say);
  setShown(bar.zoom, canZoom);
  nameButton(bar.zoom.children[0], say("zoom_out"));
  nameButton(bar.zoom.children[1], say("zoom_in"));
}

/** The choice of lanes, when there is one. */
function drawViews(bar, payload, view, say) {
  setShown(bar.views, payload.lanes.length > 1);
  bar.views.setAttribute("aria-label", say("lanes_shown"));
  const all = { key: "all", title: say(payload.lanes.length === 2 ? "view_both" : "view_all") };
  bar.views.replaceChildren(...[all, ...payload.lanes].map(({ key, title, short }) =>
    segment(short ?? title, view === key, () => bar.act.showLanes(key), `view-${key}`)));
}

/** One button of a segmented control. */
function segment(text, isOn, onclick, id) {
  return h("button", { type: "button", text, onclick, "aria-pressed": String(isOn), "data-testid": id });
}
