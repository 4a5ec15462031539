/** Promises, questions, context and keys over every wire: what a caller sees does not depend on how the call travelled. */
import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import {
  type Client,
  type ClientOptions,
  createClient,
  type Progress,
  type PromiseOutcome,
  type QuestionAnswer,
  type ToolQuestion,
} from "../../mod.ts";
import { FakeClock } from "../../src/entries/testing.ts";
import { overlap } from "../overlap.ts";
import type { Transport, TransportCall } from "../../src/core/call/transport.ts";
import { carries, COMPOSED, isChosen, type Lack, PLAIN, skipOf, type WireRow, WIRES } from "./matrix.ts";
import { createPromiseFixture, type PromiseJournal, type PromiseServer } from "./promises_fixture.ts";
import { eventually } from "../eventually.ts";

interface Stage {
  readonly client: Client<PromiseServer>;
  readonly journal: PromiseJournal;
  readonly wire: WireRow;
  readonly server: PromiseServer;
  /** Another client of the same server. */
  connect(options?: ClientOptions): Client<PromiseServer>;
  /** The time of the server, in scenarios of {@link VIRTUAL}. */
  readonly clock: FakeClock | undefined;
  /** Resolves when a client first redeems a promise. */
  readonly redeems: Promise<void>;
}

type Scenario = (stage: Stage) => Promise<void>;

async function run(wire: WireRow, scenario: Scenario, clock?: FakeClock): Promise<void> {
  const { server, journal } = createPromiseFixture({ clock });
  const { transport, close } = await wire.open(server);
  const redeeming = Promise.withResolvers<void>();
  const watched = watch(transport, ({ tool }) => tool === "redeem" && redeeming.resolve());
  const connect = (options?: ClientOptions) => createClient<PromiseServer>(watched, options);
  try {
    await scenario({ client: connect(), journal, wire, server, connect, clock, redeems: redeeming.promise });
  } finally {
    journal.gate.resolve();
    transport.close?.();
    await close();
    await server.close(0);
  }
}

/** The same transport, which reports each call before it is sent. */
function watch(transport: Transport, onCall: (call: TransportCall) => void): Transport {
  return new Proxy(transport, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return (...args: readonly unknown[]): unknown => {
        if (name === "call") onCall(args[0] as TransportCall);
        return member.apply(target, args);
      };
    },
  });
}

async function promiseOf(outcome: Promise<{ readonly kind: string }>): Promise<PromiseOutcome> {
  const settled = await outcome;
  strictEqual(settled.kind, "promise");
  return settled as PromiseOutcome;
}

/** What scenarios need of a protocol; the others need promises. */
const NEEDS: Readonly<Record<string, readonly Lack[]>> = {
  "answers what is done within its budget": [],
  "fails late as it would have early": ["promises", "data of errors"],
  "asks, goes on, and takes no step twice": ["questions"],
  "hands questions to a caller without answers": ["questions"],
  "asks again for answers that do not fit, and ignores what was not asked": ["questions"],
  "refuses an invalid answer with the reason, and accepts a valid one": ["questions"],
  "asks several things at once": ["questions"],
  "turns the promise of a job that asks into its question": ["promises", "questions"],
  "asks for external work through its promise": ["promises", "questions"],
  "sleeps, waits for a value of others, and tells what for": ["promises", "_meta"],
  "does not send pieces twice when a stream goes on after a question": ["questions"],
  "has the caller keep its context": ["_meta"],
  "runs a call once for each key": ["_meta"],
  "starts one job for each key": ["promises", "_meta"],
};

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  async "lists the system tools first, marked as such"({ client }) {
    const tools = await client.$.list();
    deepStrictEqual(tools.filter(({ "@type": type }) => type === "system").map(({ name }) => name), [
      "redeem",
      "cancel",
    ]);
    deepStrictEqual(tools.slice(0, 2).map(({ name }) => name), ["redeem", "cancel"]);
    deepStrictEqual((tools[0]?.inputSchema as { required: string[] }).required, ["promise"]);
  },

  async "answers what is done within its budget"({ client }) {
    strictEqual(await client.quick({ n: 4 }), 8);
    strictEqual((await client.quick.outcome({ n: 4 })).kind, "answer");
  },

  async "promises what is not, and tells how far it is"({ client, journal }) {
    const promise = await promiseOf(client.slow.outcome({ n: 4 }));
    ok(promise.token.startsWith("prom_") && promise.ttlMs > 3_500_000 && promise.retryAfterMs > 0);
    deepStrictEqual(promise.progress, { done: 1, total: 4, message: "loading" });
    const again = await promiseOf(client.$.redeem(promise.token).status());
    strictEqual(again.token, promise.token);
    deepStrictEqual(again.progress, { done: 1, total: 4, message: "loading" });
    journal.gate.resolve();
    const work = client.$.redeem<number>(promise.token);
    strictEqual(await work.result(), 8);
    strictEqual(await work.result(), 8);
    const status = await work.status();
    strictEqual(status.kind === "answer" && status.value, 8);
  },

  async "redeems by itself"({ client, journal, redeems }) {
    const answer = client.slow({ n: 21 });
    void redeems.then(() => journal.gate.resolve());
    strictEqual(await answer, 42);
  },

  async "redeems by itself with progress"({ client, journal }) {
    const seen: Progress[] = [];
    const answer = client.slow({ n: 21 }, { onProgress: (progress) => void seen.push(progress) });
    await eventually(() => seen.length > 0);
    journal.gate.resolve();
    strictEqual(await answer, 42);
    deepStrictEqual(seen[0], { done: 1, total: 4, message: "loading" });
  },

  async "streams on past the budget"({ client, journal, wire }) {
    const stream = client.slow_pieces.stream();
    setTimeout(() => journal.gate.resolve(), 150);
    const pieces: string[] = [];
    for await (const piece of stream) pieces.push(piece);
    deepStrictEqual(pieces, carries(wire, "pieces of answers") ? ["a", "b"] : []);
    strictEqual(await stream.result, "ab");
  },

  async "ends a stream with the promise before its deadline, and gives the whole"({ client, journal, clock, redeems }) {
    const stream = client.slow_pieces.stream({}, { meta: { deadline_ms: 20_000 } });
    let hasEnded = false;
    // The work ends after the stream, whose promise the client redeems.
    void redeems.then(() => {
      hasEnded = true;
      journal.gate.resolve();
    });
    // At each turn the machine may be as slow as it likes.
    while (!hasEnded) {
      clock?.tick(200);
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
    strictEqual(await stream.result, "ab");
  },

  async "fails late as it would have early"({ client, journal, redeems }) {
    const answer = client.slow_no();
    void redeems.then(() => journal.gate.resolve());
    await rejects(answer, { name: "Failure", code: "sold_out", data: { left: 0 } });
  },

  async "starts, tells, cancels"({ client, journal }) {
    const work = await client.slow.start({ n: 1 });
    strictEqual((await work.status()).kind, "promise");
    const seen: Progress[] = [];
    for await (const progress of work.updates()) {
      seen.push(progress);
      break;
    }
    deepStrictEqual(seen, [{ done: 1, total: 4, message: "loading" }]);
    strictEqual(await work.cancel(), true);
    strictEqual(await work.cancel(), true);
    await eventually(() => journal.lines.includes("aborted"));
    await rejects(work.result(), { name: "Failure", code: "cancelled" });
    journal.gate.resolve();
    await rejects(work.result(), { name: "Failure", code: "cancelled" });
  },

  async "keeps the answer of what had ended when it was cancelled"({ client, journal }) {
    journal.gate.resolve();
    const work = await client.slow.start({ n: 5 });
    strictEqual(await work.result(), 10);
    strictEqual(await work.cancel(), false);
    strictEqual(await work.result(), 10);
  },

  async "refuses to start what cannot promise, and what is not right"({ client }) {
    const wrong = client as unknown as { put: typeof client.put; slow: { start(input: unknown): Promise<unknown> } };
    await rejects(wrong.put.start({ item: "x" }), { name: "ToolError", code: "invalid_request" });
    await rejects(wrong.slow.start({ n: "one" }), { name: "ToolError", code: "invalid_input" });
  },

  async "refuses tokens that are none, with the arguments named"({ client }) {
    await rejects(client.$.redeem("prom_a7b9c2d4e6f8").result(), { name: "ToolError", code: "invalid_promise" });
    await rejects(client.$.call("redeem", {}), { name: "ToolError", code: "invalid_input" });
    await rejects(client.$.call("redeem", { promise: "x", wait_ms: -1 }), { code: "invalid_input" });
    await rejects(client.$.call("cancel", { promise: "x" }), { code: "invalid_promise" });
  },

  async "keeps the state of external work in the token"({ client, journal }) {
    const work = await client.remote.start({ n: 7 });
    const status = await promiseOf(work.status());
    deepStrictEqual(status.progress, { done: 1, total: 2 });
    strictEqual(await work.result(), 21);
    strictEqual(await client.remote({ n: 2 }), 6);
    strictEqual(await work.cancel(), true);
    ok(journal.lines.includes("cancelled elsewhere"));
  },

  async "asks, goes on, and takes no step twice"({ connect, journal }) {
    const asked: string[] = [];
    const client = connect({
      onElicitation: ({ key, tool, message }) => {
        asked.push(`${tool} ${key} ${message}`);
        return { action: "accept", content: { confirmed: true } };
      },
      onMoreRequested: ({ key, params }) => {
        asked.push(`${key} ${JSON.stringify(params)}`);
        return { action: "accept" };
      },
    });
    strictEqual(await client.remove({ id: "7" }), "removed");
    deepStrictEqual(asked, [
      "remove confirm Remove 7?",
      'credits {"resource":"credits","amount":5,"reason":"Removing costs 5 credits"}',
    ]);
    strictEqual(journal.lines.filter((line) => line === "reserved").length, 1);
    strictEqual(journal.lines.filter((line) => line === "removed").length, 1);
    strictEqual(new Set(journal.lines.filter((line) => line.startsWith("run "))).size, 1);
  },

  async "hands questions to a caller without answers"({ client }) {
    const outcome = await client.remove.outcome({ id: "7" });
    ok(outcome.kind === "elicitation");
    deepStrictEqual(outcome.requests, {
      confirm: {
        kind: "elicitation",
        message: "Remove 7?",
        schema: { type: "object", properties: { confirmed: { type: "boolean" } }, required: ["confirmed"] },
      },
    });
    const responses = { confirm: { action: "accept", content: { confirmed: true } } };
    const meta = { continuation: outcome.continuation, responses };
    const next = await client.remove.outcome({ id: "7" }, { meta });
    ok(next.kind === "request-for-more-resource");
    await rejects(client.remove({ id: "7" }), { name: "ToolError", code: "invalid_request" });
    await rejects(client.remove({ id: "8" }, { meta }), { name: "ToolError", code: "invalid_continuation" });
    const denied = { continuation: next.continuation, responses: { credits: { action: "decline" } } };
    await rejects(client.remove({ id: "7" }, { meta: denied }), { name: "Failure", code: "resource_denied" });
  },

  async "asks again for answers that do not fit, and ignores what was not asked"({ client }) {
    const outcome = await client.remove.outcome({ id: "7" });
    ok(outcome.kind === "elicitation");
    const { continuation } = outcome;
    for (
      const responses of [{}, { confirm: 1 }, { confirm: { action: "accept", content: { confirmed: 2 } } }, {
        credits: { action: "accept" },
      }]
    ) {
      const again = await client.remove.outcome({ id: "7" }, { meta: { continuation, responses } });
      ok(again.kind === "elicitation", JSON.stringify(responses));
    }
    const declined = { continuation, responses: { confirm: { action: "decline" } } };
    strictEqual(await client.remove({ id: "7" }, { meta: declined }), "decline");
  },

  async "refuses an invalid answer with the reason, and accepts a valid one"({ connect }) {
    const wrong: readonly (readonly [unknown, RegExp])[] = [
      [undefined, /the answer to "confirm" is refused: .*\{ action/],
      [{ confirmed: true }, /the answer to "confirm" is refused: .*\{ action/],
      [
        { action: "accept", content: { confirmed: "yes" } },
        /the answer to "confirm" is refused: content\.confirmed: .*boolean/,
      ],
    ];
    for (const [answer, message] of wrong) {
      let asked = 0;
      const onElicitation = () => (asked++, Promise.resolve(answer as QuestionAnswer));
      await rejects(connect({ onElicitation: onElicitation }).remove({ id: "7" }), {
        name: "ToolError",
        code: "invalid_request",
        message,
      });
      strictEqual(asked, 2, `${JSON.stringify(answer)} is not given for ever`);

      const questions: ToolQuestion[] = [];
      const mend = (question: ToolQuestion) => {
        questions.push(question);
        return Promise.resolve(questions.length === 1 ? answer as QuestionAnswer : { action: "decline" } as const);
      };
      strictEqual(await connect({ onElicitation: mend }).remove({ id: "7" }), "decline");
      strictEqual(questions[0]?.params?.["refused"], undefined);
      strictEqual(typeof questions[1]?.params?.["refused"], "string");
    }
  },

  async "asks several things at once"({ connect }) {
    const client = connect({
      onElicitation: () => Promise.resolve({ action: "accept", content: { name: "Ada" } }),
      onMoreRequested: () => ({ action: "decline" }),
    });
    strictEqual(await client.both(), "Ada decline");
    const outcome = await client.both.outcome();
    strictEqual(outcome.kind, "elicitation");
  },

  async "turns the promise of a job that asks into its question"({ client, connect, journal }) {
    const promise = await promiseOf(client.slow_ask.outcome());
    journal.gate.resolve();
    await eventually(async () => (await client.$.redeem(promise.token).status()).kind === "elicitation");
    const status = await client.$.redeem(promise.token).status();
    ok(status.kind === "elicitation");
    strictEqual(status.continuation, promise.token);
    const answering = connect({ onElicitation: () => ({ action: "accept", content: { colour: "red" } }) });
    strictEqual(await answering.$.redeem(promise.token).result(), "red");
    strictEqual(await answering.slow_ask(), "red");
  },

  async "asks for external work through its promise"({ client, connect }) {
    const { token } = await promiseOf(client.remote_ask.outcome());
    const status = await client.$.redeem(token).status();
    ok(status.kind === "elicitation");
    strictEqual(status.continuation, token);
    const answering = connect({ onElicitation: () => ({ action: "accept", content: { colour: "red" } }) });
    strictEqual(await answering.$.redeem(token).result(), "red");
    strictEqual(await answering.remote_ask(), "red");
  },

  async "sleeps, waits for a value of others, and tells what for"({ client, journal, server, wire }) {
    const promise = await promiseOf(client.approved.outcome({ pauseMs: 1_001 }));
    const work = client.$.redeem<string>(promise.token);
    const message = async () => {
      const status = await work.status();
      return status.kind === "promise" ? status.progress?.message ?? "" : "";
    };
    // On a loaded machine the sleep may be over before it is seen.
    await eventually(async () =>
      /^(Sleeping until 20\d\d-.*Z \(pause\)|Waiting for approval until .*)$/.test(await message())
    );
    await eventually(async () => /^Waiting for approval until 20\d\d-.*Z$/.test(await message()));
    const resolution = await server.resolve(journal.lines[0]!, { by: "Ada" });
    // The engine of a whole has the jobs of its parts.
    if (COMPOSED.includes(wire) && !resolution.resolved) return strictEqual(resolution.reason, "lost");
    deepStrictEqual(resolution, { resolved: true });
    strictEqual(await work.result(), "Ada");
    deepStrictEqual(await server.resolve(journal.lines[0]!, { by: "Ada" }), { resolved: true, repeated: true });
    strictEqual(journal.lines.length, 2, "each step once");
  },

  async "does not send pieces twice when a stream goes on after a question"({ connect, wire }) {
    const client = connect({ onElicitation: () => ({ action: "accept", content: { when: "a day" } }) });
    const pieces: string[] = [];
    const stream = client.tell.stream();
    for await (const piece of stream) pieces.push(piece);
    deepStrictEqual(pieces, carries(wire, "pieces of answers") ? ["once ", "upon ", "a day"] : []);
    strictEqual(await client.tell(), "once upon a day");
  },

  async "has the caller keep its context"({ client, connect }) {
    await client.put({ item: "tea" });
    deepStrictEqual(await client.put({ item: "milk" }), ["tea", "milk"]);
    deepStrictEqual(await connect().put({ item: "salt" }), ["salt"]);
    deepStrictEqual(await connect().put({ item: "salt" }, { meta: { context: "ctx_forged" } }), ["salt"]);
  },

  async "runs a call once for each key"({ client, journal }) {
    const first = client.count({ n: 1 }, { idempotencyKey: "a" });
    const second = client.count({ n: 1 }, { idempotencyKey: "a" });
    await eventually(() => journal.lines.length > 0);
    journal.gate.resolve();
    deepStrictEqual(await Promise.all([first, second]), [2, 2]);
    strictEqual(await client.count({ n: 1 }, { idempotencyKey: "a" }), 2);
    strictEqual(await client.count({ n: 1 }, { idempotencyKey: "b" }), 3);
    await rejects(client.count({ n: 2 }, { idempotencyKey: "a" }), { name: "ToolError", code: "conflict" });
    await rejects(client.put({ item: "x" }, { idempotencyKey: "a" }), { name: "ToolError", code: "conflict" });
  },

  async "starts one job for each key"({ client, journal }) {
    const options = { idempotencyKey: "job" };
    const [one, other] = await Promise.all([
      client.slow.start({ n: 1 }, options),
      client.slow.start({ n: 1 }, options),
    ]);
    strictEqual(one.token, other.token);
    journal.gate.resolve();
    strictEqual(await other.result(), 2);
  },
};

/** Scenarios in which the time of the server passes as the test says. */
const VIRTUAL: ReadonlySet<string> = new Set([
  "ends a stream with the promise before its deadline, and gives the whole",
]);

const CASES = [...WIRES, ...COMPOSED, PLAIN].flatMap((wire) =>
  Object.entries(SCENARIOS).filter((_, place) => isChosen(wire, place)).map(([name, scenario]) => ({
    name: `${wire.name}: ${name}`,
    skip: skipOf(wire, NEEDS[name] ?? ["promises"]),
    body: () => run(wire, scenario, VIRTUAL.has(name) ? new FakeClock() : undefined),
  }))
).filter(({ skip, name }) => skip === false || (test(name, { skip }, () => {}), false));

const bodies = overlap(CASES.map(({ body }) => body), 48);
for (const [index, { name }] of CASES.entries()) test(name, bodies[index]);
