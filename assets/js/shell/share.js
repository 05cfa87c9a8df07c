// The menu of links and files: copy the link, save and open scenarios, save the run. What Python makes
// comes as packed bytes and becomes a file here.

import {h, icon} from "../dom.js";

const COPIED_MS = 2500;
const RUN_FILES = ["csv", "json", "chrome"];
const PICTURES = ["png", "svg"];

export function share({model, choose_file, print}) {
  const address = h("input", {type: "text", readonly: true, label: "link_label"});
  const said = h("p", {role: "status"});
  const copier = h("button", {class: "button", on: {click: () => copy()}});
  const no_link = h("p", {class: "note", word: "link_file"});
  const open_file = item("open_scenario", () => { close(); choose_file(); });
  const lesson = h("div", {}, h("h2", {word: "print_head"}), item("print_lesson", () => { close(); print(); }));
  const menu = h("div", {class: "share-menu", id: "share", role: "group", label: "share", tabindex: "-1", hidden: true},
    h("div", {class: "link-row"}, address, copier),
    said, no_link,
    item("save_scenario", () => save("scenario")), open_file,
    lesson,
    h("h2", {word: "export_picture"}),
    ...PICTURES.map((kind) => item(`export_${kind}`, () => ask_picture(kind))),
    h("h2", {word: "export_run"}),
    ...RUN_FILES.map((what) => item(`export_${what}`, () => save(what))));
  const button = h("button", {class: "button share", label: "share", "aria-expanded": "false", "aria-controls": "share",
    on: {click: () => (menu.hidden ? open() : close())}}, icon("share"), h("span", {word: "share_short"}));
  const el = h("div", {class: "share-box"}, button, menu);
  let words = {};
  let stem = "";
  let timer = 0;

  // The button itself says that it worked, so that nothing below it moves; the line is for ears then.
  const say = (text, is_copied = false) => {
    said.textContent = text;
    said.className = is_copied ? "away" : "";
    said.hidden = text === "";
    copier.textContent = is_copied ? text : words.copy_link ?? "";
  };
  const open = () => {
    address.value = location.href;
    say("");
    menu.hidden = false;
    button.setAttribute("aria-expanded", "true");
    menu.focus({preventScroll: true});
  };
  const close = (give_back = true) => {
    if (menu.hidden) { return; }
    menu.hidden = true;
    button.setAttribute("aria-expanded", "false");
    if (give_back) { button.focus(); }
  };
  const save = (what) => {
    model.send_msg({type: "save", what});
    close();
  };
  const ask_picture = (kind) => {
    const take = (picture) => {
      if (!picture) { say(words.no_picture); return; }
      close();
      give(`${stem}-round-${picture.round}.${kind}`, picture.blob);
    };
    window.dispatchEvent(new CustomEvent("rb-picture", {detail: {kind, take}}));
  };
  const copy = async () => {
    address.value = location.href;
    const done = await written(address);
    clearTimeout(timer);
    say(done ? words.copied : words.copy_by_hand, done);
    if (done) { timer = setTimeout(() => say(""), COPIED_MS); }
  };

  el.addEventListener("keydown", (event) => { if (event.key === "Escape" && !menu.hidden) { event.stopPropagation(); close(); } });
  address.addEventListener("focus", () => address.select());
  const outside = (event) => { if (!event.composedPath().includes(el)) { close(false); } };
  document.addEventListener("pointerdown", outside);
  model.on("msg:custom", (message) => { if (message.type === "saved") { download(message); } });

  const update = (view) => {
    words = view.words;
    stem = view.stem;
    no_link.hidden = view.scenario !== "trace";
    lesson.hidden = !view.lessons.some(({scenes}) => scenes.includes(view.scenario));
    address.value = location.href;
    say("");
  };
  return {el, update, stop: () => document.removeEventListener("pointerdown", outside)};
}

function item(word, click) {
  return h("button", {class: "item", on: {click}}, h("span", {word}), h("span", {class: "aside", word: `${word}_note`}));
}

/** Copy what a box holds; without leave to use the clipboard it stays selected, and this is false. */
async function written(box) {
  try {
    await navigator.clipboard.writeText(box.value);
    return true;
  } catch {
    box.focus();
    box.select();
    try { return document.execCommand("copy"); } catch { return false; }
  }
}

async function download({name, mime, content}) {
  const packed = new Blob([content]).stream().pipeThrough(new DecompressionStream("deflate"));
  give(name, new Blob([await new Response(packed).arrayBuffer()], {type: mime}));
}

function give(name, blob) {
  const url = URL.createObjectURL(blob);
  h("a", {href: url, download: name}).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
