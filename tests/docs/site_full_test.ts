/** Pages of `docs/` as pages of the site: links, tabs, tables, the table of README on the home page, and the examples that run in a page. */
import { deepStrictEqual, match, strictEqual, throws } from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
// @ts-expect-error: a script without types
import * as pages from "../../apps/site/pages.mjs";
// @ts-expect-error: a script without types
import * as messages from "../../apps/site/messages.mjs";
// @ts-expect-error: a script without types
import * as names from "../../apps/site/names.mjs";
// @ts-expect-error: a script without types
import * as tables from "../../apps/site/tables.mjs";
// @ts-expect-error: a script without types
import * as codes from "../../apps/site/code.mjs";
// @ts-expect-error: a script without types
import * as tabs from "../../scripts/package/tabs.mjs";
// @ts-expect-error: a script without types
import * as modules from "../../apps/site/playground_modules.mjs";
// @ts-expect-error: a script without types
import * as links from "../../apps/site/.vitepress/theme/share.mjs";
// @ts-expect-error: a script without types
import * as colours from "../../apps/site/.vitepress/theme/highlight.mjs";

interface SourcePage {
  readonly root: string;
  readonly file: string;
  readonly markdown: string;
  readonly repositoryUrl?: string;
}
const { wiresOf, toSitePage, urlOf } = pages as {
  readonly wiresOf: (readme: string) => string;
  readonly toSitePage: (page: SourcePage) => string;
  readonly urlOf: (page: string) => string;
};
interface ReferencePage {
  readonly file: string;
  readonly title: string;
  readonly markdown: string;
}
interface LinkedPage {
  readonly home?: string;
  readonly isForeign?: boolean;
}
const { collectNames, linkNames } = names as {
  readonly collectNames: (reference: readonly ReferencePage[], errorsPage: string) => unknown;
  readonly linkNames: (markdown: string, names: unknown, page?: LinkedPage) => string;
};
const { familyOf, renderMessages } = messages as {
  readonly familyOf: (file: string) => readonly [title: string, page: string];
  readonly renderMessages: () => string;
};
const { markTables } = tables as { readonly markTables: (tokens: readonly Token[]) => void };
interface Part {
  readonly kind: string;
  readonly tabs?: readonly { readonly runtime: string; readonly code: string }[];
}
const { findPages, partsOf, runtimesOf } = tabs as {
  readonly findPages: (root: string) => readonly { readonly file: string; readonly parts: readonly Part[] }[];
  readonly partsOf: (markdown: string) => readonly Part[];
  readonly runtimesOf: (parts: readonly Part[]) => readonly string[];
};
interface Hover {
  readonly at: number;
  readonly name: string;
  readonly type: string;
}
const { addTypes, foldImports, narrow } = codes as {
  readonly foldImports: (html: string, code: string) => string;
  readonly addTypes: (html: string, hovers: readonly Hover[]) => string;
  readonly narrow: (code: string) => string;
};
const { canRun } = modules as { readonly canRun: (info: string, code: string) => boolean };
const { toHash, fromHash } = links as {
  readonly toHash: (code: string) => string;
  readonly fromHash: (hash: string) => string | undefined;
};
const { highlight } = colours as { readonly highlight: (code: string, language?: string) => string };

/** A token of markdown-it, as far as tables have them. */
class Token {
  readonly type: string;
  readonly content: string;
  readonly attrs: Record<string, string> = {};
  constructor(type: string, content = "") {
    this.type = type;
    this.content = content;
  }
  attrSet(name: string, value: string): void {
    this.attrs[name] = value;
  }
  attrJoin(name: string, value: string): void {
    this.attrs[name] = [this.attrs[name], value].filter(Boolean).join(" ");
  }
}

/** The tokens of a table whose first row is its heading. */
function tokensOf(...rows: readonly (readonly string[])[]): Token[] {
  const cells = rows.flatMap((row, at) => {
    const kind = at === 0 ? "th_open" : "td_open";
    return [new Token("tr_open"), ...row.flatMap((text) => [new Token(kind), new Token("inline", text)])];
  });
  return [new Token("table_open"), ...cells, new Token("table_close")];
}

const root = fileURLToPath(new URL("../..", import.meta.url));
const toPage = (markdown: string, repositoryUrl?: string): string =>
  toSitePage({
    root,
    file: "docs/guides/hosts.md",
    markdown,
    ...(repositoryUrl === undefined ? {} : { repositoryUrl }),
  });

test("docs/features.md has the table of the wires, which the home page shows", () => {
  match(wiresOf(readFileSync(`${root}/docs/features.md`, "utf8")), /\*\*MCP\*\*/);
  throws(() => wiresOf("# Toolwire\n"), /The home page needs "## What you get on each wire"/);
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

/** A reference of two entries, in which two headings differ in case alone. */
const NAMES = collectNames([
  {
    file: "toolwire.md",
    title: "toolwire",
    markdown:
      "# toolwire\n\n## Functions\n\n### createServer\n\n### Client\n\n### Ctx\n\n```ts signature\ninterface Ctx {\n" +
      "  readonly principal: object;\n  sleep(key: string, ms: number): Promise<void>;\n}\n```\n\n### ToolBuilder\n\n" +
      "```ts signature\ninterface ToolBuilder {\n  input(schema: object): ToolBuilder;\n}\n```\n",
  },
  {
    file: "serve.md",
    title: "toolwire/serve",
    markdown: "# toolwire/serve\n\n## Functions\n\n### createServer\n\n### serve\n\n## Types\n\n### Serve\n",
  },
], "# Errors\n\n### `rate_limited`\n");

test("names in prose link to the reference, codes of errors to their section, once in each section", () => {
  const link = (markdown: string): string => linkNames(markdown, NAMES);
  strictEqual(
    link(
      "`createServer({ tools })`, `createServer` and `ctx.sleep(key, ms)`\n\n## Next\n\n`createServer`, `.input(…)`",
    ),
    "[`createServer({ tools })`](/reference/toolwire.md#createserver), `createServer` and " +
      "[`ctx.sleep(key, ms)`](/reference/toolwire.md#ctx)\n\n## Next\n\n" +
      "[`createServer`](/reference/toolwire.md#createserver), [`.input(…)`](/reference/toolwire.md#toolbuilder)",
  );
  strictEqual(
    link("`rate_limited` by `serve()` of `toolwire/serve`, and `Serve`"),
    "[`rate_limited`](/errors.md#rate_limited) by [`serve()`](/reference/serve.md#serve) of " +
      "[`toolwire/serve`](/reference/serve.md), and [`Serve`](/reference/serve.md#serve-1)",
  );
  const imported = '```ts\nimport { createServer, type Serve } from "toolwire/serve";\n```\n';
  strictEqual(link(`${imported}\`createServer\``), `${imported}[\`createServer\`](/reference/serve.md#createserver)`);
});

test("code blocks, headings, links, options, plain words, unknown members and foreign names stay as they are", () => {
  const kept = [
    "```text\n`createServer`\n```",
    "## `createServer`\n\n`createServer` is described here",
    "[`createServer`](x.md), then `createServer`",
    "| option | default |\n|---|---|\n| `createServer` | none |",
    "the word `serve`, ``createServer`` in two ticks, and the failure `rate_limited`",
    "`ctx.other`, `client.createServer()`, `toolwire`, `Response`, `constructor`",
  ];
  for (const markdown of kept) strictEqual(linkNames(markdown, NAMES), markdown);
  const foreign = "`Client` and `.input(…)` of another package";
  strictEqual(linkNames(foreign, NAMES, { isForeign: true }), foreign);
  strictEqual(linkNames("### Ctx\n\n`ctx.sleep()`", NAMES, { home: "toolwire" }), "### Ctx\n\n`ctx.sleep()`");
});

test("the Markdown of the repository has no links to the reference, which is on the site alone", () => {
  const files = readdirSync(`${root}/docs`, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".md")
  );
  deepStrictEqual(files.filter((file) => readFileSync(`${root}/docs/${file}`, "utf8").includes("](/reference/")), []);
});

test("each message of an error is on the page of messages, below the page that explains it", () => {
  const page = renderMessages();
  const [, auth = ""] = /^## Auth\n\n([^]*?)\n## /m.exec(page) ?? [];
  match(auth, /^The page \[Auth\]\(\/auth\.md\) explains them\.\n\n- `` /);
  match(auth, /- `` The token is malformed ``/);
  const linked = Array.from(page.matchAll(/\]\(\/([^)#]+)/g), ([, file]) => `${root}/docs/${file}`);
  deepStrictEqual(linked.filter((file) => !existsSync(file)), []);
  throws(() => familyOf("src/elsewhere/a.ts"), /src\/elsewhere\/a\.ts has messages, and FAMILIES/);
});

test("a table of prose is stacked on a phone, with the headings that its cells need; other tables scroll", () => {
  const prose = "how long a call waits for the answer before it gives a promise";
  const options = tokensOf(["option", "default", "what it is"], ["`budgetMs`", "2,000", prose]);
  const short = tokensOf(["", ""], ["`add`", "two numbers"]);
  const figures = tokensOf(["", "add", "list", "sse"], ["toolwire", "1.36", "", "1.5"]);
  const texts = tokensOf(["what", "runs again", "does not run again"], ["a call", prose, prose]);
  for (const tokens of [options, short, figures, texts]) markTables(tokens);
  deepStrictEqual([options, short, figures].map(([table]) => table?.attrs["class"]), [
    "stacked",
    "scrolled headless",
    "scrolled",
  ]);
  deepStrictEqual(
    [options, texts].map((tokens) =>
      tokens.filter(({ type }) => type === "td_open").map(({ attrs }) => attrs["data-label"])
    ),
    [[undefined, "default", undefined], [undefined, "runs again", "does not run again"]],
  );
});

test("code is left as it is, but for the comment that names a tab", () => {
  strictEqual(toPage("```md\n[MCP](gone.md)\n```"), "```md\n[MCP](gone.md)\n```");
  strictEqual(toPage("```sh [Bun]\n# Bun\nbun add toolwire\n```"), "```sh [Bun]\nbun add toolwire\n```");
});

test("each tab names a runtime, on which check_package.mjs runs it after the package is installed", () => {
  const group = (label: string, code: string) => `::: code-group\n\n\`\`\`sh [${label}]\n${code}\n\`\`\`\n\n:::\n`;
  deepStrictEqual(partsOf(`${group("npm", "npm install toolwire")}\n\`\`\`sh\ncurl x\n\`\`\`\n`), [
    { kind: "tabs", tabs: [{ runtime: "Node", code: "npm install toolwire\n" }] },
    { kind: "sh", code: "curl x\n" },
  ]);
  throws(() => partsOf(group("pnpm", "pnpm add toolwire")), /There is no runtime for the tab \[pnpm\]/);
  const pages = findPages(root);
  deepStrictEqual(pages.map(({ file, parts }) => [file, runtimesOf(parts)]), [
    ["docs/getting-started.md", ["Node", "Bun", "Deno", "JSR"]],
  ]);
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

test("three imports or more are folded, and the text of the code stays as it was", () => {
  const code = 'import { a } from "a";\nimport { b } from "b";\nimport * as c from "c";\n\na(b, c);';
  const html = foldImports(highlight(code), code);
  match(html, /^<details class="imports"><summary data-label="3 imports" aria-label="3 imports"><\/summary><span /);
  match(html, /\n<\/details>\n<span class="t-call">a<\/span>\(b, c\);$/);
  strictEqual(html.replaceAll(/<[^>]*>/g, ""), code);
  const two = 'import { a } from "a";\nimport { b } from "b";\na(b);';
  strictEqual(foldImports(highlight(two), two), highlight(two));
});

test("types are put around names, whatever elements and entities are before them", () => {
  const code = "a<b; const c = f(c);";
  const type = 'const c: Map<"x", 1>';
  const html = addTypes(highlight(code), [11, 17].map((at) => ({ at, name: "c", type })));
  const shown = 'data-type="const c: Map&lt;&quot;x&quot;, 1>"';
  strictEqual(
    html,
    `a&lt;b; <span class="t-keyword">const</span> <span class="typed" ${shown} tabindex="0">c</span> = ` +
      `<span class="t-call">f</span>(<span class="typed" ${shown}>c</span>);`,
  );
  strictEqual(
    narrow('f(1); // → 1\nf("' + "x".repeat(80) + '"); // → 2'),
    `f(1); // → 1\nf("${"x".repeat(80)}");\n// → 2`,
  );
  strictEqual(narrow('f(); //      aligned\n//   not\n"a://b";\n'), 'f(); // aligned\n//   not\n"a://b";');
});
