/** Conversations of calls over replicas that fail: nothing is lost, and no replica needs to be the one that was there before. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  createServer,
  defineCallerState,
  defineTool,
  mcpLite,
  mcpLiteTransport,
  memoryEngine,
  memoryTransport,
  type Server,
} from "../../mod.ts";
import { grpc, grpcTransport } from "../../src/entries/grpc.ts";
import { FakeClock, type Replica, type ReplicaFaults, simulateReplicas } from "../../src/entries/testing.ts";
import type { Transport } from "../../src/entries/wire.ts";
import * as v from "../../src/entries/schema.ts";
import { overlap } from "../overlap.ts";

const KEYS = "k1:a secret that all replicas of this test know";
const number = v.object({ n: v.number() });
const basket = defineCallerState("basket", v.array(v.string()));
const sleep = (delayMs: number) => new Promise<void>((resolve) => void setTimeout(resolve, delayMs));

/** Which opens no sockets. */
const isWorker = globalThis.navigator?.userAgent === "Cloudflare-Workers";

const overHttp = (server: Server): Transport =>
  mcpLiteTransport("http://localhost/mcp-lite/v1", { fetch: (url, init) => server.fetch(new Request(url, init)) });

/** By gRPC, whose servers listen from their first call on. */
function grpcWire() {
  const open = new Map<Server, ReturnType<typeof listen>>();
  const listen = async (server: Server) => {
    const { serve } = await import("../../src/entries/serve.ts");
    const listening = await serve(server, { port: 0, grpc: { port: 0 } });
    const transport = grpcTransport(listening.grpcUrl ?? "");
    const close = () => {
      transport.close?.();
      return listening.close();
    };
    return { transport, close };
  };
  const reach = async (server: Server) => {
    const listening = open.get(server) ?? listen(server);
    open.set(server, listening);
    return (await listening).transport;
  };
  const wire = (server: Server): Transport => ({
    call: async (call, sink) => await (await reach(server)).call(call, sink),
    list: async (limit) => await (await reach(server)).list(limit),
  });
  const close = async () => {
    for (const listening of open.values()) await (await listening).close();
  };
  return { wire, close };
}

/** Odd replicas are reached over HTTP. */
const mixed = (
  server: Server,
  { index }: Replica,
): Transport => (index % 2 === 1 ? overHttp(server) : memoryTransport(server));

/** What is outside of the replicas: all that their handlers do. */
interface World {
  /** Runs, by key. */
  readonly runs: Map<number, number>;
  /** Call ids of those who took the step. */
  readonly steps: string[];
  /** How often each job elsewhere was looked at. */
  readonly looks: Map<string, number>;
}

function toolsIn(world: World) {
  const job = defineTool("job").describe("Double, later").input(number).output(v.number())
    .promise({ budgetMs: 5, retries: 100 }).handle(async ({ n }) => {
      await sleep(15);
      return n * 2;
    });
  const remote = defineTool("remote").describe("Triple, elsewhere").annotate({ idempotentHint: true })
    .input(number).output(v.number()).external({
      start: ({ n }, { callId }) => ({ n, job: callId }),
      check({ n, job }, ctx) {
        const looks = (world.looks.get(job) ?? 0) + 1;
        world.looks.set(job, looks);
        return looks < 3 ? ctx.pending({ retryAfterMs: 5 }) : n * 3;
      },
    });
  const order = defineTool("order").describe("Order, once that is confirmed").annotate({ idempotentHint: true })
    .input(number).output(v.string()).handle(async ({ n }, ctx) => {
      const id = await ctx.step("reserve", () => {
        world.steps.push(ctx.callId);
        return `order ${n}`;
      });
      const answer = await ctx.elicit("confirm", { message: id, schema: v.object({ yes: v.boolean() }) });
      if (answer.action !== "accept" || !answer.content.yes) return "dropped";
      await ctx.requestMore("credits", { amount: n });
      return id;
    });
  const put = defineTool("put").describe("Put into the basket").annotate({ idempotentHint: true })
    .input(v.object({ item: v.string() })).output(v.array(v.string())).handle(({ item }, ctx) => {
      const items = [...(ctx.callerState.get(basket) ?? []), item];
      ctx.callerState.set(basket, items);
      return items;
    });
  const count = defineTool("count").describe("Count runs").input(number).output(v.number())
    .promise({ budgetMs: 20_000, retries: 100 }).handle(async ({ n }) => {
      world.runs.set(n, (world.runs.get(n) ?? 0) + 1);
      await sleep(2);
      return n;
    });
  return [job, remote, order, put, count] as const;
}

/** Replicas of all these tools, with one engine. */
function simulate(options: { count: number; seed: number; faults?: ReplicaFaults }) {
  const world: World = { runs: new Map(), steps: [], looks: new Map() };
  const engine = memoryEngine();
  const tools = toolsIn(world);
  const replicas = simulateReplicas({
    ...options,
    create({ clock, attach }) {
      const server = createServer({
        keys: KEYS,
        tools,
        clock,
        engine: attach(engine),
        wires: [mcpLite(), grpc()],
      });
      server.work();
      return server;
    },
  });
  const end = async () => {
    replicas.faults = {};
    await replicas.close();
    await engine.close();
  };
  return { world, replicas, end };
}

type Step = { readonly tool: "job" | "remote" | "order" | "put" | "count"; readonly isAccepted: boolean };
type Replicas = ReturnType<typeof simulate>["replicas"];

/** Numbers that no other call has: keys, and what comes back. */
let calls = 0;

/** Has one caller take its steps, one after the other, and checks the result of each. */
async function converse(replicas: Replicas, steps: readonly Step[]): Promise<void> {
  let isAccepted = true;
  const client = replicas.client({
    wire: mixed,
    retry: { attempts: 200, baseDelayMs: 1, maxDelayMs: 3_000 },
    onElicitation: () => isAccepted ? { action: "accept", content: { yes: true } } : { action: "decline" },
    onMoreRequested: () => ({ action: "accept" }),
  });
  const items: string[] = [];
  for (const step of steps) {
    const n = ++calls;
    const idempotencyKey = `key ${n}`;
    isAccepted = step.isAccepted;
    if (step.tool === "job") strictEqual(await client.job({ n }, { idempotencyKey }), n * 2);
    if (step.tool === "remote") strictEqual(await client.remote({ n }), n * 3);
    if (step.tool === "order") strictEqual(await client.order({ n }), isAccepted ? `order ${n}` : "dropped");
    if (step.tool === "count") strictEqual(await client.count({ n }, { idempotencyKey }), n);
    if (step.tool === "put") {
      items.push(`${n}`);
      deepStrictEqual(await client.put({ item: `${n}` }), items);
    }
  }
}

const anyStep: fc.Arbitrary<Step> = fc.record({
  tool: fc.constantFrom("job", "remote", "order", "put", "count"),
  isAccepted: fc.boolean(),
});

const FAULTS: readonly (readonly [name: string, faults: ReplicaFaults])[] = [
  ["requests and replies get lost", { lostRequests: 0.15, lostReplies: 0.15 }],
  // Two of them are a minute apart at most.
  ["clocks jump", { clockJumps: 0.3, maxSkewMs: 30_000 }],
  ["all of it happens, and processes die", {
    lostRequests: 0.1,
    lostReplies: 0.1,
    kills: 0.1,
    clockJumps: 0.1,
    maxSkewMs: 30_000,
  }],
];

const conversations = overlap(FAULTS.map(([, faults]) => async () => {
  const redeemedAt = new Set<number | undefined>();
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 1e6 }),
      fc.integer({ min: 2, max: 4 }),
      fc.array(fc.array(anyStep, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 }),
      async (seed, count, conversations) => {
        const { world, replicas, end } = simulate({ count, seed, faults });
        await Promise.all(conversations.map((steps) => converse(replicas, steps)));
        for (const { tool, kind, replica } of replicas.journal) {
          if (tool === "redeem" && kind === "answer") redeemedAt.add(replica);
        }
        strictEqual(new Set(world.steps).size, world.steps.length, "a call took its step twice");
        if (faults.kills === undefined) {
          for (const [key, runs] of world.runs) strictEqual(runs, 1, `key ${key} ran ${runs} times`);
        }
        await end();
      },
    ),
    { seed: 1, numRuns: 5, endOnFailure: true },
  );
  ok(redeemedAt.size > 1, "promises were redeemed at several replicas");
}));

for (const [index, [name]] of FAULTS.entries()) {
  test(`conversations lose nothing while ${name}`, { timeout: 300_000 }, conversations[index]);
}

test("a token of one replica is redeemed at the others, and on other wires", async () => {
  const { replicas, end } = simulate({ count: 3, seed: 1 });
  const grpc = grpcWire();
  for (const tool of ["job", "remote"] as const) {
    const wires = [{ wire: overHttp }, {}, ...isWorker ? [] : [{ wire: grpc.wire }]];
    for (const begin of wires) {
      const { token } = await replicas.client({ only: 0, ...begin })[tool].start({ n: 7 });
      for (const only of [1, 2, 0]) {
        for (const wire of wires) {
          const want = tool === "job" ? 14 : 21;
          strictEqual(await replicas.client({ only, ...wire }).$.redeem(token).result(), want);
        }
      }
    }
  }
  await grpc.close();
  await end();
});

test("a token outlives the replica that gave it", async () => {
  const { replicas, end } = simulate({ count: 2, seed: 1 });
  const work = await replicas.client({ only: 0 }).job.start({ n: 7 });
  replicas.kill(0);
  strictEqual(await replicas.client().$.redeem(work.token).result(), 14);
  replicas.start(0);
  strictEqual(await replicas.client({ only: 0 }).$.redeem(work.token).result(), 14);
  await end();
});

test("a conversation continues at any replica without state: a new server for each call", async () => {
  const { replicas, end } = simulate({ count: 2, seed: 1 });
  const client = replicas.client({
    wire: mixed,
    onElicitation: () => ({ action: "accept", content: { yes: true } }),
    onMoreRequested: () => ({ action: "accept" }),
  });
  const restart = () => [0, 1].forEach((index) => replicas.start(index));
  const items: string[] = [];
  for (let n = 0; n < 10; n++) {
    restart();
    items.push(`${n}`);
    deepStrictEqual(await client.put({ item: `${n}` }), items);
  }
  deepStrictEqual(new Set(replicas.journal.map(({ replica }) => replica)), new Set([0, 1]));
  await end();
});

test("a question of one replica is answered at another", async () => {
  const { replicas, world, end } = simulate({ count: 3, seed: 1 });
  const asked = await replicas.client({ only: 0 }).order.outcome({ n: 1 });
  ok(asked.kind === "elicitation");
  replicas.kill(0);
  const responses = { confirm: { action: "accept", content: { yes: true } } };
  const meta = { continuation: asked.continuation, responses };
  const more = await replicas.client({ only: 1, wire: overHttp }).order.outcome({ n: 1 }, { meta });
  ok(more.kind === "request-for-more-resource");
  const granted = { continuation: more.continuation, responses: { credits: { action: "accept" } } };
  strictEqual(await replicas.client({ only: 2 }).order({ n: 1 }, { meta: granted }), "order 1");
  strictEqual(world.steps.length, 1);
  await end();
});

/** A promise of 10 s, made by one clock and redeemed by another, both so far ahead of the test's. */
const SKEWS:
  readonly (readonly [name: string, madeMs: number, redeemedMs: number, afterMs: number, isGood: boolean])[] = [
    ["clocks agree", 0, 0, 9_900, true],
    ["the redeemer is a minute ahead", 0, 60_000, 9_900, true],
    ["the redeemer is a minute behind", 0, -60_000, 9_900, true],
    ["the maker is a minute ahead", 60_000, 0, 9_900, true],
    ["the maker is a minute behind", -60_000, 0, 9_900, true],
    ["the redeemer is two minutes ahead", 0, 120_000, 0, false],
    ["the maker is two minutes behind", -120_000, 0, 0, false],
    ["clocks agree, and a minute more has passed", 0, 0, 72_000, false],
  ];

for (const [name, madeMs, redeemedMs, afterMs, isGood] of SKEWS) {
  test(`a promise is ${isGood ? "good" : "expired"} after ${afterMs} ms of 10 s when ${name}`, async () => {
    const clock = new FakeClock();
    const tool = defineTool("t").describe("T").external({ start: () => 1, check: () => "done", ttlMs: 10_000 });
    const create = (replica: Replica) => createServer({ keys: KEYS, clock: replica.clock, tools: [tool] });
    const replicas = simulateReplicas({ count: 2, clock, create });
    replicas.setClock(0, madeMs);
    replicas.setClock(1, redeemedMs);
    const { token } = await replicas.client({ only: 0 }).t.start();
    clock.tick(afterMs);
    const redeemed = replicas.client({ only: 1 }).$.redeem(token).result().catch(({ code }) => code);
    strictEqual(await redeemed, isGood ? "done" : "expired_promise");
  });
}
