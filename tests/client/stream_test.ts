import { deepStrictEqual, ok, rejects, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import {
  createClient,
  createServer,
  defineTool,
  Failure,
  memoryTransport,
  type Progress,
  ToolError,
} from "../../mod.ts";
import { type Answerer, done, FakeFetch, FakeStream, partial, sse, wait } from "./fake_fetch.ts";

function methodsOf(...pieces: readonly (string | Error)[]) {
  const stream = new FakeStream(pieces);
  const fake = new FakeFetch(stream.answer);
  return { fake, stream, $: createClient("http://example.com", { fetch: fake.fetch, retry: { attempts: 0 } }).$ };
}

test("a stream gives its pieces as they come, and its result", async () => {
  const stream = methodsOf(partial("a"), partial({ b: [1] }), partial(null), done("whole")).$.stream("t");
  deepStrictEqual(await Array.fromAsync(stream), ["a", { b: [1] }, null]);
  strictEqual(await stream.result, "whole");
});

test("a stream's result can be had without iterating, before or after, and more than once", async () => {
  strictEqual(await methodsOf(partial("a"), done("whole")).$.stream("t").result, "whole");
  const stream = methodsOf(partial("a"), partial("b"), done()).$.stream("t");
  const { result } = stream;
  deepStrictEqual(await Array.fromAsync(stream), ["a", "b"]);
  deepStrictEqual([await result, await stream.result], ["ab", "ab"]);
});

for (
  const [name, pieces, want] of [
    ["strings are joined", [partial("a"), partial(""), partial("b"), done()], "ab"],
    ["anything else is an array", [partial("a"), partial(1), done()], ["a", 1]],
    ["one piece that is no string is an array", [partial({ a: 1 }), done()], [{ a: 1 }]],
    ["no pieces are nothing", [done()], undefined],
    ["a null answer is null, not the pieces", [partial("a"), done(null)], null],
    ["an empty answer is empty", [partial("a"), done("")], ""],
    ["done without any _meta is an answer", [partial("a"), sse("done", { content: 1 })], 1],
    ["done as A.4 writes it is the pieces", [
      partial("a"),
      partial("b"),
      sse("done", { _meta: { response_type: "answer", timestamp: "2024-01-01T12:00:00Z" } }),
    ], "ab"],
    ["heartbeats are nothing", [
      sse("heartbeat", {}),
      partial("a"),
      "event: heartbeat\ndata: not json\n\n",
      "event: heartbeat\n\n",
      done(),
    ], "a"],
    ["comments, ids, retries and unknown fields are nothing", [
      ": hi\n\nid: 7\nretry: 1\nfoo: bar\n\n",
      partial("a"),
      done(),
    ], "a"],
    ["messages of neither kind are nothing", [
      sse("message", {}),
      sse("message", { other: 1 }),
      sse("message", 5),
      sse("message", { progress: 5 }),
      partial("a"),
      done(),
    ], "a"],
    ["an event without a name is a message", ['data: {"partial":"a"}\n\n', done()], "a"],
    ["the first done counts", [partial("a"), done("one"), done("two")], "one"],
    ["what comes after done is nothing", [
      done("one"),
      partial("late"),
      sse("error", { code: -32603, message: "late" }),
    ], "one"],
    ["what comes after done in the same piece is nothing", [
      done("one") + partial("late") + sse("error", { code: -32603, message: "late" }),
    ], "one"],
    ["CRLF and CR end lines as LF does", [
      'event: message\r\ndata: {"partial":"a"}\r\n\r\nevent: message\rdata: {"partial":"b"}\r\r',
      done(),
    ], "ab"],
    ["many data lines are one", ['event: message\ndata: {"partial":\ndata: "a"}\n\n', done()], "a"],
    ["a byte order mark is nothing", ["\ufeff" + partial("a"), done()], "a"],
  ] as const
) {
  test(`a stream: ${name}`, async () => {
    const { $ } = methodsOf(...pieces);
    deepStrictEqual(await $.stream("t").result, want);
  });
}

test("what comes after done is not iterated", async () => {
  deepStrictEqual(
    await Array.fromAsync(methodsOf(partial("a"), done() + partial("late"), partial("later")).$.stream("t")),
    ["a"],
  );
});

test("the connection is given up after done, when the server holds it open", async () => {
  const open = new FakeStream([partial("a"), done()], { isEndless: true });
  const { $ } = createClient("http://example.com", { fetch: new FakeFetch(open.answer).fetch });
  strictEqual(await $.stream("t").result, "a");
  await wait(1);
  strictEqual(open.isCancelled, true);
});

for (
  const [name, pieces, want] of [
    ["an error event", [
      sse("error", { code: -32603, message: "Broke", data: { code: "internal", correlation_id: "x" }, _meta: {} }),
    ], { name: "ToolError", code: "internal", message: "Broke" }],
    ["an error event without anything", [sse("error", {})], { name: "ToolError", code: "internal" }],
    ["an error event that is no object", [sse("error", null)], { name: "ToolError", code: "internal" }],
    ["a failure", [sse("done", { content: { code: "no", message: "No" }, _meta: { response_type: "failure" } })], {
      name: "Failure",
      code: "no",
    }],
    ["no done", [], {
      name: "ToolError",
      code: "unavailable",
      message:
        "Connection lost after 2 pieces: call again; a tool with .promise() keeps its pieces, so that its stream continues by itself",
    }],
    ["a done that was cut off", ['event: done\ndata: {"content":1}\n'], { name: "ToolError", code: "unavailable" }],
    ["a done that is not JSON", ["event: done\ndata: {\n\n"], { name: "ToolError", code: "parse_error" }],
    ["a message that is not JSON", ["event: message\ndata: {\n\n"], { name: "ToolError", code: "parse_error" }],
    ["a connection that breaks off", [new Error("reset")], {
      name: "ToolError",
      code: "unavailable",
      message: /^Connection lost after 2 pieces: call again/,
    }],
  ] as const
) {
  test(`a stream that ends in ${name}: the loop has its pieces, and throws; result rejects`, async () => {
    const { $ } = methodsOf(partial("a"), partial("b"), ...pieces);
    const stream = $.stream("t");
    const seen: unknown[] = [];
    await rejects(async () => {
      for await (const piece of stream) seen.push(piece);
    }, want);
    deepStrictEqual(seen, ["a", "b"]);
    await rejects(stream.result, want);
  });
}

test("a stream that fails and is never looked at is no unhandled rejection", async () => {
  methodsOf(sse("error", { code: -32603, message: "x" })).$.stream("t");
  await wait(5);
});

test("progress goes to onProgress, of a stream and of a plain call, and not into the loop", async () => {
  const pieces = [
    sse("message", { progress: { done: 1, total: 2, message: "half" } }),
    partial("a"),
    sse("message", { progress: { done: "x" } }),
    done("whole"),
  ];
  const want: Progress[] = [{ done: 1, total: 2, message: "half" }, { done: 0 }];
  for (const isPlain of [true, false]) {
    const reported: Progress[] = [];
    const options = { onProgress: (progress: Progress) => void reported.push(progress) };
    const { $ } = methodsOf(...pieces);
    if (isPlain) strictEqual(await $.call("t", {}, options), "whole");
    else deepStrictEqual(await Array.fromAsync($.stream("t", {}, options)), ["a"]);
    deepStrictEqual(reported, want);
  }
});

test("progress goes to onProgress of outcome() as well", async () => {
  const reported: Progress[] = [];
  const { $ } = methodsOf(sse("message", { progress: { done: 1 } }), done("whole"));
  const outcome = await $.outcome("t", {}, { onProgress: (progress) => void reported.push(progress) });
  strictEqual(outcome.kind === "answer" && outcome.value, "whole");
  deepStrictEqual(reported, [{ done: 1 }]);
});

test("an onProgress that throws is not blamed on the network", async () => {
  const { $ } = methodsOf(sse("message", { progress: { done: 1 } }), done("whole"));
  const ended = await $.call("t", {}, {
    onProgress: () => {
      throw new RangeError("from onProgress");
    },
  }).catch((thrown: unknown) => thrown);
  ok(ended === "whole" || ended instanceof RangeError, String(ended));
});

/** Streams `count` numbers, and says how many were asked of it. */
function counting(count: number) {
  const state = { made: 0 };
  const server = createServer({
    logger: false,
    tools: [
      defineTool("count").describe("C").handle(async function* () {
        for (let n = 0; n < count; n++) {
          state.made++;
          yield n;
        }
      }),
    ],
  });
  return { state, client: createClient<typeof server>(memoryTransport(server)) };
}

test("a slow loop holds the handler back: bounded pieces wait", async () => {
  const { state, client } = counting(10_000);
  const stream = client.count.stream();
  const iterator = stream[Symbol.asyncIterator]();
  strictEqual((await iterator.next()).value, 0);
  await wait(5);
  ok(state.made < 200, `${state.made} made`);
  let seen = 1;
  for (let next = await iterator.next(); !next.done; next = await iterator.next()) strictEqual(next.value, seen++);
  strictEqual(seen, 10_000);
});

test("a slow loop holds an HTTP body back", async () => {
  const slow = new FakeStream([...Array.from({ length: 1_000 }, (_, n) => partial(n)), done()]);
  const { $ } = createClient("http://example.com", { fetch: new FakeFetch(slow.answer).fetch });
  const stream = $.stream("t");
  const iterator = stream[Symbol.asyncIterator]();
  await iterator.next();
  await wait(10);
  ok(slow.pulled < 200, `${slow.pulled} pulled`);
  let seen = 1;
  for (let next = await iterator.next(); !next.done; next = await iterator.next()) seen++;
  strictEqual(seen, 1_000);
});

test("reading result of a stream collects all pieces without a loop", async () => {
  const { client } = counting(1_000);
  deepStrictEqual(await client.count.stream().result, Array.from({ length: 1_000 }, (_, n) => n));
  const stream = client.count.stream();
  const { result } = stream;
  const seen = await Array.fromAsync(stream);
  deepStrictEqual([seen.length, ((await result) as number[]).length], [1_000, 1_000]);
});

test("an error in the loop's own body ends the call, and is the loop's", async () => {
  const { client } = counting(1_000_000);
  const mine = new Error("mine");
  await rejects(async () => {
    for await (const piece of client.count.stream()) if (piece === 3) throw mine;
  }, (thrown: unknown) => thrown === mine);
});

test("over memory a stream is what it is over HTTP", async () => {
  const server = createServer({
    logger: false,
    tools: [
      defineTool("joined").describe("J").handle(async function* () {
        yield "a";
        yield "b";
      }),
      defineTool("fails").describe("F").handle(async function* () {
        yield "a";
        throw new Failure("no", "No");
      }),
      defineTool("breaks").describe("B").handle(async function* () {
        yield "a";
        throw new Error("secret");
      }),
      defineTool("dates").describe("D").handle(async function* () {
        yield { at: new Date(0), gone: undefined };
      }),
    ],
  });
  const answering: Answerer = ({ body, init }) =>
    server.fetch(new Request("http://localhost/mcp-lite/v1/calltools", { ...init, body: JSON.stringify(body) }));
  for (
    const client of [
      createClient<typeof server>(memoryTransport(server)),
      createClient<typeof server>("http://localhost/mcp-lite/v1", { fetch: new FakeFetch(answering).fetch }),
    ]
  ) {
    strictEqual(await client.joined.stream().result, "ab");
    strictEqual(await client.joined(), "ab");
    deepStrictEqual(await Array.fromAsync(client.joined.stream()), ["a", "b"]);
    await rejects(client.fails.stream().result, { name: "Failure", code: "no" });
    await rejects(client.fails(), { name: "Failure", code: "no" });
    await rejects(
      client.breaks.stream().result,
      (thrown: unknown) =>
        thrown instanceof ToolError && thrown.code === "internal" && !thrown.message.includes("secret"),
    );
    deepStrictEqual(await Array.fromAsync(client.dates.stream()) as unknown, [{ at: "1970-01-01T00:00:00.000Z" }]);
  }
});

test("a second loop over a stream is refused with the reason", async () => {
  const count = defineTool("count").describe("Count").handle(async function* () {
    yield 1;
    yield 2;
  });
  const server = createServer({ logger: false, tools: [count] });
  const stream = createClient<typeof server>(memoryTransport(server)).count.stream();
  deepStrictEqual(await Array.fromAsync(stream), [1, 2]);
  throws(() => stream[Symbol.asyncIterator](), /read only once/);
  deepStrictEqual(await stream.result, [1, 2]);
});

test("a stream that continues over its promise asks for the pieces after those that were dropped", async () => {
  const dropped = sse("message", { dropped: { from: 0, to: 3 } });
  const promised = sse("done", {
    _meta: { response_type: "promise", promise_token: "prom_1", ttl_ms: 60_000, retry_after_ms: 0 },
  });
  const fake = new FakeFetch(
    new FakeStream([promised]).answer,
    new FakeStream([dropped, partial("d"), promised]).answer,
    new FakeStream([partial("e"), done("whole")]).answer,
  );
  const stream = createClient("http://example.com", { fetch: fake.fetch }).$.stream("t");
  deepStrictEqual(await Array.fromAsync(stream), ["d", "e"]);
  strictEqual(stream.dropped, 3);
  const redeemed = fake.asked.filter(({ body }) => body.params?.name === "redeem");
  deepStrictEqual(redeemed.map(({ body }) => (body.params?.["arguments"] as { after: number }).after), [0, 4]);
});

const open = createServer({ tools: [defineTool("t").describe("T").handle((args) => args)] });
const openClient = createClient(open);

for (
  const [what, use] of [
    ["call", (args) => openClient.t(args as never)],
    ["stream", (args) => openClient.t.stream(args as never).result],
    ["outcome", (args) => openClient.t.outcome(args as never)],
    ["start", (args) => openClient.t.start(args as never)],
    ["items", (args) => openClient.t.items(args as never)[Symbol.asyncIterator]().next()],
    ["$.call", (args) => openClient.$.call("t", args)],
  ] as readonly (readonly [string, (args: object) => Promise<unknown>])[]
) {
  test(`${what}: options in the place of arguments are refused, with the line to write`, async () => {
    await rejects(use({ signal: new AbortController().signal }), {
      name: "TypeError",
      message: "Cannot call t: signal is an option, not an argument. Write: t({}, { signal })",
    });
    await rejects(use({ onProgress: () => {} }), { message: /onProgress is an option.*t\(\{\}, \{ onProgress \}\)$/ });
  });
}

test("arguments that can be JSON are sent, also under the names of options", async () => {
  const untyped = createClient(memoryTransport(open));
  const args = { signal: "SIGTERM", timeoutMs: 5, meta: { a: 1 } };
  deepStrictEqual(await untyped["t"]?.(args), args);
  const unknown: Readonly<Record<string, unknown>> = args;
  deepStrictEqual(await openClient.t(unknown), args);
});

test("no piece comes after the caller's signal has aborted, even of those that had arrived", async () => {
  const stop = new AbortController();
  const stream = methodsOf(partial("a"), partial("b"), partial("c"), done()).$.stream("t", {}, { signal: stop.signal });
  const pieces: unknown[] = [];
  const reading = (async () => {
    for await (const piece of stream) {
      pieces.push(piece);
      if (pieces.length === 2) stop.abort(new Error("stopped"));
    }
  })();
  await rejects(reading, /^Error: stopped$/);
  deepStrictEqual(pieces, ["a", "b"]);
});
