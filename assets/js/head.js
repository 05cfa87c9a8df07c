// Runs in the head, before anything is drawn: colours and language, from the link, then from what was chosen before.
(() => {
  const root = document.documentElement;
  const asked = new URLSearchParams(location.search);
  const pick = (value, allowed) => (allowed.includes(value) ? value : null);
  const kept = (key) => {
    try { return localStorage.getItem(key); } catch { return null; }
  };
  const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  const themes = ["light", "dark"];
  root.dataset.theme = pick(asked.get("theme"), themes) ?? pick(kept("rb-theme"), themes) ?? system;
  const tags = new Map(Object.entries(TAGS)); // by language, filled in where this is put into the page
  root.lang = tags.get(asked.get("lang")) ?? "en";
  // In place of the loader that Panel brings, which reads every module through to rewrite its imports.
  window.importShim = Object.assign((url) => import(url), { addImportMap() {} });
})();
