// The address bar: it always names the state shown, and Back and Forward bring back the state it names.
// A scene makes a history entry; every other change is written into the present one.

const THEMES = ["light", "dark"];

export function address({model}) {
  const root = document.documentElement;
  let asked = 0; // how often Back or Forward was pressed; Python repeats the number when it has answered
  let scene = null;
  let written = location.search;
  let theme = theme_of(written); // in the address only if a link or a person asked for it

  const update = () => {
    const view = model.view;
    if (view.link < asked) { return; }
    written = `?${view.address}${theme ? `&theme=${theme}` : ""}`;
    const is_entry = scene !== null && scene !== view.scenario && location.search !== written;
    scene = view.scenario;
    const url = `${location.pathname}${written}${location.hash}`;
    if (is_entry) { history.pushState(null, "", url); } else { history.replaceState(null, "", url); }
  };
  const follow = () => {
    if (location.search === written) { return; } // only the part after "#" has changed
    asked += 1;
    written = location.search;
    scene = null;
    const old = theme_of(written);
    if (old && old !== root.dataset.theme) {
      root.dataset.theme = old;
      window.dispatchEvent(new CustomEvent("rb-theme"));
    }
    model.send_msg({type: "link", search: location.search, number: asked});
  };
  const keep_theme = () => {
    theme = root.dataset.theme;
    update();
  };
  window.addEventListener("popstate", follow);
  window.addEventListener("rb-theme", keep_theme);
  const stop = () => {
    window.removeEventListener("popstate", follow);
    window.removeEventListener("rb-theme", keep_theme);
  };
  return {update, stop};
}

function theme_of(search) {
  const theme = new URLSearchParams(search).get("theme");
  return THEMES.includes(theme) ? theme : null;
}
