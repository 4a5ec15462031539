/** Checks of servers over an engine: handlers that sleep, and wait for values, over two processes. */
import { withPromises } from "../../jobs/promises/with_promises.ts";
import type { PromiseEngine } from "../../core/dispatch/deferral.ts";
import { keyRing } from "../../core/keys/key_ring.ts";
import type { Schema } from "../../core/schema/standard_schema.ts";
import { defineCoreTool } from "../../core/tool/define_tool.ts";
import type { Engine, Job } from "../../core/dispatch/engine.ts";
import { createCoreServer } from "../../server/server.ts";
import { testClient } from "../test_client.ts";
import { type ContractCheck, withTwo } from "./bench.ts";
import { expect, expectEqual } from "./fixture.ts";

const KEYS = "k1:a secret that all servers of these checks know";
const SLEEP_MS = 1_200;

/** What handlers did, and the tokens that they made. */
interface Journal {
  readonly steps: string[];
  readonly tokens: string[];
}

const STANDARD = {
  version: 1 as const,
  vendor: "toolwire",
  validate: (value: unknown) => (typeof value === "string" ? { value } : { issues: [{ message: "Not a string" }] }),
  jsonSchema: { input: () => ({ type: "string" }), output: () => ({ type: "string" }) },
};
export const ANY_TEXT: Schema<string> = { "~standard": STANDARD };

function defineTools({ steps, tokens }: Journal) {
  const nap = defineCoreTool("nap").describe("Sleep").promise({ retries: 0 }).handle(async (_, ctx) => {
    await ctx.step("before", () => steps.push("before"));
    await ctx.sleep("nap", SLEEP_MS);
    await ctx.step("after", () => steps.push("after"));
    return "rested";
  });
  const ask = defineCoreTool("ask").describe("Wait").promise({ retries: 0 }).handle(async (_, ctx) => {
    const { token } = await ctx.resolver("k");
    await ctx.step("send", () => tokens.push(token));
    const reply = await ctx.waitFor("k", ANY_TEXT);
    await ctx.step("after", () => steps.push("after"));
    return reply.action === "accept" ? reply.content : reply.action;
  });
  return [nap, ask] as const;
}

/** Servers of two processes: the first takes calls, the second does the work. */
function openServers(one: Engine, other: Engine) {
  const journal: Journal = { steps: [], tokens: [] };
  const make = (engine: Engine, work: false | { concurrency: number }) =>
    createCoreServer({ tools: defineTools(journal), keys: keyRing(KEYS), engine: copyOf(engine), work, logger: false });
  const [front, worker] = [make(one, false), make(other, { concurrency: 2 })];
  const close = async () => {
    for (const server of [front, worker]) await server.close(0);
  };
  return { front, worker, close, ...journal };
}

/** An engine of the same methods, which may be of a class, with the code of promises. The given engine stays as it is. */
export function copyOf(engine: Engine, insert: Engine["insert"] = engine.insert.bind(engine)): PromiseEngine {
  return withPromises({
    name: engine.name,
    processId: engine.processId,
    insert,
    get: (id) => engine.get(id),
    replace: (job, version) => engine.replace(job, version),
    appendLedger: (...args) => engine.appendLedger(...args),
    readLedger: (...args) => engine.readLedger(...args),
    remove: (id) => engine.remove(id),
    subscribe: (id, onChange) => engine.subscribe(id, onChange),
    schedule: (id, delayMs) => engine.schedule(id, delayMs),
    lease: (id) => engine.lease(id),
    work: (run, options) => engine.work(run, options),
    close: () => engine.close(),
  });
}

/** Checks that handlers which sleep or wait for values continue once, in any process, even if deliveries come early, late or twice. */
export const WAIT_CHECKS: readonly ContractCheck[] = [
  withTwo("a handler that sleeps continues in another process, once, and not before its time", async (one, other) => {
    const early = { id: "" };
    const watched = copyOf(one, (job: Job, dueInMs?: number) => (early.id = job.id, one.insert(job, dueInMs)));
    const { front, worker, close, steps } = openServers(watched, other);
    const startMs = Date.now();
    const outcome = await testClient(front).nap.outcome();
    expect(outcome.kind === "promise" && Date.now() - startMs < SLEEP_MS, "The promise comes after the sleep");
    const running = worker.work();
    // Early deliveries, as of clocks that differ: each is put off.
    for (let n = 0; n < 3; n++) await other.schedule(early.id, 100 * n);
    expectEqual(await testClient(worker).$.redeem(outcome.token).result(), "rested", "result");
    expect(Date.now() - startMs >= SLEEP_MS - 20, `The handler woke after ${Date.now() - startMs} ms`);
    expectEqual(steps, ["before", "after"], "steps");
    await running.stop();
    await close();
  }),

  withTwo("30 values at once, through two processes, resolve a wait once", async (one, other, { wait }) => {
    const { front, worker, close, steps, tokens } = openServers(one, other);
    const running = worker.work();
    const work = await testClient(front).ask.start();
    await wait("the token is made", () => tokens.length > 0);
    const sent = Array.from({ length: 30 }, (_, n) => (n % 2 === 0 ? front : worker).resolve(tokens[0]!, "yes"));
    const resolutions = await Promise.all(sent);
    const first = resolutions.filter((one) => one.resolved && one.repeated !== true);
    expectEqual(first.length, 1, "number of values that were not repeats");
    expect(resolutions.every(({ resolved }) => resolved), "A repeated value was refused");
    expectEqual(await work.result(), "yes", "result");
    expectEqual(steps, ["after"], "steps");
    const late = await front.resolve(tokens[0]!, "no");
    expectEqual(late, { resolved: false, reason: "resolved" }, "resolution by another value");
    await running.stop();
    await close();
  }),

  {
    title: "a value wakes a job whose process slept, after all workers were stopped",
    async run({ engine, wait }) {
      const { front, worker, close, tokens } = openServers(engine, engine);
      const work = await testClient(front).ask.outcome();
      expect(work.kind === "promise", "The call returns no promise");
      await wait("the token is made", () => tokens.length > 0);
      expectEqual(await front.resolve(tokens[0]!, "yes"), { resolved: true }, "resolution");
      expectEqual((await testClient(front).$.redeem(work.token).status()).kind, "promise", "status without a worker");
      const running = worker.work();
      expectEqual(await testClient(front).$.redeem(work.token).result(), "yes", "result");
      await running.stop();
      await close();
    },
  },
];
