// The runs that a saved page carries. Each is one window or, where it is long, several; they are kept
// packed, as Python made them, and one is unpacked when it is to be shown.

/** Give each run of a page a number of its own, by which the player tells it from others. */
export function number_runs(scenes) {
  const runs = Object.values(scenes).flatMap((scene) => Object.values(scene.runs));
  runs.forEach(({windows}, i) => { for (const one of windows) { one.run = i + 1; } });
}

/** A window as the player wants it: deflated JSON as base64, without the words that all windows share. */
export async function unpacked({packed, run}, words) {
  const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return {...await new Response(stream).json(), words, run, reset: true};
}

/** The window in whose middle a time lies best; of a long run it may be that none has it. */
export function window_at(windows, t) {
  const inside = ({t0, t1}) => Math.min(t - t0, t1 - t);
  const found = windows.filter((one) => one.whole || inside(one) >= 0);
  return found.reduce((best, one) => (best && inside(best) >= inside(one) ? best : one), null);
}
