/** What pages of a budget take of a model's context, by the tokenizer of OpenAI's models, as docs/tools.md states. */
import { deepStrictEqual } from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { createServer, defineTool } from "../../../../mod.ts";
import { budget, type BudgetOptions } from "../../../../src/entries/answers.ts";
import { loadTokenizer } from "../../../../src/entries/agents/tokenizer.ts";
import { testClient } from "../../../../src/entries/testing.ts";

const STATES = ["open", "closed"];
const PEOPLE = ["ada", "grace", "alan", "edsger", "barbara"];

/** Issues as a tracker's API has them. */
const ISSUES = Array.from({ length: 500 }, (_, at) => ({
  id: 4_100_000 + at * 37,
  number: 500 - at,
  title: `The ${["login", "search", "export", "upload"][at % 4]} page ${
    ["fails", "is slow", "shows no error"][at % 3]
  }`,
  state: STATES[at % 2],
  author: PEOPLE[at % 5],
  labels: at % 3 === 0 ? ["bug"] : [],
  comments: at % 9,
  created_at: new Date(Date.UTC(2026, 0, 1) + at * 3_600_000).toISOString(),
}));

async function pageOf(options: BudgetOptions, count: number) {
  const tool = defineTool("list_issues").describe("List issues").annotate({ readOnlyHint: true })
    .input({ type: "object", properties: { state: { type: "string" }, author: { type: "string" } } })
    .answer(budget({ ...options, items: "items" }) as never)
    .handle((() => ({ total_count: 500, items: ISSUES.slice(0, count) })) as never);
  const client = testClient(createServer({ tools: [tool], keys: "k1:a secret that all of these replicas know" }));
  return await client.$.call("list_issues", {}) as { readonly note?: string };
}

test("docs/tools.md has what pages take", async () => {
  const count = await loadTokenizer();
  const rowOf = (name: string, tokens: number) => `| ${name} | ${tokens.toLocaleString("en")} |`;
  // The handle of a cut page has random characters.
  const { note } = await pageOf({ maxTokens: 4_000 }, 500);
  const rows = [
    rowOf("100 issues, as JSON", count(JSON.stringify(await pageOf({ maxTokens: 50_000 }, 100)))),
    rowOf(
      '100 issues, `format: "table"`',
      count(JSON.stringify(await pageOf({ maxTokens: 50_000, format: "table" }, 100))),
    ),
    rowOf("the `note` of a page", count(note ?? "")),
  ];
  console.log(rows.join("\n"));
  const page = await readFile(new URL("../../../../docs/tools.md", import.meta.url), "utf8");
  deepStrictEqual(rows.filter((line) => !page.includes(line)), []);
});
