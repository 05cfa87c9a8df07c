// On the phone state and metrics share one place; a row of tabs chooses.

/** Make the tabs over two panels. */
function createTabs(panels) {
  const list = h("div.rb-tabs", { role: "tablist" });
  const names = Object.keys(panels);
  const choose = (chosen) => {
    for (const name of names) panels[name].classList.toggle("rb-off-tab", name !== chosen);
    for (const tab of list.children) {
      tab.setAttribute("aria-selected", String(tab.dataset.tab === chosen));
    }
  };
  for (const name of names) {
    const onclick = () => choose(name);
    list.append(h("button", { type: "button", role: "tab", "data-tab": name, onclick }));
  }
  choose(names[0]);
  const name = (say) => {
    for (const tab of list.children) setText(tab, say(tab.dataset.tab));
  };
  return { el: list, name };
}
