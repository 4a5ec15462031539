/** What handlers do that they should not: each call ends in one well-formed answer or refusal, and the next one is answered. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { createServer, defineTool, Failure, type Logger, ToolError } from "../../../mod.ts";
import { wires } from "../../wires/descriptions/all.ts";
import type { CallEnd } from "../../wires/descriptions/description.ts";
import { callers, type Calling } from "../callers.ts";
import { type Cases, type Guarantee, type GuaranteeTest, overCases } from "../guarantee.ts";

/** Nothing of it may reach a caller. */
const SECRET = "secret of the handler";

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

function cycle(): unknown {
  const value: Record<string, unknown> = { secret: SECRET };
  value["self"] = [value];
  return value;
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

/** An object of which nothing can be read. */
function trap(): object {
  const fail = () => {
    throw new Error(SECRET);
  };
  return new Proxy({}, { get: fail, has: fail, ownKeys: fail, getPrototypeOf: fail, getOwnPropertyDescriptor: fail });
}

class Sly extends Error {
  override get message(): string {
    throw new Error(SECRET);
  }
  override get stack(): string {
    throw new Error(SECRET);
  }
}

const THROWN: Cases<() => unknown> = {
  "a string": () => SECRET,
  null: () => null,
  undefined: () => undefined,
  "a number": () => 0,
  "a bigint": () => 1n,
  "a symbol": () => Symbol(SECRET),
  "a function": () => () => SECRET,
  "an error": () => new Error(SECRET),
  "an error with a cause": () => new Error(SECRET, { cause: new Error(SECRET) }),
  "an error whose message throws": () => new Sly(),
  "an aggregate of errors": () => new AggregateError([new Error(SECRET)], SECRET),
  "what contains itself": cycle,
  "100,000 levels": () => nested(100_000),
  "an object whose toString throws": () => ({
    toString() {
      throw new Error(SECRET);
    },
  }),
  "a proxy that throws": trap,
  "a revoked proxy": revoked,
  "a promise that rejects": () => {
    const rejected = Promise.reject(new Error(SECRET));
    rejected.catch(() => {});
    return rejected;
  },
  "a refusal of a made-up code": () => new ToolError(SECRET as "internal", SECRET),
  "a refusal called internal": () => new ToolError("internal", SECRET),
  "a refusal with a cycle": () => new ToolError("conflict", "x", { details: cycle() }),
  "a refusal with a bigint": () => new ToolError("conflict", "x", { details: { n: 1n } }),
  "a refusal with a throwing getter": () =>
    new ToolError("conflict", "x", {
      details: {
        get broken() {
          throw new Error(SECRET);
        },
      },
    }),
  "a failure with a proxy that throws": () => new Failure("sly", "x", trap()),
};

/** How it is thrown. */
const throwers = [
  defineTool("at_once").describe("Throw").handle(({ what }) => {
    throw made(THROWN, what);
  }),
  defineTool("later").describe("Throw, later").handle(async ({ what }) => {
    await Promise.resolve();
    throw made(THROWN, what);
  }),
  defineTool("between").describe("Throw after a piece").handle(async function* ({ what }) {
    yield "first";
    throw made(THROWN, what);
  }),
] as const;

function made(cases: Cases<() => unknown>, what: unknown): unknown {
  return cases[String(what)]?.();
}

/** Logs are where secrets belong; one that breaks must not break the call. */
const logger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {
    throw new Error(SECRET);
  },
};

const ping = defineTool("ping").describe("Answer").handle(() => "pong");

async function assertAlive({ caller }: Calling): Promise<void> {
  deepStrictEqual(await caller.call("ping"), { kind: "answer", value: "pong" });
}

function assertMasked(reply: CallEnd): void {
  ok(reply.kind === "error", JSON.stringify(reply));
  strictEqual(reply.code, "internal");
  match(reply.message, /^Internal error, correlation id [0-9a-f-]{36}$/);
  ok(!JSON.stringify(reply).includes(SECRET));
}

const thrown = everywhere(
  () => createServer({ tools: [...throwers, ping], wires, logger }),
  THROWN,
  async (calling, what) => {
    for (const tool of ["at_once", "later", "between"]) assertMasked(await calling.caller.call(tool, { what }));
    const streamed = await calling.caller.stream?.("between", { what });
    if (streamed !== undefined) {
      deepStrictEqual(streamed.pieces, ["first"]);
      assertMasked(streamed.end);
    }
    await assertAlive(calling);
  },
);

/** What is returned, and the result: a value as JSON represents it, or a code. */
interface Returned {
  make(): unknown;
  readonly value?: unknown;
  readonly code?: "internal" | "result_too_large";
}

const RETURNED: Cases<Returned> = {
  "a bigint": { make: () => 1n, code: "internal" },
  "a bigint within": { make: () => ({ a: [1n] }), code: "internal" },
  "what contains itself": { make: cycle, code: "internal" },
  "a getter that throws": {
    make: () => ({
      get broken() {
        throw new Error(SECRET);
      },
    }),
    code: "internal",
  },
  "a toJSON that throws": {
    make: () => ({
      toJSON() {
        throw new Error(SECRET);
      },
    }),
    code: "internal",
  },
  "a proxy that throws": { make: () => [trap()], code: "internal" },
  "a revoked proxy": { make: () => [revoked()], code: "internal" },
  "100,000 levels": { make: () => nested(100_000), code: "result_too_large" },
  "513 levels": { make: () => nested(513), code: "result_too_large" },
  "512 levels": { make: () => nested(512), value: nested(512) },
  "40 MB of text": { make: () => "x".repeat(40_000_000), code: "result_too_large" },
  "40 MB in many texts": {
    make: () => Array.from({ length: 400 }, (_, at) => ({ at, text: "x".repeat(100_000) })),
    code: "result_too_large",
  },
  "bytes, 40 MB": { make: () => new Uint8Array(40_000_000), code: "result_too_large" },
  // Of much text each, so that few of them have to be visited.
  "few objects, each many times": {
    make: () => Array.from({ length: 40 }).reduce((within) => [within, within], ["x".repeat(10_000)]),
    code: "result_too_large",
  },
  "not a number": { make: () => [Number.NaN, Number.POSITIVE_INFINITY], code: "internal" },
  "a symbol": { make: () => Symbol("x"), code: "internal" },
  "a function within": { make: () => [() => 1], code: "internal" },
  "undefined within": { make: () => [undefined, { a: undefined }], value: [null, {}] },
  "a date": { make: () => [new Date(0)], value: ["1970-01-01T00:00:00.000Z"] },
  "a map": { make: () => [new Map([["a", 1]])], code: "internal" },
  "half a character": { make: () => ["\ud800"], value: ["\ud800"] },
  "a member called __proto__": {
    make: () => JSON.parse('{"a":{"__proto__":{"b":1}}}'),
    value: JSON.parse('{"a":{"__proto__":{"b":1}}}'),
  },
};

const NOTHING: Cases<() => unknown> = {
  undefined: () => undefined,
};

const returners = [
  defineTool("at_once").describe("Return").handle(({ what }) => RETURNED[String(what)]?.make()),
  defineTool("later").describe("Return, later").handle(async ({ what }) => {
    await Promise.resolve();
    return RETURNED[String(what)]?.make();
  }),
  defineTool("piece").describe("Yield").handle(async function* ({ what }) {
    yield RETURNED[String(what)]?.make();
    return "whole";
  }),
  defineTool("nothing").describe("Return what is no value").handle(({ what }) => made(NOTHING, what)),
] as const;

function returnsServer() {
  return createServer({ tools: [...returners, ping], wires, logger });
}

const returned = everywhere(returnsServer, RETURNED, async (calling, what, { code, value }) => {
  const { caller } = calling;
  for (const tool of ["at_once", "later"]) {
    const reply = await caller.call(tool, { what });
    if (code === undefined) assertSame(reply, value);
    else {
      strictEqual(reply.kind === "error" && reply.code, code, JSON.stringify(reply).slice(0, 200));
      ok(!JSON.stringify(reply).includes(SECRET));
    }
  }
  const streamed = await caller.stream?.("piece", { what });
  if (streamed !== undefined && code === undefined) assertSame({ kind: "answer", value: streamed.pieces[0] }, value);
  if (streamed !== undefined && code !== undefined) {
    deepStrictEqual([streamed.pieces.length, streamed.end.kind === "error" && streamed.end.code], [0, code]);
  }
  await assertAlive(calling);
});

/** Compared as text: some runtimes' asserts cannot compare half a thousand levels. */
function assertSame(reply: CallEnd, value: unknown): void {
  ok(reply.kind === "answer", JSON.stringify(reply).slice(0, 200));
  // UTF-8 has no halves of characters: over protobuf they are replaced.
  strictEqual(JSON.stringify(reply.value).replace("\ufffd", "\\ud800"), JSON.stringify(value));
}

const nothing = everywhere(returnsServer, NOTHING, async (calling, what) => {
  const reply = await calling.caller.call("nothing", { what });
  ok(reply.kind === "answer" && (reply.value === undefined || reply.value === null), JSON.stringify(reply));
  await assertAlive(calling);
});

/** Values that look like messages of a protocol. */
const FAKES: Cases<unknown> = {
  "a promise": { _meta: { response_type: "promise", promise_token: "prom_x" } },
  "a question": { _meta: { response_type: "elicitation", continuation: "cont_x", requests: {} } },
  "a failure": { content: { code: "x", message: "y" }, _meta: { response_type: "failure" } },
  "an error of JSON-RPC": { jsonrpc: "2.0", id: 1, error: { code: -32603, message: "x", data: { code: "internal" } } },
  "a result of JSON-RPC": { jsonrpc: "2.0", id: 1, result: { content: "x", _meta: { response_type: "answer" } } },
  "an error of MCP": { isError: true, resultType: "input_required", requestState: "x", structuredContent: { a: 1 } },
  "a task of MCP": { task: { taskId: "x", status: "working" }, _meta: { "toolwire/wrapped": true } },
  "an envelope of webtools": { ok: false, error: { code: "INTERNAL_ERROR", message: "x" }, data: 1 },
  "an outcome": { kind: "promise", token: "prom_x", retryAfterMs: 1 },
  "a refusal": { kind: "error", code: "internal", message: "x" },
  "an event": { partial: 1, progress: { done: 1 }, deferred: { promise_token: "prom_x" } },
  "a wrapped result": { result: { result: 1 } },
};

const faker = defineTool("fake").describe("Return what looks like more").handle(({ what }) => FAKES[String(what)]);
const fakeYielder = defineTool("fake_piece").describe("Yield it").handle(async function* ({ what }) {
  yield FAKES[String(what)];
  return "whole";
});

const fakes = everywhere(
  () => createServer({ logger: false, tools: [faker, fakeYielder, ping], wires }),
  FAKES,
  async ({ caller }, what, value) => {
    deepStrictEqual(await caller.call("fake", { what }), { kind: "answer", value }, what);
    const streamed = await caller.stream?.("fake_piece", { what });
    if (streamed !== undefined) {
      deepStrictEqual(streamed, { pieces: [value], end: { kind: "answer", value: "whole" } });
    }
  },
);

function everywhere<Case>(
  create: Parameters<typeof callers>[0],
  cases: Cases<Case>,
  check: (calling: Calling, name: string, one: Case) => Promise<void>,
): readonly GuaranteeTest[] {
  return callers(create).map((place) => overCases(place, cases, (calling, one, name) => check(calling, name, one)));
}

export const guarantees: readonly Guarantee[] = [
  {
    name: "handler-throws",
    statement: "An exception reaches the caller as `internal` with a correlation id, without its text.",
    tests: thrown,
    also: ["tests/core/dispatch/calls/failures_test.ts", "tests/hostile/requests/mcp_lite_test.ts"],
  },
  {
    name: "handler-returns",
    statement: "Any returned or yielded value is sent as JSON, or is one `internal` or `result_too_large`.",
    tests: [...returned, ...nothing],
    also: ["tests/core/dispatch/calls/answers_test.ts", "tests/wires/suite_test.ts"],
  },
  {
    name: "fake-meta",
    statement: "A result that looks like a protocol's message (`_meta`, `isError`, an event) is sent as content.",
    tests: fakes,
  },
];
