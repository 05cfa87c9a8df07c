// Opening a trace or a scenario: what a file may be, a button and a place to drop it; the whole page
// takes it too.
// It goes to Python in parts.

import {h, icon} from "../dom.js";
import {fill} from "../fill.js";
import {has_files, in_parts, megabytes} from "../upload.js";

const SAMPLE = "arrival_ms,prompt,output\n0,120,30\n250.5,64,12";

export function files({model, drawer, say, wait}) {
  const input = h("input", {type: "file", class: "away", tabindex: "-1", "aria-hidden": "true", accept: ".csv,.jsonl,.json,.toml,.txt"});
  const veil = h("div", {class: "drop", hidden: true}, h("p", {word: "drop_here"}));
  const limits = h("p", {class: "note"});
  const el = drawer.add("open_trace",
    h("h2", {word: "open_trace"}),
    h("div", {class: "zone"},
      h("button", {class: "button", on: {click: () => input.click()}}, icon("open_file"), h("span", {word: "choose_file"})),
      h("p", {word: "or_drop"})),
    h("p", {word: "formats"}), h("p", {word: "columns"}), h("pre", {text: SAMPLE}),
    h("p", {word: "scenarios_too"}), limits);

  const read = async (file) => {
    const {words, file_limit} = model.view;
    drawer.hide();
    if (file.size > file_limit) {
      say({text: fill(words.too_large, {name: file.name, size: megabytes(file.size), limit: megabytes(file_limit)})});
      return;
    }
    wait(fill(words.reading, {name: file.name}));
    await in_parts(file, (part, last) => model.send_msg({type: "file", name: file.name, part, last}));
  };

  input.addEventListener("change", () => {
    if (input.files.length) { read(input.files[0]); }
    input.value = "";
  });

  const listen = (page) => {
    page.addEventListener("dragover", (event) => {
      if (!has_files(event)) { return; }
      veil.hidden = event.defaultPrevented; // a part of the page takes files of its own
      event.preventDefault();
    });
    page.addEventListener("dragleave", (event) => { if (!page.contains(event.relatedTarget)) { veil.hidden = true; } });
    page.addEventListener("drop", (event) => {
      if (!has_files(event)) { return; }
      veil.hidden = true;
      if (event.defaultPrevented) { return; }
      event.preventDefault();
      if (event.dataTransfer.files.length) { read(event.dataTransfer.files[0]); }
    });
  };
  const update = ({words, file_limit, row_limit}) => {
    limits.textContent = fill(words.limits, {rows: row_limit.toLocaleString("en"), size: megabytes(file_limit)});
  };
  return {el, input, veil, listen, update};
}
