/** A host that does not read, or that sends more calls than may run: further calls wait or are refused, and everything that ends calls is read. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool } from "../../../../mod.ts";
import { mcpDuplex } from "../../../../src/wires/mcp/server/duplex.ts";
import { serveLines } from "../../../../src/wires/mcp/stdio/server/serve_lines.ts";
import * as v from "../../../../src/entries/schema.ts";
import { Pipe } from "./in_process.ts";

const turn = () => new Promise((resolve) => setTimeout(resolve, 5));

type Json = Readonly<Record<string, unknown>>;

type Tools = NonNullable<Parameters<typeof createServer>[0]["tools"]>;

/** A server at two pipes, and a host that reads when it is asked to. */
class Host {
  readonly written: Json[] = [];
  readonly input = new Pipe();
  readonly served: Promise<void>;
  readonly #server: ReturnType<typeof createServer>;
  #room: PromiseWithResolvers<void> | undefined;

  constructor(tools: Tools, maxConcurrentCalls?: number, bodyBytes = 1_048_576) {
    this.#server = createServer({
      name: "unread",
      version: "1.0.0",
      tools,
      limits: { bodyBytes },
      keys: `k1:${"x".repeat(32)}`,
    });
    this.served = serveLines(mcpDuplex({ maxConcurrentCalls }), this.#server["~server"].host, {
      input: this.input,
      graceMs: 0,
      write: (line) => {
        this.written.push(JSON.parse(line));
        return this.#room?.promise;
      },
    });
  }

  /** Ids of the responses so far. */
  get answered(): readonly unknown[] {
    return this.written.filter((message) => !("method" in message)).map(({ id }) => id);
  }

  /** From now on each line fills the pipe. */
  stopReading(): void {
    this.#room = Promise.withResolvers();
  }

  /** Reads what is in the pipe; the next line fills it again, unless the host now reads at once. */
  read(then: "once" | "always"): void {
    const room = this.#room;
    this.#room = then === "once" ? Promise.withResolvers() : undefined;
    room?.resolve();
  }

  send(...messages: readonly Json[]): void {
    this.input.put(messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join(""));
  }

  call(id: number, name: string, args: Json = {}): Json {
    return { id, method: "tools/call", params: { name, arguments: args } };
  }

  calls(name: string, count: number, first = 0): readonly Json[] {
    return Array.from({ length: count }, (_, at) => this.call(first + at, name));
  }

  async end(): Promise<void> {
    this.input.end();
    await this.served;
    await this.#server.close(0);
  }
}

/** A tool whose calls end when the test says so. */
function gated() {
  const waiting: (() => void)[] = [];
  const runs: number[] = [];
  const tool = defineTool("wait").describe("Wait").handle(async () => {
    const run = runs.push(waiting.length);
    await new Promise<void>((resolve) => waiting.push(resolve));
    return run;
  });
  return { tool, runs, finish: (count: number) => waiting.splice(0, count).forEach((resolve) => resolve()) };
}

test("while the pipe is full, no further line is handled; afterwards all are, in order", async () => {
  let runs = 0;
  const host = new Host([defineTool("count").describe("Count").handle(() => ++runs)]);
  host.stopReading();
  host.send(...host.calls("count", 100));
  await turn();
  deepStrictEqual([runs, host.written.length], [1, 1]);
  host.read("once");
  await turn();
  deepStrictEqual([runs, host.written.length], [2, 2]);
  host.read("always");
  await host.end();
  strictEqual(runs, 100);
  deepStrictEqual(host.answered, Array.from({ length: 100 }, (_, id) => id));
});

test("1,000 calls that wait: 100 run at once, and their answers are all that waits for the host", async () => {
  const { tool, runs, finish } = gated();
  const host = new Host([tool]);
  host.stopReading();
  host.send(...host.calls("wait", 1_000));
  await turn();
  strictEqual(runs.length, 100);
  finish(100);
  await turn();
  deepStrictEqual([runs.length, host.written.length], [100, 100], "calls are started for a host that does not read");
  host.read("always");
  for (let rounds = 0; rounds < 100 && host.written.length < 1_000; rounds++) {
    await turn();
    finish(100);
  }
  await host.end();
  deepStrictEqual(host.answered, Array.from({ length: 1_000 }, (_, id) => id), "each call once, in order");
});

test("what ends a call is read while calls wait: answers, cancellations; pings and subscriptions are not calls", async () => {
  const asking = defineTool("ask").describe("Ask").handle(async (_, ctx) => {
    const { action } = await ctx.elicit("sure", { message: "Sure?", schema: v.object({ sure: v.boolean() }) });
    return action;
  });
  let runs = 0;
  const count = defineTool("count").describe("Count").handle(() => ++runs);
  const { tool, finish } = gated();
  const host = new Host([asking, count, tool], 2);
  const clientInfo = { name: "host", version: "1" };
  const params = { protocolVersion: "2025-11-25", capabilities: { elicitation: {} }, clientInfo };
  host.send({ id: "hello", method: "initialize", params });
  host.send(host.call(1, "ask"), host.call(2, "wait"), host.call(3, "count"), host.call(4, "count"));
  host.send({ id: "ping", method: "ping" }, { method: "notifications/cancelled", params: { requestId: 3 } });
  host.send(host.call(4, "count"));
  await turn();
  deepStrictEqual([runs, host.answered], [0, ["hello", "ping", 4]], "only the second call 4 is refused");
  const question = host.written.find(({ method }) => method === "elicitation/create");
  host.send({ id: question?.["id"], result: { action: "decline" } });
  await turn();
  deepStrictEqual([runs, host.answered], [1, ["hello", "ping", 4, 1, 4]]);
  finish(1);
  await host.end();
  deepStrictEqual([runs, host.answered], [1, ["hello", "ping", 4, 1, 4, 2]], "the cancelled call did not run");
});

test("streams of changes are not calls", async () => {
  const { tool, runs, finish } = gated();
  const host = new Host([tool], 2);
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const calls = host.calls("wait", 3).map(({ params, ...call }) => ({
    ...call,
    params: { ...(params as Json), _meta },
  }));
  const listen = { notifications: { toolsListChanged: true }, _meta };
  host.send(...[7, 8, 9].map((id) => ({ id, method: "subscriptions/listen", params: listen })), ...calls);
  host.send({ id: 10, method: "subscriptions/listen", params: listen });
  await turn();
  strictEqual(runs.length, 2);
  strictEqual(host.written.filter(({ method }) => String(method).endsWith("acknowledged")).length, 4);
  finish(2);
  await turn();
  finish(1);
  await host.end();
  deepStrictEqual([...host.answered].sort(), [0, 1, 10, 2, 7, 8, 9]);
});

/** Whether a response refuses its request for want of room, and says when to try again. */
function isRefused({ error }: Json): boolean {
  const { code, data } = (error ?? {}) as { readonly code?: number; readonly data?: Json };
  return code === -32000 && data?.["code"] === "unavailable" && data["retry_after_ms"] === 1_000;
}

test("calls that wait are limited in size: further ones are refused at once, until there is room", async () => {
  const { tool, runs, finish } = gated();
  const host = new Host([tool], 1, 1_024);
  const calls = host.calls("wait", 20, 100);
  const size = JSON.stringify({ jsonrpc: "2.0", ...calls[0] }).length;
  host.send(...calls, { id: "ping", method: "ping" });
  await turn();
  const refused = host.written.filter(isRefused).length;
  const waiting = 20 - 1 - refused;
  deepStrictEqual([runs.length, host.answered.length, host.answered.at(-1)], [1, refused + 1, "ping"]);
  ok(refused > 0 && (waiting - 1) * size < 1_024 && waiting * size >= 1_024, `${waiting} calls of ${size} wait`);
  finish(1);
  await turn();
  host.send(host.call(200, "wait"), host.call(201, "wait"));
  for (let run = 0; run <= waiting + 1; run++) {
    await turn();
    finish(1);
  }
  await host.end();
  deepStrictEqual([runs.length, host.written.filter(isRefused).at(-1)?.["id"]], [waiting + 2, 201]);
  strictEqual(host.answered.length, 23, "each request has one answer");
});

test("what ends a call is read while calls are refused: its answer, and its cancellation", async () => {
  const asking = defineTool("ask").describe("Ask").handle(async (_, ctx) => {
    const { action } = await ctx.elicit("sure", { message: "Sure?", schema: v.object({ sure: v.boolean() }) });
    return action;
  });
  let aborted = 0;
  const endless = defineTool("endless").describe("Endless").handle((_, ctx) => {
    return new Promise((resolve) => ctx.signal.addEventListener("abort", () => resolve(++aborted)));
  });
  const host = new Host([asking, endless], 2, 1_024);
  const clientInfo = { name: "host", version: "1" };
  const params = { protocolVersion: "2025-11-25", capabilities: { elicitation: {} }, clientInfo };
  host.send({ id: "hello", method: "initialize", params }, host.call(1, "ask"), host.call(2, "endless"));
  await turn();
  const question = host.written.find(({ method }) => method === "elicitation/create");
  const flood = Array.from({ length: 4 }, (_, at) => host.call(10 + at, "endless", { text: "x".repeat(600) }));
  host.send(...flood, { id: question?.["id"], result: { action: "decline" } });
  await turn();
  deepStrictEqual(host.answered, ["hello", 12, 13, 1]);
  host.send(...[2, 10, 11].map((requestId) => ({ method: "notifications/cancelled", params: { requestId } })));
  await turn();
  ok(aborted > 0, "the cancellation is not read");
  await host.end();
  deepStrictEqual(host.answered, ["hello", 12, 13, 1]);
});

test("refusals do not pile up for a host that does not read", async () => {
  const { tool, finish } = gated();
  const host = new Host([tool], 1, 1_024);
  host.stopReading();
  host.send(...host.calls("wait", 200));
  await turn();
  strictEqual(host.written.length, 1, "one refusal fills the pipe");
  host.read("once");
  await turn();
  strictEqual(host.written.length, 2);
  host.read("always");
  for (let round = 0; round < 14; round++) {
    await turn();
    finish(1);
  }
  await host.end();
  deepStrictEqual([...host.answered].sort((a, b) => Number(a) - Number(b)), Array.from({ length: 200 }, (_, id) => id));
});

test("calls that wait are dropped at the end of the grace period", async () => {
  let runs = 0;
  const endless = defineTool("wait").describe("Wait").handle((_, ctx) => {
    runs++;
    return new Promise((resolve) => ctx.signal.addEventListener("abort", resolve));
  });
  const host = new Host([endless], 1);
  host.send(...host.calls("wait", 3));
  await turn();
  await host.end();
  deepStrictEqual([runs, host.answered], [1, []]);
});
