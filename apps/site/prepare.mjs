/**
 * Writes the folder that VitePress reads, `apps/site/.work/pages`: the pages of `docs/`, the home page, the page that runs code, and the
 * reference.
 *
 * @module
 */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { narrow } from "./code.mjs";
import { renderMessages } from "./messages.mjs";
import { collectNames, linkNames } from "./names.mjs";
import { NAV } from "./nav.mjs";
import { stagedPath, toSitePage, wiresOf, withFrontMatter } from "./pages.mjs";
import { bundlePlayground } from "./playground.mjs";
import { canRun } from "./playground_modules.mjs";
import { renderReference } from "./reference.mjs";
import { findTypes } from "./types.mjs";

/** The root of the repository. */
export const root = fileURLToPath(new URL("../..", import.meta.url));
/** The folder that VitePress reads. */
export const staged = fileURLToPath(new URL(".work/pages", import.meta.url));
const repositoryUrl = process.env.REPOSITORY_URL;

const read = (file) => readFileSync(join(root, file), "utf8");

/** Writes all pages and the programs of the page that runs code. Returns what writes the pages of `docs/` again. */
export async function prepare() {
  rmSync(staged, { recursive: true, force: true });
  const reference = renderReference(root);
  const names = collectNames(reference, read("docs/errors.md"));
  preparePages(names);
  // A page of docs/ may begin with the same sentence, and descriptions are unique.
  for (const { file, title, description, markdown } of reference) {
    write(
      `reference/${file}`,
      withFrontMatter({
        title,
        description: `${title}: ${description}`,
        editLink: false,
      }, linkNames(markdown, names, { home: title })),
    );
  }
  write("reference/index.md", referenceIndex(reference));
  const description = "Every message of an error and line of a log, by what it is about.";
  write(
    "reference/messages.md",
    withFrontMatter({ title: "Messages", description, editLink: false }, renderMessages()),
  );
  writeFileSync(
    join(staged, "../reference.json"),
    JSON.stringify(reference.map(({ file, title }) => ({ file, title }))),
  );
  const typed = TYPED.flatMap((file) => firstThat(isTested, file).map((code) => [file, narrow(code)]));
  writeFileSync(
    join(staged, "../types.json"),
    JSON.stringify([...findTypes(root, new Map(typed))]),
  );
  await bundlePlayground(root, join(staged, "public/play"));
  return () => preparePages(names);
}

/** Writes the pages that are Markdown in the repository. */
function preparePages(names) {
  for (const { page, description } of NAV.flatMap(({ pages }) => pages)) {
    const file = page.startsWith("../") ? page.slice(3) : `docs/${page}`;
    const markdown = toSitePage({ root, file, markdown: read(file), repositoryUrl });
    const isForeign = ABOUT_OTHERS.test(page);
    write(stagedPath(page), withFrontMatter({ description }, linkNames(markdown, names, { isForeign })));
  }
  for (const folder of ["images", "growth"]) {
    cpSync(join(root, "docs", folder), join(staged, folder), {
      recursive: true,
    });
  }
  write("index.md", home());
  write(
    "play.md",
    read("apps/site/pages/play.md").replace(
      "examples: []",
      () => `examples: ${JSON.stringify(playExamples())}`,
    ),
  );
}

/** Pages in which a name may be one of another package, such as the `Client` of the official SDK. */
const ABOUT_OTHERS = /^(?:coming-from-|migrate|comparison|agent-frameworks|performance|spec|\.\.\/)/;

/** Pages whose first program shows the types of its names: the client, schemas, promises, errors. */
const TYPED = ["apps/site/pages/index.md", "docs/tools.md", "docs/promises.md", "docs/client.md"];

/** Pages whose first fence that runs in a page is an example of `/play`; the home page comes first. */
const PLAYED = [
  "guides/long-job.md",
  "guides/ask-the-user.md",
  "guides/wrap-an-api.md",
  "client.md",
  "tools.md",
  "composition.md",
  "discovery.md",
];

function playExamples() {
  const titles = new Map(
    NAV.flatMap(({ pages }) => pages).map(({ page, title }) => [page, title]),
  );
  return [
    ...firstThat(canRun, "apps/site/pages/index.md").map((code) => ({ title: "A first tool", code })),
    ...PLAYED.flatMap((page) => firstThat(canRun, `docs/${page}`).map((code) => ({ title: titles.get(page), code }))),
  ];
}

/** The first fence of a page with such info and code, without its last line break; at most one. */
function firstThat(fits, file) {
  const fences = read(file).matchAll(/^```(ts[^\n]*)\n([^]*?)^```$/gm);
  return Array.from(fences).filter(([, info, code]) => fits(info, code)).slice(
    0,
    1,
  ).map(([, , code]) => code.trimEnd());
}

/** A whole program, which a test runs. */
const isTested = (info, code) => info === "ts" && code.includes('from "toolwire');

function home() {
  const wires = wiresOf(read("docs/features.md"));
  const install = read("docs/getting-started.md").match(
    /^::: code-group\n[^]*?^:::$/m,
  )?.[0];
  if (install === undefined) {
    throw new Error(
      "The home page needs the first code group of docs/getting-started.md",
    );
  }
  const markdown = read("apps/site/pages/index.md");
  const [, front = "", body = ""] = /^(---\n[^]*?\n---\n)([^]*)$/.exec(markdown) ?? [];
  const page = (file, markdown) => toSitePage({ root, file, markdown, repositoryUrl });
  // The links of the table are relative to its own page.
  return front +
    page("README.md", body.replace("<!-- install -->", () => install)).replace(
      "<!-- wires -->",
      () => page("docs/features.md", wires),
    );
}

function referenceIndex(reference) {
  const rows = reference.map(({ file, title, description }) =>
    `| [${title}](./${file}) | ${description.replaceAll("|", "\\|").replaceAll("<", "&lt;")} |`
  );
  const description = "Every entry of the package, from its doc comments: functions, types, defaults and examples.";
  return withFrontMatter(
    { title: "Reference", description },
    `# Reference\n\nOne page for each entry of the package, from its doc comments. What a message of an error is about is in [Messages](./messages.md).\n\n| entry | |\n|---|---|\n${
      rows.join("\n")
    }\n`,
  );
}

function write(file, text) {
  const path = join(staged, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
