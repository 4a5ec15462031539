/** The pages as a reader walks through them: each can be reached from the README, and no link leads nowhere. */
import { deepStrictEqual, ok } from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { sectionsOf } from "../../apps/cli/docs/pages.ts";
// @ts-expect-error: a script without types
import * as list from "../../apps/site/nav.mjs";

const { NAV, renderIndex } = list as {
  readonly NAV: readonly { readonly pages: readonly { readonly page: string; readonly description: string }[] }[];
  readonly renderIndex: () => string;
};
const root = fileURLToPath(new URL("../..", import.meta.url));

/** A link of a page, to a file of the repository. */
interface Link {
  readonly from: string;
  /** From the root. */
  readonly to: string;
  /** Without `#`; `""` for the whole page. */
  readonly anchor: string;
}

/** A page without its code, in which nothing is a link or a heading. */
function prose(page: string): string {
  return readFileSync(join(root, page), "utf8").replaceAll(/^ *(`{3,})[^]*?^ *\1`*$/gm, "");
}

function linksOf(page: string): Link[] {
  const found = prose(page).matchAll(/\]\(([^)\s]+)\)/g);
  return Array.from(found, ([, target = ""]) => target).filter((target) => !/^[a-z]+:/.test(target)).map((target) => {
    const [path = "", anchor = ""] = target.split("#");
    return { from: page, to: path === "" ? page : relative(root, join(root, dirname(page), path)), anchor };
  });
}

/** The anchors of the headings of a page. */
function anchorsOf(page: string): ReadonlySet<string> {
  return new Set(sectionsOf({ text: readFileSync(join(root, page), "utf8") }).map(({ anchor }) => anchor));
}

const docs = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".md")).map((name) => `docs/${name.replaceAll("\\", "/")}`).sort();
const pages = ["README.md", "CONTRIBUTING.md", "SECURITY.md", ...docs];

test("links lead to files, and to headings, that are there", () => {
  const links = pages.flatMap(linksOf);
  ok(links.length > 100, `There are ${links.length} links`);
  const broken = links.filter(({ to, anchor }) =>
    !existsSync(join(root, to)) || (anchor !== "" && !anchorsOf(to).has(anchor))
  );
  deepStrictEqual(broken, []);
});

test("every page of docs/ can be reached from the README", () => {
  const reached = new Set(["README.md"]);
  for (const page of reached) {
    for (const { to } of linksOf(page)) if (pages.includes(to)) reached.add(to);
  }
  deepStrictEqual(docs.filter((page) => !reached.has(page)), []);
});

test("apps/site/nav.mjs has each page of docs/ once, with a sentence; docs/README.md is made of it", () => {
  const listed = NAV.flatMap(({ pages }) => pages);
  const inDocs = listed.map(({ page }) => `docs/${page}`).filter((page) => !page.includes(".."));
  deepStrictEqual(inDocs.sort(), docs.filter((page) => page !== "docs/README.md"));
  deepStrictEqual(listed.filter(({ description }) => !/^.{20,140}\.$/.test(description)), []);
  deepStrictEqual(new Set(listed.map(({ description }) => description)).size, listed.length);
  ok(readFileSync(join(root, "docs/README.md"), "utf8") === renderIndex(), "Run: node apps/site/nav.mjs --write");
});
