/** Fill `{names}` of a sentence; of `{n} token[|s]` the first form stands after a 1. As `say` in app/i18n.py. */
export function fill(sentence, values) {
  let number = "";
  return sentence.replace(/\{(\w+)\}|\[([^\][|]*)\|([^\][|]*)\]/g, (place, name, one, many) => {
    if (!name) { return number === "1" ? one : many; }
    number = String(values[name] ?? place);
    return number;
  });
}
