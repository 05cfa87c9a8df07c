// Over the stage: which lanes are shown and what the only one is called, zoom and views, and what the
// signs mean: all that the run will show, always in a row of its own, so that no other lane moves it;
// while a guess is wanted only what has been seen.

const BAR_HEIGHT = 36; // px of the bar where all of it stands in one row

/**
 * Make the bar over the stage.
 * @param {Object} act {zoomIn, zoomOut}
 * @param {Object} lanes see `createLanes`
 * @param {Element} views the switches of `createViews`
 */
function createBar(act, lanes, views) {
  const parts = {
    title: h("h2.rb-title"),
    views: lanes.views,
    add: lanes.add,
    zoom: h("div.rb-zoom", {},
      iconButton("minus", act.zoomOut, "zoom-out"), iconButton("plus", act.zoomIn, "zoom-in")),
  };
  const legend = h("ul.rb-legend");
  const row = h("div.rb-bar-row", {}, ...Object.values(parts), views);
  return { el: h("div.rb-bar", {}, row, legend), ...parts, row, legend, lanes };
}

/** Height in px that the bar takes more than one row. */
function barRest({ el }) {
  return Math.max(0, el.offsetHeight - BAR_HEIGHT);
}

/** Fill the bar for a view. */
function drawBar(bar, ctx) {
  const { payload, lanes, say, canZoom } = ctx;
  setText(bar.title, payload.title);
  bar.title.title = payload.title;
  drawLanes(bar.lanes, ctx);
  if (lanes.length === 1) bar.row.append(bar.lanes.line);
  else bar.legend.before(bar.lanes.line);
  drawLegend(bar, ctx);
  fitDiffers(bar.lanes, payload);
  setShown(bar.zoom, canZoom);
  nameButton(bar.zoom.children[0], say("zoom_out"));
  nameButton(bar.zoom.children[1], say("zoom_in"));
}

/** Fill the legend. */
function drawLegend(bar, ctx) {
  bar.legend.replaceChildren(...legendKeys(ctx).map((key) =>
    h("li", {}, SWATCHES[key](), h("span", { text: ctx.say(key) }))));
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
