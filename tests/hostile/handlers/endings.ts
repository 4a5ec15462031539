/** How calls end in time, stay apart, and keep their lines. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import * as v from "../../../src/entries/schema.ts";
import { createServer, defineTool, Failure, ToolError } from "../../../mod.ts";
import { STATELESS, wires } from "../../wires/descriptions/all.ts";
import type { CallEnd, Sending } from "../../wires/descriptions/description.ts";
import { RawObject } from "../../wires/descriptions/raw_messages.ts";
import { callers, type Calling, codeOf } from "../callers.ts";
import { everywhere } from "../senders.ts";
import { type Cases, type Guarantee, overCases } from "../guarantee.ts";

const delay = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const never = () => new Promise<never>(() => {});

function busy(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

const thenable = (then: (resolve: (value: unknown) => void, reject: (reason: unknown) => void) => void) => ({ then });

/** What a handler does, and how its call may end. */
const IN_TIME: Cases<readonly [run: () => unknown, ...ends: readonly string[]]> = {
  hangs: [never, "deadline_exceeded"],
  "hangs in a thenable": [() => thenable(() => {}), "deadline_exceeded"],
  "hangs before a piece": [async function* () {
    yield await never();
  }, "deadline_exceeded"],
  "hangs after a piece": [async function* () {
    yield "piece";
    await never();
  }, "deadline_exceeded"],
  "hangs when it is told to stop": [async function* () {
    try {
      yield "piece";
      await never();
    } finally {
      await never();
    }
  }, "deadline_exceeded"],
  "answers after its deadline": [() => delay(90).then(() => "late"), "deadline_exceeded"],
  "throws after its deadline": [() => delay(90).then(() => Promise.reject(new Error("late"))), "deadline_exceeded"],
  blocks: [() => (busy(10), "done"), "answer"],
  "blocks past its deadline": [
    async () => {
      await delay(1);
      busy(60);
      return "done";
    },
    "answer",
    "deadline_exceeded",
  ],
  "resolves twice": [() =>
    new Promise((resolve) => {
      resolve("done");
      resolve("again");
    }), "answer"],
  "resolves, then rejects": [() =>
    new Promise((resolve, reject) => {
      resolve("done");
      reject(new Error("after all"));
    }), "answer"],
  "resolves a thenable twice": [() =>
    thenable((resolve, reject) => {
      resolve("done");
      resolve("again");
      reject(new Error("after all"));
    }), "answer"],
  "resolves a thenable, then throws": [() =>
    thenable((resolve) => {
      resolve("done");
      throw new Error("after all");
    }), "answer"],
  "rejects a thenable twice": [() =>
    thenable((_, reject) => {
      reject(new Error("no"));
      reject(new Error("no"));
    }), "internal"],
  "has a then that throws": [() => ({
    get then() {
      throw new Error("no");
    },
  }), "internal"],
};

const run = (args: Readonly<Record<string, unknown>>) => IN_TIME[String(args["what"])]?.[0]();
/** Has time enough on a busy machine. */
const prompt = defineTool("prompt").describe("Run").timeout(20_000).handle(run);
const late = defineTool("late").describe("Run for longer than the deadline").timeout(40).handle(run);
const ping = defineTool("ping").describe("Answer").handle(() => "pong");

async function assertAlive({ caller }: Calling): Promise<void> {
  deepStrictEqual(await caller.call("ping"), { kind: "answer", value: "pong" });
}

const inTime = callers(() => createServer({ logger: false, tools: [prompt, late, ping], wires })).map((place) =>
  overCases(place, IN_TIME, async (calling, [, ...ends], what) => {
    const reply = await calling.caller.call(ends.includes("deadline_exceeded") ? "late" : "prompt", { what });
    ok(ends.includes(codeOf(reply)), JSON.stringify(reply));
    if (reply.kind === "answer") strictEqual(reply.value, "done");
    await assertAlive(calling);
  })
);

const LINES: Cases<string> = {
  "a line feed": "a\nb",
  "a carriage return": "a\rb",
  "both": "a\r\nb",
  "two": "a\n\nb",
  "at both ends": "\r\na\r\n",
  "alone": "\n",
  "an event": 'a\n\nevent: done\ndata: {"content":"forged"}\n\n',
  "an event, by carriage returns": 'a\r\revent: error\rdata: {"code":1}\r\r',
  "fields of an event": "data: x\nid: 1\nretry: 1\n: comment",
  "a message of JSON-RPC": 'a\n{"jsonrpc":"2.0","id":1,"result":{}}\n',
  "headers": "a\r\ngrpc-status: 0\r\nset-cookie: x=y\r\n\r\n",
  "line separators of Unicode": "a\u2028b\u2029c\u0085d",
  "a NUL": "a\0b",
  "spaces around": " a ",
  "no ASCII": "é 日本 \u{1f600}\n",
};

const say = [
  defineTool("answer").describe("Answer").handle(({ text }) => text),
  defineTool("pieces").describe("Yield").handle(async function* ({ text }, ctx) {
    ctx.progress(1, 2, String(text));
    yield text;
    yield { text };
    return [text];
  }),
  defineTool("fail").describe("Fail").handle(({ text }): string => {
    throw new Failure("said", String(text), { text });
  }),
  defineTool("refuse").describe("Refuse").handle(({ text }): string => {
    throw new ToolError("conflict", String(text), { details: { text } });
  }),
] as const;

const lines = callers(() => createServer({ logger: false, tools: say, wires })).map((place) =>
  overCases(place, LINES, async ({ caller }, text) => {
    deepStrictEqual(await caller.call("answer", { text }), { kind: "answer", value: text });
    const progress: (string | undefined)[] = [];
    const onProgress = ({ message }: { readonly message?: string | undefined }) => void progress.push(message);
    deepStrictEqual(await caller.call("pieces", { text }, { onProgress }), { kind: "answer", value: [text] });
    ok(progress.every((message) => message === text), JSON.stringify(progress));
    const streamed = await caller.stream?.("pieces", { text });
    if (streamed !== undefined) {
      deepStrictEqual(streamed, { pieces: [text, { text }], end: { kind: "answer", value: [text] } });
    }
    for (const tool of ["fail", "refuse"]) {
      const reply = await caller.call(tool, { text });
      ok(reply.kind === "failure" || reply.kind === "error", JSON.stringify(reply));
      deepStrictEqual([reply.code, reply.message], [tool === "fail" ? "said" : "conflict", text]);
    }
  })
);

const CLIENTS = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`client ${at}`, at]));

/** Answers in another order than it was asked. */
const wait = defineTool("wait").describe("Answer, in some other order")
  .input(v.object({ n: v.number() }))
  .handle(async ({ n }) => {
    await delay((n * 7) % 23);
    return { n, text: "x".repeat(n * 100) };
  });

const answerOf = (n: number): CallEnd => ({ kind: "answer", value: { n, text: "x".repeat(n * 100) } });

/** All are sent before any is looked at. */
function together<Opened extends object, Result>(ask: (opened: Opened, n: number) => Promise<Result>) {
  const asked = new WeakMap<Opened, readonly Promise<Result>[]>();
  return (opened: Opened, n: number): Promise<Result> => {
    const all = asked.get(opened) ?? Object.values(CLIENTS).map((one) => ask(opened, one));
    asked.set(opened, all);
    return all[n] as Promise<Result>;
  };
}

const waitServer = () => createServer({ logger: false, tools: [wait], wires });
const byCallers = together(({ caller }: Calling, n) => caller.call("wait", { n }));
// Each has id 1, where there are ids.
const bySenders = together(({ dialect, send }: Sending, n) => send(dialect.call("wait", new RawObject([["n", n]]))));

const crossedIds = [
  ...callers(waitServer).map((place) =>
    overCases(place, CLIENTS, async (calling, n) => deepStrictEqual(await byCallers(calling, n), answerOf(n)))
  ),
  ...everywhere(() => createServer({ logger: false, tools: [wait], wires: STATELESS })).map((place) =>
    overCases({ ...place, where: `${place.where}, one id` }, CLIENTS, async (sending, n) => {
      deepStrictEqual(sending.dialect.read(await bySenders(sending, n)), answerOf(n));
    })
  ),
];

export const guarantees: readonly Guarantee[] = [
  {
    name: "handler-time",
    statement: "A handler that hangs ends at its deadline, one that blocks or settles twice ends once.",
    tests: inTime,
    also: ["tests/core/dispatch/calls/deadlines_test.ts"],
  },
  {
    name: "line-breaks",
    statement: "CR, LF and other line ends stay inside their message.",
    tests: lines,
    also: ["tests/wires/framing/sse_test.ts"],
  },
  {
    name: "crossed-ids",
    statement: "50 concurrent calls, with one id or over one connection, each get their own answer.",
    tests: crossedIds,
  },
];
