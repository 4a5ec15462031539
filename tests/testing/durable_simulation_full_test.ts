/** A week of jobs that sleep and wait, and of a schedule, over replicas that are killed or cut off: in fake time, from seeds that are printed. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import * as v from "../../src/entries/schema.ts";
import { createServer, type Ctx, defineTool, memoryEngine } from "../../mod.ts";
import type { Engine, Job } from "../../src/core/dispatch/engine.ts";
import { every } from "../../src/entries/schedules.ts";
import { Random } from "../../src/testing/faults.ts";
import {
  FakeClock,
  type Replica,
  type ReplicaSimulation,
  simulateReplicas,
  testClient,
} from "../../src/entries/testing.ts";
import type { Resolution } from "../../src/entries/types.ts";
import { settle } from "../core/dispatch/harness.ts";

const KEYS = "k1:a secret that all replicas of this test know";
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;
const MAX_SKEW_MS = 30_000;
/** A busy machine takes several times as long. */
const PATIENT = { timeout: 120_000 };

/** What is known of one job. */
interface Story {
  readonly sleepMs: number;
  /** Whether its value comes before it waits. */
  readonly isEager: boolean;
  token?: string;
  /** Values that were accepted. */
  readonly accepted: Set<string>;
  sleptMs?: number;
  callId?: string;
}

type Output = { readonly said: string; readonly steps: number[] };

/** Results of steps that were ever stored, by job and step. */
class Kept {
  readonly values = new Map<string, Map<string, Set<unknown>>>();

  /** An engine that notes the steps that it stores, those of the record at the start and those of the ledger. */
  watch(engine: Engine): Engine {
    const insert = async (job: Job, dueInMs?: number): Promise<boolean> => {
      const isInserted = await engine.insert(job, dueInMs);
      if (isInserted) this.#note(job, Object.entries(job.memo.steps));
      return isInserted;
    };
    const appendLedger: Engine["appendLedger"] = async (id, epoch, from, entries) => {
      const isAppended = await engine.appendLedger(id, epoch, from, entries);
      const job = isAppended ? await engine.get(id) : undefined;
      if (job) this.#note(job, entries.map(({ name, value }) => [name.replace("step ", ""), value]));
      return isAppended;
    };
    return { ...engine, insert, appendLedger };
  }

  #note({ id: jobId, callId: id = jobId }: Job, stored: readonly (readonly [string, unknown])[]): void {
    const steps = this.values.get(id) ?? new Map<string, Set<unknown>>();
    this.values.set(id, steps);
    for (const [key, value] of stored) steps.set(key, (steps.get(key) ?? new Set()).add(value));
  }
}

/** Everything that handlers did in one simulation. */
class World {
  readonly clock = new FakeClock();
  readonly stories = new Map<number, Story>();
  /** Ids of the calls of the schedule. */
  readonly ticks = new Set<string>();
  readonly kept = new Kept();
  /** Number of bodies of steps that were run, and of partitions. */
  bodies = 0;
  partitions = 0;
  /** Sends a value to any replica; set once there are replicas. */
  resolve: (token: string, value: string) => Promise<Resolution> = () => Promise.reject(new Error("too early"));

  /** Runs a step that has a different result each time. */
  async step(ctx: Ctx, key: string): Promise<number> {
    return await ctx.step(key, async () => {
      const body = ++this.bodies;
      // Some take so long that their replica may be killed, or cut off, meanwhile.
      if (body % 5 === 0) await new Promise<void>((resolve) => void this.clock.after(20 * MINUTE, resolve));
      return body;
    });
  }

  /** Sends a value, as a webhook does: again until there is a reply. */
  async send(story: Story, token: string, value: string): Promise<void> {
    for (let tries = 0;; tries++) {
      try {
        const { resolved } = await this.resolve(token, value);
        if (resolved) story.accepted.add(value);
        return;
      } catch (thrown) {
        if (tries === 100) throw thrown;
      }
    }
  }

  async work(n: number, ctx: Ctx): Promise<Output> {
    const story = this.stories.get(n)!;
    story.callId = ctx.callId;
    const first = await this.step(ctx, "first");
    await ctx.sleep("night", story.sleepMs);
    story.sleptMs ??= this.clock.now();
    const { token } = await ctx.resolver("value", { timeoutMs: DAY });
    const sent = await this.step(ctx, "send");
    // Another replica has the value at once, while this run is on its way to the wait.
    if (story.isEager) await this.send(story, token, "early");
    story.token = token;
    const said = await ctx.waitFor("value", v.string(), { timeoutMs: DAY });
    await ctx.sleep("short", 5 * MINUTE);
    const last = await this.step(ctx, "last");
    return { said: said.action === "accept" ? said.content : said.action, steps: [first, sent, last] };
  }

  async tick(ctx: Ctx): Promise<void> {
    this.ticks.add(ctx.callId);
    await this.step(ctx, "tick");
  }
}

function simulate(world: World, seed: number, count: number, jobs: number) {
  const engine = world.kept.watch(memoryEngine({ maxJobs: 4 * jobs + 1_000, clock: world.clock }));
  const output = v.object({ said: v.string(), steps: v.array(v.number()) });
  const work = defineTool("work").describe("Work").promise({ ttlMs: 3 * WEEK, retries: 10_000, jobTimeoutMs: HOUR })
    .input(v.object({ n: v.number() })).output(output).handle(async ({ n }, ctx) => await world.work(n, ctx));
  const hourly = defineTool("hourly").describe("Work each hour").promise({
    ttlMs: DAY,
    retries: 10_000,
    jobTimeoutMs: HOUR,
  })
    .handle(async (_, ctx) => await world.tick(ctx));
  const create = ({ clock, attach }: Replica) => {
    const schedules = [every("1h", hourly, {})];
    const server = createServer({
      tools: [work, hourly],
      keys: KEYS,
      clock,
      engine: attach(engine),
      schedules,
      logger: false,
    });
    server.work();
    return server;
  };
  return simulateReplicas({ count, seed, faults: { maxSkewMs: MAX_SKEW_MS }, clock: world.clock, create });
}

type Replicas = ReturnType<typeof simulate>;

/** Lets everything run that is ready to. */
async function settleAll(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await settle();
}

function randomServer(replicas: Replicas, random: Random, count: number) {
  return replicas.server(random.below(count));
}

/** Kills, starts and cuts off replicas, moves clocks, and sends values, some of them twice, or two to one job. */
async function disturb(world: World, replicas: Replicas, random: Random, count: number): Promise<void> {
  for (let kills = random.below(3); kills > 0; kills--) replicas.start(random.below(count));
  // Some are cut off for a turn, some for hours. At least one replica is connected, so that values have a receiver.
  for (let index = 1; index < count; index++) {
    if (random.share() < 0.3) replicas.heal(index);
    else if (random.share() < 0.1) {
      replicas.partition(index);
      world.partitions++;
    }
  }
  if (random.share() < 0.2) replicas.setClock(random.below(count), Math.round((random.share() * 2 - 1) * MAX_SKEW_MS));
  for (const story of world.stories.values()) {
    if (story.token === undefined || random.share() > 0.02) continue;
    const value = random.share() < 0.8 ? "yes" : "no";
    for (let sends = 1 + random.below(2); sends > 0; sends--) {
      await world.send(story, story.token, value);
    }
  }
}

function check(story: Story, kept: Map<string, Set<unknown>>, startMs: number, { said, steps }: Output): void {
  ok(story.accepted.size <= 1, "two values were accepted");
  strictEqual(said, [...story.accepted][0] ?? "timeout");
  for (const [key, values] of kept) strictEqual(values.size, 1, `the step ${key} has ${values.size} results`);
  deepStrictEqual(steps, ["first", "send", "last"].map((key) => [...kept.get(key)!][0]));
  ok((story.sleptMs ?? 0) >= startMs + story.sleepMs - 2 * MAX_SKEW_MS, "it woke early");
}

async function week(seed: number, count: number, jobs: number): Promise<void> {
  const world = new World();
  const random = new Random(seed);
  const replicas: ReplicaSimulation<ReturnType<Replicas["server"]>> = simulate(world, seed, count, jobs);
  const startMs = world.clock.now();
  world.resolve = (token, value) => randomServer(replicas, random, count).resolve(token, value);
  const tokens: string[] = [];
  for (let n = 0; n < jobs; n++) {
    world.stories.set(n, {
      sleepMs: Math.round(HOUR + random.share() * 4 * DAY),
      isEager: n % 4 === 0,
      accepted: new Set(),
    });
    tokens.push((await testClient(randomServer(replicas, random, count)).work.start({ n })).token);
  }
  await settleAll(5);
  for (let ms = 0; ms < WEEK; ms += 15 * MINUTE) {
    await disturb(world, replicas, random, count);
    world.clock.tick(15 * MINUTE);
    await settleAll(2);
  }
  for (let index = 0; index < count; index++) replicas.heal(index);
  for (let minutes = 0; minutes < 60; minutes++) {
    world.clock.tick(MINUTE);
    await settleAll(2);
  }
  const client = testClient(replicas.server(0));
  for (const [n, token] of tokens.entries()) {
    const outcome = await client.$.redeem<Output>(token).status();
    ok(outcome.kind === "answer", `job ${n} is ${JSON.stringify(outcome)}`);
    const story = world.stories.get(n)!;
    check(story, world.kept.values.get(story.callId!)!, startMs, outcome.value);
  }
  // A clock that is behind at the start has the first hour before it.
  ok([169, 170].includes(world.ticks.size), `${world.ticks.size} calls of the schedule`);
  for (const id of world.ticks) strictEqual(world.kept.values.get(id)?.get("tick")?.size, 1);
  ok(world.partitions > 10 && world.bodies > 3 * jobs + world.ticks.size, "no run was killed, or cut off");
  const closed = replicas.close(0);
  world.clock.tick(HOUR);
  await closed;
}

for (const [seed, count, jobs] of [[1, 3, 30], [2, 20, 1_000]] as const) {
  test(
    `a week of ${jobs} jobs over ${count} replicas, with kills, partitions and clocks that differ (seed ${seed})`,
    PATIENT,
    async () => {
      await week(seed, count, jobs);
    },
  );
}
