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
  for (const name of document.querySelectorAll("td code")) {
    const text = name.textContent;
    // A name without a space that needs more lines than its length explains.
    const lines = name.getClientRects().length;
    if (!/\s/.test(text) && lines > 1 + Math.ceil(text.length / 40)) {
      problems.push(`breaks \`${text}\` into ${lines} lines`);
    }
  }
  return problems;
}
