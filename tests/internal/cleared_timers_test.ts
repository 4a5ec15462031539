/**
 * Timers that settle a promise, end a call or redraw a line: what they call fails, then the clean-up after it, too. The first error counts,
 * other calls end as they would, and nothing ends the process: an exception of a timer would fail the run of the tests.
 */
import { deepStrictEqual, match, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createClient, createServer, defineTool, type Logger, mcpLite } from "../../mod.ts";
import { StatusLine } from "../../apps/cli/terminal/status_line.ts";
import type { Transport } from "../../src/entries/wire.ts";
import { FakeClock, testClient } from "../../src/entries/testing.ts";
import { consolePage } from "../../src/entries/console.ts";
import { mcpDuplex } from "../../src/entries/mcp.ts";
import { serveLines } from "../../src/wires/mcp/stdio/server/serve_lines.ts";
import { DurableObjectEngine } from "../../src/jobs/engines/durable_object/engine.ts";
import { withVirtualTime } from "../client/virtual_time.ts";
import { runtime } from "../runtime/runtime.ts";
import { Pipe } from "../wires/mcp/stdio/in_process.ts";

const fail = (message: string) => (): never => {
  throw new Error(message);
};

test("the status line: a terminal that breaks between two redraws, and again when the line is cleared, ends no command", async () => {
  let isBroken = false;
  const tried: string[] = [];
  const redrawn = Promise.withResolvers<void>();
  const status = new StatusLine({
    isTTY: true,
    columns: 80,
    write(text) {
      tried.push(text);
      if (!isBroken) return true;
      redrawn.resolve();
      throw new Error("EIO: the terminal is gone");
    },
  });
  status.show(() => "working");
  isBroken = true;
  // The status alone does not keep the process alive.
  const alive = setInterval(() => {}, 60_000);
  await redrawn.promise;
  clearInterval(alive);
  status.show(() => "still working");
  status.hide();
  status.end();
  const { length } = tried;
  status.show(() => "again");
  status.end();
  isBroken = false;
  status.show(() => "mended");
  status.end();
  match(tried.slice(length).join(""), /again[^]*mended/);
});

test("the status as lines: an output that breaks ends no command", () => {
  const status = new StatusLine({ isTTY: false, write: fail("EPIPE") });
  status.show(() => "working");
  status.end();
});

test("server.close(): at the end of the grace, generators, signals and streams that fail hold back no other call", async () => {
  const clock = new FakeClock(0);
  const begun = Promise.withResolvers<void>();
  let count = 0;
  const hold = () => void (++count === 3 && begun.resolve());
  const stuck = defineTool("stuck").describe("Stuck").handle((_, ctx) => {
    hold();
    return new Promise((_, reject) => ctx.signal.addEventListener("abort", () => reject(new Error("second"))));
  });
  const endless = defineTool("endless").describe("Endless").handle(async function* () {
    try {
      yield 1;
      hold();
      await new Promise(() => {});
    } finally {
      fail("the clean-up breaks")();
    }
  });
  const logger: Logger = { debug() {}, info: fail("no disk"), warn: fail("no disk"), error: fail("no disk") };
  const closed: string[] = [];
  const server = createServer({
    tools: [stuck, endless],
    clock,
    logger,
    changes: {
      publish() {},
      subscribe: () => () => {},
      close() {
        closed.push("changes");
        fail("the bus breaks")();
      },
    },
  });
  const client = testClient(server);
  const calls = [client.$.call("stuck", {}), client.$.call("stuck", {})];
  const ended = calls.map((call) => rejects(Promise.resolve(call), { code: "unavailable" }));
  const streamed = rejects(async () => {
    for await (const _ of client.$.stream("endless", {})) { /* Until it is ended. */ }
  }, { code: "unavailable" });
  await begun.promise;
  const closing = rejects(server.close(1_000), /the bus breaks/);
  await clock.advance(1_000);
  await Promise.all([...ended, streamed]);
  await clock.advance(10_000);
  await closing;
  deepStrictEqual(closed, ["changes"]);
});

test("a call that is over by its limit stays so when its transport rejects later, and then cannot be closed", {
  skip: runtime === "workerd" && "timers of the runtime cannot be replaced",
}, async () => {
  await withVirtualTime(async (time) => {
    const late = Promise.withResolvers<never>();
    const transport: Transport = {
      call: (_, sink) => {
        sink?.closed?.addEventListener("abort", () => {});
        return late.promise;
      },
      list: () => [{ name: "it", inputSchema: { type: "object" } }],
      close: fail("the transport cannot be closed"),
    };
    const client = createClient(transport, { timeoutMs: 1_000 });
    const call = rejects(Promise.resolve(client.$.call("it", {})), { code: "deadline_exceeded" });
    await time.pass(1_000);
    await call;
    late.reject(new Error("second"));
    await time.pass(1_000);
    let problem: unknown;
    try {
      client.$.close();
    } catch (thrown) {
      problem = thrown;
    }
    match(String(problem), /cannot be closed|undefined/);
    await rejects(Promise.resolve(client.$.call("it", {})));
  });
});

test("stdio: the pipe breaks at the end of the grace, and what is ended then fails, too", async () => {
  const clock = new FakeClock(0);
  const begun = Promise.withResolvers<void>();
  const hang = defineTool("hang").describe("Hang").handle(async (_, ctx) => {
    begun.resolve();
    try {
      await new Promise((_, reject) => ctx.signal.addEventListener("abort", () => reject(new Error("ended"))));
    } finally {
      fail("the clean-up breaks")();
    }
  });
  const server = createServer({ tools: [hang], clock, logger: false });
  const input = new Pipe();
  const tried: string[] = [];
  const serving = serveLines(mcpDuplex(), server["~server"].host, {
    input,
    graceMs: 1_000,
    principal: undefined,
    write: (line) => {
      tried.push(line);
      return Promise.reject(new Error("EPIPE"));
    },
  }).then(() => "served", (thrown: unknown) => String(thrown));
  const params = { name: "hang", arguments: {} };
  input.put(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params })}\n`);
  await begun.promise;
  input.end();
  await clock.advance(1_000);
  await clock.advance(1_000);
  match(await serving, /served|EPIPE/);
  await server.close(0);
});

test("Durable Objects: leases whose renewals and release fail are renewed again, and the first error is the caller's", async () => {
  let renewals = 0;
  const renewed = Promise.withResolvers<void>();
  const shardAt = () => ({
    lease: () => Promise.resolve({ id: "job", token: 1 }),
    renew: () => {
      if (++renewals === 3) renewed.resolve();
      return renewals % 2 === 0 ? Promise.reject(new Error("the object is away")) : fail("the object is away")();
    },
    release: () => Promise.reject(new Error("the object is still away")),
    changed: () => Promise.reject(new Error("the object is away")),
  });
  const engine = new DurableObjectEngine({ shards: 1, leaseMs: 3, shardAt: shardAt as never });
  const release = await engine.lease("job");
  await renewed.promise;
  await rejects(Promise.resolve(release()), /still away/);
  const before = renewals;
  const stop = engine.subscribe("job", fail("the subscriber breaks"));
  stop();
  engine.close();
  engine.close();
  strictEqual(renewals, before, "a released lease is not renewed");
});

test("the console's feed: pages that have gone, and a page whose reader fails, hold back no other page", async () => {
  const clock = new FakeClock(0);
  const echo = defineTool("echo").describe("Echo").handle((input) => input);
  const key = "a key of the tests that is long enough";
  const server = createServer({ tools: [echo], wires: [mcpLite(), consolePage({ key })], clock, logger: false });
  const open = async () => {
    const headers = { "x-toolwire-console": "1", "x-toolwire-console-key": key };
    const request = new Request("http://localhost/console/api/feed", { method: "POST", headers, body: "{}" });
    const reader = (await server.fetch(request)).body?.getReader();
    await reader?.read();
    return reader;
  };
  const [gone, failing, last] = [await open(), await open(), await open()];
  await testClient(server).$.call("echo", { text: "seen" });
  // Between the event and the timer that sends it.
  await gone?.cancel();
  await failing?.cancel(new Error("the reader fails")).catch(() => {});
  await clock.advance(1_000);
  let text = "";
  while (!text.includes('"end"')) text += new TextDecoder().decode((await last?.read())?.value);
  match(text, /seen/);
  await last?.cancel();
  await server.close(0);
});
