// Opening a trace: by button or by dropping a file anywhere on the page. It goes to Python in parts.

import {fill, h} from "../dom.js";

const PART = 1024 * 1024;

export function files({model, say, wait}) {
  const input = h("input", {type: "file", class: "away", tabindex: "-1", "aria-hidden": "true", accept: ".csv,.jsonl,.json,.txt"});
  const veil = h("div", {class: "drop", hidden: true}, h("p", {word: "drop_here"}));

  const read = async (file) => {
    const {words, file_limit} = model.view;
    if (file.size > file_limit) {
      const mb = (bytes) => Math.ceil(bytes / 2 ** 20);
      say(fill(words.too_large, {name: file.name, size: mb(file.size), limit: mb(file_limit)}));
      return;
    }
    wait(fill(words.reading, {name: file.name}));
    for (let at = 0; at === 0 || at < file.size; at += PART) {
      const part = await file.slice(at, at + PART).arrayBuffer();
      model.send_msg({type: "file", name: file.name, part, last: at + PART >= file.size});
    }
  };

  input.addEventListener("change", () => {
    if (input.files.length) { read(input.files[0]); }
    input.value = "";
  });

  const has_files = (event) => event.dataTransfer?.types.includes("Files");
  const listen = (el) => {
    el.addEventListener("dragover", (event) => {
      if (!has_files(event)) { return; }
      event.preventDefault();
      veil.hidden = false;
    });
    el.addEventListener("dragleave", (event) => { if (!el.contains(event.relatedTarget)) { veil.hidden = true; } });
    el.addEventListener("drop", (event) => {
      if (!has_files(event)) { return; }
      event.preventDefault();
      veil.hidden = true;
      read(event.dataTransfer.files[0]);
    });
  };
  return {input, veil, listen, open: () => input.click()};
}
