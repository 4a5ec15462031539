import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createClient, createServer, defineTool, memoryTransport, type RetryOptions, ToolError } from "../../mod.ts";
import { isRetryable, retryDelayMs } from "../../src/client/call_result.ts";
import {
  type Answerer,
  done,
  error,
  FakeFetch,
  FakeStream,
  partial,
  refusal,
  result,
  sse,
  wait,
} from "./fake_fetch.ts";

const QUICK: RetryOptions = { baseDelayMs: 1, maxDelayMs: 20 };
const busy = refusal("unavailable", -32000, 503);
const good = result({ content: "good" });

/** A client whose tool `t` has these annotations, and whose server answers like that. */
function clientOf(annotations: object | undefined, answers: readonly Answerer[], retry: RetryOptions = QUICK) {
  const fake = new FakeFetch(...answers);
  fake.tools = { tools: [{ name: "other" }, { name: "t", ...(annotations && { annotations }) }] };
  return { fake, $: createClient("http://example.com", { fetch: fake.fetch, retry }).$ };
}

for (
  const annotations of [{ readOnlyHint: true }, { idempotentHint: true }, { readOnlyHint: false, idempotentHint: true }]
) {
  test(`a call is made again when its tool says ${JSON.stringify(annotations)}`, async () => {
    const { $, fake } = clientOf(annotations, [busy, busy, good]);
    strictEqual(await $.call("t"), "good");
    strictEqual(fake.calls, 3);
  });
}

for (
  const annotations of [undefined, {}, { readOnlyHint: false }, { idempotentHint: false, destructiveHint: false }, {
    readOnlyHint: "true",
  }]
) {
  test(`a call is not made again when its tool says ${JSON.stringify(annotations)}`, async () => {
    const { $, fake } = clientOf(annotations, [busy, good]);
    await rejects($.call("t"), { code: "unavailable" });
    strictEqual(fake.calls, 1);
  });
}

test("a call is not made again when the server does not list its tool, or lists nothing", async () => {
  const { $, fake } = clientOf({ readOnlyHint: true }, [busy, good]);
  await rejects($.call("unlisted"), { code: "unavailable" });
  fake.tools = { error: { code: -32603, message: "x" } };
  const { $: other, fake: otherFake } = clientOf({}, [busy, good]);
  otherFake.tools = "nonsense";
  await rejects(other.call("t"), { code: "unavailable" });
  strictEqual(fake.calls + otherFake.calls, 2);
});

test("tools are listed once, when a call first needs it, and again after a list that failed", async () => {
  const { $, fake } = clientOf({ readOnlyHint: true }, [good, busy, good, busy, good]);
  const lists = () => fake.asked.filter(({ endpoint }) => endpoint === "listtools").length;
  await $.call("t");
  strictEqual(lists(), 0);
  await $.call("t");
  await $.call("t");
  strictEqual(lists(), 1);
  const flaky = clientOf({ readOnlyHint: true }, [busy, busy, good]);
  const tools = flaky.fake.tools;
  flaky.fake.tools = "nonsense";
  await rejects(flaky.$.call("t"), { code: "unavailable" });
  flaky.fake.tools = tools;
  strictEqual(await flaky.$.call("t"), "good");
});

for (const [code, number, status] of [["unavailable", -32000, 503], ["rate_limited", -32000, 429]] as const) {
  test(`a call refused with ${code} may pass, and is made again`, async () => {
    const { $, fake } = clientOf({ readOnlyHint: true }, [refusal(code, number, status), good]);
    strictEqual(await $.call("t"), "good");
    strictEqual(fake.calls, 2);
  });
}

for (
  const [code, number, status] of [
    ["invalid_input", -32602, 400],
    ["internal", -32603, 500],
    ["deadline_exceeded", -32001, 504],
    ["permission_denied", -32000, 403],
    ["tool_not_found", -32601, 404],
  ] as const
) {
  test(`a call refused with ${code} is not made again`, async () => {
    const { $, fake } = clientOf({ readOnlyHint: true }, [refusal(code, number, status), good]);
    await rejects($.call("t"), { code });
    strictEqual(fake.calls, 1);
  });
}

test("a network that fails is tried again, and a failure outcome is not", async () => {
  const down: Answerer = () => {
    throw new TypeError("fetch failed");
  };
  const { $, fake } = clientOf({ readOnlyHint: true }, [down, down, good]);
  strictEqual(await $.call("t"), "good");
  strictEqual(fake.calls, 3);
  const failing = clientOf({ readOnlyHint: true }, [
    result({ content: { code: "no", message: "No" }, _meta: { response_type: "failure" } }),
    good,
  ]);
  await rejects(failing.$.call("t"), { name: "Failure" });
  strictEqual(failing.fake.calls, 1);
});

for (const [attempts, calls] of [[0, 1], [1, 2], [2, 3], [5, 6]] as const) {
  test(`with ${attempts} attempts a call is made ${calls} times at most`, async () => {
    const { $, fake } = clientOf({ readOnlyHint: true }, [busy], { ...QUICK, attempts });
    await rejects($.call("t"), { code: "unavailable" });
    strictEqual(fake.calls, calls);
  });
}

for (
  const [name, answer] of [
    ["data.retry_after_ms", refusal("rate_limited", -32000, 429, {}, { retry_after_ms: 40 })],
    [
      "data, rather than a longer Retry-After",
      refusal("rate_limited", -32000, 429, { "retry-after": "60" }, { retry_after_ms: 40 }),
    ],
  ] as const
) {
  test(`what the server asked to wait is waited: ${name}`, async () => {
    const { $, fake } = clientOf({ readOnlyHint: true }, [answer, good], { baseDelayMs: 0, maxDelayMs: 5_000 });
    const startedMs = performance.now();
    strictEqual(await $.call("t"), "good");
    ok(performance.now() - startedMs >= 38, `${performance.now() - startedMs} ms`);
    strictEqual(fake.calls, 2);
  });
}

// Called within a test: in workerd no time has come before.
const inAnHour = () => new Date(Date.now() + 3_600_000).toUTCString();
for (
  const [name, answer] of [
    ["in its data", refusal("unavailable", -32000, 503, {}, { retry_after_ms: 60_000 })],
    ["in Retry-After", refusal("unavailable", -32000, 503, { "retry-after": "60" })],
    [
      "in Retry-After, and is no MCP-lite server",
      () => new Response("busy", { status: 503, headers: { "retry-after": "60" } }),
    ],
    [
      "in Retry-After, as a date",
      (asked) => refusal("unavailable", -32000, 503, { "retry-after": inAnHour() })(asked),
    ],
    [
      "in Retry-After, as a date, and is no MCP-lite server",
      () => new Response("busy", { status: 503, headers: { "retry-after": inAnHour() } }),
    ],
  ] as readonly (readonly [string, Answerer])[]
) {
  test(`a server that asks to wait too long ${name} is not called again, and the caller is told how long`, async () => {
    const { $, fake } = clientOf({ readOnlyHint: true }, [answer, good], { baseDelayMs: 0, maxDelayMs: 10_000 });
    await rejects($.call("t"), (thrown: unknown) => {
      ok(thrown instanceof ToolError);
      strictEqual(thrown.code, "unavailable");
      const { retry_after_ms: retryAfterMs } = thrown.details as { retry_after_ms: number };
      ok(retryAfterMs >= 59_000 && retryAfterMs <= 3_600_000);
      return true;
    });
    strictEqual(fake.calls, 1);
  });
}

for (const header of ["", "soon", "-5", "NaN", "1e999"]) {
  test(`a Retry-After of ${JSON.stringify(header)} does no harm`, async () => {
    const { $, fake } = clientOf({ readOnlyHint: true }, [
      refusal("unavailable", -32000, 503, { "retry-after": header }),
      good,
    ]);
    const called = await $.call("t").catch((thrown: unknown) => (thrown as ToolError).code);
    ok(called === "good" || (header === "1e999" && called === "unavailable"), String(called));
    ok(fake.calls <= 2);
  });
}

test("retryDelayMs() is within its bounds, doubles its reach, and honours what was asked", () => {
  fc.assert(
    fc.property(
      fc.nat({ max: 40 }),
      fc.nat({ max: 5_000 }),
      fc.nat({ max: 20_000 }),
      (attempt, baseDelayMs, maxDelayMs) => {
        const policy = { baseDelayMs, maxDelayMs };
        const delayMs = retryDelayMs({ kind: "error", code: "unavailable", message: "" }, attempt, policy);
        ok(delayMs !== undefined && delayMs >= 0 && delayMs <= Math.min(maxDelayMs, baseDelayMs * 2 ** attempt));
      },
    ),
    { seed: 11 },
  );
  const asked = (retryAfterMs: unknown) =>
    retryDelayMs(
      { kind: "error", code: "unavailable", message: "", data: { retry_after_ms: retryAfterMs } },
      0,
      { baseDelayMs: 0 },
    );
  deepStrictEqual([asked(0), asked(5), asked(10_000), asked(10_001), asked("5")], [0, 5, 10_000, undefined, 0]);
});

test("retryDelayMs() is jittered", () => {
  const policy = { baseDelayMs: 1_000 };
  const delays = new Set(
    Array.from({ length: 50 }, () => retryDelayMs({ kind: "error", code: "unavailable", message: "" }, 0, policy)),
  );
  ok(delays.size > 10);
});

test("mayPass() knows what may", () => {
  strictEqual(isRetryable({ kind: "error", code: "rate_limited", message: "" }), true);
  strictEqual(isRetryable({ kind: "error", code: "internal", message: "" }), false);
  strictEqual(isRetryable({ kind: "answer", value: 1 }), false);
});

for (
  const [name, first] of [
    ["a partial", partial("a")],
    ["progress", sse("message", { progress: { done: 1 } })],
  ] as const
) {
  test(`a stream is not begun anew after its first event: ${name}`, async () => {
    const broken = new FakeStream([
      first,
      sse("error", { code: -32000, message: "Busy", data: { code: "unavailable" } }),
    ]);
    const { $, fake } = clientOf({ readOnlyHint: true }, [broken.answer, new FakeStream([done("good")]).answer]);
    await rejects($.stream("t").result, { code: "unavailable" });
    strictEqual(fake.calls, 1);
  });
}

for (
  const [name, answer] of [
    ["was refused", busy],
    ["ended without a word", new FakeStream([]).answer],
    ["ended after heartbeats alone", new FakeStream([sse("heartbeat", {})]).answer],
    [
      "ended in an error at once",
      new FakeStream([sse("error", { code: -32000, message: "Busy", data: { code: "unavailable" } })]).answer,
    ],
  ] as const
) {
  test(`a stream is begun anew when it ${name}`, async () => {
    const { $, fake } = clientOf({ readOnlyHint: true }, [answer, new FakeStream([partial("a"), done()]).answer]);
    const stream = $.stream("t");
    deepStrictEqual(await Array.fromAsync(stream), ["a"]);
    strictEqual(await stream.result, "a");
    strictEqual(fake.calls, 2);
  });
}

test("waiting for the next attempt ends when the caller aborts, and when time is over", async () => {
  const slow = refusal("unavailable", -32000, 503, {}, { retry_after_ms: 9_000 });
  const left = new AbortController();
  const reason = new Error("enough");
  const { $, fake } = clientOf({ readOnlyHint: true }, [slow], {});
  const aborted = $.call("t", {}, { signal: left.signal });
  while (fake.calls === 0) await wait(1);
  left.abort(reason);
  await rejects(aborted, (thrown: unknown) => thrown === reason);
  await rejects($.call("t", {}, { timeoutMs: 200 }), { name: "ToolError", code: "deadline_exceeded" });
  strictEqual(fake.calls, 2);
});

test("the memory transport is tried again like any other", async () => {
  let calls = 0;
  const tool = defineTool("t").describe("T").annotate({ idempotentHint: true }).handle(() => {
    if (++calls < 3) throw new ToolError("unavailable", "Busy");
    return calls;
  });
  const server = createServer({ tools: [tool] });
  strictEqual(await createClient<typeof server>(memoryTransport(server), { retry: QUICK }).t(), 3);
});

test("an error number without our code may pass too: the status says so", async () => {
  const { $, fake } = clientOf({ readOnlyHint: true }, [error({ code: -32000, message: "Busy" }, 503), good]);
  strictEqual(await $.call("t"), "good");
  strictEqual(fake.calls, 2);
});

test("a call is made again when the server was down for the list, too", async () => {
  let isDown = true;
  const fake = new FakeFetch(good);
  const fetch = (url: string, init: RequestInit): Promise<Response> => {
    if (!isDown) return fake.fetch(url, init);
    if (url.endsWith("/listtools")) isDown = false;
    return Promise.reject(new TypeError("connection refused"));
  };
  const { $ } = createClient("http://example.com", { fetch, retry: { attempts: 3, baseDelayMs: 1 } });
  strictEqual(await $.call("t"), "good");
});

test("a promise is asked for with more patience than a call, and its token is in the refusal", async () => {
  const promise = result({ _meta: { response_type: "promise", promise_token: "prom_x", retry_after_ms: 1 } });
  const patient = clientOf({ readOnlyHint: true }, [promise, ...Array.from({ length: 20 }, () => busy), good]);
  strictEqual(await patient.$.call("t"), "good");
  const hopeless = clientOf({ readOnlyHint: true }, [promise, busy]);
  await rejects(hopeless.$.call("t"), (error: ToolError) => {
    strictEqual(error.code, "unavailable");
    strictEqual((error.details as { promise_token: string }).promise_token, "prom_x");
    return true;
  });
  strictEqual(hopeless.fake.calls, 22);
});

test("a call that is not made again does not wait before it says so", async () => {
  const busy = {
    error: { code: -32000, message: "Busy", data: { code: "unavailable", retry_after_ms: 9_000 } },
  };
  const fake = new FakeFetch(() => Promise.resolve(Response.json({ jsonrpc: "2.0", id: 1, ...busy }, { status: 503 })));
  fake.tools = { tools: [{ name: "t" }] };
  const client = createClient("http://example.com", { fetch: fake.fetch });
  const reply = client.$.call("t").then(() => "answered", (error: { code?: string }) => error.code);
  strictEqual(await Promise.race([reply, wait(3_000).then(() => "waits")]), "unavailable");
});

test("the error of a call that was retried names how often it was tried", async () => {
  const { $, fake } = clientOf({ readOnlyHint: true }, [busy, busy, busy]);
  await rejects(
    $.call("t"),
    (thrown: ToolError) => thrown.code === "unavailable" && /; tried 3 times$/.test(thrown.message),
  );
  strictEqual(fake.calls, 3);
  const once = clientOf({ readOnlyHint: true }, [busy], { attempts: 0 });
  await rejects(once.$.call("t"), (thrown: ToolError) => !thrown.message.includes("tried"));
});
