/**
 * Code of the pages as HTML: colours, and for some snippets the type of each name.
 *
 * @module
 */
import { highlight } from "./.vitepress/theme/highlight.mjs";

/** Without the spaces that put comments at the ends of lines below each other, for which a page has no space. */
export function narrow(code) {
  return code.replace(/\n$/, "").replaceAll(/(\S *\/\/) {2,}/g, "$1 ");
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
    addTypes(html, types.get(shown) ?? [])
  }</code></pre>`;
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
