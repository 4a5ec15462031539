// What agents read of the documentation, from the list of pages in docs/README.md (https://llmstxt.org):
// `bun scripts/llms.mjs` writes llms.txt for the npm package; `bun scripts/llms.mjs <folder> [url]` writes llms.txt and llms-full.txt
// of the site, whose address is the URL.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { readPages } from "../apps/cli/docs/pages.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
/** Pages of this group are for people who work on Toolwire. */
const OPTIONAL = "Contribute";

const { version, description } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));

/** Where the pages of the published package are. */
export const PACKAGE_URL = `https://unpkg.com/toolwire@${version}/docs`;

/** The pages that users read, then those for contributors. */
export function readPublicPages(root = ROOT) {
  const pages = readPages(join(root, "docs"));
  return [...pages.filter(({ group }) => group !== OPTIONAL), ...pages.filter(({ group }) => group === OPTIONAL)];
}

/**
 * llms.txt: the name, what it is, and a line for each page.
 *
 * @param pages the pages, by group
 * @param url address of the folder with the Markdown of the pages
 */
export function llmsText(pages, url) {
  const groups = Map.groupBy(pages, ({ group }) => group === OPTIONAL ? "Optional" : group);
  const parts = [...groups].map(([group, members]) =>
    `## ${group}\n\n${members.map((page) => lineOf(page, url)).join("\n")}`
  );
  return `# Toolwire

> ${description} Toolwire is a TypeScript SDK (npm \`toolwire\`) for Bun, Deno, Node 22 and later, Workers and browsers. MCP, MCP-lite, gRPC, REST and stdio.

The installed package has these pages in \`node_modules/toolwire/docs\`, and instructions for agents in \`node_modules/toolwire/skills\`.
\`npx toolwire docs\` serves both over MCP: the tools \`search_docs\` and \`read_page\`.

${parts.join("\n\n")}
`;
}

function lineOf({ title, name, about }, url) {
  const text = withoutLinks(about);
  return `- [${title}](${url}/${name}.md): ${text[0].toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
}

function withoutLinks(text) {
  return text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1");
}

/** llms-full.txt: all pages for users, each below its address. */
export function llmsFullText(pages, url) {
  const texts = pages.filter(({ group }) => group !== OPTIONAL).map(({ name, text }) =>
    `<!-- ${url}/${name}.md -->\n\n${text.trim()}`
  );
  return `${llmsText(pages, url).trim()}\n\n${texts.join("\n\n")}\n`;
}

/** Writes llms.txt and llms-full.txt into the folder of a site. Without the address of the site, they lead to the published package. */
export function writeSiteTexts(folder, url) {
  const pages = url === undefined ? readPackagedPages() : readPublicPages();
  const base = (url ?? PACKAGE_URL).replace(/\/+$/, "");
  writeFileSync(join(folder, "llms.txt"), llmsText(pages, base));
  writeFileSync(join(folder, "llms-full.txt"), llmsFullText(pages, base));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , folder, url] = process.argv;
  if (folder === undefined) writeFileSync(join(ROOT, "llms.txt"), llmsText(readPackagedPages(), PACKAGE_URL));
  else writeSiteTexts(folder, url);
}

/** Without the pages that `files` of package.json leaves out. */
export function readPackagedPages() {
  const { files } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  return readPublicPages().filter(({ name }) =>
    !files.some((file) =>
      file === `!docs/${name}.md` || (file.startsWith("!") && `docs/${name}`.startsWith(`${file.slice(1)}/`))
    )
  );
}
