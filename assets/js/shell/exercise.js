// A question in the lesson column: boxes to fill, marked at once, with a hint for a wrong answer, the
// worked answer on demand, and another draw of the same question. A card holds everything that marks
// and reveals it, so nobody is asked; see `lessons.cards`.
//
// Texts are HTML that Python made from the lesson's Markdown, in which HTML is switched off.

import {h, icon, plain} from "../dom.js";
import {fill} from "../fill.js";
import {is_solved, note_solved} from "./progress.js";

/**
 * @param {function(string)} open show the scene as a card has it, by the query of its link
 * @param {function()} play let the stage play from where it stands
 * @param {function()} changed tell that an exercise was answered, or asked anew
 */
export function exercise({open, play, changed}) {
  const kind = h("span", {class: "kind"});
  const solved = h("span", {class: "solved", hidden: true}, icon("check"), h("span", {word: "exercise_solved"}));
  const question = h("div", {class: "text question"});
  const boxes = h("div", {class: "boxes"});
  const check = h("button", {class: "button", type: "submit"});
  const answer = h("div", {class: "verdict", role: "status"});
  const play_it = h("button", {class: "button small play-it", type: "button", on: {click: () => show_run()}}, icon("play"), h("span", {word: "exercise_play"}));
  const worked = h("div", {class: "text worked", tabindex: "-1"});
  const reveal = h("button", {class: "link", type: "button", on: {click: () => toggle()}});
  const another = h("button", {class: "link", type: "button", on: {click: () => next_card()}, word: "exercise_another"});
  const el = h("form", {class: "exercise", hidden: true, novalidate: true, on: {submit: (event) => { event.preventDefault(); mark(); }}},
    h("div", {class: "task-head"}, kind, solved), question, boxes, answer, worked,
    h("div", {class: "actions"}, check, play_it, reveal, another));
  const kept = new Map(); // what was answered, by exercise
  let asked = null; // {key, exercise, words, lang}
  let fields = [];

  const state = () => kept.get(asked.key);
  const card = () => asked.exercise.cards[state().card];
  const is_open = () => asked !== null && !is_answered(state());

  const draw_boxes = () => {
    const {kind: sort, unit, labels} = asked.exercise;
    const now = card();
    const make = {number: () => [number_box("", unit, asked.words)], list: () => labels.map((label) => number_box(asked.words[`label_${label}`] ?? label, unit, asked.words)),
      choice: () => now.options.map((html, i) => option(html, i, now.answer.length > 1)),
      grants: () => now.shares.map((share) => number_box(share.id, "token", asked.words, share.colour))}[sort];
    const made = make();
    fields = made.map(({input}) => input);
    boxes.className = `boxes ${sort}`;
    boxes.replaceChildren(...made.map(({row}) => row));
    fields.forEach((input, i) => { put(input, state().typed[i] ?? ""); });
  };
  const draw = () => {
    const {words, exercise: {predict, cards}} = asked;
    const now = card();
    const {verdict, hint, is_revealed} = state();
    kind.textContent = words[predict ? "exercise_predict" : "exercise"];
    solved.hidden = !is_solved(asked.key);
    set_html(question, now.html);
    el.dataset.verdict = verdict;
    check.textContent = words[verdict === "wrong" ? "exercise_again" : "exercise_check"];
    check.hidden = verdict === "right";
    answer.replaceChildren(...said_of(verdict, hint, words));
    play_it.hidden = is_open() || !(now.search || predict);
    worked.hidden = !is_revealed;
    set_html(worked, is_revealed ? now.worked : "");
    reveal.textContent = words[is_revealed ? "exercise_hide" : "exercise_reveal"];
    reveal.setAttribute("aria-expanded", String(is_revealed));
    another.hidden = cards.length < 2;
    for (const input of fields) { input.setAttribute("aria-invalid", String(verdict === "wrong")); }
  };
  /** Whether a box is still to be filled; that of a request which is not there may stay empty. */
  const lacks = (value, i) => value === "" && card().shares[i]?.is_here !== false;
  const mark = () => {
    const typed = fields.map(value_of);
    const is_empty = asked.exercise.kind === "choice" ? !typed.includes(true) : typed.some(lacks);
    Object.assign(state(), {typed}, is_empty ? {verdict: "", hint: ""} : judged(asked.exercise.kind, card(), typed, asked.words));
    if (state().verdict === "right" && note_solved(asked.key)) { changed(); }
    draw();
    changed();
    if (is_empty) { fields[Math.max(0, typed.findIndex(lacks))].focus(); }
  };
  const toggle = () => {
    state().is_revealed = !state().is_revealed;
    draw();
    changed();
    if (state().is_revealed) { worked.focus({preventScroll: true}); worked.scrollIntoView({block: "nearest"}); }
  };
  const next_card = () => {
    Object.assign(state(), fresh((state().card + 1) % asked.exercise.cards.length));
    draw_boxes();
    draw();
    changed();
    fields[Math.max(0, fields.map(value_of).findIndex(lacks))]?.focus();
  };
  const show_run = () => {
    const {search} = card();
    if (search) { open(search); } else { play(); }
  };
  /** Show the exercise of a step, or none. What is typed stays: a long run may come while somebody answers. */
  const show = (step, key, words, lang) => {
    const found = step?.exercise ?? null;
    el.hidden = !found;
    const is_again = found !== null && asked?.key === key;
    const is_same = is_again && asked.exercise === found && asked.lang === lang;
    const focused = is_again ? fields.findIndex((field) => field.matches(":focus")) : -1;
    if (is_again && !is_same) { state().typed = fields.map(value_of); }
    asked = found ? {key, exercise: found, words, lang} : null;
    if (!found || is_same) { return; }
    if (!kept.has(key)) { kept.set(key, fresh(0)); }
    draw_boxes();
    fields[focused]?.focus();
    draw();
  };
  /** Whether a step to come asks for a guess at the run on the stage, and has no answer yet. */
  const waits = ({exercise: to_come}, key) => {
    const now = kept.get(key) ?? fresh(0);
    return Boolean(to_come?.predict) && !to_come.cards[now.card].search && !is_answered(now);
  };
  return {el, show, waits, hides_future: () => is_open() && asked.exercise.predict};
}

function is_answered({verdict, is_revealed}) { return verdict === "right" || is_revealed; }

function fresh(card) { return {card, typed: [], verdict: "", hint: "", is_revealed: false}; }

/** A box for a number, or for the name of a request, with what stands before and behind it. */
function number_box(label, unit, words, colour) {
  const input = h("input", {class: "box", autocomplete: "off", inputmode: "decimal", spellcheck: "false", "aria-label": label || words.exercise_answer});
  const before = colour === undefined ? h("span", {class: "label", text: label}) : h("span", {class: `chip chip-${colour}`, text: label});
  return {input, row: h("label", {class: "box-row"}, ...(label ? [before] : []), input, h("span", {class: "unit", text: unit ? words[`unit_${unit}`] ?? unit : ""}))};
}

/** One option of a choice. */
function option(html, index, is_many) {
  const input = h("input", {type: is_many ? "checkbox" : "radio", name: "rb-option", value: String(index + 1)});
  const text = h("span", {class: "text"});
  set_html(text, html);
  return {input, row: h("label", {class: "option"}, input, text)};
}

function put(input, value) {
  if (input.type === "text") { input.value = value; } else { input.checked = value === true; }
}

/** What is typed: a text, or whether an option is chosen. */
function value_of(input) { return input.type === "text" ? plain(input.value) : input.checked; }

function set_html(el, html) {
  if (el.dataset.html === html) { return; }
  el.innerHTML = html;
  el.dataset.html = html;
}

/** A number as people type it, "1,008.5 ms" too; NaN if it is none. */
function number_of(text) {
  const found = /^[-−]?\d[\d,]*(\.\d+)?/.exec(text);
  return found ? Number(found[0].replaceAll(",", "").replace("−", "-")) : NaN;
}

/** "128,97": here a comma only divides thousands. */
function has_decimal_comma(text) { return /^[-−]?\d+,\d{1,2}$/.test(text); }

function is_same(typed, value, margin) {
  if (typeof value === "string") { return typed.toUpperCase() === value.toUpperCase(); }
  return Math.abs(number_of(typed) - value) <= margin + 1e-9;
}

/** The verdict on an answer, with a hint where it is wrong. */
function judged(kind, card, typed, words) {
  if (kind === "choice") { return judged_choice(card, typed); }
  if (kind === "grants") { return judged_round(card, typed, words); }
  const fits = (values, margins) => values.every((value, i) => is_same(typed[i], value, margins[i]));
  if (fits(card.answer, card.margins)) { return {verdict: "right", hint: ""}; }
  const known = card.hints.find(({values}) => fits(values, card.margins));
  const is_number = typed.every((text, i) => typeof card.answer[i] === "string" || !Number.isNaN(number_of(text)));
  if (!is_number) { return {verdict: "wrong", hint: html_of(words.exercise_number)}; }
  if (!known && typed.some(has_decimal_comma)) { return {verdict: "wrong", hint: html_of(words.exercise_point)}; }
  return {verdict: "wrong", hint: known?.html ?? card.hint};
}

function judged_choice(card, typed) {
  const chosen = typed.flatMap((is_chosen, i) => (is_chosen ? [i + 1] : []));
  if (chosen.join() === card.answer.join()) { return {verdict: "right", hint: ""}; }
  const known = card.hints.find(({values}) => chosen.includes(values[0]));
  return {verdict: "wrong", hint: known?.html ?? card.hint};
}

/** A round filled by hand: what may not be, then what the policy does otherwise. */
function judged_round({shares, budget, hint}, typed, words) {
  const given = typed.map((text) => Number(text));
  const wrong = (word, values) => ({verdict: "wrong", hint: html_of(fill(words[word], values))});
  for (const [i, {id, most, is_here, is_decode}] of shares.entries()) {
    const n = given[i];
    if (!Number.isInteger(n) || n < 0) { return wrong("exercise_whole", {id}); }
    if (n > 0 && !is_here) { return wrong("exercise_not_here", {id}); }
    if (n > most) { return wrong(is_decode ? "exercise_decode" : "exercise_left", {id, n: most}); }
  }
  const sum = given.reduce((a, b) => a + b, 0);
  if (sum > budget) { return wrong("exercise_over", {sum, budget}); }
  if (shares.every((share, i) => share.given === given[i])) { return {verdict: "right", hint: ""}; }
  return {verdict: "wrong", hint: html_of(words.exercise_legal) + hint};
}

/** A text as HTML that shows it as it is. */
function html_of(text) { return h("p", {text}).outerHTML; }

function said_of(verdict, hint, words) {
  if (!verdict) { return []; }
  const text = h("div", {class: "text"});
  set_html(text, hint);
  const head = h("b", {text: words[verdict === "right" ? "exercise_right" : "exercise_wrong"]});
  return [icon(verdict === "right" ? "check" : "close"), h("div", {}, head, " ", text)];
}
