/** What a model sees of a server, as the console reports it: the entries of the adapters, their changes, and searches. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool, mcp, memoryEngine } from "../../mod.ts";
import * as v from "../../src/entries/schema.ts";
import { anthropicTools, estimateTokens, googleTools, openaiTools } from "../../src/entries/agents.ts";
import { discover } from "../../src/entries/discovery.ts";
import { consolePage } from "../../src/entries/console.ts";

const search = defineTool("issues.search").describe("Search the issues of a repository")
  .input(v.object({
    query: v.pipe(v.string(), v.minLength(1)),
    limit: v.optional(v.pipe(v.number(), v.minValue(1)), 20),
    "sort by": v.optional(v.picklist(["created", "updated"])),
  })).handle(() => []);
const tree = defineTool("tree").describe("Walk a tree of any shape")
  .input(v.looseObject({ depth: v.optional(v.number()) })).promise({ budgetMs: 1_000 }).handle(() => 1);
const secret = defineTool("secret").describe("Only for operators").scopes("operator").handle(() => 1);
const tools = [search, tree, secret];
const engine = memoryEngine();
const options = { tools, engine, keys: `k:${"k".repeat(32)}`, logger: false } as const;
const server = createServer({ ...options, wires: [mcp(), consolePage({ key: "k" })] });

async function ask(name: string, input: unknown, asked: { readonly fetch: typeof server.fetch } = server) {
  const headers = { "content-type": "application/json", "x-toolwire-console": "1", "x-toolwire-console-key": "k" };
  const init = { method: "POST", headers, body: JSON.stringify(input) };
  const response = await asked.fetch(new Request(`http://localhost/console/api/${name}`, init));
  return { status: response.status, body: await response.json() };
}

test("models: each entry is that of the adapter, and the tokens are those of the entries", async () => {
  const [openai, anthropic, gemini] = await Promise.all([
    openaiTools(server),
    anthropicTools(server, { strict: true }),
    googleTools(server),
  ]);
  const expected = {
    openai: openai.tools,
    anthropic: anthropic.tools,
    gemini: gemini.tools[0]?.functionDeclarations ?? [],
  };
  for (const [vendor, entries] of Object.entries(expected)) {
    const { body } = await ask("models", { vendor, strict: true, tool: "issues.search" });
    const sent = entries.find((entry) => JSON.stringify(entry).includes('"issues_search"'));
    deepStrictEqual(JSON.parse(body.entry.json), JSON.parse(JSON.stringify(sent)), vendor);
    deepStrictEqual(body.left, ["redeem", "cancel"], vendor);
    strictEqual(body.tools[0].sentAs, "issues_search");
    const all = body.tools.reduce((sum: number, { tokens }: { tokens: number }) => sum + tokens, 0);
    strictEqual(body.tokens, all);
  }
});

test("models: what was changed and why, and why a tool is not strict", async () => {
  const { body } = await ask("models", { vendor: "anthropic", strict: true, tool: "issues.search" });
  const changes = body.entry.changes.map(({ pointer, reason }: Record<string, string>) => `${pointer}: ${reason}`);
  match(changes.join("\n"), /properties\/limit\/minimum: Anthropic's strict mode does not enforce it/);
  match(changes.join("\n"), /sort by: Anthropic refuses the name/);
  const strict = await ask("models", { vendor: "openai", strict: true });
  const [, walked] = strict.body.tools;
  deepStrictEqual([walked.name, walked.isStrict], ["tree", false]);
  match(walked.refused, /an object that allows properties with any name/);
  const loose = await ask("models", { vendor: "openai", strict: false });
  ok(loose.body.tools.every(({ isStrict }: { isStrict: boolean }) => !isStrict));
  strictEqual((await ask("models", { vendor: "other" })).status, 400);
});

test("models: a list behind discover() is the short one, and the search finds the tools of the caller alone", async () => {
  const discovery = discover({ pinned: ["tree"], when: "always" });
  const short = createServer({ ...options, discovery, wires: [mcp(), consolePage({ key: "k" })] });
  const { body } = await ask("models", { vendor: "mcp" }, short);
  const names = body.tools.map(({ name }: { name: string }) => name);
  ok(names.includes("search_tools") && !names.includes("issues.search"), names.join());
  ok(body.tokens >= await estimateTokens(short) * 0.9);
  for (const asked of [server, short]) {
    const searched = (await ask("search", { query: "repository issues frobnicate" }, asked)).body;
    deepStrictEqual(searched.tools.map(({ name }: { name: string }) => name), ["issues.search"]);
    deepStrictEqual(searched.unmatched, ["frobnicate"]);
    strictEqual((await ask("search", { query: "operators" }, asked)).body.total, 0, "a tool that needs a scope");
  }
});
