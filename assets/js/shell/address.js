// The address bar: it always names what is shown, and Back and Forward bring back what it names.
//
// Python names the inputs; the browser adds what it alone knows: step, time and lanes where they are not
// what the step shows by itself, and how the stage is looked at where it is not looked at as usual. A scene makes a history entry; every other change is written into
// the present one, a moment after the cursor has come to rest.

const THEMES = ["light", "dark"];
const OWN = ["step", "time", "show"];
const USUAL = {rows: null, axis: "time", future: "ghost"};
const LOOKS = {rows: "by", axis: "axis", future: "ahead"}; // choice: its name in the address, where rows are requests
const MOST_DIGITS = 9;
const REST_MS = 200; // browsers stop taking new addresses when there are too many a second

export function address({model, steps, complain}) {
  const root = document.documentElement;
  let player = null;
  let asked = 0; // how often Back or Forward was pressed; Python repeats the number when it has answered
  let answered = 0;
  let scene = null;
  let face = null;
  let written = location.search;
  let theme = theme_of(written); // in the address only if a link or a person asked for it
  const is_paper = new URLSearchParams(written).has("paper"); // which walks through its lesson under one address
  let timer = 0;
  let wish = wish_of(written); // what to show as soon as its run is there
  let after = null; // what to do once it is shown

  const place = () => {
    const found = {};
    if (!player || wish) { return found; }
    const {t, view, views, next, eps} = player.state();
    const own = player.placeOf(steps.step());
    const usual = has_lanes(model.view.address) ? "all" : own.view;
    if (steps.at() > 0) { found.step = steps.at() + 1; }
    if (own.t === null || Math.abs(own.t - t) > eps) { found.time = short_time(t, next, eps); }
    if (usual !== view && views.length > 2) { found.show = view; }
    for (const [choice, value] of Object.entries(player.views.get())) {
      if (value !== USUAL[choice] && !(choice === "future" && steps.hides_future())) { found[LOOKS[choice]] = value; }
    }
    return found;
  };
  const write = () => {
    clearTimeout(timer);
    const view = model.view;
    if (view.link < asked || is_paper) { return; }
    const own = Object.entries(place()).map(([name, value]) => `&${name}=${encodeURIComponent(value)}`).join("");
    written = `?${view.address}${own}${theme ? `&theme=${theme}` : ""}`;
    const is_elsewhere = scene !== view.scenario || face !== view.face;
    const is_entry = scene !== null && is_elsewhere && location.search !== written;
    [scene, face] = [view.scenario, view.face];
    const url = `${location.pathname}${written}${location.hash}`;
    if (is_entry) { history.pushState(null, "", url); } else { history.replaceState(null, "", url); }
  };
  const rest = () => {
    clearTimeout(timer);
    timer = setTimeout(write, REST_MS);
  };
  const fulfil = () => {
    const {working, notice} = model.view;
    const {lesson} = model;
    if (!wish || !player || working || answered !== asked || player.state().run !== model.view.run) { return; }
    const is_elsewhere = wish.scenario && wish.scenario !== model.view.scenario; // its places are none of this scene
    if (is_elsewhere) { wish = {...wish, step: null, time: null, show: null, has_lanes: false}; }
    const can_look = look(player.views, wish.looks);
    const asked_for = wish.has_read_on ? {...wish, step: steps.at() + 1} : wish;
    const {index, is_good, place_in} = nearest(asked_for, player.state(), lesson.steps.length);
    wish = null;
    if (!(is_good && can_look) && !notice) { complain(); }
    if (index !== steps.at()) { steps.restart(); }
    steps.go(index, place_in(player.placeOf(lesson.steps[index])));
    after?.();
    after = null;
  };
  const update = (view) => {
    if (view.link !== answered) {
      wish = wish_of(written);
    } else if (scene !== null && scene !== view.scenario) {
      wish = {step: null, time: null, show: null, looks: null, has_read_on: true}; // a long run comes after its text
    }
    answered = view.link;
    if (answered === asked) { fulfil(); }
    write();
  };
  const moved = (handle) => {
    player = handle;
    fulfil();
    if (!handle.state().isPlaying) { rest(); }
  };
  const follow = () => {
    if (location.search === written) { return; } // only the part after "#" has changed
    asked += 1;
    clearTimeout(timer);
    written = location.search;
    scene = after = null;
    const old = theme_of(written);
    if (old && old !== root.dataset.theme) {
      root.dataset.theme = old;
      window.dispatchEvent(new CustomEvent("rb-theme"));
    }
    model.send_msg({type: "link", search: location.search, number: asked});
  };
  const keep_theme = () => {
    theme = root.dataset.theme;
    write();
  };
  window.addEventListener("popstate", follow);
  window.addEventListener("rb-theme", keep_theme);
  const stop = () => {
    clearTimeout(timer);
    window.removeEventListener("popstate", follow);
    window.removeEventListener("rb-theme", keep_theme);
  };
  /** Go to what a query names, in the language and the theme of now; then do something. */
  const open = (search, then = null) => {
    const kept = new URLSearchParams({lang: model.view.lang, ...(theme ? {theme} : {})});
    history.pushState(null, "", `${location.pathname}?${kept}&${search}`);
    follow();
    after = then;
  };
  return {update, moved, rest, open, stop};
}

/** Whether an address names lanes: then all of them are shown, unless it says which. */
function has_lanes(search) { return new URLSearchParams(search).has("lanes"); }

function theme_of(search) {
  const theme = new URLSearchParams(search).get("theme");
  return THEMES.includes(theme) ? theme : null;
}

/** Look at the stage as wished, as usual where nothing is said; was all of it a choice there is? */
function look(views, looks) {
  if (!looks) { return true; }
  const {choices, get, set} = views;
  const wanted = Object.entries(looks).filter(([choice, value]) => value !== get()[choice]);
  if (wanted.length) { set(Object.fromEntries(wanted)); }
  return wanted.every(([choice, value]) => value === USUAL[choice] || choices[choice].includes(value));
}

/** What an address asks for: what is not there is null or as usual, what is no number NaN. */
function wish_of(search) {
  const asked = new URLSearchParams(search);
  const [step, time, show] = OWN.map((name) => asked.get(name));
  const looks = Object.fromEntries(
    Object.entries(LOOKS).map(([choice, name]) => [choice, asked.get(name) ?? USUAL[choice]]));
  return {
    scenario: asked.get("scenario"), has_lanes: has_lanes(search), step: step && (/^\d{1,3}$/.test(step) ? Number(step) : NaN), time: time && Number(time), show, looks,
  };
}

/** What comes nearest to a wish: a step there is, a time in the run, lanes that are shown; is it the wish? */
function nearest({step, time, show, has_lanes: is_own}, {views, end, eps}, num_steps) {
  const index = Math.min(Math.max(1, step || 1), num_steps) - 1;
  const is_good = (step === null || step === index + 1) && (show === null || views.includes(show)) &&
    (time === null || (time >= 0 && time <= end + eps));
  const place_in = (own) => ({
    view: views.includes(show) ? show : is_own ? "all" : own.view,
    t: time_of(time, end) ?? own.t,
  });
  return {index, is_good, place_in};
}

/**
 * The shortest text of a time that leads back to where the cursor stands: a later time, as far as it
 * is near, has the same last boundary before it. Behind the last boundary in sight there is no room.
 */
function short_time(t, next, eps) {
  const room = next === null ? eps : (next - t) / 10;
  for (let digits = 0; digits <= MOST_DIGITS; digits += 1) {
    const unit = 10 ** -digits;
    const near = [t.toFixed(digits), (t + unit / 2).toFixed(digits)].find((text) => text >= t - eps && text - t <= room);
    if (near !== undefined) { return Number(near); }
  }
  return t;
}

function time_of(time, end) { return Number.isFinite(time) ? Math.min(Math.max(0, time), end) : null; }
