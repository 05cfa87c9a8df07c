// The panels under the stage: tabs choose which is seen. State and metrics stand side by side where
// there is room; the others are built when they are first looked at. The tabs are plain buttons,
// because the arrow keys step through the rounds, here as everywhere.

const TABS = ["state", "metrics", "kv", "curves", "log"];
const BUILT_LATE = new Set(["kv", "curves", "log"]);

/** Make the panels and the tabs over them. */
function createPanels(player) {
  const panels = Object.fromEntries(TABS.map((name) => [name, h(`div.rb-panel.rb-panel-${name}`)]));
  const list = h("div.rb-tabs", { role: "group" });
  for (const name of TABS) {
    const onclick = () => chooseTab(player, name);
    list.append(h("button", { type: "button", "data-tab": name, onclick }));
  }
  const el = h("div.rb-tables", {}, list, ...Object.values(panels));
  return { el, list, panels, chosen: "state", late: null, ctx: null };
}

/** Show a panel. */
function chooseTab(player, name) {
  player.below.chosen = name;
  showTabs(player);
  stopGlide(player);
  show(Object.assign(player, { signature: "" }));
}

/** Name the tabs, show those that have something to show, and the panel of the chosen one. */
function showTabs({ below, say, lanes, size }) {
  const isPhone = size.name === "phone";
  const isThere = { metrics: isPhone, kv: lanes.some((lane) => lane.kv) };
  if (isThere[below.chosen] === false) below.chosen = "state";
  below.list.setAttribute("aria-label", say("panels"));
  for (const tab of below.list.children) {
    const { tab: name } = tab.dataset;
    const isChosen = name === below.chosen;
    setText(tab, say(name === "state" && !isPhone ? "state_and_metrics" : name));
    setShown(tab, isThere[name] ?? true);
    tab.setAttribute("aria-pressed", String(isChosen));
    const isBeside = name === "metrics" && below.chosen === "state" && !isPhone;
    below.panels[name].classList.toggle("rb-off-tab", !isChosen && !isBeside);
  }
}

/** Everything under the stage for new lanes, words or widths. */
function buildPanels(player, ctx) {
  const { lanes, payload, say, size, below } = player;
  const { panels } = below;
  player.states = lanes.map((lane) => lane.state && createState(payload, lane, say, size, lanes.length === 1));
  panels.state.replaceChildren(...player.states.filter(Boolean).map((table) => table.el));
  buildMetrics(player, ctx);
  showTabs(player);
}

/** The metrics; again when more or fewer of them are wanted. */
function buildMetrics(player, ctx) {
  const onMore = () => {
    player.memory.isMore = !player.memory.isMore;
    buildMetrics(player, ctx);
    player.signature = "";
    show(player);
    player.below.panels.metrics.querySelector("[data-testid=metrics-more]").focus();
  };
  player.metrics = createMetrics({ ...ctx, onMore });
  player.below.panels.metrics.replaceChildren(...player.metrics.els);
}

/** The stage is drawn anew: what is built late is built again when it is seen next. */
function staleLate({ below }, ctx) {
  below.late = {};
  below.ctx = ctx;
}

/** The panel that is built late and seen now, made if it is not there; null: none. */
function lateInView(player) {
  const { below, stage } = player;
  const { chosen: name, late, ctx } = below;
  if (!BUILT_LATE.has(name) || !late) return null;
  if (!late[name]) {
    const make = {
      kv: () => createKv(ctx),
      curves: () => createCurves(ctx, stage.layout),
      log: () => createLog(ctx, (t) => showAround(player, t)),
    }[name];
    late[name] = make();
    below.panels[name].replaceChildren(late[name].el);
  }
  return late[name];
}
