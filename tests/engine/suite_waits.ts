/** Tests of servers over an engine: handlers that sleep, and wait for values, over two processes. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { describe } from "node:test";
import * as v from "valibot";
import { createServer, defineTool, type Server } from "../../mod.ts";
import type { Engine, Job } from "../../src/engine/engine.ts";
import { testClient } from "../../src/testing/mod.ts";
import { sleep } from "./fixture.ts";
import type { EngineChecks } from "./suite_checks.ts";

const KEYS = "k1:a secret that all servers of these tests know";
const SLEEP_MS = 1_200;

/** Servers of two processes: the first takes calls, the second does the work. Both count what handlers do. */
function open(one: Engine, other: Engine) {
  const steps: string[] = [];
  const tokens: string[] = [];
  const nap = defineTool("nap").describe("Sleep").promise({ retries: 0 }).output(v.string()).handle(async (_, ctx) => {
    await ctx.step("before", () => steps.push("before"));
    await ctx.sleep("nap", SLEEP_MS);
    await ctx.step("after", () => steps.push("after"));
    return "rested";
  });
  const ask = defineTool("ask").describe("Wait").promise({ retries: 0 }).output(v.string()).handle(async (_, ctx) => {
    const { token } = await ctx.resolver("k");
    await ctx.step("send", () => tokens.push(token));
    const said = await ctx.waitFor("k", v.string());
    await ctx.step("after", () => steps.push("after"));
    return said.action === "accept" ? said.content : said.action;
  });
  const make = (engine: Engine, work: false | { concurrency: number }) =>
    createServer({ tools: [nap, ask], keys: KEYS, engine, work });
  const [front, worker] = [make(one, false), make(other, { concurrency: 2 })];
  return { front, worker, steps, tokens };
}

/** The methods of an engine, which may be of a class. */
function bind(engine: Engine): Engine {
  const { name, processId } = engine;
  return {
    name,
    processId,
    insert: (job, dueInMs) => engine.insert(job, dueInMs),
    get: (id) => engine.get(id),
    replace: (job, version) => engine.replace(job, version),
    remove: (id) => engine.remove(id),
    subscribe: (id, onChange) => engine.subscribe(id, onChange),
    schedule: (id, delayMs) => engine.schedule(id, delayMs),
    lease: (id) => engine.lease(id),
    work: (run, options) => engine.work(run, options),
    close: () => engine.close(),
  };
}

async function stop(...servers: readonly Server[]): Promise<void> {
  for (const server of servers) await server.close(0);
}

/** What sleeps and waits rely on: deliveries that come early, late and twice are harmless, and none is lost. */
export function checkWaits({ name, check, checkTwo, wait }: EngineChecks): void {
  describe(`engine ${name}: sleeps and waits`, () => {
    checkTwo(
      "a handler that sleeps continues in another process, once, and not before its time",
      async (one, other) => {
        const early = { id: "" };
        const watched = {
          ...bind(one),
          insert: (job: Job, dueInMs?: number) => (early.id = job.id, one.insert(job, dueInMs)),
        };
        const { front, worker, steps } = open(watched, other);
        const startMs = Date.now();
        const outcome = await testClient(front).nap.outcome();
        ok(outcome.kind === "promise" && Date.now() - startMs < SLEEP_MS, "the promise comes at once");
        const running = worker.work();
        const id = early.id;
        // Early deliveries, as of clocks that differ: each is put off.
        for (let n = 0; n < 3; n++) await other.schedule(id, 100 * n);
        strictEqual(await testClient(worker).$.redeem(outcome.token).result(), "rested");
        ok(Date.now() - startMs >= SLEEP_MS - 20, `It woke after ${Date.now() - startMs} ms`);
        deepStrictEqual(steps, ["before", "after"]);
        await running.stop();
        await stop(front, worker);
      },
    );

    checkTwo("30 values at once, through two processes, resolve a wait once", async (one, other) => {
      const { front, worker, steps, tokens } = open(one, other);
      const running = worker.work();
      const work = await testClient(front).ask.start();
      await wait("the token is made", () => tokens.length > 0);
      const sent = Array.from({ length: 30 }, (_, n) => (n % 2 === 0 ? front : worker).resolve(tokens[0]!, "yes"));
      const resolutions = await Promise.all(sent);
      strictEqual(resolutions.filter((one) => one.resolved && one.repeated !== true).length, 1);
      ok(resolutions.every(({ resolved }) => resolved));
      strictEqual(await work.result(), "yes");
      deepStrictEqual(steps, ["after"]);
      deepStrictEqual(await front.resolve(tokens[0]!, "no"), { resolved: false, reason: "resolved" });
      await running.stop();
      await stop(front, worker);
    });

    check("a value wakes a job whose process slept, after all workers were stopped", async ({ engine }) => {
      const { front, worker, tokens } = open(engine, engine);
      const work = await testClient(front).ask.outcome();
      ok(work.kind === "promise");
      await wait("the token is made", () => tokens.length > 0);
      deepStrictEqual(await front.resolve(tokens[0]!, "yes"), { resolved: true });
      await sleep(50);
      strictEqual((await testClient(front).$.redeem(work.token).status()).kind, "promise", "no worker");
      const running = worker.work();
      strictEqual(await testClient(front).$.redeem(work.token).result(), "yes");
      await running.stop();
      await stop(front, worker);
    });
  });
}
