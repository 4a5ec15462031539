/** `toolwire docs`: search, pages, resources and skills of the documentation. */
import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { createClient } from "../../../mod.ts";
import { createDocsServer } from "../../../apps/cli/docs/docs_server.ts";
import { type DocsPage, readSection, sectionsOf } from "../../../apps/cli/docs/pages.ts";
import { readSkills } from "../../../src/entries/skills.ts";
import { mcpTransport } from "../../../src/entries/mcp.ts";
import { testClient } from "../../../src/entries/testing.ts";
import { runHere } from "./run_here.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url)).replace(/\/$/, "");
const server = await createDocsServer(root);
const client = testClient(server);

async function pagesOf(query: string): Promise<readonly string[]> {
  const found = await client.$.call("search_docs", { query }) as readonly { readonly page: string }[];
  return found.map(({ page }) => page);
}

test("a search finds the page that explains a word", async () => {
  const questions: Readonly<Record<string, string>> = {
    "FakeClock": "testing",
    "budgetMs": "promises",
    "nginx in front of replicas": "deployment",
    "basePath": "serving",
    "gateway before another server": "composition",
    "rotation of keys": "tokens",
    "sqliteEngine": "engines",
  };
  const missed: string[] = [];
  for (const [question, page] of Object.entries(questions)) {
    const found = await pagesOf(question);
    if (!found.slice(0, 5).includes(page)) missed.push(`${question}: ${found.join(", ")}`);
  }
  deepStrictEqual(missed, []);
});

test("each result of a search is readable with its page and section", async () => {
  const found = await client.$.call("search_docs", { query: "signed token", limit: 20 }) as readonly {
    readonly page: string;
    readonly section: string;
  }[];
  strictEqual(found.length, 20);
  for (const { page, section } of found) match(String(await client.$.call("read_page", { page, section })), /^#+ /);
  deepStrictEqual(await client.$.call("search_docs", { query: "xyzzyplugh" }), []);
});

test("pages are read by name, by path and by section; README lists them; others are a failure that names a close one", async () => {
  const page = String(await client.$.call("read_page", { page: "promises" }));
  match(page, /^# Promises\n/);
  strictEqual(await client.$.call("read_page", { page: "docs/promises.md" }), page);
  const section = String(await client.$.call("read_page", { page: "promises", section: "#errors" }));
  match(section, /^## Errors\n/);
  ok(!section.includes("## Before you deploy"));
  match(
    String(await client.$.call("read_page", { page: "README" })),
    /## Reference: wires\n\n(?:- .+\n)*- mcp: MCP over HTTP/,
  );
  await rejects(client.$.call("read_page", { page: "promise" }), {
    code: "not_found",
    data: { similar: ["promises"] },
  });
  await rejects(client.$.call("read_page", { page: "promises", section: "nope" }), { code: "not_found" });
  await rejects(client.$.call("read_page", { page: "../package.json" }), { code: "not_found" });
});

test("pages are resources, and the skills of the package are listed", async () => {
  const transport = mcpTransport("http://localhost/mcp", {
    fetch: (url: string, init: RequestInit) => server.fetch(new Request(url, init)),
  });
  const uris = (await transport.resources.list()).map(({ uri }) => uri);
  ok(uris.includes("docs://toolwire/tools") && uris.includes("skill://tools/SKILL.md"), uris.join());
  const [content] = await transport.resources.read("docs://toolwire/tools");
  match(content !== undefined && "text" in content ? content.text : "", /^# Defining tools\n/);
  strictEqual((await readSkills(transport).list()).length, 8);
});

test("lines of code are not headings, and a section has those below it", () => {
  const text = "# A\n\nfirst\n\n```sh\n# not a heading\n```\n\n## `b()` and [c](d.md)\n\ntext\n\n### D\n\nmore\n\n## E";
  const page: DocsPage = { name: "a", title: "A", group: "", about: "", text };
  deepStrictEqual(sectionsOf(page).map(({ heading, anchor, level }) => [heading, anchor, level]), [
    ["A", "a", 1],
    ["b() and c", "b-and-c", 2],
    ["D", "d", 3],
    ["E", "e", 2],
  ]);
  strictEqual(readSection(page, "b-and-c"), "## `b()` and [c](d.md)\n\ntext\n\n### D\n\nmore");
  strictEqual(readSection(page, "none"), undefined);
});

test("toolwire docs --http serves on a port of this machine", async () => {
  const { promise: url, resolve } = Promise.withResolvers<string>();
  let interrupt = () => {};
  const ended = runHere(
    {
      cwd: root,
      onNote: (text) => {
        const [found] = /http:\/\/[\w.:]+/.exec(text) ?? [];
        if (found !== undefined) resolve(found);
      },
      onInterruptible: (own) => (interrupt = own),
    },
    "docs",
    "--http",
  );
  const remote = createClient(`${await url}/mcp-lite/v1`);
  match(String(await remote.$.call("read_page", { page: "tools", section: "schemas" })), /^## Schemas/);
  interrupt();
  strictEqual((await ended).code, 0);
});
