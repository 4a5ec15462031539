/** A client with a short idle timeout asks for earlier heartbeats, on every wire that has them; the server bounds how often they come. */
import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createClient, createServer, defineTool, mcpLite, mcpLiteTransport } from "../../mod.ts";
import type { ActivityMonitor, Transport } from "../../src/core/call/transport.ts";
import type { Sink } from "../../src/core/call/outcome.ts";
import { FakeClock } from "../../src/entries/testing.ts";
import { rest, restTransport } from "../../src/entries/rest.ts";
import { withVirtualTime } from "../client/virtual_time.ts";
import { liteDuplex } from "../../src/wires/mcp_lite/websocket/server/lite_duplex.ts";
import { type WireRow, WIRES, wires } from "./matrix.ts";
import { MemoryConnection } from "./memory_connection.ts";
import { eventually } from "../eventually.ts";

const COLUMNS = ["MCP-lite", "WebSocket", "REST", "MCP"];
const SINK: Sink = { push() {} };

/** A server with a quiet tool, and the function that lets the tool answer. */
function quietServer() {
  const gate = Promise.withResolvers<string>();
  const started = Promise.withResolvers<void>();
  const clock = new FakeClock();
  const quiet = defineTool("quiet").describe("Say nothing for a while").handle(() => {
    started.resolve();
    return gate.promise;
  });
  return {
    clock,
    started: started.promise,
    open: gate.resolve,
    server: createServer({ tools: [quiet], wires, clock, logger: false }),
  };
}

/** Counts how often data arrives. */
class Activity implements ActivityMonitor {
  readonly tool = "quiet";
  readonly signal: AbortSignal = new AbortController().signal;
  count = 0;

  markActive(): void {
    this.count++;
  }

  suspend(): void {}
}

/** A call that waits for the tool, with heartbeats each `heartbeatMs`. */
function callQuiet(transport: Transport, limit: Activity, heartbeatMs: number) {
  return Promise.resolve(transport.call({ tool: "quiet", args: {}, meta: { heartbeat_ms: heartbeatMs }, limit }, SINK));
}

async function checkBeats(wire: WireRow): Promise<void> {
  const { server, clock, started, open } = quietServer();
  const { transport, close } = await wire.open(server);
  try {
    const limit = new Activity();
    const result = callQuiet(transport, limit, 1_000);
    await started;
    // Without being asked, a server sends its first heartbeat after eight seconds. A socket reports activity four times a second at most.
    const beats = wire.column === "WebSocket" ? 1 : 5;
    for (let second = 1; second <= beats; second++) {
      const before = limit.count;
      await clock.advance(1_000);
      await eventually(() => limit.count > before, `no heartbeat in second ${second}`);
    }
    open("done");
    strictEqual((await result).kind, "answer");
  } finally {
    open("done");
    await close();
    await server.close(0);
  }
}

for (const wire of WIRES.filter(({ column }) => COLUMNS.includes(column))) {
  test(
    `${wire.name}: heartbeats come as often as the caller asks`,
    { skip: wire.skip ?? false },
    () => checkBeats(wire),
  );
}

test("a caller gets two heartbeats a second at most", async () => {
  const { server, clock, started, open } = quietServer();
  const body = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "quiet", _meta: { heartbeat_ms: 1 } },
  });
  const headers = { "content-type": "application/json", accept: "text/event-stream" };
  const answer = server.fetch(new Request("http://localhost/mcp-lite/v1/calltools", { method: "POST", body, headers }));
  const text = answer.then((response) => response.text());
  await started;
  await clock.advance(2_000);
  open("done");
  strictEqual((await text).match(/^event: heartbeat$/gm)?.length, 4);
  await server.close(0);
});

test("calls that share a connection share its heartbeats, at the shortest interval of those that run", async () => {
  const { server, clock, open } = quietServer();
  const sent: string[] = [];
  const connection = new MemoryConnection(liteDuplex(64), server["~server"].host, (text) => void sent.push(text));
  const call = (id: number, heartbeatMs: number) => {
    const params = { name: "quiet", arguments: {}, _meta: { heartbeat_ms: heartbeatMs } };
    connection.receive(JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params }));
  };
  const beatsIn = (ms: number) => {
    sent.length = 0;
    clock.tick(ms);
    return sent.filter((text) => text.includes("notifications/heartbeat")).length;
  };
  for (let id = 1; id <= 20; id++) call(id, 2_000);
  strictEqual(beatsIn(6_000), 3);
  call(21, 500);
  for (let id = 22; id <= 40; id++) call(id, 1_000);
  strictEqual(beatsIn(2_000), 4);
  connection.receive('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":21}}');
  // The next one is still due at the interval of the call that was cancelled.
  ok(beatsIn(4_500) <= 5);
  open("done");
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
  strictEqual(beatsIn(60_000), 0);
  await connection.end();
  await server.close(0);
});

test("an interval that is no positive number is refused, as a deadline is", async () => {
  const { server } = quietServer();
  const client = createClient<typeof server>("http://localhost/mcp-lite/v1", {
    fetch: (url, init) => server.fetch(new Request(url, { ...init, redirect: "follow" })),
  });
  await rejects(client.quiet({}, { meta: { heartbeat_ms: 0 } }), {
    code: "invalid_input",
    message: /_meta\.heartbeat_ms must be a positive number of milliseconds/,
  });
  await server.close(0);
});

/** Calls of a client with an idle timeout: their `_meta`, and whether they are streamed. */
async function sentWith(idleTimeoutMs: number): Promise<readonly [meta: unknown, isStreamed: boolean]> {
  let sent: readonly [unknown, boolean] | undefined;
  const transport: Transport = {
    call({ meta }, sink) {
      sent = [meta, sink !== undefined];
      return { kind: "answer", value: 1 };
    },
    list: () => [],
  };
  await createClient(transport, { idleTimeoutMs }).$.call("t");
  return sent ?? [undefined, false];
}

test("a client asks for heartbeats if its idle timeout needs them, in a third of it; other calls are as before", async () => {
  deepStrictEqual(await sentWith(3_000), [{ heartbeat_ms: 1_000 }, true]);
  deepStrictEqual(await sentWith(15_000), [{ heartbeat_ms: 5_000 }, true]);
  deepStrictEqual(await sentWith(16_000), [undefined, false]);
  deepStrictEqual(await sentWith(1), [{ heartbeat_ms: 1 }, true]);
});

const isWorker = globalThis.navigator?.userAgent === "Cloudflare-Workers";
const skip = isWorker ? "workerd ends a request that waits for a timer of the test" : false;

for (const wires of [[mcpLite()], [rest()]]) {
  const [{ name = "" } = {}] = wires;
  test(`${name}: a healthy call outlives its idle timeout`, { skip }, async () => {
    await withVirtualTime(async (time) => {
      const nap = defineTool("nap").describe("Rest").handle(async () => {
        await new Promise((resolve) => setTimeout(resolve, 30_000));
        return "rested";
      });
      const server = createServer({ tools: [nap], wires, timeoutMs: 60_000, logger: false });
      const fetch = (url: string, init: RequestInit) => server.fetch(new Request(url, { ...init, redirect: "follow" }));
      const to = name === "rest"
        ? restTransport("http://localhost/rest", { fetch })
        : mcpLiteTransport("http://localhost/mcp-lite/v1", { fetch });
      const answer = createClient<typeof server>(to, { idleTimeoutMs: 3_000 }).nap();
      answer.catch(() => {});
      await time.pass(31_000, 500);
      strictEqual(await answer, "rested");
      await server.close(0);
    });
  });
}
