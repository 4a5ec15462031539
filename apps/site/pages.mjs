/**
 * Markdown of `docs/` as pages of the site: front matter, links, and the labels of code groups.
 *
 * @module
 */
import { existsSync } from "node:fs";
import { join, posix } from "node:path";
import { NAV } from "./nav.mjs";

const STAGED = new Map(
  NAV.flatMap(({ pages }) => pages).map((
    { page },
  ) => [posix.join("docs", page), stagedPath(page)]),
);
// The home page has the list of the pages beside it.
for (const page of ["README.md", "docs/README.md"]) {
  STAGED.set(page, "index.md");
}

/** The file of a page below the folder that VitePress reads. */
export function stagedPath(page) {
  return page.replace(/^\.\.\//, "").toLowerCase().replace(
    /readme\.md$/,
    "index.md",
  );
}

/** The URL of a page, below the base of the site. */
export function urlOf(page) {
  return `/${stagedPath(page).replace(/(^|\/)index\.md$/, "$1").replace(/\.md$/, "")}`;
}

/** The anchors that code hosts give headings, so that one link is right on both. */
export function anchorOf(heading) {
  return heading.toLowerCase().replaceAll(/[^\p{L}\p{N} _-]/gu, "").trim()
    .replaceAll(" ", "-");
}

/** A page with its front matter. */
export function withFrontMatter(members, markdown) {
  const lines = Object.entries(members).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return `---\n${lines.join("\n")}\n---\n\n${markdown}`;
}

/** Calls `change` with the text between the fences of a page, and leaves the fences as they are. */
export function changeProse(markdown, change) {
  return markdown.split(/(^ *(?:`{3,})[^\n]*\n[^]*?^ *`{3,} *$)/m).map((
    part,
    at,
  ) => at % 2 === 0 ? change(part) : part)
    .join("");
}

/**
 * A page of the repository as a page of the site. Links to other pages become links of the site. A file that is not a page has no URL
 * there: its path is shown, or linked below `repositoryUrl`.
 *
 * @param {{ root: string, file: string, markdown: string, repositoryUrl?: string }} page `file` is relative to `root`.
 */
export function toSitePage({ root, file, markdown, repositoryUrl }) {
  const folder = posix.dirname(file);
  const change = (text) =>
    text.replaceAll(
      /(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g,
      (link, image, label, target) => {
        if (image !== "" || /^([a-z]+:|#)/.test(target)) return link;
        const [path, anchor] = target.split("#");
        const to = posix.normalize(posix.join(folder, path)).replace(/\/$/, "");
        const staged = STAGED.get(to) ?? STAGED.get(`${to}/README.md`);
        if (staged !== undefined) {
          return `[${label}](/${staged}${anchor === undefined ? "" : `#${anchor}`})`;
        }
        if (!existsSync(join(root, to))) {
          throw new Error(`${file} links to ${to}, which does not exist`);
        }
        if (
          repositoryUrl !== undefined
        ) return `[${label}](${repositoryUrl}/blob/main/${to})`;
        return label.includes(posix.basename(to)) ? label : `${label} (\`${to}\`)`;
      },
    );
  return changeProse(withoutLabels(markdown), change);
}

/** Fences with a label, `sh [npm]`, without the comment that names them where tabs are not shown. */
function withoutLabels(markdown) {
  return markdown.replaceAll(
    /^(```\w+ \[[^\]]+\]\n)(?:#|\/\/) [^\n]*\n/gm,
    "$1",
  );
}

/** The table of the wires, which the home page has from docs/features.md. */
export function wiresOf(page) {
  const wires = section(page, "What you get on each wire").match(
    /^\|[^]*?\n(?!\|)/m,
  )?.[0];
  if (wires === undefined) {
    throw new Error(
      'The home page needs "## What you get on each wire" of docs/features.md, with a table',
    );
  }
  return wires;
}

function section(markdown, title) {
  return markdown.split(`\n## ${title}\n`)[1]?.split("\n## ")[0] ?? "";
}
