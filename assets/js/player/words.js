// Words come from the payload's catalogue; numbers are written here, the same way everywhere.

/**
 * The speaker of a payload: looks words up and fills their places.
 * @param {Object} payload
 * @returns {function(string, Object=): string}
 */
function speaker(payload) {
  const words = payload.words ?? {};
  return (key, values = {}) => fill(words[key] ?? key, values);
}

const numberFormats = new Map();

/** The formatter for a number of decimals; making one is slow, so each is kept. */
function numberFormat(digits) {
  if (!numberFormats.has(digits)) {
    numberFormats.set(digits, new Intl.NumberFormat("en-US", { maximumFractionDigits: digits }));
  }
  return numberFormats.get(digits);
}

/** A number with at most `digits` decimals, thousands separators and a real minus sign. */
function numberText(value, digits = 2) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  const shown = numberFormat(digits).format(Math.abs(value));
  return value < 0 && shown !== "0" ? `−${shown}` : shown;
}

/** A difference: with its sign, "=" when the shown value is nothing. */
function differenceText(value, digits) {
  if (value === null) return "–";
  const shown = numberText(value, digits);
  if (shown === "0") return "=";
  return value > 0 ? `+${shown}` : shown;
}

const LONG_WINDOW = 200;

/** Whether times of this payload are so long that they are shown in seconds. */
function inSeconds(payload) {
  return payload.unit === "ms" && (payload.overview?.t1 ?? payload.lasts ?? payload.t1) >= 100000;
}

/** Whether places of this payload are told as rounds: on the round axis, without a common time. */
function isToldByRounds(payload) {
  return payload.axis === "rounds" && !payload.timeAt;
}

/** A number of the clock as the unit that it is told in: s, ms, tick or round. */
function unitOf(payload) {
  if (isToldByRounds(payload)) return "round";
  return inSeconds(payload) ? "s" : payload.unit;
}

/** A time without its unit. */
function timeNumber(payload, t) {
  const time = payload.timeAt ? payload.timeAt(t) : t;
  if (inSeconds(payload) && !isToldByRounds(payload)) return numberText(time / 1000, 3);
  return numberText(time, (payload.lasts ?? payload.t1 - payload.t0) > LONG_WINDOW ? 1 : 3);
}

/** A time with its unit, as on the cursor tag. */
function timeText(payload, say, t) {
  return say(`time_${unitOf(payload)}`, { t: timeNumber(payload, t) });
}

/** A length of time with its unit; on the round axis a number of rounds. */
function spanText(payload, say, length) {
  const isRounds = payload.axis === "rounds";
  const unit = isRounds ? "round" : unitOf(payload);
  const t = isRounds ? numberText(length) : timeNumber(payload, length);
  return say(`span_${unit}`, { t });
}
