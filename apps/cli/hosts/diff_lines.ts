/** Shows what changes between two texts. */

/**
 * Returns one block, from the first line that differs to the last: `-` lines of the old text, then `+` lines of the new one.
 *
 * @param shown The same texts, line by line, as they are printed: without secrets.
 */
export function diffLines(
  before: string,
  after: string,
  shown: { readonly before: string; readonly after: string } = { before, after },
): readonly string[] {
  const [old, now] = [linesOf(before), linesOf(after)];
  const start = countEqual(old, now);
  const end = countEqual(old.slice(start).reverse(), now.slice(start).reverse());
  return [
    ...linesOf(shown.before).slice(start, old.length - end).map((line) => `- ${line}`),
    ...linesOf(shown.after).slice(start, now.length - end).map((line) => `+ ${line}`),
  ];
}

function linesOf(text: string): readonly string[] {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

function countEqual(some: readonly string[], others: readonly string[]): number {
  const first = some.findIndex((line, at) => line !== others[at]);
  return first === -1 ? some.length : first;
}
