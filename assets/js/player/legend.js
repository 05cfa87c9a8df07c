// The row over the stage: its title, which lanes are shown, zoom, and what the signs mean.

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
  hold: () => h("i.rb-swatch.rb-sw-hold"),
  legend_finish: () => eventMark("finish", 15),
  legend_ghost: () => h("i.rb-swatch.rb-sw-ghost"),
};

const MARK_WIDTHS = { legend_first: 13, legend_token: 14, legend_finish: 15 };

// What the legend does without where there is no room for all of it, in this order.
const SPARED = ["legend_token", "legend_wait", "legend_first", "legend_decode", "hold", "legend_prefill"];

/** The signs that this payload uses, in their order. */
function legendKeys(lanes, size) {
  const isPhone = size.name === "phone";
  const runs = lanes.flatMap((lane) => lane.runs);
  const has = {
    legend_wait: lanes.length === 1 && lanes[0].waits.length > 0,
    legend_token: lanes.length === 1 && !isPhone,
    legend_padding: runs.some((run) => run.pad > 0),
    legend_idle: runs.some((run) => run.kind === "idle"),
    hold: runs.some((run) => run.kind === "hold"),
  };
  return Object.keys(SWATCHES).filter((key) => has[key] ?? true);
}

/**
 * Make the bar over the stage.
 * @param {Object} act {zoomIn, zoomOut}
 * @param {Object} lanes see `createLanes`
 */
function createBar(act, lanes) {
  const parts = {
    title: h("h2.rb-title"),
    views: lanes.views,
    add: lanes.add,
    zoom: h("div.rb-zoom", {},
      iconButton("minus", act.zoomOut, "zoom-out"), iconButton("plus", act.zoomIn, "zoom-in")),
    legend: h("ul.rb-legend"),
  };
  return { el: h("div.rb-bar", {}, ...Object.values(parts)), ...parts, lanes };
}

/** Fill the bar for a view. */
function drawBar(bar, ctx) {
  const { payload, lanes, say, size, canZoom } = ctx;
  setText(bar.title, payload.title);
  bar.title.title = payload.title;
  drawLanes(bar.lanes, ctx);
  const keys = fitLegend(legendKeys(lanes, size), ctx);
  bar.legend.replaceChildren(...keys.map((key) =>
    h("li", {}, SWATCHES[key](), h("span", { text: say(key) }))));
  setShown(bar.zoom, canZoom);
  nameButton(bar.zoom.children[0], say("zoom_out"));
  nameButton(bar.zoom.children[1], say("zoom_in"));
}

/** The signs that have room in one row with lanes and zoom; on narrow pages all, in more rows. */
function fitLegend(keys, { payload, lanes, say, size, width, canZoom }) {
  if (size.name === "phone" || window.innerWidth < 1100) return keys;
  const font = size.name === "wide" ? 14 : 12;
  const names = [say("view_both"), ...payload.lanes.map((lane) => lane.short ?? lane.title)];
  const views = names.reduce((sum, name) => sum + Math.min(200, textWidth(name, font, 700) + 21), 16);
  const add = textWidth(say("lane_add"), font) + 58;
  const room = width - (payload.lanes.length > 1 ? views : 0) - add - (canZoom ? 82 : 0) - 18;
  const kept = new Set(keys);
  const needed = () => [...kept].reduce((sum, key) => sum + textWidth(say(key), font) + (MARK_WIDTHS[key] ?? 22) + 15, 0);
  for (const key of SPARED) if (needed() > room) kept.delete(key);
  return keys.filter((key) => kept.has(key));
}

/** No further out than the whole window, no further in than makes sense. */
function limitZoom(bar, zoom) {
  const [out, closer] = bar.zoom.children;
  out.disabled = zoom <= 1;
  closer.disabled = zoom >= MOST_ZOOM;
}

/** One button of a segmented control. */
function segment(text, isOn, onclick, id) {
  return h("button", { type: "button", text, onclick, "aria-pressed": String(isOn), "data-testid": id });
}
