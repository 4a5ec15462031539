/** Lines that are not messages, over pipes in process: each gets an error, and the lines after it are processed. */
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { type Client, createClient, createServer, defineTool } from "../../../../mod.ts";
import * as v from "../../../../src/entries/schema.ts";
import { mcpDuplex } from "../../../../src/wires/mcp/server/duplex.ts";
import { serveLines } from "../../../../src/wires/mcp/stdio/server/serve_lines.ts";
import { openStdio, Pipe } from "./in_process.ts";

const ask = defineTool("ask").describe("Asks").input(v.object({ what: v.string() })).output(v.string())
  .handle(async ({ what }, ctx) => {
    const answer = await ctx.elicit("it", { message: `${what}?`, schema: v.object({ said: v.string() }) });
    return answer.action === "accept" ? `${what}: ${answer.content.said}` : answer.action;
  });

const server = createServer({ tools: [ask], limits: { bodyBytes: 1_000, depth: 8 } });

/** What is answered to lines. */
async function answersTo(...lines: readonly string[]): Promise<(readonly [id: unknown, code: unknown])[]> {
  const input = new Pipe();
  const answers: (readonly [unknown, unknown])[] = [];
  const write = (line: string) => {
    const { id, error } = JSON.parse(line);
    answers.push([id, error?.code ?? "ok"]);
  };
  const served = serveLines(mcpDuplex(), server["~server"].host, { input, write, graceMs: 0 });
  for (const line of lines) input.put(line);
  input.end();
  await served;
  return answers;
}

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n';

const CASES: Readonly<
  Record<string, readonly [line: string, answer: readonly [id: unknown, code: number] | undefined]>
> = {
  "no JSON": ["Hello\n", [null, -32700]],
  "half a message": ['{"jsonrpc":"2.0","id":7,"meth\n', [null, -32700]],
  "nothing": [" \t\r\n", undefined],
  "a number": ["7\n", [null, -32600]],
  "no message": ['{"jsonrpc":"2.0","id":7}\n', [7, -32600]],
  "an id that is none": ['{"jsonrpc":"2.0","id":null,"method":"ping"}\n', [null, -32600]],
  "several at once": [`[${PING.trim()}]\n`, [null, -32600]],
  "too deep": [`${"[".repeat(9)}${"]".repeat(9)}\n`, [null, -32600]],
  "too long": [`"${"x".repeat(2_000)}"\n`, [null, -32600]],
  "an answer to nothing": ['{"jsonrpc":"2.0","id":9,"result":{}}\n', undefined],
  "an answer to what could not be read": [
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}\n',
    undefined,
  ],
};

for (const [name, [line, answer]] of Object.entries(CASES)) {
  test(`a line with ${name}`, async () => {
    deepStrictEqual(await answersTo(line, PING), [...(answer === undefined ? [] : [answer]), [1, "ok"]]);
  });
}

test("an end that sends back all it gets is not talked to for ever", async () => {
  const input = new Pipe();
  let count = 0;
  const write = (line: string) => {
    if (++count < 10) input.put(`${line}\n`);
  };
  const served = serveLines(mcpDuplex(), server["~server"].host, { input, write, graceMs: 0 });
  input.put("no JSON\n");
  input.end();
  await served;
  strictEqual(count, 1);
});

test("a batch is of 2025-03-26", async () => {
  const initialize = {
    jsonrpc: "2.0",
    id: 0,
    method: "initialize",
    params: { protocolVersion: "2025-03-26", capabilities: {}, clientInfo: { name: "t", version: "1" } },
  };
  deepStrictEqual(await answersTo(`${JSON.stringify(initialize)}\n`, `[${PING.trim()}]\n`), [[0, "ok"], [1, "ok"]]);
});

test("in the older eras, too, each question goes to the call that it belongs to", async () => {
  const { transport, close } = openStdio(server, { era: "legacy" });
  const client: Client<typeof server> = createClient<typeof server>(transport);
  const first = await client.ask.outcome({ what: "first" });
  const second = await client.ask.outcome({ what: "second" });
  if (first.kind !== "elicitation" || second.kind !== "elicitation") throw new Error("not asked");
  strictEqual(first.requests["it"]?.message, "first?");
  strictEqual(second.requests["it"]?.message, "second?");
  const meta = { continuation: first.continuation, responses: { it: { action: "accept", content: { said: "yes" } } } };
  strictEqual(await client.ask({ what: "first" }, { meta }), "first: yes");
  await close();
});
