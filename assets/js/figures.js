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
    return { name, model: view.model, el };
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
