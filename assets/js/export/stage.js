// The stage of a saved page: the player with its two figures, without a server behind it.

import {h} from "../dom.js";

/**
 * The player in a root of its own, as its style sheets want it.
 * @param {string} style its style sheets
 * @param {function(number)} ask for the window around a time
 * @returns {Promise<{el: Element, show: function(Object)}>}
 */
export async function stage_of(style, ask) {
  const el = h("div");
  const root = h("div");
  const {figures, elements} = await globalThis.stageFigures;
  el.attachShadow({mode: "open"}).append(h("style", {text: style}), root);
  const player = globalThis.create_player(root, figures, elements, ask);
  return {el, show: player.setPayload};
}
