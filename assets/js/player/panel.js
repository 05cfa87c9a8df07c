// The only file that knows Panel: hands the player its root and its payloads.

export async function render({ model }) {
  const { figures, elements } = await globalThis.stageFigures;
  const root = document.createElement("div");
  let requests = 0;
  let shown = {};
  const requestWindow = (t) => whenReady(() => {
    requests += 1;
    model.window_request = { t, run: shown.run, seq: requests };
  });
  const player = createPlayer(root, figures, elements, requestWindow, (wish) => {
    requests += 1;
    model.command = { ...wish, seq: requests };
  });
  const show = () => {
    shown = JSON.parse(model.payload);
    player.setPayload(shown);
  };
  show();
  model.on("change:payload", show);
  model.on("remove", player.destroy);
  return root;
}

/** Do something once the page stands: what is asked before that is heard, but its answer may be lost. */
function whenReady(job) {
  const building = globalThis.Bokeh?.documents.find((one) => !one.is_idle);
  if (building) building.idle.connect(() => setTimeout(job));
  else job();
}

export { createPlayer };
export default { render };
