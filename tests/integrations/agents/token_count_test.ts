/** Tokens of lists of tools, in the form of each vendor. */
import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool } from "../../../mod.ts";
import { estimateTokens } from "../../../src/entries/agents.ts";
import { discover } from "../../../src/entries/discovery.ts";

const tools = Array.from(
  { length: 100 },
  (_, index) => defineTool(`tool_${index}`).describe(`Do task ${index}`).handle(() => 1),
);
const server = createServer({ tools });

test("a server, a transport and a list take the same tokens, and a selection takes few", async () => {
  const full = await estimateTokens(server);
  strictEqual(await estimateTokens([...server.tools] as never), full);
  const selection = createServer({ tools, discovery: discover({ when: "always" }) });
  const selected = await estimateTokens(selection);
  ok(full > 1_500 && selected < 500, `${full} ${selected}`);
});

test("each vendor's form is counted, by the tokenizer that is passed", async () => {
  const texts: string[] = [];
  const tokenizer = (text: string) => texts.push(text);
  for (const vendor of ["mcp", "openai", "anthropic"] as const) await estimateTokens(server, { vendor, tokenizer });
  deepStrictEqual(texts.map((text) => Object.keys(JSON.parse(text)[0]).slice(0, 2).toSorted()), [
    ["description", "name"],
    ["function", "type"],
    ["description", "name"],
  ]);
});

test("invalid options and sources are rejected", async () => {
  await rejects(estimateTokens(server, { vendor: "acme" as never }), /vendor/);
  await rejects(estimateTokens(server, { tokenizer: 4 as never }), /tokenizer/);
  await rejects(estimateTokens("http://localhost" as never), TypeError);
});
