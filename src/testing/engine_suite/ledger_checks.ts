/** Checks of ledgers: what steps of handlers ended with, beside the record of their job. */
import { keyRing } from "../../core/keys/key_ring.ts";
import type { Engine, LedgerEntry } from "../../core/dispatch/engine.ts";
import { defineCoreTool } from "../../core/tool/define_tool.ts";
import { createCoreServer } from "../../server/server.ts";
import { testClient } from "../test_client.ts";
import { type Bench, type ContractCheck, withTwo } from "./bench.ts";
import { changed, expect, expectEqual, newJob } from "./fixture.ts";
import { copyOf } from "./wait_checks.ts";

/** Number of entries that are read at once. */
const PAGE = 100;

function entriesOf(names: readonly string[], epoch = 0): LedgerEntry[] {
  const [startedMs, endedMs] = [1_790_000_000_000, 1_790_000_000_250];
  return names.map((name) => ({ name, value: { of: `${name} é "quoted"` }, startedMs, endedMs, epoch }));
}

/** Names of the entries of all pages. */
async function readNames(engine: Engine, id: string): Promise<string[]> {
  const names: string[] = [];
  for (;;) {
    const page = await engine.readLedger(id, names.length, PAGE);
    names.push(...page.map(({ name }) => name));
    if (page.length < PAGE) return names;
  }
}

/** Makes a check with handlers whose first run does `count` steps at once and fails, so that the second run needs all of them. */
function manySteps(count: number): ContractCheck {
  const title = `${count} steps at once are each done once, and the next run has all of them`;
  return { title, run: (bench) => runManySteps(bench, count) };
}

async function runManySteps({ engine }: Bench, count: number): Promise<void> {
  const done = new Map<number, number>();
  const tool = defineCoreTool("many").describe("Many").promise({ retries: 1, jobTimeoutMs: 600_000 }).handle(
    async (_, ctx) => {
      const work = async (n: number): Promise<number> => {
        // Some end later than others.
        for (let turn = 0; turn < n % 7; turn++) await undefined;
        done.set(n, (done.get(n) ?? 0) + 1);
        return n;
      };
      const all = await Promise.all(Array.from({ length: count }, (_, n) => ctx.step(`s${n}`, () => work(n))));
      if (ctx.attempt === 1) throw new Error("Fails once");
      return all.every((value, n) => value === n);
    },
  );
  const server = createCoreServer({
    tools: [tool],
    keys: keyRing("k1:a secret of the checks of ledgers"),
    engine: copyOf(engine),
    logger: false,
  });
  const running = server.work();
  const started = await testClient(server).many.start();
  expectEqual(await started.result(), true, "Whether each step had its result in the second run");
  const again = [...done].filter(([, times]) => times !== 1);
  expectEqual(again, [], "steps that were done more than once");
  expectEqual(done.size, count, "number of steps that were done");
  await running.stop();
  await server.close(0);
}

/** Checks that ledgers keep their entries in order, for the current run alone, and end with their job. */
export const LEDGER_CHECKS: readonly ContractCheck[] = [
  withTwo("appendLedger() keeps entries in order, unchanged, for each process", async (one, other) => {
    const job = newJob();
    await one.insert(job);
    expectEqual(await one.readLedger(job.id, 0, PAGE), [], "the ledger of a new job");
    const [first, second] = [entriesOf(["a", "b"]), entriesOf(["c"])];
    expectEqual(await one.appendLedger(job.id, 0, 0, first), true, "appendLedger()");
    expectEqual(await other.appendLedger(job.id, 0, 2, second), true, "appendLedger() in another process");
    expectEqual(await one.readLedger(job.id, 0, PAGE), [...first, ...second], "the ledger");
    expectEqual(await other.readLedger(job.id, 2, PAGE), second, "the ledger from a position on");
    expectEqual(await one.get(job.id), job, "the record of the job");
  }),

  withTwo("appendLedger() is for the current epoch of a job that exists", async (one, other) => {
    const job = newJob();
    await one.insert(job);
    await one.appendLedger(job.id, 0, 0, entriesOf(["a"]));
    expectEqual(await other.replace(changed(job, { epoch: 1 }), 1), true, "replace()");
    expectEqual(await one.appendLedger(job.id, 0, 1, entriesOf(["stale"])), false, "appendLedger() of an older epoch");
    expectEqual(await one.appendLedger(job.id, 2, 1, entriesOf(["later"])), false, "appendLedger() of a later epoch");
    expectEqual(await one.appendLedger(job.id, 1, 1, entriesOf(["b"], 1)), true, "appendLedger() of the current epoch");
    expectEqual(await readNames(other, job.id), ["a", "b"], "the ledger");
    const { id } = newJob();
    expectEqual(await one.appendLedger(id, 0, 0, entriesOf(["a"])), false, "appendLedger() of a missing job");
    expectEqual(await one.readLedger(id, 0, PAGE), [], "the ledger of a missing job");
  }),

  withTwo("appendLedger() that is repeated from its position on changes nothing", async (one, other) => {
    const job = newJob();
    await one.insert(job);
    for (const engine of [one, other, one]) {
      expectEqual(await engine.appendLedger(job.id, 0, 0, entriesOf(["a", "b"])), true, "appendLedger()");
    }
    await one.appendLedger(job.id, 0, 2, entriesOf(["c", "d"]));
    expectEqual(await other.appendLedger(job.id, 0, 2, entriesOf(["e"])), true, "appendLedger() of other entries");
    expectEqual(await readNames(one, job.id), ["a", "b", "e"], "the ledger");
  }),

  withTwo("readLedger() has the entries of large ledgers in pages", async (one, other) => {
    const job = newJob();
    await one.insert(job);
    const names = Array.from({ length: 2 * PAGE + 3 }, (_, n) => `s${n}`);
    for (let from = 0; from < names.length; from += 60) {
      await one.appendLedger(job.id, 0, from, entriesOf(names.slice(from, from + 60)));
    }
    expectEqual((await other.readLedger(job.id, 5, 7)).map(({ name }) => name), names.slice(5, 12), "a page");
    expectEqual(await readNames(other, job.id), names, "the ledger");
  }),

  withTwo("appendLedger() stores an entry of 256 KiB", async (one, other) => {
    const job = newJob();
    await one.insert(job);
    const [entry] = entriesOf(["large"]);
    const large = { ...entry!, value: 'ä"'.repeat(131_072) };
    expectEqual(await one.appendLedger(job.id, 0, 0, [large]), true, "appendLedger()");
    expectEqual(await other.readLedger(job.id, 0, PAGE), [large], "the ledger");
  }),

  withTwo(
    "a ledger ends with its job, and is not that of a later job with the same id",
    async (one, other, { wait }) => {
      const job = newJob();
      await one.insert(job);
      await one.appendLedger(job.id, 0, 0, entriesOf(["a"]));
      await other.remove(job.id);
      expectEqual(await one.readLedger(job.id, 0, PAGE), [], "the ledger of a removed job");
      const expiresAtMs = Date.now() + 300;
      expectEqual(await one.insert({ ...job, expiresAtMs }), true, "insert() of the same id");
      expectEqual(await other.readLedger(job.id, 0, PAGE), [], "the ledger of the next job");
      await one.appendLedger(job.id, 0, 0, entriesOf(["b"]));
      await wait("the job has expired", () => Date.now() > expiresAtMs + 50);
      expectEqual(await one.appendLedger(job.id, 0, 1, entriesOf(["c"])), false, "appendLedger() of an expired job");
      expectEqual(await other.readLedger(job.id, 0, PAGE), [], "the ledger of an expired job");
      expectEqual(await one.insert(job), true, "insert() of the same id");
      expectEqual(await one.readLedger(job.id, 0, PAGE), [], "the ledger of the job after it");
    },
  ),

  withTwo("a ledger lasts as long as its job when replace() extends that", async (one, other, { wait }) => {
    const soonMs = Date.now() + 1_500;
    const job = newJob({ expiresAtMs: soonMs });
    await one.insert(job);
    await one.appendLedger(job.id, 0, 0, entriesOf(["a"]));
    expectEqual(await one.replace(changed(job, { expiresAtMs: Date.now() + 600_000 }), 1), true, "replace()");
    await wait("the first expiry has passed", () => Date.now() > soonMs + 50);
    expectEqual(await readNames(other, job.id), ["a"], "the ledger");
    expect(await other.get(job.id) !== undefined, "The job is missing");
  }),

  manySteps(500),
  manySteps(5_000),
];
