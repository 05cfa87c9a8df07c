// A box that has more below than it shows says so: its last lines fade, see present.css and page.css.

/**
 * Keep `data-more` on a box while there is more below, when presenting.
 * @returns {function(): void} look again, where type or style have changed
 */
export function watch_more(box) {
  const look = () => {
    const is_presenting = document.documentElement.dataset.presenter !== undefined;
    const rest = is_presenting ? box.scrollHeight - box.scrollTop - box.clientHeight : 0;
    box.toggleAttribute("data-more", rest > 2);
  };
  box.addEventListener("scroll", look, {passive: true});
  new ResizeObserver(look).observe(box);
  new MutationObserver(look).observe(box, {childList: true, characterData: true, subtree: true});
  return look;
}
