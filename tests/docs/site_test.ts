/** Pages of `docs/` as pages of the site: links, tabs, the parts of README on the home page, and the examples that run in a page. */
import { deepStrictEqual, match, strictEqual, throws } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
// @ts-expect-error: a script without types
import * as pages from "../../site/pages.mjs";
// @ts-expect-error: a script without types
import * as modules from "../../site/playground_modules.mjs";
// @ts-expect-error: a script without types
import * as links from "../../site/.vitepress/theme/share.mjs";
// @ts-expect-error: a script without types
import * as colours from "../../site/.vitepress/theme/highlight.mjs";

interface SourcePage {
  readonly root: string;
  readonly file: string;
  readonly markdown: string;
  readonly repositoryUrl?: string;
}
const { homeParts, toSitePage, urlOf } = pages as {
  readonly homeParts: (readme: string) => { readonly example: string; readonly wires: string };
  readonly toSitePage: (page: SourcePage) => string;
  readonly urlOf: (page: string) => string;
};
const { canRun } = modules as { readonly canRun: (info: string, code: string) => boolean };
const { toHash, fromHash } = links as {
  readonly toHash: (code: string) => string;
  readonly fromHash: (hash: string) => string | undefined;
};
const { highlight } = colours as { readonly highlight: (code: string, language?: string) => string };

const root = fileURLToPath(new URL("../..", import.meta.url));
const toPage = (markdown: string, repositoryUrl?: string): string =>
  toSitePage({
    root,
    file: "docs/guides/hosts.md",
    markdown,
    ...(repositoryUrl === undefined ? {} : { repositoryUrl }),
  });

test("README.md has what the home page of the site shows", () => {
  const { example, wires } = homeParts(readFileSync(`${root}/README.md`, "utf8"));
  match(example, /createClient<typeof server>/);
  match(wires, /\*\*MCP\*\*/);
  throws(() => homeParts("# Toolwire\n"), /The home page needs "## Twenty lines"/);
});

test("links to pages become links of the site, and paths of other files stay readable", () => {
  strictEqual(toPage("[MCP](../mcp.md#stdio), [all](../README.md)"), "[MCP](/mcp.md#stdio), [all](/index.md)");
  strictEqual(
    toPage("[records](../decisions/README.md), [habits](../../CONTRIBUTING.md)"),
    "[records](/decisions/index.md), [habits](/contributing.md)",
  );
  strictEqual(
    toPage("[how](../../tests/docs/extract.ts), [here](#x), [web](https://a.test)"),
    "how (`tests/docs/extract.ts`), [here](#x), [web](https://a.test)",
  );
  strictEqual(toPage("[how](../../LICENSE)", "https://code.test/x"), "[how](https://code.test/x/blob/main/LICENSE)");
  throws(() => toPage("[gone](../gone.md)"), /links to docs\/gone\.md, which does not exist/);
  deepStrictEqual(["tools.md", "decisions/README.md", "../CONTRIBUTING.md"].map(urlOf), [
    "/tools",
    "/decisions/",
    "/contributing",
  ]);
});

test("code is left as it is, but for the comment that names a tab", () => {
  strictEqual(toPage("```md\n[MCP](gone.md)\n```"), "```md\n[MCP](gone.md)\n```");
  strictEqual(toPage("```sh [Bun]\n# Bun\nbun add toolwire\n```"), "```sh [Bun]\nbun add toolwire\n```");
});

test("a fence runs in a page if a test runs it and all of its imports are there", () => {
  const code = 'import { createServer } from "toolwire";\n';
  strictEqual(canRun("ts", code), true);
  strictEqual(canRun("ts check", code), false);
  strictEqual(canRun("ts", "const a = 1;"), false);
  strictEqual(canRun("ts", `${code}import { sqliteEngine } from "toolwire/engines/sqlite";\n`), false);
  strictEqual(canRun("ts", `${code}import process from "node:process";\n`), false);
});

test("code is in a link and comes back, and other fragments have none", () => {
  const code = 'console.log("ä € 漢 ??>>");\n';
  match(toHash(code), /^#code=[\w-]+$/);
  strictEqual(fromHash(toHash(code)), code);
  deepStrictEqual(
    ["", "#stdio", "#code=", "#code=%", "#code=a"].map(fromHash),
    Array.from({ length: 5 }, () => undefined),
  );
});

test("highlighted code has no HTML of the code", () => {
  strictEqual(
    highlight('a<b> "<i>" // <x>'),
    'a&lt;b&gt; <span class="t-string">"&lt;i&gt;"</span> <span class="t-comment">// &lt;x&gt;</span>',
  );
  strictEqual(highlight("<script>", "text"), "&lt;script&gt;");
});
