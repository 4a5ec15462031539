/** What the feed of the console keeps of many calls. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool, mcpLite } from "../../../mod.ts";
import { FakeClock } from "../../../src/testing/mod.ts";
import { consolePage } from "../../../src/wires/console/mod.ts";

const count = defineTool("count").describe("Count").handle(async function* () {
  yield 1;
});

interface Part {
  readonly lost: number;
  readonly events: readonly { readonly type: string; readonly args?: unknown }[];
}

test("console: of 300 calls in a second all begins and ends are kept, and details of 200", async () => {
  const clock = new FakeClock();
  const server = createServer({ tools: [count], wires: [mcpLite(), consolePage({ key: "k" })], clock, logger: false });
  const post = (path: string, body: unknown) => {
    const headers = { "content-type": "application/json", "x-toolwire-console": "1", "x-toolwire-console-key": "k" };
    return server.fetch(
      new Request(`http://localhost${path}`, { method: "POST", headers, body: JSON.stringify(body) }),
    );
  };
  const feed = await post("/console/api/feed", {});
  const params = { name: "count", arguments: {} };
  for (let id = 1; id <= 300; id++) {
    await (await post("/mcp-lite/v1/calltools", { jsonrpc: "2.0", id, method: "tools/call", params })).text();
  }
  const { events } = await (await post("/console/api/poll", {})).json() as Part;
  const counts = (type: string) => events.filter((event) => event.type === type).length;
  deepStrictEqual([counts("begin"), counts("end"), counts("event")], [300, 300, 200]);
  strictEqual(events.filter(({ args }) => args !== undefined).length <= 200, true);
  await clock.tick(1_000);
  await (await post("/mcp-lite/v1/calltools", { jsonrpc: "2.0", id: 1, method: "tools/call", params })).text();
  const later = (await (await post("/console/api/poll", {})).json() as Part).events.slice(-3);
  deepStrictEqual(later.map(({ type }) => type), ["begin", "event", "end"]);
  ok(later[0]?.args !== undefined, "the next second has its own limit");
  await feed.body?.cancel();
  await server.close(0);
});
