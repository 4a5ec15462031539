/** What the feed of the console keeps of many calls. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool, mcpLite } from "../../mod.ts";
import { jsonSchema } from "../../src/entries/json_schema.ts";
import { FakeClock } from "../../src/entries/testing.ts";
import { consolePage } from "../../src/entries/console.ts";

const count = defineTool("count").describe("Count").handle(async function* () {
  yield 1;
});

interface Part {
  readonly lost: number;
  readonly events: readonly {
    readonly type: string;
    readonly seq: number;
    readonly call: number;
    readonly tool?: string;
    readonly code?: string;
    readonly tookMs?: number;
    readonly args?: unknown;
  }[];
}

interface Count {
  readonly tool: string;
  readonly calls: number;
  readonly errors: number;
}

const refuse = defineTool("refuse").describe("Fail").errors({ full: jsonSchema({ type: "object" }) }).handle(
  (_, ctx) => {
    throw ctx.fail("full", "No room", {});
  },
);
let letGo = () => {};
const wait = defineTool("wait").describe("Wait").handle(() =>
  new Promise<string>((resolve) => letGo = () => resolve(""))
);

/** A server on a clock of the test, and requests to it. */
function open() {
  const clock = new FakeClock();
  const wires = [mcpLite(), consolePage({ key: "k" })];
  const server = createServer({ tools: [count, refuse, wait], wires, clock, logger: false });
  const post = (path: string, body: unknown) => {
    const headers = { "content-type": "application/json", "x-toolwire-console": "1", "x-toolwire-console-key": "k" };
    return server.fetch(
      new Request(`http://localhost${path}`, { method: "POST", headers, body: JSON.stringify(body) }),
    );
  };
  const call = async (name: string, times: number) => {
    const params = { name, arguments: {} };
    for (let id = 1; id <= times; id++) {
      await (await post("/mcp-lite/v1/calltools", { jsonrpc: "2.0", id, method: "tools/call", params })).text();
    }
  };
  const poll = async (after: number) =>
    await (await post("/console/api/poll", { after })).json() as Part & { readonly stats: readonly Count[] };
  return { clock, server, post, call, poll };
}

test("console: a page that watches gets a call within 50 ms", async () => {
  const { clock, server, post, call } = open();
  const reader = (await post("/console/api/feed", {})).body?.getReader();
  const read = async () => new TextDecoder().decode((await reader?.read())?.value);
  match(await read(), /"events":\[\]/);
  await call("refuse", 1);
  await clock.tick(50);
  match(await read(), /"tool":"refuse"[^]*"code":"full"/);
  await reader?.cancel();
  await server.close(0);
});

test("console: while no page watches, 500 calls of a second are kept, and all that fail; each is counted", async () => {
  const { clock, server, call, poll } = open();
  await clock.tick(250);
  await call("count", 600);
  const first = await poll(0);
  const counts = ({ events }: Part) => {
    return ["begin", "end"].map((type) => events.filter((event) => event.type === type).length);
  };
  deepStrictEqual(counts(first), [500, 500]);
  const waiting = call("wait", 1);
  await call("refuse", 2);
  const second = await poll(1_000);
  deepStrictEqual(second.events.map(({ type, tool, code, tookMs }) => [type, tool ?? code, tookMs]), [
    ["begin", "refuse", undefined],
    ["end", "full", undefined],
    ["begin", "refuse", undefined],
    ["end", "full", undefined],
  ]);
  await clock.tick(750);
  await call("count", 1);
  letGo();
  await waiting;
  const third = await poll(1_004);
  deepStrictEqual(third.events.map(({ type, tool, tookMs }) => [type, tool, tookMs]), [
    ["begin", "count", undefined],
    ["end", undefined, 0],
  ]);
  deepStrictEqual(third.stats.map(({ tool, calls, errors }) => [tool, calls, errors]), [
    ["count", 601, 0],
    ["refuse", 2, 2],
    ["wait", 1, 0],
  ]);
  await server.close(0);
});

test("console: on a busy server a page that watches and a recording get each call", async () => {
  const { server, post, call, poll } = open();
  await call("count", 500);
  await post("/console/api/record", { on: true });
  await call("count", 3);
  strictEqual((await (await post("/console/api/record", {})).json() as { calls: number }).calls, 3);
  await post("/console/api/record", { on: false });
  await call("count", 1);
  const waiting = call("wait", 1);
  const feed = await post("/console/api/feed", {});
  const { seq } = (await poll(0)).events.at(-1) ?? { seq: 0 };
  await call("count", 1);
  letGo();
  await waiting;
  const shown = (await poll(seq)).events.filter(({ type }) => type !== "event");
  deepStrictEqual(shown.map(({ type, tool, call: of, tookMs }) => [type, tool, of - seq, tookMs]), [
    ["begin", "count", 1, undefined],
    ["end", undefined, 1, 0],
    // Its begin was not kept.
    ["begin", "wait", 4, undefined],
    ["end", undefined, 4, undefined],
  ]);
  await feed.body?.cancel();
  await server.close(0);
});

test("console: of 300 calls in a second all begins and ends are kept, and details of 200", async () => {
  const { clock, server, post, call, poll } = open();
  const feed = await post("/console/api/feed", {});
  await call("count", 300);
  const { events } = await poll(0);
  const counts = (type: string) => events.filter((event) => event.type === type).length;
  deepStrictEqual([counts("begin"), counts("end"), counts("event")], [300, 300, 200]);
  strictEqual(events.filter(({ args }) => args !== undefined).length <= 200, true);
  await clock.tick(1_000);
  await call("count", 1);
  const later = (await poll(0)).events.slice(-3);
  deepStrictEqual(later.map(({ type }) => type), ["begin", "event", "end"]);
  ok(later[0]?.args !== undefined, "the next second has its own limit");
  await feed.body?.cancel();
  await server.close(0);
});
