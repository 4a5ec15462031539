/** What the console keeps of values: in its feed and in recordings. */
import { deepStrictEqual, ok } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool, mcpLite, type Server } from "../../mod.ts";
import * as v from "../../src/entries/schema.ts";
import { jsonSchema } from "../../src/entries/json_schema.ts";
import { type ConsoleOptions, consolePage } from "../../src/entries/console.ts";

const KEY = "key-of-these-tests";

function open(tools: readonly unknown[], options: ConsoleOptions = {}): Server {
  const wires = [mcpLite(), consolePage({ key: KEY, ...options })];
  return createServer({ tools: tools as never, wires, logger: false }) as unknown as Server;
}

async function ask(server: Server, name: string, input: unknown = {}): Promise<Response> {
  const headers = { "x-toolwire-console": "1", "x-toolwire-console-key": KEY };
  const init = { method: "POST", headers, body: JSON.stringify(input) };
  return await server.fetch(new Request(`http://localhost/console/api/${name}`, init));
}

async function callTool(server: Server, name: string, args: unknown = {}): Promise<string> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } });
  const headers = { "content-type": "application/json" };
  const init = { method: "POST", headers, body };
  return await (await server.fetch(new Request("http://localhost/mcp-lite/v1/calltools", init))).text();
}

/** What the feed and a recording keep of `work`, as text. */
async function keptOf(server: Server, work: () => Promise<unknown>): Promise<Record<"feed" | "recording", string>> {
  const page = await ask(server, "feed");
  await ask(server, "record", { on: true });
  await work();
  const feed = await (await ask(server, "poll")).text();
  const recording = String((await (await ask(server, "recording")).json() as { text: unknown }).text);
  await page.body?.cancel();
  return { feed, recording };
}

test("console: of a large result only its beginning is read, and the rest is reported as cut", async () => {
  let reads = 0;
  const item = {
    get name() {
      reads++;
      return "a name";
    },
  };
  const server = open([defineTool("large").describe("Many rows").handle(() => Array(100_000).fill(item) as unknown[])]);
  const page = await ask(server, "feed");
  await callTool(server, "large");
  const { events } = await (await ask(server, "poll")).json() as {
    events: { value?: { json: string; cut?: number } }[];
  };
  const watched = reads;
  await page.body?.cancel();
  reads = 0;
  await callTool(
    open([defineTool("large").describe("Many rows").handle(() => Array(100_000).fill(item) as unknown[])]),
    "large",
  );
  ok(watched - reads < 20_000, `${watched - reads} reads for the feed`);
  const { json = "", cut = 0 } = events.at(-1)?.value ?? {};
  ok(json.length <= 16_384 && json.length > 8_000 && cut > 50_000, `${json.length} characters, ${cut} cut`);
  await server.close(0);
});

const signIn = defineTool("sign_in").describe("Sign in").input(v.object({
  password: v.pipe(v.string(), v.minLength(12), v.check((text) => text.includes("-"), "correct-horse is rejected")),
  api_key: v.pipe(v.string(), v.digits((issue) => `"${issue.received}" has other characters than digits`)),
})).handle(() => "welcome");

test("console: of rejected arguments neither their values nor the library's messages are kept", async () => {
  for (const bodies of [true, false]) {
    const server = open([signIn], { bodies });
    let reply = "";
    const kept = await keptOf(server, async () => {
      reply = await callTool(server, "sign_in", { password: "hunter2", api_key: "12x4" });
    });
    ok(reply.includes("hunter2") && reply.includes("12x4"), "the caller gets them back");
    for (const [place, text] of Object.entries(kept)) {
      ok(!/hunter2|12x4|correct-horse/.test(text), `${place}, bodies ${bodies}: ${text}`);
      if (text !== "") ok(text.includes('Invalid arguments: expected >=12 at \\"password\\"'), `${place}: ${text}`);
    }
    await server.close(0);
  }
});

test("console: a replay compares rejected calls with what the recording keeps", async () => {
  const server = open([signIn]);
  const { recording } = await keptOf(server, () => callTool(server, "sign_in", { note: "x" }));
  const replayed = await (await ask(server, "replay", { recording })).json() as { calls: { status: string }[] };
  deepStrictEqual(replayed.calls.map(({ status }) => status), ["same"], JSON.stringify(replayed));
  await server.close(0);
});

test("console: failures, pieces, and tools that the starter does not see are kept without what their schemas name secret", async () => {
  const PIN = { type: "object", properties: { pin: { type: "string", format: "password" } } } as const;
  const pin = jsonSchema<{ readonly pin: string }>(PIN);
  let isVisible = false;
  const refuse = defineTool("refuse").describe("Fail").input(pin).errors({ bad: pin }).visibleTo(() => isVisible)
    .handle((_, ctx) => {
      throw ctx.fail("bad", "Refused", { pin: "FAILED-4711" });
    });
  const pieces = defineTool("pieces").describe("Send pieces").partial(pin).handle(async function* () {
    yield { pin: "PIECE-4711" };
  });
  const words = defineTool("words").describe("Send words").partial(
    jsonSchema<string>({ type: "string", format: "password" }),
  ).handle(async function* () {
    yield "WORD-4711";
  });
  const server = open([refuse, pieces, words]);
  const { feed, recording } = await keptOf(server, async () => {
    isVisible = true;
    ok((await callTool(server, "refuse", { pin: "GIVEN-4711" })).includes("FAILED-4711"));
    ok((await callTool(server, "pieces")).includes("PIECE-4711"));
    ok((await callTool(server, "words")).includes("WORD-4711"));
  });
  deepStrictEqual([feed.match(/\w+-4711/g), recording.match(/\w+-4711/g)], [null, null]);
  ok(recording.includes("[redacted]") && feed.includes("[redacted]"));
  await server.close(0);
});
