/** Recordings: what a proxy writes of the calls that pass through it, and what a replayed recording answers. */
import { deepStrictEqual, match, ok, rejects, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import {
  createClient,
  createServer,
  defineTool,
  Failure,
  mcpLiteTransport,
  memoryTransport,
  type Middleware,
  type Server,
} from "../../../../mod.ts";
import { jsonSchema } from "../../../../src/entries/json_schema.ts";
import * as v from "../../../../src/entries/schema.ts";
import { createProxy } from "../../../../apps/cli/record/proxy.ts";
import { createRecorder } from "../../../../apps/cli/record/create_recorder.ts";
import { createRedactor } from "../../../../src/core/redaction/redact.ts";
import { readRecording } from "../../../../src/inspection/recording/recording.ts";
import { replayCalls, type ReplayedCall } from "../../../../src/inspection/recording/replay_calls.ts";
import { recordingTransport } from "../../../../src/testing/recording_transport.ts";
import { monitorFromSignal } from "../../../../src/core/call/time_limit.ts";
import type { Transport } from "../../../../src/core/call/transport.ts";
import { PLANTED, plantedTokens } from "./planted.ts";

const PIN = { type: "object", properties: { pin: { type: "string", format: "password" } }, required: ["pin"] };

/** A server of tools that end in each way. */
function createTarget(version = 1): Server {
  return createServer({
    name: "target",
    version: "1.0.0",
    logger: false,
    tools: [
      defineTool("add").describe("Add").input(v.object({ a: v.number(), b: v.number() }))
        .handle(({ a, b }) => ({ sum: a + b, version, at: Date.now() })),
      defineTool("echo").describe("Echo").input(v.looseObject({})).handle((input) => input),
      defineTool("story").describe("Stream").partial(v.string()).handle(async function* (_, ctx) {
        await ctx.progress(1, 2, "half");
        yield "Once ";
        yield "upon a time";
      }),
      defineTool("leak").describe("Stream a secret in pieces").partial(v.string()).handle(async function* () {
        for (const char of "Bearer Zq7Xw3Rt9Lk2Vb5Nm8 is what you wanted") yield char;
      }),
      defineTool("refuse").describe("Fail").errors({ sold_out: v.object({ left: v.number() }) })
        .handle(() => {
          throw new Failure("sold_out", "Only 4 seats are left", { left: 4 });
        }),
      defineTool("crash").describe("Break").handle(() => {
        throw new Error("the database is down");
      }),
      defineTool("paint").describe("Ask").handle(async (_, ctx) => {
        const answer = await ctx.elicit("colour", {
          message: "Which colour?",
          schema: v.object({ colour: v.string() }),
        });
        return answer.action === "accept" ? `painted ${answer.content.colour}` : "not painted";
      }),
      defineTool("report").describe("Promise").promise().handle(async (_, ctx) => {
        await ctx.progress(1, 1);
        return "the report";
      }),
    ],
  });
}

/** Runs calls through a recording proxy, over HTTP within this process, and returns what was written. */
async function record(
  use: (client: ReturnType<typeof clientOf>) => Promise<void>,
  target = createTarget(),
): Promise<string> {
  let text = "";
  const proxy = await createProxy(memoryTransport(target), {
    info: { name: "target", version: "1.0.0" },
    logger: false,
    middleware: (tools) =>
      createRecorder({
        server: { name: "target", version: "1.0.0" },
        tools,
        redactor: createRedactor(),
        write: (line) => text += line,
      }),
  });
  try {
    await use(clientOf(proxy));
  } finally {
    await proxy.close(0);
  }
  return text;
}

function clientOf(server: Server, transport: Transport = overHttp(server)) {
  return createClient(transport, {
    retry: { attempts: 0 },
    onElicitation: () => ({ action: "accept", content: { colour: "red" } }),
  });
}

function overHttp(server: Server): Transport {
  return mcpLiteTransport("http://localhost/mcp-lite/v1", {
    fetch: (url: string | URL | Request, init?: RequestInit) => server.fetch(new Request(url, init)),
  });
}

/** Calls each tool, and returns what came of it. */
async function callAll(client: ReturnType<typeof clientOf>): Promise<unknown[]> {
  const { sum } = await client.$.call("add", { a: 1, b: 2 }) as { sum: number };
  const pieces: unknown[] = [];
  const story = client.$.stream("story");
  for await (const piece of story) pieces.push(piece);
  const refused = await client.$.outcome("refuse");
  const crashed = await client.$.call("crash").catch(({ code }) => code);
  const painted = await client.$.call("paint");
  const report = await client.$.start("report");
  return [sum, pieces, await client.$.call("story"), refused.kind, crashed, painted, await report.result()];
}

const EXPECTED = [
  3,
  ["Once ", "upon a time"],
  "Once upon a time",
  "failure",
  "internal",
  "painted red",
  "the report",
];

const limited = <Value>(work: (limit: ReturnType<typeof monitorFromSignal>) => Promise<Value>): Promise<Value> =>
  work(monitorFromSignal(new AbortController().signal));

async function replayAll(text: string, target: Server, ignore: readonly string[] = []): Promise<ReplayedCall[]> {
  const calls: ReplayedCall[] = [];
  for await (const call of replayCalls(readRecording(text), memoryTransport(target), { ignore, limited })) {
    calls.push(call);
  }
  return calls;
}

test("answers, streams, progress, failures, errors, questions and promises are recorded", async () => {
  const text = await record(async (client) => deepStrictEqual(await callAll(client), EXPECTED));
  const { head, calls } = readRecording(text);
  strictEqual(head.server.name, "target");
  match(head.list, /^sha256-/);
  ok(head.tools.some(({ name }) => name === "add"));
  const kinds = calls.map(({ tool, settled }) => `${tool} ${settled?.kind}`);
  deepStrictEqual(kinds.slice(0, 7), [
    "add answer",
    "story answer",
    "refuse failure",
    "crash error",
    "paint elicitation",
    "paint answer",
    "report promise",
  ]);
  deepStrictEqual(calls[1]?.events.map(({ kind }) => kind), ["progress", "partial", "partial"]);
  strictEqual(calls[0]?.wire, "mcp-lite");
  const redeemed = calls.filter(({ tool }) => tool === "redeem").at(-1);
  strictEqual(redeemed?.settled?.kind, "answer");
  const [promise] = calls.filter(({ tool }) => tool === "report");
  strictEqual(
    (redeemed?.args as { promise: string }).promise,
    (promise?.settled as { token: string }).token,
    "the redeem names the promise",
  );
  match(String((promise?.settled as { token: string }).token), /^\[redacted prom_ proxy [\da-f]{8}\]$/);
  ok(!text.includes("the database is down"), "causes are not recorded");
});

test("arguments and answers that a schema marks as secret fit their recording", async () => {
  const tool = defineTool("unlock").describe("Unlock").input(jsonSchema<{ pin: string }>(PIN)).output(
    jsonSchema<{ pin: string }>(PIN),
  )
    .handle((input) => input);
  const fixed = defineTool("issue").describe("Issue").output(jsonSchema<{ pin: string }>(PIN)).handle(() => ({
    pin: "8642",
  }));
  const target = createServer({ name: "target", logger: false, tools: [tool, fixed] });
  const text = await record(async (client) => {
    await client.$.call("unlock", { pin: "1357" });
    await client.$.call("issue");
  }, target);
  ok(!text.includes("1357") && !text.includes("8642"), text);
  const replayed = createClient(recordingTransport(readRecording(text)));
  deepStrictEqual(await replayed.$.call("unlock", { pin: "2468" }), { pin: "[redacted]" });
  const again = await replayAll(text, target);
  deepStrictEqual(again.map(({ tool, status }) => [tool, status]), [["unlock", "skipped"], ["issue", "same"]]);
});

test("local causes of errors and addresses of web pages are not recorded", async () => {
  let text = "";
  const write = (line: string): void => void (text += line);
  const down: Middleware = ({ tool }, next) =>
    tool.name === "crash"
      ? { kind: "error", code: "unavailable", message: "Down", cause: "the password of the database is wrong" }
      : next();
  const server = createServer({
    logger: false,
    middleware: [createRecorder({ server: { name: "x" }, tools: [], redactor: createRedactor(), write }), down],
    tools: [
      defineTool("crash").describe("Break").handle(() => 1),
      defineTool("open").describe("Ask").handle(async (_, ctx) => {
        const url = "https://x.example/?q=1";
        const { action } = await ctx.elicitUrl("page", { message: `Sign in at ${url}`, url });
        return action;
      }),
    ],
  });
  const client = createClient(memoryTransport(server), { retry: { attempts: 0 } });
  await rejects(client.$.call("crash"), { code: "unavailable" });
  strictEqual((await client.$.outcome("open")).kind, "elicitation");
  ok(text.includes('"unavailable"') && text.includes('"elicitation"'), text);
  ok(!text.includes("database") && !text.includes("x.example"), text);
});

test("none of the planted secrets is in the file: in arguments, answers, pieces, or answers to questions", async () => {
  const planted = [...PLANTED, ...plantedTokens()];
  strictEqual(planted.length, 30);
  const text = await record(async (client) => {
    for (const { member, secret } of planted) {
      await client.$.call("echo", {
        [member]: secret,
        deep: [{ [member]: secret }],
        json: JSON.stringify({ [member]: secret }),
      });
    }
    await client.$.call("leak");
    for await (const _ of client.$.stream("leak")) { /* All pieces. */ }
  });
  for (const { name, secret, hidden = secret } of planted) {
    for (const form of [hidden, JSON.stringify(hidden).slice(1, -1)]) {
      ok(!text.includes(form), `${name} is in the file`);
    }
  }
  ok(!text.includes("Zq7Xw3Rt9"), "joined pieces");
  const pieces = readRecording(text).calls.at(-1)?.events.map((event) => (event.kind === "partial" ? event.value : ""));
  strictEqual(pieces?.join(""), "Bearer [redacted] is what you wanted");
});

test("a replayed recording answers as the server did, as a transport and behind a proxy", async () => {
  const text = await record(async (client) => void await callAll(client));
  deepStrictEqual(await callAll(clientOf(createTarget(), recordingTransport(readRecording(text)))), EXPECTED);
  const proxy = await createProxy(recordingTransport(readRecording(text)), { info: { name: "replay" }, logger: false });
  deepStrictEqual(await callAll(clientOf(proxy)), EXPECTED);
  await proxy.close(0);
});

test("repeated calls are answered in recorded order, then with the last answer", async () => {
  let count = 0;
  const target = createServer({
    tools: [defineTool("next").describe("Count").handle(() => ++count)],
    logger: false,
  });
  const text = await record(async (client) => {
    for (let call = 0; call < 3; call++) await client.$.call("next");
  }, target);
  const client = clientOf(target, recordingTransport(readRecording(text)));
  const answers = [];
  for (let call = 0; call < 5; call++) answers.push(await client.$.call("next"));
  deepStrictEqual(answers, [1, 2, 3, 3, 3]);
});

test("a call that was not recorded is refused, with the nearest recorded arguments", async () => {
  const text = await record(async (client) => {
    await client.$.call("add", { a: 1, b: 2 });
    await client.$.call("add", { a: 5, b: 6 });
  });
  const client = clientOf(createTarget(), recordingTransport(readRecording(text)));
  await rejects(client.$.call("add", { a: 5, b: 7 }), {
    code: "invalid_input",
    message: 'The recording has no call of add with these arguments; the nearest is {"a":5,"b":6}',
  });
  await rejects(client.$.call("echo", {}), { message: "The recording has no call of echo" });
  await rejects(client.$.call("ad", {}), { code: "tool_not_found" });
});

test("a call with recorded arguments, but other metadata, is refused with the difference", async () => {
  const text = await record(async (client) => {
    await client.$.call("paint");
    await client.$.call("add", { a: 1, b: 2 });
    await (await client.$.start("report")).cancel();
  });
  const transport = recordingTransport(readRecording(text));
  const messageOf = async (tool: string, args: object, meta: object) => {
    const limit = monitorFromSignal(new AbortController().signal);
    const result = await transport.call({ tool, args, meta: { ...meta }, limit });
    return result.kind === "error" ? result.message : result.kind;
  };
  const known = (tool: string) => `The recording has a call of ${tool} with these arguments, but `;
  strictEqual(await messageOf("report", {}, {}), `${known("report")}it asked for a promise`);
  strictEqual(await messageOf("add", { a: 1, b: 2 }, { promise: true }), `${known("add")}it did not ask for a promise`);
  const responses = { colour: { action: "accept", content: { colour: "blue" } } };
  strictEqual(await messageOf("add", { a: 1, b: 2 }, { responses }), `${known("add")}without answers to questions`);
  strictEqual(
    await messageOf("paint", {}, { responses }),
    `${known("paint")}with other answers to questions: {"colour":{"action":"accept","content":{"colour":"red"}}}`,
  );
});

test("any secret fits the place of a recorded one", async () => {
  const text = await record(async (client) => void await client.$.call("echo", { password: "one", user: "ada" }));
  const client = clientOf(createTarget(), recordingTransport(readRecording(text)));
  deepStrictEqual(await client.$.call("echo", { password: "another", user: "ada" }), {
    password: "[redacted]",
    user: "ada",
  });
  await rejects(client.$.call("echo", { password: "one", user: "eve" }), { code: "invalid_input" });
});

test("a replay against the same server finds no difference; questions and promises get the tokens of the new run", async () => {
  const text = await record(async (client) => void await callAll(client));
  const calls = await replayAll(text, createTarget(), ["/value/at"]);
  deepStrictEqual(
    calls.filter(({ status }) => status !== "same").map(({ tool, status, reason, differences }) => ({
      tool,
      status,
      reason,
      differences,
    })),
    [],
  );
  deepStrictEqual(calls.slice(0, 7).map(({ tool }) => tool), [
    "add",
    "story",
    "refuse",
    "crash",
    "paint",
    "paint",
    "report",
  ]);
});

/** A server whose tool gives a promise after 5 ms, unless it answers at once. */
function createSlow(delayMs: number): Server {
  const later = defineTool("later").describe("Promise").promise({ budgetMs: 5 }).handle(async () => {
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
    return "the result";
  });
  return createServer({ tools: [later], logger: false, keys: "k1:a secret of at least thirty-two bytes" });
}

test("a promise in place of a recorded answer is followed, and an answer in place of a recorded promise counts for it", async () => {
  const streamed = await record(async (client) => {
    strictEqual(await client.$.call("later", {}, { onProgress: () => {} }), "the result");
  }, createSlow(40));
  const promised = await record(async (client) => {
    strictEqual(await client.$.call("later"), "the result");
  }, createSlow(40));
  ok(readRecording(streamed).calls[0]?.settled?.kind === "answer" && streamed.includes('"deferred"'), streamed);
  ok(readRecording(promised).calls[0]?.settled?.kind === "promise", promised);
  for (const text of [streamed, promised]) {
    for (const delayMs of [0, 40]) {
      const calls = await replayAll(text, createSlow(delayMs));
      deepStrictEqual(
        calls.filter(({ status, reason }) => status !== "same" && reason !== "the work was still running"),
        [],
      );
    }
  }
  const changed = createServer({ tools: [defineTool("later").describe("x").handle(() => "another")], logger: false });
  const found = (await replayAll(promised, changed)).flatMap(({ differences }) => differences);
  deepStrictEqual(found, [{ path: "/value", recorded: "the result", now: "another" }]);
});

test("a replay against a changed server names each difference", async () => {
  const text = await record(async (client) => void await client.$.call("add", { a: 1, b: 2 }));
  const [call] = await replayAll(text, createTarget(2), ["/value/at"]);
  strictEqual(call?.status, "different");
  deepStrictEqual(call?.differences, [{ path: "/value/version", recorded: 1, now: 2 }]);
});

test("a call whose secrets are not in the recording is skipped, and an answer with a secret counts as equal", async () => {
  const text = await record(async (client) => {
    await client.$.call("echo", { password: "one" });
    await client.$.call("leak");
  });
  const calls = await replayAll(text, createTarget());
  deepStrictEqual(calls.map(({ status, redacted }) => [status, redacted]), [["skipped", 0], ["same", 1]]);
  strictEqual(calls[0]?.reason, "its secrets are not in the recording");
});

test("a file that is not a recording is refused with its line; an incomplete last line is left out", async () => {
  for (
    const [text, words] of [
      ["", /^Not a recording/],
      ['{"jsonrpc":"2.0"}\n', /^Not a recording/],
      ['{"toolwire":"record","v":2}\n', /version 2, and this program reads version 1/],
      ['{"toolwire":"record","v":1}\n', /^Line 1: the members server and tools/],
      ['{"toolwire":"record","v":1,"server":{"name":"x"},"tools":[]}\nno\n', /^Line 2 is not a JSON object/],
      ['{"toolwire":"record","v":1,"server":{"name":"x"},"tools":[]}\n{}\n', /^Line 2 is neither a call/],
      [
        '{"toolwire":"record","v":1,"server":{"name":"x"},"tools":[]}\n{"n":3,"settled":{"kind":"answer"}}\n',
        /^Line 2: there is no call 3 before it/,
      ],
    ] as const
  ) {
    throws(() => readRecording(text), { name: "TypeError", message: words });
  }
  const text = await record(async (client) => void await client.$.call("add", { a: 1, b: 2 }));
  const cut = readRecording(text.slice(0, -10));
  strictEqual(cut.calls.length, 1);
  strictEqual(cut.calls[0]?.settled, undefined);
});
