// Rows change places: by a handle that is dragged, or by Alt with an arrow key.

/** Make a handle drag its row; `rows` gives the elements, `move(from, to)` is told at the end. */
export function drag_by(handle, {index, rows, move}) {
  handle.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) { return; }
    event.preventDefault();
    handle.setPointerCapture(event.pointerId);
    let to = index;
    const show = (at) => {
      rows().forEach((row, i) => {
        row.classList.toggle("dragged", at !== null && i === index);
        row.classList.toggle("drop-above", at !== null && i === at && at < index);
        row.classList.toggle("drop-below", at !== null && i === at && at > index);
      });
    };
    const over = ({clientY}) => {
      const middles = rows().map((row) => row.getBoundingClientRect()).map(({top, bottom}) => (top + bottom) / 2);
      const above = middles.filter((middle, i) => i !== index && middle < clientY).length;
      to = Math.min(above, middles.length - 1);
      show(to);
    };
    const drop = () => {
      stop();
      if (to !== index) { move(index, to); }
    };
    const stop = () => {
      show(null);
      handle.removeEventListener("pointermove", over);
      handle.removeEventListener("pointerup", drop);
      handle.removeEventListener("pointercancel", stop);
    };
    handle.addEventListener("pointermove", over);
    handle.addEventListener("pointerup", drop);
    handle.addEventListener("pointercancel", stop);
    show(index);
  });
}

/** Where Alt with an arrow key moves row `i`, or null. */
export function moved_by_key(event, i, count) {
  const step = {ArrowUp: -1, ArrowDown: 1}[event.key];
  if (!step || !event.altKey || event.ctrlKey || event.metaKey) { return null; }
  const to = i + step;
  return to >= 0 && to < count ? to : null;
}
