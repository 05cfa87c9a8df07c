// Runs in the page that the benchmark measures. A canvas is painted when it is cleared; a frame is on
// the screen when the task after its animation callbacks begins.

(() => {
  let painted = 0;
  const clearRect = CanvasRenderingContext2D.prototype.clearRect;
  CanvasRenderingContext2D.prototype.clearRect = function clear(...box) {
    if (this.canvas.isConnected) { painted = performance.now(); }
    return clearRect.apply(this, box);
  };

  const find = (selector, root = document) => root.querySelector(selector) ??
    [...root.querySelectorAll("*")].map((el) => el.shadowRoot && find(selector, el.shadowRoot)).find(Boolean) ?? null;
  const shown = () => new Promise((resolve) => {
    requestAnimationFrame(() => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => resolve(performance.now());
      channel.port2.postMessage(0);
    });
  });

  /** From the input event on the budget box to the first frame with the new run: ms of each part. */
  const edit = async (value) => {
    const box = find("input.number");
    const player = find("[data-run]");
    const {run} = player.dataset;
    const start = performance.now();
    box.value = String(value);
    box.dispatchEvent(new Event("change"));
    await new Promise((resolve) => {
      const watcher = new MutationObserver(() => {
        if (player.dataset.run === run) { return; }
        watcher.disconnect();
        resolve();
      });
      watcher.observe(player, {attributes: true});
    });
    const there = performance.now();
    let end = await shown();
    while (painted < there) { end = await shown(); }
    return [end - start, there - start];
  };

  /** Keep in `bench.moves` how long it takes from each move of the pointer to the next frame. */
  const watch_moves = () => {
    const times = [];
    window.addEventListener("pointermove", (event) => {
      shown().then((end) => times.push(end - event.timeStamp));
    }, {capture: true});
    window.bench.moves = times;
  };

  window.bench = {edit, watch_moves, moves: []};
})();
