/**
 * Problems of a page's layout that need no eye: what is wider than the window, covered, or broken into letters.
 *
 * @module
 */

/** Runs in the page, so it uses nothing of this module. @returns {string[]} */
export function findLayoutProblems() {
  const problems = document.documentElement.scrollWidth > innerWidth ? ["is wider than the window"] : [];
  for (const link of document.querySelectorAll("a.run")) {
    const code = link.parentElement.querySelector("code");
    if (code.getBoundingClientRect().bottom > link.getBoundingClientRect().top) {
      problems.push(`has a link over the code "${code.textContent.slice(0, 60)}"`);
    }
  }
  for (const element of document.querySelectorAll("td, td code")) {
    const [text] = element.childNodes;
    // A name or a figure, without a space or hyphen, that needs more lines than its length explains.
    if (text?.nodeType !== Node.TEXT_NODE || element.childNodes.length > 1 || /[\s-]/.test(text.data)) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    const lines = new Set(Array.from(range.getClientRects(), ({ top }) => Math.round(top))).size;
    if (lines > 1 + Math.floor(text.length / 12)) problems.push(`breaks "${text.data}" into ${lines} lines`);
  }
  for (const signature of document.querySelectorAll("pre.signature")) {
    if (signature.scrollWidth > signature.clientWidth) {
      problems.push(`cuts off "${signature.textContent.slice(0, 60)}"`);
    }
  }
  return problems;
}
