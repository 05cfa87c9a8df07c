// The runs that a saved page carries. Each is one window or, where it is long, several; they are kept
// packed, as Python made them, and one is unpacked when it is to be shown.

/** A window as the player wants it: deflated JSON as base64, without the words that all windows share. */
export async function unpacked(packed, words) {
  const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return {...await new Response(stream).json(), words, reset: true};
}

/** The window in whose middle a time lies best; of a long run it may be that none has it. */
export function window_at(windows, t) {
  const inside = ({t0, t1}) => Math.min(t - t0, t1 - t);
  const found = windows.filter((one) => one.whole || inside(one) >= 0);
  return found.reduce((best, one) => (best && inside(best) >= inside(one) ? best : one), null);
}
