/** How the client reads any response that a server may send. */
import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { type ClientMethods, createClient, type HttpClientOptions, ToolError } from "../../mod.ts";
import {
  type Answerer,
  done,
  error,
  FakeFetch,
  FakeStream,
  json,
  partial,
  refusal,
  result,
  sse,
} from "./fake_fetch.ts";

/** The methods of a client whose server answers like that, and which never tries again. */
function methodsOf(answer: Answerer, options: HttpClientOptions = {}) {
  const fake = new FakeFetch(answer);
  const { $ } = createClient("http://example.com/v1", { fetch: fake.fetch, retry: { attempts: 0 }, ...options });
  return { fake, $ };
}

/** Every way to call the tool `t`. */
function waysOf($: ClientMethods): readonly (() => Promise<unknown>)[] {
  return [() => $.call("t"), () => $.outcome("t"), () => $.stream("t").result];
}

for (
  const [name, resultValue, want] of [
    ["content and _meta", { content: { a: 1 }, _meta: { response_type: "answer" } }, { a: 1 }],
    ["no _meta", { content: [1] }, [1]],
    ["a _meta without response_type", { content: 0, _meta: { timestamp: "x" } }, 0],
    ["a _meta that is no object", { content: "x", _meta: "answer" }, "x"],
    ["null content", { content: null }, null],
    ["no content", { _meta: { response_type: "answer" } }, undefined],
    ["an empty result", {}, undefined],
    ["unknown members of _meta", { content: 1, _meta: { response_type: "answer", future: { x: 1 } } }, 1],
  ] as const
) {
  test(`a result with ${name} is an answer`, async () => {
    const { $ } = methodsOf(result(resultValue));
    deepStrictEqual(await $.call("t"), want);
    const outcome = await $.outcome("t");
    strictEqual(outcome.kind, "answer");
  });
}

for (const status of [200, 201, 400, 404, 500]) {
  test(`a result is an answer with status ${status} too`, async () => {
    strictEqual(await methodsOf(result({ content: 1 }, status)).$.call("t"), 1);
  });
}

for (
  const [name, resultValue, want] of [
    ["our own", {
      content: { code: "locked", message: "Locked", data: { by: "x" } },
      _meta: { response_type: "failure" },
    }, ["locked", "Locked", { by: "x" }]],
    ["one without data", { content: { code: "locked", message: "Locked" }, _meta: { response_type: "failure" } }, [
      "locked",
      "Locked",
      undefined,
    ]],
    ["one of plain text", { content: "Out of stock", _meta: { response_type: "failure" } }, [
      "failure",
      "No reason given",
      "Out of stock",
    ]],
    ["one of nothing", { _meta: { response_type: "failure" } }, ["failure", "No reason given", undefined]],
  ] as const
) {
  test(`a failure, ${name}, is thrown by a call and told by outcome()`, async () => {
    const { $ } = methodsOf(result(resultValue));
    const outcome = await $.outcome("t");
    ok(outcome.kind === "failure");
    deepStrictEqual([outcome.code, outcome.message, outcome.data], want);
    await rejects($.call("t"), { name: "Failure", code: want[0], message: want[1] });
  });
}

for (
  const [name, resultValue, kind] of [
    ["an unknown response type", { content: 1, _meta: { response_type: "hologram", x: 1 } }, "unknown"],
    ["a response type that is no string", { content: 1, _meta: { response_type: 7 } }, "unknown"],
    ["a promise", {
      _meta: {
        response_type: "promise",
        promise_token: "prom_x",
        expires_at: "2026-01-01T00:00:00.000Z",
        ttl_ms: 1,
        retry_after_ms: 2,
      },
    }, "promise"],
    ["an elicitation", {
      _meta: {
        response_type: "elicitation",
        continuation: "cont_x",
        requests: { a: { kind: "elicitation", message: "Sure?", schema: {} } },
      },
    }, "elicitation"],
    ["a request for more resource", {
      _meta: {
        response_type: "request-for-more-resource",
        continuation: "c",
        requests: { r: { kind: "resource", message: "Pay", resource: "credits", amount: 5 } },
      },
    }, "request-for-more-resource"],
  ] as const
) {
  test(`${name} is kept by outcome()`, async () => {
    const { $ } = methodsOf(result(resultValue));
    const outcome = await $.outcome("t");
    strictEqual(outcome.kind, kind);
    if (outcome.kind === "unknown") {
      deepStrictEqual([outcome.responseType, outcome.result], [String(resultValue._meta.response_type), resultValue]);
    }
    if (outcome.kind === "promise") {
      deepStrictEqual([outcome.token, outcome.expiresAtMs, outcome.ttlMs, outcome.retryAfterMs], [
        "prom_x",
        Date.UTC(2026, 0, 1),
        1,
        2,
      ]);
    }
    if (outcome.kind === "request-for-more-resource") {
      deepStrictEqual(outcome.requests["r"]?.params, { resource: "credits", amount: 5 });
    }
    // A plain call redeems a promise, and throws an outcome that it cannot continue with.
    if (outcome.kind === "promise") return;
    await rejects($.call("t"), (thrown: unknown) => {
      ok(thrown instanceof ToolError);
      match(thrown.message, /read it with \.outcome\(\)/);
      deepStrictEqual(thrown.details, outcome);
      return true;
    });
  });
}

test("a plain call redeems a promise until there is an answer", async () => {
  const promise = { _meta: { response_type: "promise", promise_token: "prom_x", retry_after_ms: 1 } };
  const fake = new FakeFetch(result(promise), result(promise), result({ content: 42 }));
  const { $ } = createClient("http://example.com/v1", { fetch: fake.fetch });
  strictEqual(await $.call("t", { a: 1 }), 42);
  const params = fake.asked.map(({ body }) => body.params);
  deepStrictEqual(params.map((one) => one?.["name"]), ["t", "redeem", "redeem"]);
  strictEqual((params[1]?.["arguments"] as { promise: string }).promise, "prom_x");
});

for (
  const [name, errorValue, status, want] of [
    ["our code", { code: -32602, message: "Bad", data: { code: "conflict", a: 1 } }, 409, ["conflict", "Bad", {
      a: 1,
    }]],
    ["our code and no more data", { code: -32603, message: "Broke", data: { code: "internal" } }, 500, [
      "internal",
      "Broke",
      undefined,
    ]],
    ["a parse error's number", { code: -32700, message: "Bad" }, 400, ["parse_error", "Bad", undefined]],
    ["an invalid request's number", { code: -32600, message: "Bad" }, 400, ["invalid_request", "Bad", undefined]],
    ["an unknown method's number", { code: -32601, message: "Bad" }, 404, ["method_not_found", "Bad", undefined]],
    [
      "an unknown tool as A.5 writes it",
      { code: -32601, message: "Tool not found", data: { requested_tool: "t", available_tools: [] } },
      404,
      ["tool_not_found", 'Tool "t" was not found', { requested_tool: "t", available_tools: [] }],
    ],
    ["an invalid input's number", { code: -32602, message: "Bad" }, 400, ["invalid_input", "Bad", undefined]],
    ["an internal error's number", { code: -32603, message: "Bad" }, 500, ["internal", "Bad", undefined]],
    ["a deadline's number", { code: -32001, message: "Late" }, 504, ["deadline_exceeded", "Late", undefined]],
    ["a number nobody knows", { code: 7, message: "Bad" }, 500, ["internal", "Bad", undefined]],
    ["no number", { message: "Bad" }, 500, ["internal", "Bad", undefined]],
    ["no message", { code: -32602 }, 400, ["invalid_input", "No reason given", undefined]],
    ["data that is no object", { code: -32602, message: "Bad", data: "why" }, 400, ["invalid_input", "Bad", "why"]],
    ["a code that is no string", { code: -32602, message: "Bad", data: { code: 5 } }, 400, [
      "invalid_input",
      "Bad",
      undefined,
    ]],
    ["a status for a number", { code: 429, message: "Bad" }, 200, ["rate_limited", "Bad", undefined]],
    // -32000 stands for several codes; their statuses distinguish them.
    ["-32000 with 401", { code: -32000, message: "Bad" }, 401, ["unauthenticated", "Bad", undefined]],
    ["-32000 with 403", { code: -32000, message: "Bad" }, 403, ["permission_denied", "Bad", undefined]],
    ["-32000 with 429", { code: -32000, message: "Bad" }, 429, ["rate_limited", "Bad", undefined]],
    ["-32000 with 503", { code: -32000, message: "Bad" }, 503, ["unavailable", "Bad", undefined]],
  ] as const
) {
  test(`an error with ${name} is a ToolError with code ${want[0]}`, async () => {
    const { $ } = methodsOf(error(errorValue, status));
    for (const call of waysOf($)) {
      await rejects(call, (thrown: unknown) => {
        ok(thrown instanceof ToolError);
        deepStrictEqual([thrown.code, thrown.message, thrown.details], want);
        return true;
      });
    }
  });
}

for (
  const [name, status, contentType, body, code] of [
    ["HTML with 200", 200, "text/html", "<!doctype html><h1>Welcome</h1>", "invalid_request"],
    ["HTML with 404", 404, "text/html", "<h1>Not Found</h1>", "method_not_found"],
    ["HTML with 502", 502, "text/html", "<h1>Bad Gateway</h1>", "unavailable"],
    ["HTML with 503", 503, "text/html", "", "unavailable"],
    ["text with 429", 429, "text/plain", "slow down", "rate_limited"],
    ["text with 413", 413, "text/plain", "", "payload_too_large"],
    ["text with 401", 401, "text/plain", "who?", "unauthenticated"],
    ["text with 403", 403, "text/plain", "no", "permission_denied"],
    ["text with 504", 504, "text/plain", "late", "deadline_exceeded"],
    ["text with 418", 418, "text/plain", "tea", "invalid_request"],
    ["text with 500", 500, "text/plain", "oops", "internal"],
    ["truncated JSON", 200, "application/json", '{"jsonrpc":"2.0","id":1,"result":{"content":', "invalid_request"],
    ["an empty body", 200, "application/json", "", "invalid_request"],
    ["JSON of a gateway with 503", 503, "application/json", '{"message":"Service Unavailable"}', "unavailable"],
    ["JSON of a gateway with 401", 401, "application/json", '{"message":"Unauthorized"}', "unauthenticated"],
    ["JSON of a gateway with 429", 429, "application/json", '{"error":"slow down"}', "rate_limited"],
    ["JSON that is not MCP-lite", 200, "application/json", '{"hello":"world"}', "invalid_request"],
    ["a JSON array", 200, "application/json", "[]", "invalid_request"],
    ["JSON null", 200, "application/json", "null", "invalid_request"],
  ] as const
) {
  test(`${name} is a ToolError with code ${code}, and no SyntaxError`, async () => {
    const { $ } = methodsOf(() => new Response(body, { status, headers: { "content-type": contentType } }));
    for (const call of waysOf($)) await rejects(call, { name: "ToolError", code });
  });
}

test("what is quoted of a strange answer is short", async () => {
  const { $ } = methodsOf(() => new Response(`<html>${"x".repeat(100_000)}`, { status: 500 }));
  await rejects($.call("t"), ({ message }: Error) => message.length < 500);
});

for (const status of [301, 302, 303, 307, 308]) {
  test(`a redirect with ${status} is refused, so that credentials stay with their own origin`, async () => {
    const { $, fake } = methodsOf(() =>
      new Response(null, { status, headers: { location: "https://evil.example/calltools" } })
    );
    await rejects($.call("t"), {
      name: "ToolError",
      code: "invalid_request",
      message: /Redirects are not followed/,
      cause: new Error("POST http://example.com/v1/calltools redirects to https://evil.example/calltools"),
    });
    strictEqual(fake.calls, 1);
    strictEqual(fake.asked[0]?.init.redirect, "manual");
  });
}

test("a network that fails is unavailable, with its reason as the cause", async () => {
  const cause = new TypeError("fetch failed");
  const { $ } = methodsOf(() => {
    throw cause;
  });
  await rejects($.call("t"), (thrown: unknown) => {
    ok(thrown instanceof ToolError);
    strictEqual(thrown.code, "unavailable");
    // The address is only in the cause: the message may reach a caller's caller.
    strictEqual(thrown.message, "Cannot reach the server; check host and port");
    const reason = thrown.cause as Error;
    deepStrictEqual([reason.message, reason.cause], ["POST http://example.com/v1/calltools: fetch failed", cause]);
    return true;
  });
});

test("a connection that breaks off in the body is unavailable", async () => {
  const broken = new FakeStream([partial("a"), new Error("reset")]);
  const { $ } = methodsOf(broken.answer);
  await rejects($.stream("t").result, { name: "ToolError", code: "unavailable" });
});

for (
  const [name, answer] of [
    ["JSON", result({ content: "x".repeat(5_000) })],
    [
      "a stream of small events",
      new FakeStream([...Array.from({ length: 100 }, () => partial("x".repeat(100))), done()]).answer,
    ],
    ["one endless event", new FakeStream([`data: ${"x".repeat(10_000)}`], { isEndless: true }).answer],
    ["HTML", () => new Response("x".repeat(5_000), { headers: { "content-type": "text/html" } })],
  ] as readonly (readonly [string, Answerer])[]
) {
  test(`an answer over maxResponseBytes is not read to its end: ${name}`, async () => {
    const { $ } = methodsOf(answer, { maxResponseBytes: 4_096 });
    await rejects($.stream("t").result, { name: "ToolError", code: "result_too_large", message: /4096 bytes/ });
  });
}

test("an answer of exactly maxResponseBytes is read", async () => {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, result: { content: "é" } });
  const maxResponseBytes = new TextEncoder().encode(body).length;
  const respond = () => new Response(body, { headers: { "content-type": "application/json" } });
  strictEqual(await methodsOf(respond, { maxResponseBytes }).$.call("t"), "é");
  await rejects(methodsOf(respond, { maxResponseBytes: maxResponseBytes - 1 }).$.call("t"), {
    code: "result_too_large",
  });
});

test("text that is cut anywhere in its bytes comes out whole", async () => {
  // U+FEFF: after ASCII alone, Deno 2.9 drops it from the start of a chunk, unless its decoder is made with ignoreBOM.
  const content = "x\ufeffé€😀\u2028";
  const bytes = new TextEncoder().encode(JSON.stringify({ jsonrpc: "2.0", id: 1, result: { content } }));
  for (let cut = 0; cut <= bytes.length; cut++) {
    const chunks = [bytes.slice(0, cut), bytes.slice(cut)];
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        for (const chunk of chunks) if (chunk.length > 0) controller.enqueue(chunk);
        controller.close();
      },
    });
    strictEqual(await methodsOf(() => new Response(body)).$.call("t"), content);
  }
});

test("events that are cut anywhere in their bytes come out whole", async () => {
  const bytes = new TextEncoder().encode(partial("x\ufeffé😀\r\n") + done());
  for (let cut = 0; cut <= bytes.length; cut++) {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        for (const chunk of [bytes.slice(0, cut), bytes.slice(cut)]) if (chunk.length > 0) controller.enqueue(chunk);
        controller.close();
      },
    });
    const respond = () => new Response(body, { headers: { "content-type": "text/event-stream" } });
    strictEqual(await methodsOf(respond).$.stream("t").result, "x\ufeffé😀\r\n", `cut at ${cut}`);
  }
});

test("a call that did not ask for a stream and gets one reads it to its end, pieces joined", async () => {
  const pieces = [partial("a"), sse("message", { progress: { done: 1 } }), partial("b")];
  strictEqual(await methodsOf(new FakeStream([...pieces, done("whole")]).answer).$.call("t"), "whole");
  strictEqual(await methodsOf(new FakeStream([...pieces, done()]).answer).$.call("t"), "ab");
  const outcome = await methodsOf(new FakeStream([...pieces, done()]).answer).$.outcome("t");
  strictEqual(outcome.kind === "answer" && outcome.value, "ab");
});

test("a streamed call that gets a plain answer has that answer, and no pieces", async () => {
  const { $ } = methodsOf(result({ content: "whole" }));
  const stream = $.stream("t");
  deepStrictEqual(await Array.fromAsync(stream), []);
  strictEqual(await stream.result, "whole");
});

const ofAnother = { name: "ToolError", code: "invalid_request", message: "The answer has the id of another request" };
for (
  const [name, answer] of [
    ["a result with another id", { id: "other", result: { content: 1 } }],
    ["a result with the id as text", { id: "1", result: { content: 1 } }],
    ["a result with the id null", { id: null, result: { content: 1 } }],
    ["a result without an id", { result: { content: 1 } }],
    ["an error with another id", { id: 99, error: { code: -32602, message: "Not yours" } }],
  ] as const
) {
  test(`the answer to another request is nobody's here: ${name}`, async () => {
    const { $ } = methodsOf(() => json({ jsonrpc: "2.0", ...answer }));
    await rejects($.call("t"), ofAnother);
    await rejects($.outcome("t"), ofAnother);
    await rejects($.stream("t").result, ofAnother);
  });
}

test("an error whose id could not be read is that of the request; what is not JSON-RPC needs no id", async () => {
  const error = { code: -32700, message: "Not JSON" };
  for (const id of [null, undefined]) {
    await rejects(methodsOf(() => json({ jsonrpc: "2.0", id, error }, 400)).$.call("t"), { code: "parse_error" });
  }
  strictEqual(await methodsOf(() => json({ result: { content: 1 } })).$.call("t"), 1);
});

test("a refusal of ours keeps its details and not its code among them", async () => {
  const { $ } = methodsOf(refusal("rate_limited", -32000, 429, { "retry-after": "7" }));
  await rejects($.call("t"), { code: "rate_limited", details: { retry_after_ms: 7_000 } });
});

test("a byte order mark that comes in two pieces is taken off", async () => {
  const body = new TextEncoder().encode(`\ufeff${JSON.stringify({ result: { content: "a" } })}`);
  for (const cut of [1, 2, 3]) {
    const respond: Answerer = () => {
      const stream = new ReadableStream<Uint8Array>({
        start(controller) {
          controller.enqueue(body.slice(0, cut));
          controller.enqueue(body.slice(cut));
          controller.close();
        },
      });
      return Promise.resolve(new Response(stream, { headers: { "content-type": "application/json" } }));
    };
    strictEqual(await methodsOf(respond).$.call("t"), "a", `cut at ${cut}`);
  }
});
