import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import * as v from "../../../../src/entries/schema.ts";
import { createServer, defineTool, Failure, type Logger, ToolError, type ToolErrorCode } from "../../../../mod.ts";
import { jsonRpcErrorCodes } from "../../../../src/wires/framing/json_rpc/reply.ts";
import { assertMasked, Bench, KeptLog, KeptSink, settledSoon } from "../harness.ts";

const t = defineTool("t").describe("T");

/** Ways in which a handler can say the same by throwing. */
function throwers(thrown: unknown): readonly (readonly [string, () => unknown])[] {
  return [
    ["throws", () => {
      throw thrown;
    }],
    ["rejects with", () => Promise.reject(thrown)],
    ["throws later", async () => {
      await Promise.resolve();
      throw thrown;
    }],
    ["as a thenable rejects with", () => ({ then: (_: unknown, reject: (reason: unknown) => void) => reject(thrown) })],
    ["as a thenable throws", () => ({
      then: () => {
        throw thrown;
      },
    })],
    // deno-lint-ignore require-yield -- that it yields nothing is the point
    ["as a generator throws", async function* () {
      throw thrown;
    }],
    ["as a generator throws between pieces", async function* () {
      yield 1;
      throw thrown;
    }],
    ["as a generator throws in finally", async function* () {
      try {
        yield 1;
      } finally {
        // deno-lint-ignore no-unsafe-finally -- that is what is tested
        throw thrown;
      }
    }],
  ];
}

/** As an answer an error would be an object without its words. */
function returners(error: Error): readonly (readonly [string, () => unknown])[] {
  return [
    ["returns", () => error],
    ["as a generator returns", async function* () {
      yield 1;
      return error;
    }],
  ];
}

const failure = new Failure("sold_out", "Only 4 seats are left", { left: 4 });
for (const [how, handler] of [...throwers(failure), ...returners(failure)]) {
  test(`a handler that ${how} a Failure ends in that failure`, async () => {
    const bench = new Bench([t.handle(handler)]);
    for (const sink of [undefined, new KeptSink()]) {
      const settled = await bench.call("t", {}, sink && { sink });
      deepStrictEqual(settled, {
        kind: "failure",
        code: "sold_out",
        message: "Only 4 seats are left",
        data: { left: 4 },
      });
    }
    deepStrictEqual(bench.log.lines, []);
  });
}

for (const code of Object.keys(jsonRpcErrorCodes) as ToolErrorCode[]) {
  test(`a ToolError with code ${code} ${code === "internal" ? "is masked" : "passes with its message and details, without its cause"}`, async () => {
    const error = new ToolError(code, "The message", { details: { retry_after_ms: 5 }, cause: new Error("secret") });
    const bench = new Bench([t.handle(() => {
      throw error;
    })]);
    const settled = await bench.call("t");
    if (code === "internal") strictEqual(assertMasked(settled, bench.log), error);
    else deepStrictEqual(settled, { kind: "error", code, message: "The message", data: { retry_after_ms: 5 } });
  });
}

const hostileProxy = new Proxy({}, {
  get: () => {
    throw new Error("get trap");
  },
  has: () => {
    throw new Error("has trap");
  },
  getPrototypeOf: () => {
    throw new Error("prototype trap");
  },
  ownKeys: () => {
    throw new Error("keys trap");
  },
});
const cyclic: Record<string, unknown> = { name: "cyclic" };
cyclic["self"] = cyclic;

for (
  const [name, thrown] of [
    ["an Error", new Error("secret at /etc/passwd")],
    ["a TypeError", new TypeError("secret")],
    ["a string", "secret"],
    ["an empty string", ""],
    ["null", null],
    ["undefined", undefined],
    ["a number", 42],
    ["a bigint", 42n],
    ["a symbol", Symbol("secret")],
    ["a function", () => "secret"],
    ["a cyclic object", cyclic],
    ["a proxy whose traps throw", hostileProxy],
    ["an object that looks like a Failure", { name: "Failure", code: "sold_out", message: "secret", data: {} }],
    ["an object that looks like a refusal", { kind: "error", code: "not_found", message: "secret" }],
    [
      "an error whose message throws",
      Object.defineProperty(new Error(), "message", {
        get: () => {
          throw new Error("secret");
        },
      }),
    ],
    [
      "a Failure whose data throws",
      Object.defineProperty(new Failure("x", "secret"), "data", {
        get: () => {
          throw new Error("secret");
        },
      }),
    ],
    ["an AbortError", new DOMException("secret", "AbortError")],
    ["an AggregateError", new AggregateError([new Error("secret")], "secret")],
  ] as const
) {
  for (const [how, handler] of throwers(thrown)) {
    test(`a handler that ${how} ${name} is masked: a correlation id for the caller, the rest for the log`, async () => {
      const bench = new Bench([t.handle(handler)]);
      for (const sink of [undefined, new KeptSink()]) {
        const settled = await bench.call("t", {}, sink && { sink });
        ok(Object.is(assertMasked(settled, bench.log), thrown));
        doesNotMatch(JSON.stringify(settled), /secret|passwd|trap|\bat /);
      }
    });
  }
}

for (
  const [name, returned] of [
    [
      "an object whose then getter throws",
      Object.defineProperty({}, "then", {
        get: () => {
          throw new Error("secret");
        },
      }),
    ],
    ["a proxy whose traps throw", hostileProxy],
    [
      "an object whose asyncIterator getter throws",
      Object.defineProperty({}, Symbol.asyncIterator, {
        get: () => {
          throw new Error("secret");
        },
      }),
    ],
  ] as const
) {
  test(`a handler that returns ${name} is masked`, async () => {
    const bench = new Bench([
      t.handle(() => returned as unknown),
      defineTool("later").describe("L").handle(async () => [await Promise.resolve(1), returned] as unknown),
    ]);
    assertMasked(await bench.call("t"), bench.log);
    // Inside an array it is a value like any other, and the wire's to write.
    strictEqual((await bench.call("later")).kind, "answer");
  });
}

/** Objects that look like async generators, and are not. */
const impostors: readonly (readonly [string, () => object])[] = [
  ["whose return() throws", () => ({
    next: async () => await Promise.resolve({ done: false, value: 1 }),
    return: () => {
      throw new Error("secret");
    },
  })],
  [
    "whose return() gives no promise",
    () => ({ next: async () => await Promise.resolve({ done: false, value: 1 }), return: () => undefined }),
  ],
  [
    "whose return() rejects",
    () => ({
      next: async () => await Promise.resolve({ done: false, value: 1 }),
      return: () => Promise.reject(new Error("secret")),
    }),
  ],
  ["whose next() throws and whose return() throws", () => ({
    next: () => {
      throw new Error("secret");
    },
    return: () => {
      throw new Error("secret");
    },
  })],
  [
    "whose next() gives nothing",
    () => ({ next: () => undefined, return: () => Promise.resolve({ done: true, value: undefined }) }),
  ],
];
for (const [name, make] of impostors) {
  test(`an async iterator ${name} cannot break the call or the server`, async () => {
    const bench = new Bench([
      t.partial(v.string()).handle(() =>
        Object.assign(make(), {
          [Symbol.asyncIterator]() {
            return this;
          },
        }) as unknown as AsyncGenerator<string, void>
      ),
    ]);
    const settled = await settledSoon(bench.call("t", {}, { sink: new KeptSink() }));
    ok(settled !== undefined, "the call never settled");
    assertMasked(settled, bench.log);
  });
}

test("ctx.fail() makes a declared failure, with and without data", async () => {
  const tool = t.errors({ locked: v.object({ by: v.string() }), gone: null, maybe: v.optional(v.string()) }).handle(
    (args, ctx) => {
      if (args["code"] === "locked") throw ctx.fail("locked", "The record is locked", { by: "batch" });
      if (args["code"] === "gone") throw ctx.fail("gone", "It is gone");
      throw ctx.fail("maybe", "Maybe");
    },
  );
  const bench = new Bench([tool]);
  deepStrictEqual(await bench.call("t", { code: "locked" }), {
    kind: "failure",
    code: "locked",
    message: "The record is locked",
    data: { by: "batch" },
  });
  deepStrictEqual(await bench.call("t", { code: "gone" }), {
    kind: "failure",
    code: "gone",
    message: "It is gone",
    data: undefined,
  });
  deepStrictEqual(await bench.call("t", { code: "maybe" }), {
    kind: "failure",
    code: "maybe",
    message: "Maybe",
    data: undefined,
  });
});

test("ctx.fail() gives a Failure to throw, and throws nothing itself", async () => {
  const bench = new Bench([
    t.errors({ gone: null }).handle((_, ctx) => {
      const made = ctx.fail("gone", "It is gone");
      return [made instanceof Failure, made instanceof Error, made.name, made.code];
    }),
  ]);
  deepStrictEqual(await bench.call("t"), { kind: "answer", value: [true, true, "Failure", "gone"], meta: undefined });
});

for (
  const [name, code, data, message] of [
    [
      "an undeclared code",
      "other",
      undefined,
      'Cannot fail with "other": declare it with .errors({ other: … }) on tool "t"',
    ],
    [
      "a name of Object.prototype",
      "constructor",
      undefined,
      'Cannot fail with "constructor": declare it with .errors({ constructor: … }) on tool "t"',
    ],
    [
      "data that does not fit",
      "locked",
      { by: 5 },
      /^Cannot fail with "locked": its data does not fit the declared schema: /,
    ],
    [
      "data that is missing",
      "locked",
      undefined,
      /^Cannot fail with "locked": its data does not fit the declared schema: /,
    ],
  ] as const
) {
  test(`ctx.fail() with ${name} is masked: the tool broke its own word`, async () => {
    const bench = new Bench([
      t.errors({ locked: v.object({ by: v.string() }) }).handle((_, ctx) => {
        throw (ctx.fail as (code: string, message: string, data: unknown) => Error)(code, "secret", data);
      }),
    ]);
    const settled = await bench.call("t");
    const thrown = assertMasked(settled, bench.log);
    ok(thrown instanceof TypeError);
    if (typeof message === "string") strictEqual(thrown.message, message);
    else match(thrown.message, message);
    doesNotMatch(JSON.stringify(settled), /secret|locked|other/);
  });
}

test("a Failure need not be declared when a helper throws it", async () => {
  const bench = new Bench([
    t.errors({ locked: null }).handle(() => {
      throw new Failure("elsewhere", "From below", [1]);
    }),
  ]);
  deepStrictEqual(await bench.call("t"), { kind: "failure", code: "elsewhere", message: "From below", data: [1] });
});

test("nothing of a stack, a path or a message leaks to a caller over HTTP", async () => {
  const secret = "secret-7f3a";
  const tools = [
    t.handle(() => {
      throw new Error(secret, { cause: new Error(secret) });
    }),
    defineTool("output").describe("O").output(v.object({ [secret]: v.string() })).handle(() =>
      ({ [secret]: 5 }) as never
    ),
    defineTool("cyclic").describe("C").handle(() => Object.assign({ [secret]: 1 }, { self: cyclic }) as unknown),
    defineTool("bigint").describe("B").handle(() => ({ [secret]: 1n }) as unknown),
    defineTool("getter").describe("G").handle(() =>
      Object.defineProperty({}, secret, {
        enumerable: true,
        get: () => {
          throw new Error(secret);
        },
      }) as unknown
    ),
    defineTool("stream").describe("S").handle(async function* () {
      yield "before";
      throw new Error(secret);
    }),
    defineTool("piece").describe("P").handle(async function* () {
      yield "before";
      yield { [secret]: 1n } as unknown;
    }),
  ];
  const log = new KeptLog();
  const server = createServer({ tools, logger: log });
  for (const { name } of tools) {
    for (const accept of ["application/json", "text/event-stream"]) {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name } });
      const response = await server.fetch(
        new Request("http://localhost/mcp-lite/v1/calltools", {
          method: "POST",
          body,
          headers: { "content-type": "application/json", accept },
        }),
      );
      const text = [...response.headers].flat().join("\n") + await response.text();
      doesNotMatch(text, new RegExp(`${secret}|\\.ts\\b|node_modules|    at `), `${name} ${accept}: ${text}`);
      match(text, /correlation_id/, `${name} ${accept}: ${text}`);
      const { correlationId } = log.lines.at(-1)?.fields ?? {};
      ok(typeof correlationId === "string" && text.includes(correlationId), `${name} ${accept}`);
    }
  }
});

const throwingLogger: Logger = {
  debug: () => {
    throw new Error("log");
  },
  info: () => {
    throw new Error("log");
  },
  warn: () => {
    throw new Error("log");
  },
  error: () => {
    throw new Error("log");
  },
};

test("a logger that throws breaks no call: not when a call is masked", async () => {
  const bench = new Bench([t.handle(() => {
    throw new Error("secret");
  })], { logger: throwingLogger });
  const settled = await bench.call("t");
  strictEqual(settled.kind === "error" && settled.code, "internal");
});

test("a logger that throws breaks no call: not when a handler logs", async () => {
  const bench = new Bench([t.handle((_, ctx) => {
    ctx.log("info", "a line");
    return 1;
  })], { logger: throwingLogger });
  deepStrictEqual(await bench.call("t"), { kind: "answer", value: 1, meta: undefined });
});

test("without a logger masked errors are masked all the same", async () => {
  const server = createServer({
    tools: [t.handle(() => {
      throw new Error("secret");
    })],
  });
  const peer = {
    wire: "test",
    principal: undefined,
    signal: undefined,
    metadata: { get: () => null },
    requestId: undefined,
    client: {},
  };
  const settled = await server["~server"].host.dispatch.call({ tool: "t", args: {}, meta: undefined, peer });
  strictEqual(settled.kind === "error" && settled.code, "internal");
});

test("an exception that is another SDK's error is masked, and the log names what to throw", async () => {
  class McpError extends Error {
    readonly code: unknown;
    constructor(code: unknown, message: string) {
      super(message);
      this.code = code;
    }
  }
  for (const code of [-32602, -32603, -32002, -32000, -32768]) {
    const bench = new Bench([t.handle(() => {
      throw new McpError(code, "no such city");
    })]);
    assertMasked(await bench.call("t"), bench.log);
    match(String(bench.log.lines[0]?.fields["hint"]), /error of the official MCP SDK or of mcp-lite.*new ToolError\(/);
  }
  const odd = new Proxy(new Error("odd"), {
    get() {
      throw new Error("a trap");
    },
  });
  for (
    const thrown of [
      new McpError(-1, "x"),
      new McpError(11000, "x"),
      new McpError("-32602", "x"),
      { code: -32602 },
      odd,
    ]
  ) {
    const bench = new Bench([t.handle(() => {
      throw thrown;
    })]);
    assertMasked(await bench.call("t"), bench.log);
    doesNotMatch(String(bench.log.lines[0]?.fields["hint"]), /official/);
  }
});
