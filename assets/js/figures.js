// Runs in the head: makes the two Bokeh figures that the player draws on, from the JSON that Python puts in
// for FIGURES. It takes as long as the server needs to send the rest of the page, so it is done meanwhile.
globalThis.stageFigures = new Promise((done, failed) => {
  const make = async ([name, item]) => {
    const el = document.createElement("div");
    el.hidden = true; // so nothing is laid out or painted before the player takes it
    document.body.append(el); // Bokeh draws into nothing else
    const { roots: [view] } = await globalThis.Bokeh.embed.embed_item(item, el);
    el.hidden = false;
    el.remove();
    leave_canvas(view.canvas_view);
    return { name, model: view.model, el };
  };
  // Bokeh lays four more surfaces over and under the one it draws on; at every frame they would be put together.
  const leave_canvas = ({ underlays_el, overlays, overlays_el, events_el }) => {
    for (const empty of [underlays_el, overlays.el, overlays_el, events_el]) empty.remove();
  };
  const makeAll = async () => {
    const made = await Promise.all(Object.entries(FIGURES).map(make));
    return {
      figures: Object.fromEntries(made.map(({ name, model }) => [name, model])),
      elements: Object.fromEntries(made.map(({ name, el }) => [name, el])),
    };
  };
  document.addEventListener("DOMContentLoaded", () => makeAll().then(done, failed));
});
