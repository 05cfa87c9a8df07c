// What moves with the cursor. At rest it is put where it belongs; while playing the browser moves it by
// itself over the rounds to come, and the page only looks at times where it has come to.

const MOST_KNOTS = 48; // rounds for which a glide is planned
const LOOK_EVERY = 200; // ms of playing between two looks; each round's end is looked at besides

/**
 * Everything that moves with the cursor.
 * @returns {{el: Element, at: function(number, boolean=): Object}[]} at: the style of an element at a
 *   time, and whether the cursor rests there
 */
function movers(player) {
  return [...stageMovers(player.stage), ...scrubMovers(player.scrub), ...(lateInView(player)?.movers ?? [])];
}

/** Put all that moves where the cursor is, and let it go on if it plays. */
function placeMovers(player) {
  endGlide(player);
  for (const { el, at } of movers(player)) Object.assign(el.style, at(player.t, true));
  if (player.isPlaying && !player.wanted && !reducedMotion.matches) beginGlide(player);
}

/** Let all that moves go on from where the cursor is, over some rounds. */
function beginGlide(player) {
  const knots = knotsAhead(player);
  const { ms: duration, t: until } = knots.at(-1);
  if (!duration) return;
  player.glideEnd = until;
  player.glide = movers(player).map(({ el, at }) => {
    const frames = knots.map(({ t, ms }) => ({ ...at(t, false), offset: ms / duration }));
    const animation = el.animate(frames, { duration, fill: "forwards" });
    animation.startTime = player.lastFrame;
    return animation;
  });
}

/** Let nothing move by itself any more; what moved stands where the glide began until it is placed. */
function endGlide(player) {
  for (const animation of player.glide) animation.cancel();
  player.glide = [];
}

/** End a glide because what is drawn or the speed changes: the cursor is where it has come to. */
function stopGlide(player) {
  if (player.isPlaying && !player.wanted) catchUp(player, performance.now());
  endGlide(player);
}

/** Whether what moves is on its way to where a playing cursor goes. */
function isGliding({ glide, glideEnd, t, clock, isPlaying, wanted }) {
  return isPlaying && !wanted && glide.length > 0 && t < glideEnd - clock.eps;
}

/** When the cursor passes the boundaries ahead, in ms from now; first where it is. */
function knotsAhead({ clock, t, speed }) {
  const knots = [{ t, ms: 0 }];
  let next = boundaryBefore(clock, t) + 1;
  for (; next < clock.bounds.length && knots.length <= MOST_KNOTS; next += 1) {
    const last = knots.at(-1);
    knots.push({ t: clock.bounds[next], ms: last.ms + msBetween(clock, last.t, next, speed) });
  }
  return knots;
}

/** How long playing takes from a time to the boundary after it, in ms. */
function msBetween(clock, t, next, speed) {
  const length = clock.bounds[next] - clock.bounds[next - 1];
  return (((clock.bounds[next] - t) / length) * shareOf(clock, next) * 1000) / speed;
}

/** The ms until a playing cursor is looked at again: at the end of its round, or before. */
function untilLook({ clock, t, speed, owed }) {
  if (reducedMotion.matches) return Math.min(LOOK_EVERY, ((1 - owed) * 1000) / speed);
  const next = boundaryBefore(clock, t) + 1;
  return next < clock.bounds.length ? Math.min(LOOK_EVERY, msBetween(clock, t, next, speed)) : LOOK_EVERY;
}

/** Where the cursor will be when it is looked at again. */
function nextLook(player) {
  if (!player.isPlaying || reducedMotion.matches) return player.t;
  return advance(player.clock, player.t, untilLook(player) / 1000, player.speed);
}
