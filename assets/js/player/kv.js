// The KV pool at the cursor: a tile a block with its owner and, at its foot, how much of it is
// written; a large pool as one bar, divided by owner.

const POOLS = new WeakMap();

/** Who holds what after each round's plan: block → owner, or owner → count. */
function poolRounds(lane) {
  if (!POOLS.has(lane.kv)) {
    let now = new Map();
    POOLS.set(lane.kv, lane.kv.changes.map((pairs) => {
      now = new Map(now);
      for (let i = 0; i < pairs.length; i += 2) setHeld(now, pairs[i], pairs[i + 1], lane.kv.tiled ? -1 : 0);
      return now;
    }));
  }
  return POOLS.get(lane.kv);
}

/** Note what a block or an owner has; nothing is not noted. */
function setHeld(map, key, value, nothing) {
  if (value === nothing) map.delete(key);
  else map.set(key, value);
}

/** Blocks by owner in a round, as scheduled. */
function blocksHeld(lane, round) {
  if (!lane.kv || round < 0) return new Map();
  const now = poolRounds(lane)[round];
  if (!lane.kv.tiled) return now;
  const counts = new Map();
  for (const owner of now.values()) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  return counts;
}

/** Who has left by the start of a round of those who held blocks in the one before. */
function leftBefore(lane, round) {
  const gone = new Set(lane.moves[round]?.gone ?? []);
  for (const run of lane.runs) if (run.finish && run.first + run.count === round) gone.add(run.req);
  return gone;
}

/** Blocks by owner when a round is planned: what the one before left. */
function heldBefore(lane, round) {
  const counts = new Map(blocksHeld(lane, round - 1));
  if (!lane.batches.length) for (const owner of leftBefore(lane, round)) counts.delete(owner);
  return counts;
}

/** Make the panel of the pools of the lanes shown. */
function createKv(ctx) {
  const lanes = ctx.lanes.filter((lane) => lane.kv);
  const pools = lanes.map((lane) => createPool(ctx, lane));
  const el = h("div.rb-pools", {}, ...pools.map((pool) => pool.el));
  return { el, settle: (states) => pools.forEach((pool) => pool.settle(states.get(pool.lane))) };
}

/** The pool of one lane. */
function createPool(ctx, lane) {
  const { say, lanes } = ctx;
  const used = h("span.rb-quiet");
  const title = lanes.length > 1 ? `${say("kv")} · ${lane.short ?? lane.title}` : say("kv");
  const view = lane.kv.tiled ? createTiles(ctx, lane) : createShares(ctx, lane);
  const legend = say(lane.kv.tiled ? "kv_legend" : "kv_legend_bar", { size: numberText(lane.kv.size) });
  const el = h("section.rb-pool", { "data-testid": `kv-${lane.key}` },
    h("header", {}, h("h3", { text: title }), used), view.el, h("p.rb-quiet", { text: legend }));
  const settle = (state) => {
    const { now, taken } = poolAt(lane, state);
    const round = state.lit >= 0 ? state.lit : state.ended;
    const n = numberText(lane.rounds.number[round]);
    const text = say("kv_used", { used: numberText(taken), n: numberText(lane.pool) });
    setText(used, state.lit >= 0 ? `${text} · ${say("round_n", { n })}` : text);
    view.settle(now, state);
  };
  return { el, lane, settle };
}

/** Who holds what at the cursor; between rounds and after the last one only who stays. */
function poolAt(lane, { lit, ended, phase }) {
  const isPlanned = lit >= 0 && phase !== PLAN;
  const round = isPlanned ? lit : lit >= 0 ? lit - 1 : ended;
  const all = round < 0 ? new Map() : poolRounds(lane)[round];
  if (isPlanned || round < 0) return { now: all, taken: takenBy(lane, all) };
  const isKept = lane.batches.length && lit === round + 1 && sameBatch(lane, round);
  const gone = isKept ? new Set() : leftBefore(lane, round + 1);
  const isOver = lit < 0 && lane.batches.length > 0;
  const stays = ([key, value]) => !isOver && !gone.has(lane.kv.tiled ? value : key);
  const now = new Map([...all].filter(stays));
  return { now, taken: takenBy(lane, now) };
}

/** Whether two rounds that follow on each other belong to one static batch. */
function sameBatch(lane, round) {
  return lane.batches.some(({ first, count }) => first <= round && round + 1 < first + count);
}

/** How many blocks are taken. */
function takenBy(lane, now) {
  return lane.kv.tiled ? now.size : [...now.values()].reduce((a, b) => a + b, 0);
}

/** A tile for every block of a pool. */
function createTiles({ payload, say }, lane) {
  const tiles = Array.from({ length: lane.pool }, () => h("li.rb-tile", {}, h("span"), h("i")));
  const el = h("ol.rb-tiles", {}, ...tiles);
  const settle = (now, state) => {
    const seen = new Map();
    tiles.forEach((tile, block) => {
      const owner = now.get(block) ?? -1;
      const place = seen.get(owner) ?? 0;
      seen.set(owner, place + 1);
      const written = owner < 0 ? 0 : slotsWritten(lane, owner, place, state);
      showTile(tile, payload.requests[owner], written, { say, block, size: lane.kv.size });
    });
  };
  return { el, settle };
}

/** Slots of a request's nth block that are written; a full block where the tables do not tell. */
function slotsWritten(lane, owner, place, { lit, ended, phase }) {
  if (!lane.state) return lane.kv.size;
  const row = stateRow(lane, owner, { lit, ended, phase });
  return Math.max(0, Math.min(lane.kv.size, row[0] - place * lane.kv.size));
}

/** Show a block: its owner, and a foot bar while it is not full. */
function showTile(tile, request, written, { say, block, size }) {
  const key = request ? `${request.id}/${written}` : "";
  if (tile.dataset.shown === key) return;
  tile.dataset.shown = key;
  const [letter, foot] = tile.children;
  tile.classList.toggle("rb-taken", Boolean(request));
  tile.classList.toggle("rb-partly", Boolean(request) && written < size);
  setText(letter, request?.label ?? "");
  foot.style.width = `${(written / size) * 100}%`;
  for (const role of request ? ["soft", "strong", "onsoft"] : []) {
    tile.style.setProperty(`--rb-${role}`, requestVar(request, role));
  }
  const values = { block: numberText(block), id: request?.id ?? "", n: numberText(written), size: numberText(size) };
  tile.title = say(request ? "kv_block" : "kv_free", values);
}

/** A large pool as one bar: a part for each owner, most first, and what is free. */
function createShares({ payload }, lane) {
  const el = h("div.rb-shares");
  const settle = (now) => {
    const parts = [...now].sort((a, b) => b[1] - a[1]);
    el.replaceChildren(...parts.map(([owner, count]) => sharePart(payload.requests[owner], count, lane.pool)));
  };
  return { el, settle };
}

/** The part of one owner. */
function sharePart(request, count, all) {
  const share = (count / all) * 100;
  const id = request?.id ?? "";
  const part = h("span", { text: share > 3 ? request?.label ?? "" : "", title: `${id} ${numberText(count)}` });
  part.style.width = `${share}%`;
  if (!request) return part;
  part.style.background = requestVar(request, "soft");
  part.style.color = requestVar(request, "onsoft");
  part.style.borderColor = requestVar(request, "strong");
  return part;
}
