// A lesson on paper: all its scenes with their steps, a picture of the stage wherever a step shows
// another round, its exercises, and their answers, which can be left out. It is a page of its own,
// `?scenario=5a&paper=1`, that walks through the lesson to take the pictures and then becomes the paper.

import {h} from "../dom.js";

const SETTLE_MS = 400; // a slide to another round, and its drawing
const WAIT_MS = 20_000;
const COLOURS = 8;

/**
 * @param {function(string)} choose a scene
 * @param {function(): Object} view what the page shows now; `lesson` is its text
 * @param {Object} steps the stepper
 * @param {function(): Object|null} player the stage
 */
export function printer({choose, view, steps, player}) {
  const is_paper = new URLSearchParams(location.search).has("paper");
  const veil = h("div", {class: "paper-veil", role: "status", hidden: !is_paper}, h("p", {word: "print_wait"}));
  let has_begun = false;

  const lesson_of = () => view().lessons.find(({scenes}) => scenes.includes(view().scenario));
  /** Open the paper of the lesson that is shown. */
  const open = () => {
    const asks = new URLSearchParams({lang: view().lang, scenario: view().scenario, theme: "light", paper: "1"});
    window.open(`${location.pathname}?${asks}`, "_blank", "noopener");
  };
  /** Become the paper, once the stage is there, if that is what the address asks for. */
  const begin = async () => {
    const lesson = lesson_of();
    if (!is_paper || has_begun || !lesson || view().working) { return; }
    has_begun = true;
    const scenes = [];
    for (const scene of lesson.scenes) { scenes.push(await taken(scene)); }
    const text = page_of(lesson, scenes, view().words, view().tag);
    document.open();
    document.write(text);
    document.close();
  };
  /** Until a scene is on the stage. */
  const shown = async (scene) => {
    if (view().scenario === scene) { return; }
    const {run} = player().state();
    choose(scene);
    const end = Date.now() + WAIT_MS;
    while (Date.now() < end && (view().scenario !== scene || view().working || player().state().run === run)) { await rest(50); }
  };
  /** A scene with its texts and pictures. */
  const taken = async (scene) => {
    await shown(scene);
    const {lesson} = view();
    const pictures = [];
    let last = "";
    for (const index of lesson.steps.keys()) {
      steps.go(index);
      await rest(SETTLE_MS);
      const {t, view: lanes} = player().state();
      const place = `${t} ${lanes} ${steps.hides_future()}`;
      pictures.push(place === last ? "" : await picture(`p${scene}${index}`));
      last = place;
    }
    return {...lesson, pictures};
  };
  return {open, begin, veil, is_paper};
}

function rest(ms) { return new Promise((done) => { setTimeout(done, ms); }); }

/** The stage as SVG; ids in it begin with `id`. */
async function picture(id) {
  const file = await new Promise((take) => {
    window.dispatchEvent(new CustomEvent("rb-picture", {detail: {kind: "svg", id, take}}));
  });
  const text = file ? await file.blob.text() : "";
  return text.replace(/^<\?xml[^>]*\?>\s*/, "");
}

function text_of(text) { return h("i", {text}).innerHTML; }

/** The document; its texts are HTML that Python made from Markdown without HTML in it. */
function page_of(lesson, scenes, words, tag) {
  const parts = scenes.map((scene) => `<section class="scene"><h2>${text_of(scene.title)}</h2><p class="hook">${text_of(scene.hook)}</p>
    ${scene.steps.map((step, i) => step_of(step, scene.pictures[i], words)).join("")}</section>`);
  return `<!doctype html><html lang="${tag}"><head><meta charset="utf-8">
    <title>${text_of(`${lesson.name} · ${lesson.title}`)}</title><style>${style_of()}</style></head><body>
    <p class="tools"><button onclick="print()">${text_of(words.print)}</button>
    <label><input type="checkbox" checked onchange="document.body.classList.toggle('without', !this.checked)"> ${text_of(words.print_answers)}</label></p>
    <p class="number">Rebatch · ${text_of(lesson.name)}</p><h1>${text_of(lesson.title)}</h1>${parts.join("")}
    <p class="note">${text_of(words.teaching)}</p></body></html>`;
}

function step_of({title, html, exercise}, svg, words) {
  const asked = exercise ? exercise_of(exercise, words) : "";
  return `<section class="step"><h3>${text_of(title)}</h3>${svg ? `<figure>${svg}</figure>` : ""}${html}${asked}</section>`;
}

function exercise_of({kind, unit, labels, predict, cards: [card]}, words) {
  const names = kind === "grants" ? card.shares.map(({id}) => id) : labels.map((label) => words[`label_${label}`] ?? label);
  const lines = kind === "choice"
    ? `<ol class="options">${card.options.map((one) => `<li>${one}</li>`).join("")}</ol>`
    : `<p>${(names.length ? names : [""]).map((name) => `${text_of(name)} <span class="blank"></span> ${text_of(words[`unit_${unit}`] ?? unit)}`).join("　")}</p>`;
  return `<div class="exercise"><b>${text_of(words[predict ? "exercise_predict" : "exercise"])}</b>${card.html}${lines}
    <div class="answer">${card.worked}</div></div>`;
}

/** Few rules, and the colours of requests as the page has them. */
function style_of() {
  const root = getComputedStyle(document.documentElement);
  const chips = Array.from({length: COLOURS}, (_, i) =>
    `.chip-${i}{color:${root.getPropertyValue(`--rb-q${i}-on`)};background:${root.getPropertyValue(`--rb-q${i}-strong`)}}`);
  return `body{max-width:760px;margin:32px auto;padding:0 24px;font:15px/1.55 "Segoe UI","Helvetica Neue",Arial,"PingFang SC","Microsoft YaHei","Noto Sans CJK SC",sans-serif;color:#1e1c17}
    h1{font-size:28px;line-height:1.2;margin:0 0 16px}h2{font-size:20px;margin:32px 0 4px}h3{font-size:16px;margin:20px 0 4px}
    .hook,.number,.note{color:#57534a}.note,.number{font-size:12px}figure{margin:8px 0}figure svg{max-width:100%;height:auto}
    .step,.exercise{break-inside:avoid}.exercise{margin:8px 0;padding:12px 16px;border:1px solid #c8c2b4;border-radius:6px}
    .answer{margin-top:8px;padding:8px 12px;background:#f3f1ea;border-radius:4px}.without .answer{display:none}
    .blank{display:inline-block;width:90px;border-bottom:1px solid #57534a}.chip{padding:1px 5px;border-radius:4px;font-size:13px;font-weight:700;print-color-adjust:exact;-webkit-print-color-adjust:exact}
    table{border-collapse:collapse}td,th{padding:2px 10px 2px 0;text-align:left;border-bottom:1px solid #e4e0d6}code{font-size:13px}
    .tools{display:flex;gap:16px;align-items:center}@media print{.tools{display:none}body{margin:0;max-width:none}}${chips.join("")}`;
}
