// Lanes: which are shown, one more, and what can be done with each. What a lane is, Python decides.

const MOST_NAME = 260; // px of a lane's name in the choice of lanes, at 12 px type
const MOST_NAME_BESIDE = 130; // with the title of the only lane shown in the same row
const BAR_REST = 235; // what else stands in that row
const ZOOM_REST = 78;
const AROUND_NAME = 22;
const ON_PHONE = { rest: 114, around: 13 }; // the two buttons beside the choice; padding of a name

/**
 * Make the parts that choose and change lanes. Over the stage they lie beside it and not in it:
 * what is inside a picture cannot be reached by everybody.
 * @param {Object} act {showLanes(key), addLane(wish)}
 * @param {?function(Object): void} command tells Python what to do; without it nothing can be changed
 */
function createLanes(act, command) {
  const menu = createMenu();
  const add = h("button.rb-add", {
    type: "button", "aria-haspopup": "menu", "aria-expanded": "false", "data-testid": "add-lane",
  }, icon("plus", 14), h("span"));
  const lanes = {
    act, command, menu, add,
    views: h("div.rb-segments.rb-views", { role: "group" }),
    line: h("div.rb-lane-line", { "data-testid": "lane-line" }),
    heads: h("div.rb-lane-tools"),
    menuOf: null,
    newcomer: null, // the key of a lane that has just come, until it is drawn
  };
  menu.el.addEventListener("rb-closed", () => { lanes.menuOf = null; });
  return lanes;
}

/** Fill the bar: which lanes are shown, the button for one more, and the line beside it. */
function drawLanes(lanes, ctx) {
  const { payload, view, say, lanes: shown, size } = ctx;
  lanes.menu.close();
  setShown(lanes.views, payload.lanes.length > 1);
  lanes.views.setAttribute("aria-label", say("lanes_shown"));
  const all = { key: "all", title: say(payload.lanes.length === 2 ? "view_both" : "view_all") };
  const names = payload.lanes.map(({ short, title }) => short ?? title);
  const cut = cutApart(names, nameRooms(ctx, names, all.title), size.font, 700);
  lanes.views.replaceChildren(...[all, ...payload.lanes].map(({ key, title }, i) => {
    const name = i ? names[i - 1] : title;
    const text = i ? cut[i - 1] : title;
    const button = segment(text, view === key, () => lanes.act.showLanes(key), `view-${key}`);
    button.title = title;
    if (text !== name) button.setAttribute("aria-label", name);
    return button;
  }));
  drawAdd(lanes, payload, say);
  drawLine(lanes, payload, shown, say);
}

/** The px that each lane's name may take in the choice of lanes, beside that of all. */
function nameRooms({ lanes, size, barWidth, canZoom }, names, all) {
  const k = size.font / 12;
  const wide = (name) => textWidth(name, size.font, 700);
  const isPhone = size.name === "phone";
  const around = isPhone ? ON_PHONE.around : AROUND_NAME;
  const rest = isPhone ? ON_PHONE.rest + wide(all) + around : (BAR_REST + (canZoom ? ZOOM_REST : 0)) * k;
  const most = (lanes.length > 1 ? MOST_NAME : MOST_NAME_BESIDE) * k;
  return sharedOut(names.map((name) => Math.min(most, wide(name) + 1)), barWidth - rest - names.length * around);
}

/** What each gets of a room: all it needs where there is enough, else what those with less leave over. */
function sharedOut(needs, room) {
  const shares = [];
  const order = needs.map((_, i) => i).sort((a, b) => needs[a] - needs[b]);
  order.forEach((i, place) => {
    shares[i] = Math.min(needs[i], room / (needs.length - place));
    room -= shares[i];
  });
  return shares;
}

/** The button for one more lane; when there is no room it says why. */
function drawAdd(lanes, payload, say) {
  const { add, command } = lanes;
  setShown(add, Boolean(command && payload.bases));
  setText(add.lastChild, say("lane_add"));
  add.setAttribute("aria-label", say("lane_add"));
  const isFull = payload.lanes.length >= payload.most_lanes;
  add.disabled = isFull;
  add.title = isFull ? say("lane_most", { n: payload.most_lanes }) : "";
  add.onclick = () => openMenu(lanes, add, "", addItems(lanes, payload, say));
}

/** What a new lane can begin as. */
function addItems(lanes, payload, say) {
  const bases = payload.bases.map(([base, text, why]) =>
    ({ text, why, id: `add-${base}`, act: () => lanes.act.addLane({ do: "add_lane", base }) }));
  const copies = payload.lanes.map(({ key, title }) => ({
    text: say("lane_copy_of", { lane: title }), id: `add-copy-${key}`, act: () => lanes.act.addLane({ do: "copy_lane", key }),
  }));
  return [...bases, null, ...copies, null, ...handItem(lanes, payload, say)];
}

/** At the end of the bar: the only lane's title and what can be done with it, or what differs. */
function drawLine(lanes, payload, shown, say) {
  const { line } = lanes;
  const [lane] = shown;
  const differs = shown.length > 1 ? payload.differs : "";
  setShown(line, shown.length === 1 || Boolean(differs));
  if (shown.length > 1) line.replaceChildren(h("span.rb-lane-rule", { text: differs, title: differs }));
  else {
    line.replaceChildren(h("b", { text: lane.title, title: lane.title }), h("span.rb-lane-rule", { text: lane.rule, title: lane.rule_full }),
      ...toolButton(lanes, payload, lane, say));
  }
}

/** Where the line has no room for what differs with its values, it names what differs. */
function fitDiffers({ line }, { differs_short: inShort }) {
  const [said] = line.children;
  if (line.children.length === 1 && said.scrollWidth > said.clientWidth) setText(said, inShort);
}

/** The title of a lane on the stage: with what tells it from another that is called the same and more. */
function stageTitle({ title, short }, { lanes }) {
  const isPlain = lanes.some((other) => other.title !== title && other.title.startsWith(title));
  return isPlain && short && !title.toLowerCase().includes(short.toLowerCase()) ? `${title} · ${short}` : title;
}

/** Put a button at the end of each title row of the stage. */
function placeLaneTools(lanes, { payload, say, lanes: shown }, layout) {
  lanes.menu.close();
  const rows = layout.single ? [] : layout.lanes.map((place, i) => h("div.rb-lane-tool", {
    style: { top: `${place.titleY}px`, height: `${place.title}px`, left: `${layout.right}px` },
  }, ...toolButton(lanes, payload, shown[i], say)));
  lanes.heads.replaceChildren(...rows);
  revealNewcomer(lanes, shown, layout);
}

/** Scroll a lane that has just come into view; the focus stays where it is. */
function revealNewcomer(lanes, shown, layout) {
  const place = layout.lanes[shown.findIndex(({ key }) => key === lanes.newcomer)];
  lanes.newcomer = null;
  if (!place || layout.single) return;
  const el = h("i.rb-lane-new", { style: { top: `${place.titleY}px`, height: `${place.bottom - place.titleY}px` } });
  lanes.heads.append(el);
  el.scrollIntoView({ block: "nearest" });
}

/** The button that opens what can be done with a lane. */
function toolButton(lanes, payload, lane, say) {
  if (!lanes.command) return [];
  const name = say("lane_tools", { lane: lane.title });
  const button = h("button.rb-icon.rb-lane-more", {
    type: "button", "aria-haspopup": "menu", "aria-expanded": "false", "aria-label": name, title: name,
    "data-testid": `lane-${lane.key}`,
    onclick: () => openMenu(lanes, button, lane.title, toolItems(lanes, payload, lane, say)),
  }, icon("more"));
  return [button];
}

/** What can be done with a lane; what cannot says why. */
function toolItems(lanes, payload, lane, say) {
  const { command } = lanes;
  const { key } = lane;
  const isFull = payload.lanes.length >= payload.most_lanes;
  const isLast = payload.lanes.length === 1;
  const change = () => window.dispatchEvent(new CustomEvent("rb-setup", { detail: { lane: key } }));
  return [
    ...forkItems(lanes, payload, lane, say),
    { text: say("lane_change"), id: "lane-change", act: change },
    { text: say("lane_rename"), id: "lane-rename", act: () => askName(lanes, lane, payload.most_in_title, say) },
    {
      text: say("lane_copy"), id: "lane-copy", act: () => lanes.act.addLane({ do: "copy_lane", key }),
      why: isFull ? say("lane_most", { n: payload.most_lanes }) : "",
    },
    ...(isLast ? [] : moveItems(lanes, payload, lane, say)),
    {
      text: say("lane_remove"), id: "lane-remove", act: () => command({ do: "remove_lane", key }),
      why: isLast ? say("lane_last") : "",
    },
  ];
}

/** Ask for a lane's name where its menu was; what it has been given is there to be changed. */
function askName({ command, menu }, { key, name, title }, most, say) {
  menu.ask({
    label: say("lane_name", { lane: title }), help: say("lane_name_help"), value: name ?? "", most,
    then: (typed) => command({ do: "rename_lane", key, name: typed }),
  });
}

/** One place up or down, where there is a place. */
function moveItems({ command }, payload, { key }, say) {
  const places = payload.lanes.map((lane) => lane.key);
  return [["lane_up", -1], ["lane_down", 1]].filter(([, step]) => places[places.indexOf(key) + step]).map(([word, step]) =>
    ({ text: say(word), id: word.replace("_", "-"), act: () => command({ do: "move_lane", key, step }) }));
}

/** Open the menu at a button, or close it if it is open there. */
function openMenu(lanes, button, title, items) {
  const isOpen = lanes.menuOf === button;
  lanes.menu.close();
  if (isOpen) return;
  lanes.menu.open(button, title, items);
  lanes.menuOf = button;
}

/**
 * A menu that opens under a button, inside the page and never beyond its edge. What is chosen in it
 * may `ask` for a line of text in its place.
 * @returns {{el: Element, open: function(Element, string, Array): void, ask: function(Object): void, close: function(): void}}
 */
function createMenu() {
  const el = h("div.rb-menu", { role: "menu", hidden: true });
  let opener = null;
  let last = null; // the button that opened it last
  const close = () => {
    if (!opener) return;
    const hadFocus = el.contains(el.getRootNode().activeElement);
    el.hidden = true;
    opener.setAttribute("aria-expanded", "false");
    if (hadFocus) opener.focus();
    opener = null;
    document.removeEventListener("pointerdown", onPress, true);
    el.dispatchEvent(new CustomEvent("rb-closed"));
  };
  const onPress = (event) => {
    if (![el, opener].some((one) => event.composedPath().includes(one))) close();
  };
  const show = (button, role, label, children) => {
    opener = last = button;
    el.setAttribute("role", role);
    el.setAttribute("aria-label", label);
    el.replaceChildren(...children);
    el.hidden = false;
    button.setAttribute("aria-expanded", "true");
    placeMenu(el, button);
    document.addEventListener("pointerdown", onPress, true);
    el.querySelector("input, button").focus();
  };
  const open = (button, title, items) =>
    show(button, "menu", title || button.textContent, items.map((item) => menuItem(item, close)));
  const ask = (question) => show(last, "dialog", question.label, [questionForm(question, close)]);
  el.addEventListener("keydown", (event) => onMenuKey(event, el, close));
  return { el, open, ask, close };
}

/** One line of a menu; a rule for null. What cannot be done can be reached, and says why. */
function menuItem(item, close) {
  if (!item) return h("hr");
  const onclick = () => {
    if (item.why) return;
    close();
    item.act();
  };
  return h("button", {
    type: "button", role: "menuitem", tabindex: -1, onclick, "data-testid": item.id,
    "aria-disabled": item.why ? "true" : null,
  }, h("span", { text: item.text }), item.why || item.note ? h("small", { text: item.why || item.note }) : null);
}

/** A line of text to be typed; Enter takes it. */
function questionForm({ label, help, value, most, then }, close) {
  const input = h("input", { type: "text", maxlength: most, autocomplete: "off", spellcheck: "false", "data-testid": "menu-text" });
  input.value = value;
  const form = h("form.rb-question", {}, h("label", {}, h("span", { text: label }), input), h("small", { text: help }));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    close();
    then(input.value);
  });
  return form;
}

/** Arrows move, Escape closes; nothing of it reaches the player. */
function onMenuKey(event, el, close) {
  if (event.target.matches("input")) {
    event.stopPropagation();
    if (event.key === "Escape" || event.key === "Tab") close();
    return;
  }
  const items = [...el.querySelectorAll("button")];
  const at = items.indexOf(el.getRootNode().activeElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
  if (event.key === "Tab") close();
  else if (event.key === "Escape") close();
  else if (to !== undefined) items[(to + items.length) % items.length].focus();
  else return;
  if (event.key !== "Tab") event.preventDefault();
  event.stopPropagation();
}

/** Under its button, to the left where the right has no room. */
function placeMenu(el, button) {
  const holder = el.parentElement.getBoundingClientRect();
  const box = button.getBoundingClientRect();
  const left = Math.min(box.left - holder.left, holder.width - el.offsetWidth);
  Object.assign(el.style, { left: `${Math.max(0, left)}px`, top: `${box.bottom - holder.top + 4}px` });
}
