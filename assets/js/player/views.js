// How the stage is looked at: what a row is, what the axis counts, and what is shown of the future.
// The browser's own affair: no choice here asks the server for anything or changes a run.

const VIEW_CHOICES = {
  rows: ["requests", "seats"], axis: ["time", "rounds"], future: ["ghost", "nothing"],
};

/**
 * Make the switches: a small panel behind one button of the bar.
 * @param {Object} player its `rows` (null: as fits the lanes), `axis` and `future` are the choices
 */
function createViews(player) {
  const name = h("summary.rb-add", { "data-testid": "view" }, icon("view", 18), h("span"));
  const rows = Object.entries(VIEW_CHOICES).map(([choice, values]) => {
    const buttons = values.map((value) =>
      segment("", false, () => setViews(player, { [choice]: value }), `${choice}-${value}`));
    const group = h("div.rb-segments", { role: "group" }, ...buttons);
    return { choice, values, buttons, group, title: h("span"), el: h("div.rb-view-row") };
  });
  for (const row of rows) row.el.append(row.title, row.group);
  const panel = h("div.rb-view-panel", { tabindex: -1 }, ...rows.map((row) => row.el));
  const el = h("details.rb-view", {}, name, panel);
  el.addEventListener("focusout", ({ relatedTarget }) => {
    if (!el.contains(relatedTarget)) el.open = false;
  });
  el.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape" || !el.open) return;
    el.open = false;
    name.focus();
  });
  return { el, name, rows };
}

/** Show the choices in the payload's language, and only where there is one. */
function drawSwitches({ views, payload, lanes, rows, future }, say) {
  const isByRequest = areRowsRequests(payload, lanes, rows);
  const chosen = { rows: isByRequest ? "requests" : "seats", axis: payload.axis ?? "time", future };
  const has = {
    rows: payload.requests.length <= MOST_CHOSEN_ROWS,
    axis: payload.whole && lanes.some((lane) => lane.rounds.end.length > 0),
    future: true,
  };
  setText(views.name.lastChild, say("view"));
  views.name.title = say("view_help");
  views.name.setAttribute("aria-label", say("view"));
  for (const { choice, values, buttons, group, title, el } of views.rows) {
    setShown(el, has[choice]);
    setText(title, say(`view_${choice}`));
    group.setAttribute("aria-label", say(`view_${choice}`));
    buttons.forEach((button, i) => {
      setText(button, say(`view_${values[i]}`));
      button.setAttribute("aria-pressed", String(values[i] === chosen[choice]));
    });
  }
}

/** The choices, for whoever keeps them. */
function viewsOf({ rows, axis, future }) {
  return { rows, axis, future };
}

/** The choices for the page around: what they are, what each can be, and how to change them. */
function viewHandle(player) {
  return { choices: VIEW_CHOICES, get: () => viewsOf(player), set: (wanted) => setViews(player, wanted) };
}

/** Take over choices, and draw what they change; what is no choice is left out. Rows may be null. */
function setViews(player, wanted) {
  const { axis } = player;
  for (const [choice, values] of Object.entries(VIEW_CHOICES)) {
    const isFree = choice === "rows" && wanted.rows === null;
    if (isFree || values.includes(wanted[choice])) player[choice] = wanted[choice];
  }
  for (const [choice, value] of Object.entries(viewsOf(player))) player.root.dataset[choice] = value ?? "";
  if (!player.payload) return;
  if (player.axis !== axis) switchAxis(player);
  else rebuild(player);
}

/** A payload as it came, on the axis that is chosen. */
function onAxis(payload, axis) {
  return axis === "rounds" && payload.whole && payload.lanes ? onRounds(payload) : payload;
}

/** Change the axis; the cursor keeps its round. */
function switchAxis(player) {
  pause(player);
  const lead = longestOf(player.lanes);
  const { times } = lead;
  const moved = (t) => (times ? timeOfPlace(times, t) : roundPlace(lead.rounds, t));
  player.received = onAxis(player.raw, player.axis);
  const clock = makeClock(player.received, lanesOf(player.received, player.view));
  const t = stopFrom(clock, moved(player.t), 0) ?? clock.t0;
  Object.assign(player, { chosen: t, zoom: 1, range: null, pannedAt: null });
  showWindow(player, player.received, t);
}
