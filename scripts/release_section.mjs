/** The section of a release in CHANGELOG.md, from what Changesets writes and what was written by hand. */

/**
 * The changelog after Changesets has written the section of a version above everything: the section has the heading of a release, comes
 * after the introduction, and has the lines that were below `## [Unreleased]`.
 *
 * @param text `CHANGELOG.md`.
 * @param date Date of the release, such as `2026-12-01`.
 */
export function mergeUnreleased(text, version, date) {
  const [title, ...sections] = text.split(/^(?=## )/m);
  const isNew = (section) => section.startsWith(`## ${version}\n`);
  const isUnreleased = (section) => section.startsWith("## [Unreleased]\n");
  const written = sections.find(isNew);
  if (written === undefined) throw new Error(`CHANGELOG.md has no section "## ${version}"`);
  // Changesets writes below the first line, so that the introduction follows the section.
  const { lines, introduction } = splitIntroduction(bodyOf(written));
  const collected = sections.filter(isUnreleased).map(bodyOf).join("\n");
  const body = [lines, collected.trim()].filter((part) => part !== "").join("\n\n");
  const rest = sections.filter((section) => !isNew(section) && !isUnreleased(section));
  return `${title.trim()}\n\n${introduction}\n\n## [Unreleased]\n\n## [${version}] - ${date}\n\n${body}\n\n${
    rest.join("")
  }`.trimEnd() + "\n";
}

function bodyOf(section) {
  return section.slice(section.indexOf("\n") + 1);
}

/** The introduction begins with its first words; the lines before it are those of the changes. */
function splitIntroduction(body) {
  const at = body.indexOf("All notable changes");
  return at === -1
    ? { lines: body.trim(), introduction: "" }
    : { lines: body.slice(0, at).trim(), introduction: body.slice(at).trim() };
}
