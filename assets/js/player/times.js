// The times below the stage: at boundaries only, never touching each other or the cursor's tag.

/** Build the time labels and the cursor's tag. */
function buildTimes(stage, ctx) {
  const { layout, payload, say, clock, future } = ctx;
  const labels = chooseTimes(ctx).map(({ t, text, x, half }) => {
    const el = h("span.rb-time", { text, style: { left: `${x}px` } });
    stage.times.append(el);
    return { t, x, half, el };
  });
  const tag = h("span.rb-tag");
  stage.times.append(tag);
  const widest = [clock.bounds.at(-1), (clock.t0 + clock.bounds.at(-1)) / 2 + 0.1].map((t) => tagHalf(ctx, t));
  const centre = (t) => Math.max(...widest, Math.min(layout.width - Math.max(...widest), layout.cut(t)));
  const at = (t) => ({ transform: `translateX(${centre(t)}px) translateX(-50%)` });
  const tell = (t, until) => {
    setText(tag, tagText(ctx, t));
    const isOff = Math.abs(layout.x(t) - layout.cut(t)) > 0.5;
    if (tag.hidden !== isOff) tag.hidden = isOff;
    const reach = tagHalf(ctx, t) + 3;
    for (const { el, x, half, t: time } of labels) {
      const isUnderTag = !isOff && x + half > centre(t) - reach && x - half < centre(until) + reach;
      const hidden = isUnderTag || (future === "nothing" && time > t + clock.eps);
      if (el.hidden !== hidden) el.hidden = hidden;
    }
  };
  const settle = (t) => {
    for (const { el, t: at } of labels) el.classList.toggle("rb-future", at > t + clock.eps);
  };
  return { tag: { el: tag, at, tell }, settle };
}

/** What the tag says, and half its width in px. */
function tagText({ payload, say, clock }, t) {
  return timeText(payload, say, tagTime(payload, clock, t));
}

function tagHalf(ctx, t) {
  return textWidth(tagText(ctx, t), ctx.layout.size.font + 1, 700) / 2 + 8;
}

/** The time the tag shows: ticks and rounds count whole, gliding milliseconds have one decimal. */
function tagTime(payload, clock, t) {
  const at = clock.bounds[boundaryBefore(clock, t)];
  if (Math.abs(at - t) <= clock.eps) return at;
  if (payload.unit === "tick" || isToldByRounds(payload)) return at;
  return payload.timeAt ? t : Math.round(t * 10) / 10;
}

/** The boundaries that get a label: the first, the last, then all that touch none before them. */
function chooseTimes({ layout, payload, say, clock }) {
  const { font } = layout.size;
  const visible = clock.bounds.filter((t) => t >= layout.from - clock.eps && t <= layout.to + clock.eps);
  const length = layout.to - layout.from;
  const begin = isToldByRounds(payload) ? say("axis_start") : timeText(payload, say, clock.t0);
  const make = (t, i) => {
    const number = axisNumber(payload, t, length);
    const text = i > 0 ? number : t <= clock.t0 + clock.eps ? begin : say(`time_${unitOf(payload)}`, { t: number });
    return { t, text, x: layout.x(t), half: textWidth(text, font) / 2 };
  };
  if (visible.length === 0) return [];
  const first = make(visible[0], 0);
  if (visible.length === 1) return [first];
  const last = make(visible.at(-1), 1);
  const chosen = [first];
  const apart = visible.length > 24 ? 28 : 4;
  for (const t of visible.slice(1, -1)) {
    const item = make(t, 1);
    const before = chosen.at(-1);
    if (item.x - item.half < before.x + before.half + apart) continue;
    if (item.x + item.half > last.x - last.half - apart) continue;
    chosen.push(item);
  }
  return [...chosen, last];
}

/** A time on the axis, without its unit: as exact as so much of the clock needs. */
function axisNumber(payload, t, length) {
  if (payload.axis === "rounds" || length <= LONG_WINDOW) return timeNumber(payload, t);
  return inSeconds(payload) ? numberText(t / 1000, length > 5 * LONG_WINDOW ? 2 : 3) : numberText(t, 0);
}
