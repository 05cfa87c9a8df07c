// The row over the stage: its title, which lanes are shown, zoom, and what the signs mean.

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
function drawBar(bar, ctx) {
  const { payload, lanes, say, view, size, canZoom } = ctx;
  setText(bar.title, payload.title);
  bar.title.title = payload.title;
  const keys = fitLegend(legendKeys(ctx), ctx);
  bar.legend.replaceChildren(...keys.map((key) =>
    h("li", {}, SWATCHES[key](), h("span", { text: say(key) }))));
  drawViews(bar, payload, view, say);
  setShown(bar.zoom, canZoom);
  nameButton(bar.zoom.children[0], say("zoom_out"));
  nameButton(bar.zoom.children[1], say("zoom_in"));
}

/** The signs that have room in one row with lanes and zoom; on narrow pages all, in more rows. */
function fitLegend(keys, { payload, lanes, say, size, width, canZoom }) {
  if (size.name === "phone" || window.innerWidth < 1100) return keys;
  const font = size.name === "wide" ? 14 : 12;
  const names = [say("view_both"), ...payload.lanes.map((lane) => lane.short ?? lane.title)];
  const views = payload.lanes.length > 1 ? names.reduce((sum, name) => sum + textWidth(name, font, 700) + 20, 16) : 0;
  const room = width - views - (canZoom ? 82 : 0) - 18 - VIEW_BUTTON;
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
