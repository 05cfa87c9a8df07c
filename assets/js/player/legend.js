// The row over the stage: its title, which lanes are shown, zoom, and what the signs mean.

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
  const keys = fitLegend(legendKeys(ctx), ctx);
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
  const room = width - (payload.lanes.length > 1 ? views : 0) - add - (canZoom ? 82 : 0) - 18 - VIEW_BUTTON;
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
