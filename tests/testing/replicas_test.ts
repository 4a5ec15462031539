import { deepStrictEqual, notDeepStrictEqual, ok, rejects, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool, mcpLiteTransport, memoryEngine, memoryTransport, type Server } from "../../mod.ts";
import {
  FakeClock,
  type Replica,
  type ReplicaFaults,
  type ReplicaTransportOptions,
  simulateReplicas,
} from "../../src/entries/testing.ts";
import type { Engine } from "../../src/entries/engines.ts";
import * as v from "../../src/entries/schema.ts";
import { eventually } from "../eventually.ts";

const KEYS = "k1:a secret that all replicas of this test know";
const RETRY = { retry: { attempts: 50, baseDelayMs: 1 } };

const whoami = (replica: Replica) =>
  defineTool("whoami").describe("Tell which replica answers").annotate({ readOnlyHint: true })
    .output(v.string()).handle(() => `${replica.index}.${replica.life}`);

const create = (replica: Replica) => createServer({ keys: KEYS, clock: replica.clock, tools: [whoami(replica)] });

const overHttp = (server: Server) =>
  mcpLiteTransport("http://localhost/mcp-lite/v1", { fetch: (url, init) => server.fetch(new Request(url, init)) });

/** What twenty calls came to, and what the journal says of them. */
async function twenty(seed: number, faults: ReplicaFaults, transport: ReplicaTransportOptions<Server> = {}) {
  const replicas = simulateReplicas({ count: 3, seed, faults, create });
  const client = replicas.client({ ...transport, retry: { attempts: 0 } });
  const said: string[] = [];
  for (let n = 0; n < 20; n++) said.push(await client.whoami().catch(({ code }) => code));
  await replicas.close();
  return { said, journal: replicas.journal };
}

for (const [name, transport] of [["memory", {}], ["http", { wire: overHttp }]] as const) {
  test(`simulateReplicas() does the same for the same seed, and other things for another (${name})`, async () => {
    const faults = { lostRequests: 0.2, lostReplies: 0.2, kills: 0.2, clockJumps: 0.2, maxSkewMs: 60_000 };
    const first = await twenty(1, faults, transport);
    deepStrictEqual(await twenty(1, faults, transport), first);
    notDeepStrictEqual((await twenty(2, faults, transport)).said, first.said);
    deepStrictEqual(new Set(first.said.map((one) => one.slice(0, 1))), new Set(["0", "1", "2", "u"]));
    deepStrictEqual(
      first.journal.map(({ fate, replica, life }) => fate === "answered" ? `${replica}.${life}` : "unavailable"),
      first.said,
    );
    for (const fate of ["answered", "request lost", "reply lost"]) {
      ok(first.journal.some((record) => record.fate === fate), fate);
    }
    ok(first.journal.some(({ life }) => life !== undefined && life > 1));
  });
}

test("simulateReplicas() keeps one fault's chances apart from the others'", async () => {
  const calm = await twenty(1, {});
  const lossy = await twenty(1, { lostReplies: 0.5 });
  deepStrictEqual(lossy.journal.map(({ replica }) => replica), calm.journal.map(({ replica }) => replica));
  deepStrictEqual(
    lossy.said.filter((one) => one !== "unavailable"),
    calm.said.filter((_, index) => lossy.said[index] !== "unavailable"),
  );
});

test("journal tells what became of each request", async () => {
  const replicas = simulateReplicas({ count: 1, create });
  const client = replicas.client({ retry: { attempts: 0 } });
  await client.whoami();
  await client.$.list();
  await rejects(client.$.call("nobody"), { code: "tool_not_found" });
  replicas.faults = { lostReplies: 1 };
  await rejects(client.whoami(), { code: "unavailable" });
  replicas.faults = { lostRequests: 1 };
  await rejects(client.whoami(), { code: "unavailable" });
  replicas.faults = {};
  replicas.kill(0);
  await rejects(client.whoami(), { code: "unavailable" });
  const at = { replica: 0, life: 1 };
  const none = { kind: undefined, code: undefined };
  deepStrictEqual(replicas.journal, [
    { request: 1, tool: "whoami", ...at, fate: "answered", kind: "answer", code: undefined },
    { request: 2, tool: undefined, ...at, fate: "answered", kind: "list", code: undefined },
    { request: 3, tool: "nobody", ...at, fate: "answered", kind: "error", code: "tool_not_found" },
    { request: 4, tool: "whoami", ...at, fate: "reply lost", kind: "answer", code: undefined },
    { request: 5, tool: "whoami", ...at, fate: "request lost", ...none },
    { request: 6, tool: "whoami", replica: undefined, life: undefined, fate: "nobody there", ...none },
  ]);
});

test("a lost reply is of a call that ran, a lost request of one that did not", async () => {
  let runs = 0;
  const tool = defineTool("count").describe("Count").handle(() => ++runs);
  const replicas = simulateReplicas({ count: 2, create: () => createServer({ tools: [tool] }) });
  const client = replicas.client({ retry: { attempts: 0 } });
  replicas.faults = { lostRequests: 1 };
  await rejects(client.count(), { code: "unavailable" });
  strictEqual(runs, 0);
  replicas.faults = { lostReplies: 1 };
  await rejects(client.count(), { code: "unavailable" });
  strictEqual(runs, 1);
});

test("a lost end of a stream comes after some of its events", async () => {
  const tool = defineTool("count").describe("Count").partial(v.number()).handle(async function* () {
    for (let n = 0; n < 5; n++) yield n;
  });
  const replicas = simulateReplicas({ count: 1, create: () => createServer({ tools: [tool] }) });
  replicas.faults = { lostReplies: 1 };
  const lengths = new Set<number>();
  for (let n = 0; n < 40; n++) {
    const pieces: number[] = [];
    const stream = replicas.client({ retry: { attempts: 0 } }).count.stream();
    await rejects(async () => {
      for await (const piece of stream) pieces.push(piece);
    }, { code: "unavailable" });
    await rejects(stream.result, { code: "unavailable" });
    deepStrictEqual(pieces, pieces.map((_, index) => index));
    lengths.add(pieces.length);
  }
  deepStrictEqual([...lengths].sort(), [0, 1, 2, 3]);
});

test("kill() ends the calls under way at the replica at once as unavailable", async () => {
  const hang = defineTool("hang").describe("Hang").handle(() => new Promise<string>(() => {}));
  const replicas = simulateReplicas({ count: 1, create: ({ clock }) => createServer({ clock, tools: [hang] }) });
  const call = replicas.client({ retry: { attempts: 0 } }).hang();
  await Promise.resolve();
  replicas.kill(0);
  await rejects(call, { code: "unavailable" });
  strictEqual(replicas.journal[0]?.fate, "killed");
});

test("start() makes a new server in place of one that was killed, stopped, or runs", async () => {
  const replicas = simulateReplicas({ count: 1, create });
  const client = replicas.client({ retry: { attempts: 0 } });
  const first = replicas.server(0);
  strictEqual(await client.whoami(), "0.1");
  replicas.kill(0);
  replicas.start(0);
  strictEqual(await client.whoami(), "0.2");
  await replicas.stop(0);
  ok(replicas.server(0).isClosed && !first.isClosed);
  await rejects(client.whoami(), { code: "unavailable" });
  replicas.start(0);
  replicas.start(0);
  strictEqual(await client.whoami(), "0.4");
});

test("stop() lets a call under way end", async () => {
  const gate = Promise.withResolvers<string>();
  const wait = defineTool("wait").describe("Wait").handle(() => gate.promise);
  const replicas = simulateReplicas({ count: 2, create: () => createServer({ tools: [wait] }) });
  const call = replicas.client({ only: 0 }).wait();
  await Promise.resolve();
  const stopped = replicas.stop(0);
  gate.resolve("done");
  strictEqual(await call, "done");
  await stopped;
});

test("transport({ only }) goes to one replica, the others to all of them", async () => {
  const replicas = simulateReplicas({ count: 3, create });
  for (let index = 0; index < 3; index++) {
    for (let n = 0; n < 5; n++) strictEqual(await replicas.client({ only: index }).whoami(), `${index}.1`);
  }
  const seen = new Set<string>();
  for (let n = 0; n < 50; n++) seen.add(await replicas.client().whoami());
  strictEqual(seen.size, 3);
});

test("transport({ wire }) is asked for each request, so that wires can be mixed", async () => {
  const wires = new Set<string>();
  const replicas = simulateReplicas({ count: 2, create });
  const client = replicas.client({
    wire(server, { index }) {
      wires.add(index === 0 ? "http" : "memory");
      return index === 0 ? overHttp(server) : memoryTransport(server);
    },
  });
  for (let n = 0; n < 20; n++) ok((await client.whoami()).endsWith(".1"));
  strictEqual(wires.size, 2);
});

test("setClock() sets one replica's clock, and moves none of its timers", async () => {
  const clock = new FakeClock();
  const clocks: Replica["clock"][] = [];
  const hang = defineTool("hang").describe("Hang").timeout(1_000).handle(() => new Promise<string>(() => {}));
  const replicas = simulateReplicas({
    count: 2,
    clock,
    create(replica) {
      clocks.push(replica.clock);
      return createServer({ clock: replica.clock, tools: [hang] });
    },
  });
  const call = replicas.client({ only: 0 }).hang();
  replicas.setClock(0, -30_000);
  deepStrictEqual(clocks.map((one) => one.now() - clock.now()), [-30_000, 0]);
  deepStrictEqual(clocks.map((one) => one.elapsed()), [clock.elapsed(), clock.elapsed()]);
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  clock.tick(1_000);
  await rejects(call, { code: "deadline_exceeded" });
  replicas.start(0);
  strictEqual((clocks[2]?.now() ?? 0) - clock.now(), -30_000, "a restart sets no clock");
});

test("kill() stops the replica's timers", () => {
  const clock = new FakeClock();
  const fired: string[] = [];
  const set = (replica: Replica) => {
    replica.clock.after(10, () => void fired.push(`${replica.index}.${replica.life}`));
    return create(replica);
  };
  const replicas = simulateReplicas({ count: 2, clock, create: set });
  replicas.kill(0);
  clock.tick(10);
  deepStrictEqual(fired, ["1.1"]);
});

test("faults.maxSkewMs sets the clocks apart from the start", () => {
  const clock = new FakeClock();
  const skews: number[] = [];
  const noteSkew = (replica: Replica) => {
    skews.push(replica.clock.now() - clock.now());
    return createServer({ tools: [whoami(replica)] });
  };
  simulateReplicas({ count: 20, clock, faults: { maxSkewMs: 1_000 }, create: noteSkew });
  ok(skews.every((skewMs) => Math.abs(skewMs) <= 1_000) && Math.min(...skews) < -300 && Math.max(...skews) > 300);
});

test("simulateReplicas() refuses no replicas, and to name one that is not there", () => {
  for (const count of [0, -1, 1.5, NaN]) throws(() => simulateReplicas({ count, create }), RangeError);
  const replicas = simulateReplicas({ count: 2, create });
  for (const index of [-1, 2, 0.5]) throws(() => replicas.kill(index), RangeError);
});

/** Replicas of one engine, whose jobs wait for a gate, and record where they run. */
function withEngine() {
  const engine = memoryEngine();
  const runs: string[] = [];
  const gates: PromiseWithResolvers<void>[] = [];
  const replicas = simulateReplicas({
    count: 3,
    create(replica) {
      const job = defineTool("job").describe("Run until the gate opens").promise({ budgetMs: 5, retries: 5 })
        .output(v.string()).handle(async (_, ctx) => {
          runs.push(`${replica.index}.${replica.life} ${ctx.attempt}`);
          const gate = Promise.withResolvers<void>();
          gates.push(gate);
          await gate.promise;
          return `${replica.index}.${replica.life}`;
        });
      const { clock } = replica;
      const server = createServer({ keys: KEYS, clock, tools: [job], engine: replica.attach(engine), logger: false });
      server.work();
      return server;
    },
  });
  const end = async () => {
    await replicas.close();
    await engine.close();
  };
  return { replicas, runs, gates, end };
}

const sleep = (delayMs: number) => new Promise<void>((resolve) => void setTimeout(resolve, delayMs));

for (const how of ["queued", "adopted"] as const) {
  test(`attach() has others go on with a job of a replica that is killed (${how})`, async () => {
    const { replicas, runs, gates, end } = withEngine();
    const client = replicas.client({ only: 0, ...RETRY });
    const outcome = how === "adopted" ? await client.job.outcome() : undefined;
    const token = outcome?.kind === "promise" ? outcome.token : (await client.job.start()).token;
    await eventually(() => runs.length === 1);
    const [index = 0] = runs.map((run) => Number(run[0]));
    replicas.kill(index);
    await eventually(() => runs.length === 2);
    ok(runs[1]?.endsWith(" 2") && !runs[1].startsWith(`${index}.`), `${runs}`);
    // Reports of the dead one are ignored now.
    gates[0]?.resolve();
    const other = (index + 1) % 3;
    strictEqual((await replicas.client({ only: other }).$.redeem(token).status()).kind, "promise");
    gates[1]?.resolve();
    strictEqual(await replicas.client({ only: other }).$.redeem(token).result(), runs[1]?.split(" ")[0]);
    await end();
  });
}

test("partition() has others run the jobs of a replica, and heal() does not let its late results count", async () => {
  const { replicas, runs, gates, end } = withEngine();
  const { token } = await replicas.client({ only: 0, ...RETRY }).job.start();
  await eventually(() => runs.length === 1);
  const index = Number(runs[0]![0]);
  replicas.partition(index);
  await eventually(() => runs.length === 2);
  ok(runs[1]?.endsWith(" 2") && !runs[1].startsWith(`${index}.`), `${runs}`);
  const client = replicas.client({ only: index, retry: { attempts: 0 } });
  ok((await client.$.list()).length > 0, "requests without the engine are answered");
  await rejects(client.job.start(), { code: "unavailable" });
  // It ends while it is cut off, and stores its result when it is not.
  gates[0]!.resolve();
  replicas.heal(index);
  const late = client.$.redeem(token).result();
  gates[1]!.resolve();
  strictEqual(await late, runs[1]!.split(" ")[0]);
  strictEqual(runs.length, 2);
  await end();
});

test("heal() notifies calls of what they missed", async () => {
  const { replicas, runs, gates, end } = withEngine();
  const { token } = await replicas.client({ only: 0, ...RETRY }).job.start();
  await eventually(() => runs.length === 1);
  const index = Number(runs[0]![0]);
  const waits = replicas.client({ only: (index + 1) % 3, retry: { attempts: 0 } }).$.redeem(token).result();
  await sleep(5);
  replicas.partition((index + 1) % 3);
  gates[0]!.resolve();
  const client = replicas.client({ only: index });
  strictEqual(await client.$.redeem(token).result(), runs[0]!.split(" ")[0]);
  replicas.heal((index + 1) % 3);
  strictEqual(await waits, runs[0]!.split(" ")[0]);
  await end();
});

test("faults.partitions cut replicas off, and end by the clock", async () => {
  const clock = new FakeClock();
  const engine = memoryEngine({ clock });
  const job = defineTool("job").describe("Work").promise().output(v.string()).handle(() => "done");
  const replicas = simulateReplicas({
    count: 1,
    clock,
    faults: { partitions: 1, maxPartitionMs: 1_000 },
    create: ({ attach }) => createServer({ keys: KEYS, clock, tools: [job], engine: attach(engine), logger: false }),
  });
  const client = replicas.client({ retry: { attempts: 0 } });
  await rejects(client.job.start(), { code: "unavailable" });
  strictEqual(await client.job(), "done", "a short call needs no engine");
  replicas.faults = {};
  await rejects(client.job.start(), { code: "unavailable" });
  clock.tick(1_000);
  await client.job.start();
  replicas.partition(0);
  replicas.start(0);
  await client.job.start();
  await engine.close();
});

test("attach() lets nothing through that a killed replica says, or is still to hear", async () => {
  const attached: Engine[] = [];
  const said: string[] = [];
  const gate = Promise.withResolvers<void>();
  const engine: Engine = {
    ...memoryEngine(),
    async get(id) {
      said.push(`get ${id}`);
      await gate.promise;
      return undefined;
    },
    remove: (id) => void said.push(`remove ${id}`),
  };
  const replicas = simulateReplicas({
    count: 1,
    create(replica) {
      attached.push(replica.attach(engine));
      return createServer({ tools: [whoami(replica)] });
    },
  });
  const received: string[] = [];
  const hear = (what: string) => () => void received.push(what);
  void Promise.resolve(attached[0]?.get("a")).then(hear("get a"));
  replicas.start(0);
  void Promise.resolve(attached[0]?.remove("b")).then(hear("remove b"));
  void Promise.resolve(attached[1]?.remove("c")).then(hear("remove c"));
  gate.resolve();
  await sleep(1);
  deepStrictEqual(said, ["get a", "remove c"]);
  deepStrictEqual(received, ["remove c"]);
});

test("attach() keeps the engine open when a replica closes", async () => {
  const { replicas, gates, end } = withEngine();
  const { token } = await replicas.client({ only: 0 }).job.start();
  await eventually(() => gates.length === 1);
  gates[0]?.resolve();
  await replicas.stop(0);
  ok((await replicas.client({ only: 1 }).$.redeem(token).result() as string).endsWith(".1"));
  await end();
});
