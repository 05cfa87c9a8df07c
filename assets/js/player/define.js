// A metric's definition, one click from its name: what it is, its formula, how it is computed here,
// and how other tools define theirs.

/** A metric's name as a button that opens its definition. */
function defineButton(head, say) {
  const key = DEFINITIONS.same[head.key] ?? head.key;
  const onclick = (event) => openDefinition(event.currentTarget, key, say);
  return h("button.rb-define", { type: "button", text: head.label, onclick, "aria-haspopup": "dialog", "data-metric": head.key });
}

/** Open the definition beside the name; Escape, a click elsewhere or scrolling close it. */
function openDefinition(button, key, say) {
  const root = button.closest(".rb-player");
  const isOpen = root.querySelector(".rb-definition")?.button === button;
  closeDefinition(root);
  if (isOpen) return;
  const el = definition(DEFINITIONS[root.lang][key], say, () => {
    closeDefinition(root);
    button.focus();
  });
  const over = new AbortController();
  Object.assign(el, { button, over });
  root.append(el);
  placeDefinition(el, button);
  el.focus();
  listenOutside(el, () => closeDefinition(root), over.signal);
}

/** Close what is open. */
function closeDefinition(root) {
  const el = root.querySelector(".rb-definition");
  el?.over.abort();
  el?.remove();
}

/** Whatever is done elsewhere closes it. */
function listenOutside(el, close, signal) {
  const isOutside = (event) => !event.composedPath().includes(el) && !event.composedPath().includes(el.button);
  const onOutside = (event) => isOutside(event) && close();
  document.addEventListener("pointerdown", onOutside, { signal });
  document.addEventListener("scroll", onOutside, { signal, capture: true });
  window.addEventListener("resize", close, { signal });
}

/** The content: name, meaning, formula, here, elsewhere. */
function definition({ name, what, formula, here, tools }, say, close) {
  const closer = h("button.rb-icon", { type: "button", "aria-label": say("close"), text: "×", onclick: close });
  const onkeydown = (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    close();
  };
  return h("div.rb-definition", { role: "dialog", "aria-label": name, tabindex: -1, "data-testid": "definition", onkeydown },
    h("header", {}, h("b", { text: name }), closer),
    h("p", { text: what }),
    h("p.rb-formula", { text: formula }),
    h("p", {}, h("b", { text: `${say("define_here")} ` }), here),
    tools.length ? h("p.rb-tools-head", {}, h("b", { text: say("define_tools") })) : null,
    h("dl", {}, ...tools.flatMap(([tool, text]) => [h("dt", { text: tool }), h("dd", { text })])));
}

/** Put it above or below its name, inside the window. */
function placeDefinition(el, button) {
  const at = button.getBoundingClientRect();
  Object.assign(el.style, { left: "0px", top: "0px" });
  const own = el.getBoundingClientRect();
  const isBelow = at.bottom + 6 + own.height + TIP_EDGE <= window.innerHeight;
  const y = isBelow ? at.bottom + 6 : Math.max(TIP_EDGE, at.top - 6 - own.height);
  const x = Math.max(TIP_EDGE, Math.min(window.innerWidth - TIP_EDGE - own.width, at.left));
  Object.assign(el.style, { left: `${x - own.left}px`, top: `${y - own.top}px` });
}
