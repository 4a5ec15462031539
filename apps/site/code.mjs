/**
 * Code of the pages as HTML: colours, and for some snippets the type of each name.
 *
 * @module
 */
import { highlight } from "./.vitepress/theme/highlight.mjs";

/** Characters of a line that a page shows without scrolling. */
const SHOWN_CHARS = 84;

/**
 * Without the spaces that put comments at the ends of lines below each other, for which a page has no space. An output that would be out
 * of sight is below its statement.
 */
export function narrow(code) {
  return code.replace(/\n$/, "").replaceAll(/(\S *\/\/) {2,}/g, "$1 ").replaceAll(
    /^( *)(\S.*?) +(\/\/ → .*)$/gm,
    (line, indent, statement, output) => line.length > SHOWN_CHARS ? `${indent}${statement}\n${indent}${output}` : line,
  );
}

/**
 * A block of code. Signatures of the reference wrap: they are one line each.
 *
 * @param {string} code
 * @param {string} info Language and marks of the fence.
 * @param {ReadonlyMap<string, readonly Hover[]>} types Of the snippets that show types, by their code.
 * @typedef {{ at: number, name: string, type: string }} Hover
 */
export function renderCode(code, info, types) {
  const shown = narrow(code);
  const html = highlight(shown, info.split(" ")[0]);
  const isSignature = /\bsignature\b/.test(info);
  return `<pre v-pre tabindex="0"${isSignature ? ' class="signature"' : ""}><code>${
    foldImports(addTypes(html, types.get(shown) ?? []), shown)
  }</code></pre>`;
}

/** Fewer imports than these stay open, since a fold would save nothing. */
const MIN_FOLDED = 3;

/** Folds the imports at the start of a program. The label is not text, so that copied code is as it was. */
export function foldImports(html, code) {
  const count = code.split("\n").findIndex((line) => !/^import .*;$/.test(line));
  if (count < MIN_FOLDED) return html;
  const lines = html.split("\n");
  const label = `${count} imports`;
  return `<details class="imports"><summary data-label="${label}" aria-label="${label}"></summary>${
    lines.slice(0, count).join("\n")
  }\n</details>${lines.slice(count).join("\n")}`;
}

/** Puts an element around each name that has a type. A name is within one element of the colours. */
export function addTypes(html, hovers) {
  const byStart = new Map(hovers.map((hover) => [hover.at, hover]));
  const seen = new Set();
  let at = 0;
  let end = -1;
  return html.replaceAll(/<[^>]*>|&\w+;|[^]/g, (part) => {
    if (part.startsWith("<") && part.length > 1) return part;
    const hover = byStart.get(at);
    at++;
    const before = hover === undefined ? "" : openName(hover, seen);
    if (hover !== undefined) end = hover.at + hover.name.length;
    return before + part + (at === end ? "</span>" : "");
  });
}

/** The keyboard reaches the first use of a name. */
function openName({ type }, seen) {
  const text = type.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
  const reach = seen.has(type) ? "" : ' tabindex="0"';
  seen.add(type);
  return `<span class="typed" data-type="${text}"${reach}>`;
}
