/** What ends a call: its caller, its total time, a quiet wire. Limits that have to expire do so in real time, as short as it goes. */
import { doesNotThrow, ok, rejects, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import { createClient, createServer, defineTool, memoryTransport, ToolError } from "../../mod.ts";
import * as v from "../../src/entries/schema.ts";
import { testClient } from "../../src/entries/testing.ts";
import { type Answerer, done, FakeFetch, FakeStream, partial, result, sse, wait } from "./fake_fetch.ts";
import { withVirtualTime } from "./virtual_time.ts";

const hang: Answerer = ({ init }) =>
  new Promise((_, reject) => init.signal?.addEventListener("abort", () => reject(init.signal?.reason)));
/** A fetch that pays no heed to its signal, as those of tests and adapters do. */
const deaf: Answerer = () => new Promise(() => {});

function methodsOf(answer: Answerer) {
  const fake = new FakeFetch(answer);
  return { fake, $: createClient("http://example.com", { fetch: fake.fetch, retry: { attempts: 0 } }).$ };
}

const reason = new Error("The user left");
const sayings: readonly (readonly [string, unknown])[] = [["an Error", reason], ["a string", "left"], [
  "a ToolError",
  new ToolError("cancelled", "x"),
], ["nothing said", undefined]];
for (const [name, reply] of sayings) {
  for (
    const [how, answer] of [["a fetch that hangs", hang], ["a fetch that does not listen", deaf], [
      "a stream that hangs",
      new FakeStream([partial("a")], { isEndless: true }).answer,
    ]] as const
  ) {
    test(`abort rejects a call with the signal's reason, ${name}: ${how}`, async () => {
      const { $ } = methodsOf(answer);
      for (
        const call of [
          (signal: AbortSignal) => $.call("t", {}, { signal }),
          (signal: AbortSignal) => $.outcome("t", {}, { signal }),
          (signal: AbortSignal) => $.stream("t", {}, { signal }).result,
          (signal: AbortSignal) => Array.fromAsync($.stream("t", {}, { signal })),
        ]
      ) {
        const left = new AbortController();
        const calling = call(left.signal);
        calling.catch(() => {});
        await wait(2);
        left.abort(reply);
        await rejects(calling, (thrown: unknown) => thrown === left.signal.reason);
      }
    });
  }
}

test("a signal that was aborted before ends the call before it begins", async () => {
  const { $, fake } = methodsOf(result({ content: 1 }));
  const signal = AbortSignal.abort(reason);
  for (
    const call of [
      () => $.call("t", {}, { signal }),
      () => $.stream("t", {}, { signal }).result,
      () => $.list({ signal }),
    ]
  ) {
    await rejects(call, (thrown: unknown) => thrown === reason);
  }
  ok(fake.asked.every(({ init }) => init.signal?.aborted));
});

test("a signal that was aborted before ends a call over memory, whatever the handler does", async () => {
  const server = createServer({
    tools: [
      defineTool("now").describe("N").handle(() => 1),
      defineTool("later").describe("L").handle(async () => await Promise.resolve(1)),
    ],
  });
  const client = createClient<typeof server>(memoryTransport(server));
  const signal = AbortSignal.abort(reason);
  for (
    const call of [
      () => client.now({}, { signal }),
      () => client.later({}, { signal }),
      () => client.now.stream({}, { signal }).result,
    ]
  ) {
    await rejects(call, (thrown: unknown) => thrown === reason);
  }
});

test("a signal that aborts after the answer changes nothing, and is not held", async () => {
  const left = new AbortController();
  const { $ } = methodsOf(result({ content: 1 }));
  strictEqual(await $.call("t", {}, { signal: left.signal }), 1);
  left.abort(reason);
});

for (
  const [how, answer] of [["a fetch that hangs", hang], ["a fetch that does not listen", deaf], [
    "a stream that goes on",
    new FakeStream([partial("a")], { isEndless: true }).answer,
  ]] as const
) {
  test(`timeoutMs ends a call in all: ${how}`, async () => {
    const { $, fake } = methodsOf(answer);
    const options = { timeoutMs: 15 };
    for (
      const call of [
        () => $.call("t", {}, options),
        () => $.outcome("t", {}, options),
        () => $.stream("t", {}, options).result,
      ]
    ) {
      await rejects(call, { name: "ToolError", code: "deadline_exceeded", message: /15 ms/ });
    }
    const { deadline_ms: sentMs } = fake.asked[0]?.body.params?.["_meta"] as { deadline_ms: number };
    // A busy machine spends some of it before the request is sent.
    ok(sentMs > 0 && sentMs <= 15, `${sentMs} ms`);
  });

  test(`idleTimeoutMs ends a quiet call: ${how}`, async () => {
    const { $ } = methodsOf(answer);
    const options = { idleTimeoutMs: 15 };
    for (
      const call of [
        () => $.call("t", {}, options),
        () => $.outcome("t", {}, options),
        () => $.stream("t", {}, options).result,
      ]
    ) {
      await rejects(call, { name: "ToolError", code: "deadline_exceeded", message: /15 ms/ });
    }
  });
}

test("timeoutMs and idleTimeoutMs of the client hold for every call, and a call's own come first", async () => {
  const fake = new FakeFetch(hang);
  const { $ } = createClient("http://example.com", { fetch: fake.fetch, timeoutMs: 10, idleTimeoutMs: 5_000 });
  await rejects($.call("t"), { code: "deadline_exceeded", message: /10 ms/ });
  await rejects($.call("t", {}, { timeoutMs: 20 }), { code: "deadline_exceeded", message: /20 ms/ });
  await rejects($.call("t", {}, { timeoutMs: 5_000, idleTimeoutMs: 5 }), {
    code: "deadline_exceeded",
    message: /5 ms/,
  });
});

test("a list is limited as a call is", async () => {
  const { $ } = createClient("http://example.com", { fetch: () => new Promise(() => {}) });
  await rejects($.list({ timeoutMs: 10 }), { name: "ToolError", code: "deadline_exceeded" });
  await rejects($.list({ idleTimeoutMs: 10 }), { name: "ToolError", code: "deadline_exceeded" });
});

for (const timeoutMs of [Number.POSITIVE_INFINITY, 2 ** 31, 2 ** 40]) {
  test(`a timeout of ${timeoutMs} ms is longer than a timer can be, and not over at once`, async () => {
    const slow: Answerer = async (asked) => {
      await wait(10);
      return await result({ content: 1 })(asked);
    };
    const { $ } = methodsOf(slow);
    strictEqual(await $.call("t", {}, { idleTimeoutMs: timeoutMs }), 1);
    strictEqual(await $.call("t", {}, { timeoutMs }), 1);
  });
}

test("any byte puts off the idle timeout: heartbeats, comments, halves of events", async () => {
  const pieces = [
    "event: heartbeat\ndata: {}\n\n",
    ": hello\n\n",
    "eve",
    "nt: message\nda",
    'ta: {"partial":"a"}\n\n',
    ": x\n\n",
    done(),
  ];
  await withVirtualTime(async (time) => {
    const trickling: Answerer = () =>
      new Response(
        new ReadableStream<Uint8Array>({
          async start(controller) {
            for (const piece of pieces) {
              await wait(20);
              controller.enqueue(new TextEncoder().encode(piece));
            }
            controller.close();
          },
        }),
        { headers: { "content-type": "text/event-stream" } },
      );
    const { result } = methodsOf(trickling).$.stream("t", {}, { idleTimeoutMs: 25 });
    await time.pass(20 * pieces.length, 20);
    strictEqual(await result, "a");
  });
});

test("a slow reader is not a quiet wire", async () => {
  const pieces = Array.from({ length: 200 }, (_, n) => partial(n));
  const { $ } = methodsOf(new FakeStream([...pieces, done()]).answer);
  const seen: unknown[] = [];
  await withVirtualTime(async (time) => {
    for await (const piece of $.stream("t", {}, { idleTimeoutMs: 25 })) {
      if (seen.length === 0) await time.pass(60, 5);
      seen.push(piece);
    }
  });
  strictEqual(seen.length, 200);
});

test("leaving a loop early aborts the request and the body", async () => {
  const endless = new FakeStream([partial("a"), partial("b")], { isEndless: true });
  const { $, fake } = methodsOf(endless.answer);
  for await (const piece of $.stream("t")) {
    strictEqual(piece, "a");
    break;
  }
  await wait(2);
  strictEqual(fake.asked[0]?.init.signal?.aborted, true);
});

test("leaving a loop early aborts the handler over memory, and result rejects", async () => {
  const seen: { isAborted: boolean } = { isAborted: false };
  const server = createServer({
    tools: [
      defineTool("tick").describe("T").handle(async function* (_, ctx) {
        try {
          for (let n = 0;; n++) {
            yield n;
            await new Promise((resolve) => setTimeout(resolve, 0));
          }
        } finally {
          seen.isAborted = ctx.signal.aborted;
        }
      }),
    ],
  });
  const stream = createClient<typeof server>(memoryTransport(server)).tick.stream();
  for await (const piece of stream) if (piece === 2) break;
  await wait(5);
  strictEqual(seen.isAborted, true);
  await rejects(stream.result, { name: "AbortError" });
});

test("a handler over the memory transport is aborted at the caller's timeout", async () => {
  let isAborted = false;
  const server = createServer({
    tools: [
      defineTool("hang").describe("H").handle(async (_, ctx) => {
        await new Promise((resolve) => ctx.signal.addEventListener("abort", resolve));
        isAborted = true;
      }),
    ],
  });
  await rejects(createClient<typeof server>(memoryTransport(server)).hang({}, { timeoutMs: 10 }), {
    code: "deadline_exceeded",
  });
  await wait(5);
  strictEqual(isAborted, true);
});

test("an in-process fetch is held to the idle timeout as a real one is", async () => {
  const server = createServer({
    tools: [defineTool("hang").describe("H").handle(() => new Promise<string>(() => {}))],
  });
  const client = createClient<typeof server>("http://localhost/mcp-lite/v1", {
    fetch: (url, init) => server.fetch(new Request(url, init)),
  });
  await rejects(client.hang({}, { idleTimeoutMs: 15 }), { code: "deadline_exceeded" });
  await server.close(0);
});

test("an event of an unknown name does not end the stream", async () => {
  const pieces = [sse("ping", "x"), "event: ping\ndata: 2026-01-01\n\n", partial("a"), done()];
  strictEqual(await methodsOf(new FakeStream(pieces).answer).$.stream("t").result, "a");
});

test("createClient() refuses values that are not transports, and unknown options", () => {
  const transport = memoryTransport(createServer({ tools: [] }));
  throws(() => createClient({} as typeof transport), /pass a URL, or a transport/);
  const wrong = /^TypeError: Cannot create client: there is no option "\w+" here, but timeoutMs, .*/;
  throws(() => createClient(transport, { headers: { authorization: "Bearer x" } }), wrong);
  throws(() => createClient(transport, { maxResponseBytes: 1 }), wrong);
  const misspelled = { header: { authorization: "Bearer x" } } as object;
  throws(() => createClient("http://localhost", misspelled), /no option "header" here, but .*, headers, fetch/);
  throws(() => testClient(createServer({ tools: [] }), { onelicit: () => {} } as object), /no option "onelicit"/);
  doesNotThrow(() => createClient(transport, { headers: undefined, retry: { attempts: 0 } } as object));
});

test("a call with a misspelled option is refused, and not sent", async () => {
  const { $, fake } = methodsOf(result({ content: 1 }));
  const misspelled = { timeout: 3 } as object;
  const wrong = /^TypeError: Cannot call: there is no option "timeout" here, but signal, timeoutMs, .*, meta$/;
  for (
    const call of [
      () => $.call("t", {}, misspelled),
      () => $.outcome("t", {}, misspelled),
      () => $.start("t", {}, misspelled),
      () => $.redeem("prom_x").result(misspelled),
    ]
  ) await rejects(async () => await call(), wrong);
  throws(() => $.stream("t", {}, misspelled), wrong);
  throws(() => $.list(misspelled), wrong);
  // A signal in place of the options.
  await rejects(
    () => $.call("t", {}, AbortSignal.timeout(1_000) as object),
    /^TypeError: Cannot call: there is no option/,
  );
  strictEqual(fake.asked.length, 0);
  strictEqual(await $.call("t", {}, { timeout: undefined } as object), 1);
});

test("a caller who has left is not listed anything either: nothing is sent", async () => {
  const { $, fake } = methodsOf(result({ content: 1 }));
  await rejects($.list({ signal: AbortSignal.abort(reason) }), (thrown: unknown) => thrown === reason);
  strictEqual(fake.asked.length, 0);
});

test("the idle timeout of a wire does not run while the application answers a question", async () => {
  const ask = defineTool("ask").describe("Ask").handle(async (_, ctx) => {
    const { action } = await ctx.elicit("sure", { message: "Sure?", schema: v.object({}) });
    return action;
  });
  const server = createServer({ tools: [ask] });
  const fetch = (url: string, init: RequestInit) => server.fetch(new Request(url, init));
  await withVirtualTime(async (time) => {
    const onElicitation = async () => {
      await time.pass(300, 20);
      return { action: "decline" } as const;
    };
    const client = createClient("http://localhost/mcp-lite/v1", { fetch, onElicitation, idleTimeoutMs: 100 });
    strictEqual(await client.$.call("ask"), "decline");
  });
  await server.close();
});

test("no timer is set while a stream waits to be read", async () => {
  const { $ } = methodsOf(new FakeStream([partial("a").repeat(500), done()]).answer);
  await withVirtualTime(async (time) => {
    const pieces = $.stream("t", {}, { idleTimeoutMs: 20 })[Symbol.asyncIterator]();
    await pieces.next();
    await time.pass(60, 5);
    const { timers } = time;
    await time.pass(100, 5);
    strictEqual(time.timers, timers);
    let read = 1;
    for (let next = await pieces.next(); !next.done; next = await pieces.next()) read++;
    strictEqual(read, 500);
  });
});

test("a time that is no number ends a call at once, and says so", async () => {
  for (const options of [{ timeoutMs: NaN }, { idleTimeoutMs: NaN }]) {
    await rejects(methodsOf(hang).$.call("t", {}, options), { code: "deadline_exceeded", message: /NaN ms/ });
  }
});

test("an idle timeout below the heartbeats of servers names them where it ends a call", async () => {
  const fake = new FakeFetch(() => new Promise<Response>(() => {}));
  const { $ } = createClient("http://example.com", { fetch: fake.fetch, idleTimeoutMs: 5 });
  await rejects($.call("t"), {
    code: "deadline_exceeded",
    message:
      /^Quiet for 5 ms, which a healthy server may be: its heartbeats come each 8000 ms, if .*\. Raise idleTimeoutMs/,
  });
});

test("a redemption waits at the server for less than the idle timeout, so that healthy work is not given up", async () => {
  const waits: unknown[] = [];
  const work = defineTool("work").describe("W").promise({ budgetMs: 1 }).handle((_, ctx) => ctx.sleep("nap", 300));
  const server = createServer({ tools: [work], logger: false });
  const fetch = async (url: string, init: RequestInit) => {
    const { params } = JSON.parse(`${init.body}`) as { params: { name: string; arguments: { wait_ms?: number } } };
    if (params.name === "redeem") waits.push(params.arguments.wait_ms);
    return await server.fetch(new Request(url, init));
  };
  for (const [idleTimeoutMs, want] of [[3_000, 1_500], [60_000, 20_000]] as const) {
    const client = createClient<typeof server>("http://localhost/mcp-lite/v1", { fetch, idleTimeoutMs });
    await (await client.work.start()).result();
    strictEqual(waits.pop(), want);
  }
});
