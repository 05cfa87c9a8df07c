// A lesson saved as one page: its scenes, steps and exercises, and the stage they drive. There is no
// server: what would have to be simulated anew is not here, and the page says so.
//
// The part of the address behind "#" names scene and step: "#5c/2".

import {h, translate} from "../dom.js";
import {listen_to_keys} from "../keys.js";
import {logo, theme_button} from "../shell/brand.js";
import {lesson} from "../shell/lesson.js";
import {note_seen} from "../shell/progress.js";
import {stepper} from "../shell/steps.js";
import {number_runs, unpacked, window_at} from "./runs.js";
import {stage_of} from "./stage.js";

async function show_page(data) {
  const {words} = data;
  number_runs(data.here);
  let scene = null;
  let search = ""; // the run shown: the scene's own, or that of an exercise's card
  let sent = null; // the window the player got last
  let awaited = null; // the run that is to come to the stage; until then steps go on without it
  let player = null;
  let after = null; // what to do once the run has come

  const run = () => data.here[scene].runs[search];
  const send = async (found) => {
    sent = found;
    const payload = await unpacked(found, data.player_words);
    if (found === sent) { stage.show(payload); }
  };
  const stage = await stage_of(data.player_style, (t) => {
    const found = window_at(run().windows, t);
    if (found && found !== sent) { send(found); }
  });
  const follow = (name) => {
    if (name in data.here) { location.hash = name; } else { location.href = `${data.files[name]}#${name}`; }
  };
  const open = (asked, then = null) => {
    show_run(asked, steps.at());
    after = then;
  };
  const steps = stepper({choose: follow, open, save: () => {}, solved: () => {}});
  const note = h("p", {class: "saved-note"});
  const text = lesson({notice: note, steps, send: () => open("")});
  const scenes = scene_list(data, follow);
  const theme = theme_button();
  const place = h("section", {class: "stage", label: "stage", tabindex: "-1"}, stage.el);
  const work = h("main", {class: "work"}, text.el, place);
  const app = h("div", {class: "app saved"}, top_of(data, scenes, theme), work);

  const draw = () => {
    const {lesson: now, budget} = data.here[scene];
    note.textContent = [words.saved_note, ...(run().is_part ? [words.saved_part] : [])].join(data.languages.find(({code}) => code === data.lang).space);
    const view = {words, lesson: now, budget: {value: budget}, scenario: scene, scenarios: data.scenarios, is_edited: search !== ""};
    text.update(view);
    steps.update(view);
    scenes.value = scene;
    document.title = `${now.title} · ${words.name}`;
  };
  const show_run = (asked, step) => {
    search = asked in data.here[scene].runs ? asked : ""; // a card may show the scene as it is
    const [first] = run().windows;
    awaited = first.run;
    steps.use(null);
    draw();
    steps.go(step);
    send(first);
  };
  const show_place = () => {
    const [name, number] = decodeURIComponent(location.hash.slice(1)).split("/");
    const found = name in data.here ? name : Object.keys(data.here)[0];
    const step = Math.min(Math.max(1, Number.parseInt(number, 10) || 1), data.here[found].lesson.steps.length) - 1;
    if (found === scene && search === "") { steps.go(step); return; }
    scene = found;
    place.scrollTop = text.el.scrollTop = 0;
    show_run("", step);
  };
  const moved = ({detail}) => {
    player = detail;
    const {run: shown, isPlaying, next, t, end, eps} = player.state();
    if (awaited !== null && awaited !== shown) { return; }
    steps.use(player);
    if (awaited !== null) {
      awaited = null;
      steps.go(steps.at());
      after?.();
      after = null;
    }
    const is_cut = isPlaying && next === null && t < end - eps && window_at(run().windows, t) === sent;
    if (is_cut) { player.act.toggle(); }
  };
  steps.when_shown(({at, steps: all}) => {
    if (at > 0) { text.unfold("text", true); }
    if (all.length > 1 && at === all.length - 1) { note_seen(scene); }
    history.replaceState(null, "", `#${scene}${at ? `/${at + 1}` : ""}`);
  });
  translate(app, words);
  theme.update(words);
  window.addEventListener("rb-moved", moved);
  window.addEventListener("hashchange", show_place);
  listen_to_keys({
    nextStep: steps.on, previousStep: steps.back, theme: theme.toggle,
    language: () => change_language(data, next_language(data)),
  }, true);
  const root = document.getElementById("page").attachShadow({mode: "open"});
  root.append(h("style", {text: data.style}), app);
  show_place();
}

/** Another language, at the same step. */
function change_language({languages}, lang) {
  location.href = languages.find(({code}) => code === lang).file + location.hash;
}

function next_language({languages, lang}) {
  return languages[(languages.findIndex(({code}) => code === lang) + 1) % languages.length].code;
}

/** All scenes of the course by lesson; those of other lessons are on pages of their own. */
function scene_list({lessons, scenarios, words}, follow) {
  const names = new Map(scenarios);
  const groups = lessons.map(({scenes}) => h("optgroup", {},
    ...scenes.map((name) => h("option", {value: name, text: names.get(name)}))));
  groups.forEach((group, i) => { group.label = `${lessons[i].number} · ${lessons[i].title}`; });
  const el = h("select", {class: "scene-choice", "aria-label": words.scenes}, ...groups);
  el.addEventListener("change", () => follow(el.value));
  return el;
}

function top_of(data, scenes, theme) {
  const {lang, languages, words} = data;
  const buttons = languages.map(({code, name, short, tag}) => h("button", {
    lang: tag, "aria-pressed": String(code === lang), "aria-label": name, on: {click: () => change_language(data, code)},
  }, h("span", {class: "long", text: name}), h("span", {class: "short", text: short})));
  return h("header", {class: "top"}, logo(),
    h("a", {class: "name", href: "index.html", title: words.saved_index, text: words.name}), scenes,
    h("div", {class: "right"}, h("div", {class: "segments", role: "group", label: "language"}, ...buttons), theme.el));
}

show_page(JSON.parse(document.getElementById("data").textContent));
