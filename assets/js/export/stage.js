// The stage of a saved page: the player with its two figures, without a server behind it.

import {h} from "../dom.js";

/**
 * The player in a root of its own, as its style sheets want it.
 * @param {{style: string, figures: Object}} data figures: Bokeh's JSON items, `full` and `ghost`
 * @param {function(number)} ask for the window around a time
 * @returns {Promise<{el: Element, show: function(Object)}>}
 */
export async function stage_of({style, figures}, ask) {
  const el = h("div");
  const root = h("div");
  const [models, elements] = [{}, {}];
  for (const [name, item] of Object.entries(figures)) {
    elements[name] = h("div");
    document.body.append(elements[name]); // Bokeh draws into nothing else; the player takes it from here
    const views = await globalThis.Bokeh.embed.embed_item(item, elements[name]);
    models[name] = views.roots[0].model;
  }
  el.attachShadow({mode: "open"}).append(h("style", {text: style}), root);
  const player = globalThis.create_player(root, models, elements, ask);
  return {el, show: player.setPayload};
}
