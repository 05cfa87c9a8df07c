// Small helpers for building elements. Text from people goes in as text, never as markup.

/** An element: h("button", {class: "x", on: {click}, word: "page.help"}, child, …). */
export function h(tag, {on = {}, text, word, label, key, ...attributes} = {}, ...children) {
  const el = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) { set(el, name, value); }
  for (const [event, handler] of Object.entries(on)) { el.addEventListener(event, handler); }
  if (text !== undefined) { el.textContent = text; }
  if (word) { el.dataset.word = word; }
  if (label) { el.dataset.label = label; }
  if (key) { el.dataset.key = key; }
  el.append(...children);
  return el;
}

/** Set or remove an attribute; `true` is the empty attribute, `false` and null remove it. */
export function set(el, name, value) {
  if (value === false || value === null || value === undefined) {
    el.removeAttribute(name);
  } else {
    el.setAttribute(name, value === true ? "" : value);
  }
}

/** Put the words of a language into every element that names one. */
export function translate(root, words) {
  for (const el of root.querySelectorAll("[data-word]")) { el.textContent = words[el.dataset.word]; }
  for (const el of root.querySelectorAll("[data-label]")) {
    el.setAttribute("aria-label", words[el.dataset.label]);
    if (el.matches("button")) { el.title = words[el.dataset.label]; }
  }
}

/** What is typed, with full-width digits and letters as plain ones and no blanks around it. */
export function plain(text) { return text.normalize("NFKC").trim(); }

/** A component's model whose properties of these names are JSON, here read, each text once. */
export function told(model, ...names) {
  const kept = new Map();
  const read = (name) => {
    const text = model[name];
    if (kept.get(name)?.text !== text) { kept.set(name, {text, value: JSON.parse(text)}); }
    return kept.get(name).value;
  };
  return new Proxy(model, {get: (whole, name) => (names.includes(name) ? read(name) : whole[name])});
}

// Line icons on a 16 px grid: the inside of each <svg>.
const ICONS = {
  beaker: '<path d="M6 2.5v4L2.8 12a1 1 0 0 0 .9 1.5h8.6a1 1 0 0 0 .9-1.5L10 6.5v-4M5 2.5h6M4.6 9.5h6.8"/>',
  plus: '<path d="M8 3v10M3 8h10"/>',
  copy: '<rect x="5.5" y="5.5" width="8" height="8" rx="1.5"/><path d="M10.5 3.5v-1h-8v8h1"/>',
  check: '<path d="M3.5 8.5l3 3 6-7"/>',
  save: '<path d="M8 2.5v8M4.8 7.4L8 10.5l3.2-3.1M2.5 11v2.5h11V11"/>',
  screen: '<path d="M2 3h12v8H2zM8 11v2.5M5 13.5h6"/>',
  share: '<circle cx="12" cy="3.5" r="2"/><circle cx="4" cy="8" r="2"/><circle cx="12" cy="12.5" r="2"/><path d="M5.8 7l4.4-2.5M5.8 9l4.4 2.5"/>',
  close: '<path d="M4 4l8 8M12 4l-8 8"/>',
  fold: '<path d="M9.5 4l-4 4 4 4"/>',
  fork: '<path d="M2 8h5M7 8c2 0 2-4.5 4-4.5h3M7 8c2 0 2 4.5 4 4.5h3"/>',
  hand: '<path d="M2.5 13.5h11M5 13.5v-3h3v-3h3v-3h2.5"/>',
  menu: '<path d="M2 4h12M2 8h12M2 12h12"/>',
  play: '<path d="M4.5 2.8l8 5.2-8 5.2z"/>',
  moon: '<path d="M13.2 9.8A5.6 5.6 0 0 1 6.2 2.8a5.6 5.6 0 1 0 7 7z"/>',
  grip: '<path d="M6 3.5v.01M10 3.5v.01M6 8v.01M10 8v.01M6 12.5v.01M10 12.5v.01"/>',
  open_file: '<path d="M8 10.5V2.5M4.8 5.6L8 2.5l3.2 3.1M2.5 11v2.5h11V11"/>',
  pen: '<path d="M3 13l.6-2.8L10.9 3a1.3 1.3 0 0 1 1.8 0l.4.4a1.3 1.3 0 0 1 0 1.8l-7.3 7.2L3 13zM9.6 4.3l2.2 2.2"/>',
  sliders: '<path d="M2 5h6M12 5h2M2 11h2M8 11h6"/><circle cx="10" cy="5" r="2"/><circle cx="6" cy="11" r="2"/>',
  sun: '<circle cx="8" cy="8" r="2.8"/><path d="M8 1.5v1.4M8 13.1v1.4M1.5 8h1.4M13.1 8h1.4M3.4 3.4l1 1M11.6 11.6l1 1M3.4 12.6l1-1M11.6 4.4l1-1"/>',
  unfold: '<path d="M4 6l4 4 4-4"/>',
  warning: '<path d="M8 2.2l6.3 11.3H1.7L8 2.2zM8 6.5v3.4M8 11.7v.1"/>',
};

/** A line icon by name. */
export function icon(name) {
  return svg(ICONS[name], "0 0 16 16", {width: 16, height: 16, fill: "none", stroke: "currentColor",
    "stroke-width": 1.5, "stroke-linecap": "round", "stroke-linejoin": "round"});
}

/** An <svg> element from its inside, which must be a constant of this folder. */
export function svg(inside, view_box, attributes) {
  const text = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${view_box}" aria-hidden="true">${inside}</svg>`;
  const el = document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true);
  for (const [name, value] of Object.entries(attributes)) { el.setAttribute(name, value); }
  return el;
}
