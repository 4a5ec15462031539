/** Tokens that a model gets with each kind of error, as the tokenizer of OpenAI's models counts them. */
import { deepStrictEqual, ok } from "node:assert/strict";
import { test } from "node:test";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { functionTools, openaiTools } from "../../../src/entries/agents.ts";
import { createViewedServer } from "./model_views/tools.ts";
import { holdTable } from "./model_views/written_table.ts";

interface ErrorCase {
  readonly name: string;
  readonly tool: string;
  readonly args: object;
  /** Tokens of the texts before, which had the details as JSON beside the message. */
  readonly before: number;
}

const CASES: readonly ErrorCase[] = [
  { name: "a declared failure with data", tool: "fail", args: {}, before: 45 },
  { name: "a masked error", tool: "break", args: {}, before: 110 },
  { name: "one wrong argument", tool: "count", args: { count: "many" }, before: 70 },
  { name: "two wrong arguments", tool: "count", args: { count: "many", label: 7 }, before: 95 },
];

/** Ids are random, and so is their number of tokens. */
const withoutId = (text: string) =>
  text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "0197a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b");

async function textOf(tool: string, args: object): Promise<string> {
  const { server } = createViewedServer();
  try {
    const { run } = await openaiTools(server);
    const call = { type: "function", id: "1", function: { name: tool, arguments: JSON.stringify(args) } };
    const [message] = await run([call]);
    return withoutId(String(message?.content));
  } finally {
    await server.close();
  }
}

test("the documentation has the tokens of each kind of error, none of them more than before", async () => {
  const rows = await Promise.all(CASES.map(async ({ name, tool, args, before }) => {
    const tokens = encode(await textOf(tool, args)).length;
    ok(tokens <= before, `${name}: ${tokens} tokens, ${before} before`);
    return `| ${name} | ${tokens} | ${before} |`;
  }));
  const table = ["| error | tokens | before |", "|---|---|---|", ...rows].join("\n");
  holdTable(new URL("../../../docs/agents.md", import.meta.url), "tokens of errors", table);
});

test("no sentence of an error is in it twice, and each way to call gives the same text", async () => {
  for (const { tool, args } of CASES) {
    const text = await textOf(tool, args);
    const sentences = text.split(/\n|(?<=[.!?]) /).filter((sentence) => sentence !== "");
    deepStrictEqual(sentences, [...new Set(sentences)]);
    const { server } = createViewedServer();
    const functions = await functionTools(server);
    const answer = await functions.find(({ name }) => name === tool)?.execute(args);
    deepStrictEqual(withoutId(String(answer)), text);
    await server.close();
  }
});
