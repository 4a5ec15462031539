/** What each limit says, on each wire: one code, in its words; and the next call is answered. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { createServer, defineTool, Failure, type Principal } from "../../../mod.ts";
import { bearer } from "../../../src/entries/auth.ts";
import { concurrencyLimit } from "../../../src/entries/middleware.ts";
import { STATELESS, wires, without } from "../../wires/descriptions/all.ts";
import type { Sending } from "../../wires/descriptions/description.ts";
import { RawNest, RawObject } from "../../wires/descriptions/raw_messages.ts";
import { textOf } from "../../wires/grpc/frames.ts";
import { callers, type Calling, codeOf } from "../callers.ts";
import { everywhere, overHttp } from "../senders.ts";
import { type Cases, type Guarantee, overCases } from "../guarantee.ts";
import { eventually } from "../../eventually.ts";

const ping = defineTool("ping").describe("Answer").handle(() => "pong");
const echo = defineTool("echo").describe("Give back what came").handle((args) => args);
const NO_ARGS = new RawObject([]);

async function assertAlive({ caller }: Calling): Promise<void> {
  deepStrictEqual(await caller.call("ping"), { kind: "answer", value: "pong" });
}

async function assertAnswers({ dialect, send }: Sending): Promise<void> {
  deepStrictEqual(dialect.read(await send(dialect.call("ping", NO_ARGS))), { kind: "answer", value: "pong" });
}

const BODY_BYTES = 3_000;

const TOO_LARGE: Cases<string> = {
  "a little more": "x".repeat(BODY_BYTES),
  "much more": "x".repeat(100 * BODY_BYTES),
  "few characters, many bytes": "\u20ac".repeat(BODY_BYTES / 2),
};

const bodyServer = () => createServer({ tools: [ping, echo], wires: STATELESS, limits: { bodyBytes: BODY_BYTES } });

/** That a request was rejected before it was parsed: with this code and, where there are ids, with none, or that of the start of its line. */
async function assertUnparsed(sending: Sending, args: RawObject, code: string): Promise<void> {
  const { dialect, send } = sending;
  const response = await send(dialect.call("echo", args));
  const end = dialect.read(response);
  strictEqual(codeOf(end), code, JSON.stringify(end));
  if (dialect.hasIds) {
    const { id, error } = JSON.parse(textOf(response.body));
    strictEqual(error.code, -32600);
    // A response of HTTP belongs to its request. A line that is too long is refused with the id at its start.
    if (id !== null) deepStrictEqual([id, code, dialect.post], [1, "payload_too_large", undefined]);
  }
  await assertAnswers(sending);
}

const body = everywhere(bodyServer).map((place) =>
  overCases(
    place,
    TOO_LARGE,
    (sending, text) => assertUnparsed(sending, new RawObject([["text", text]]), "payload_too_large"),
  )
);

const TOO_DEEP: Cases<RawObject> = {
  "513 levels": new RawNest(513),
  "5,000 levels": new RawNest(5_000),
  "a wide object with one": new RawObject([...Array.from({ length: 600 }, (_, at) => [`k${at}`, at] as const), [
    "in",
    new RawNest(600),
  ]]),
};

const depthServer = () => createServer({ tools: [ping, echo], wires: STATELESS });

const depth = everywhere(depthServer).map((place) =>
  overCases(place, TOO_DEEP, (sending, args) => assertUnparsed(sending, args, "invalid_request"))
);

const CHARS = 1_000;
const LONG = "x".repeat(CHARS);

/** How too much is given. */
const TOO_MUCH: Cases<(ctx: { meta(members: Readonly<Record<string, unknown>>): void }) => unknown> = {
  "a text": () => LONG,
  "a text in an object": () => ({ a: [LONG] }),
  "many numbers": () => Array.from({ length: CHARS }, () => 0.5),
  "many names": () => Object.fromEntries(Array.from({ length: CHARS }, (_, at) => [`name ${at}`, at])),
  "pieces that are joined": async function* () {
    for (let count = 0; count < 20; count++) yield "x".repeat(CHARS / 10);
  },
  "pieces without an end": async function* () {
    for (;;) yield await Promise.resolve(1);
  },
  "a failure's data": () => {
    throw new Failure("long", "x", { LONG });
  },
  "a message": () => {
    throw new Failure("long", LONG);
  },
  "what goes beside the answer": (ctx) => {
    ctx.meta({ "example.com/long": LONG });
    return "ok";
  },
};

const give = defineTool("give").describe("Give too much").errors({ long: null })
  .handle(({ what }, ctx) => TOO_MUCH[String(what)]?.(ctx));
const piece = defineTool("piece").describe("Yield too much").handle(async function* () {
  yield "x";
  yield LONG;
});

const answer = callers(() => createServer({ tools: [give, piece, ping], wires, limits: { answerChars: CHARS } })).map((
  place,
) =>
  overCases(place, { ...TOO_MUCH, "a piece": undefined }, async (calling, what, name) => {
    const { caller } = calling;
    const reply = what === undefined ? await caller.call("piece") : await caller.call("give", { what: name });
    strictEqual(codeOf(reply), "result_too_large", JSON.stringify(reply).slice(0, 300));
    const streamed = what === undefined ? await caller.stream?.("piece") : undefined;
    if (streamed !== undefined) deepStrictEqual([streamed.pieces, codeOf(streamed.end)], [["x"], "result_too_large"]);
    await assertAlive(calling);
  })
);

const quiet = [
  defineTool("hang").describe("Say nothing").handle(() => new Promise<string>(() => {})),
  defineTool("stop").describe("Say one thing").handle(async function* () {
    yield "piece";
    await new Promise(() => {});
  }),
  defineTool("go_on").describe("Say things for longer than it may be quiet").handle(async function* () {
    for (let count = 0; count < 8; count++) {
      yield count;
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    return "done";
  }),
] as const;

const QUIET: Cases<"hang" | "stop" | "go_on"> = {
  "nothing at all": "hang",
  "nothing after a piece": "stop",
  "a piece now and then": "go_on",
};

const idle = callers(() => createServer({ tools: [...quiet, ping], wires, timeoutMs: 150 })).map((place) =>
  overCases(place, QUIET, async (calling, tool) => {
    const { caller } = calling;
    const streamed = await caller.stream?.(tool);
    // A machine that is busy may be quiet for us.
    const ends = tool === "go_on" ? ["answer", "deadline_exceeded"] : ["deadline_exceeded"];
    if (streamed !== undefined) ok(ends.includes(codeOf(streamed.end)), JSON.stringify(streamed));
    // A call that is not streamed is limited as a whole.
    strictEqual(codeOf(await caller.call(tool)), "deadline_exceeded");
    await assertAlive(calling);
  })
);

const PEOPLE: Readonly<Record<string, Principal>> = { ada: { id: "ada" }, bob: { id: "bob" } };

/** What runs, by whom. */
let running = new Map<string, PromiseWithResolvers<void>>();

const hold = defineTool("hold").describe("Wait until it is let go").handle(async (_, { principal }) => {
  const gate = Promise.withResolvers<void>();
  running.set(principal?.id ?? "", gate);
  await gate.promise;
  return "held";
});

function principalServer() {
  running = new Map();
  return createServer({
    tools: [hold, ping],
    wires: STATELESS,
    auth: bearer((token) => PEOPLE[token]),
    middleware: [concurrencyLimit({ max: 1, key: (ctx) => ctx.principal?.id ?? "" })],
  });
}

const principal = overHttp(principalServer).map((place) =>
  overCases(place, { "one holds, another calls": "" }, async ({ dialect, send }) => {
    const ask = async (who: string, tool: string) => {
      const request = dialect.call(tool, NO_ARGS);
      const headers = { ...request.headers, authorization: `Bearer ${who}` };
      return dialect.read(await send({ ...request, headers }));
    };
    const held = ask("ada", "hold");
    await eventually(() => running.has("ada"));
    strictEqual(codeOf(await ask("ada", "ping")), "unavailable");
    deepStrictEqual(await ask("bob", "ping"), { kind: "answer", value: "pong" });
    running.get("ada")?.resolve();
    deepStrictEqual(await held, { kind: "answer", value: "held" });
    deepStrictEqual(await ask("ada", "ping"), { kind: "answer", value: "pong" });
  })
);

export const guarantees: readonly Guarantee[] = [
  {
    name: "limit-body",
    statement: "A body over `limits.bodyBytes` is `payload_too_large`.",
    tests: body,
    none: without("requests"),
    also: ["tests/hostile/requests/http1_test.ts", "tests/hostile/requests/grpc_test.ts"],
  },
  {
    name: "limit-depth",
    statement: "Arguments deeper than `limits.depth` are `invalid_request`, before parsing.",
    tests: depth,
    none: without("requests"),
  },
  {
    name: "limit-answer",
    statement:
      "Answers, pieces, failures and joined pieces over `limits.answerChars` are `result_too_large`, before writing.",
    tests: answer,
  },
  {
    name: "limit-idle",
    statement: "A stream without events for `timeoutMs`, or a longer unary call, is `deadline_exceeded`.",
    tests: idle,
    mayOverlap: true,
    also: ["tests/core/dispatch/calls/deadlines_test.ts"],
  },
  {
    name: "limit-principal",
    statement: "With `concurrencyLimit()` by principal, only callers over the limit get `unavailable`.",
    tests: principal,
    none: without("principals"),
    also: [
      "tests/integrations/middleware/wires_test.ts",
      "tests/integrations/middleware/concurrency_limit_test.ts",
      "tests/integrations/middleware/rate_limit_test.ts",
    ],
  },
];
