import { match, ok, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import type { Engine, Job } from "../../src/core/dispatch/engine.ts";
import { memoryEngine } from "../../src/jobs/engines/memory/memory_engine.ts";
import { type EngineCheck, engineSuite, type EngineSuiteOptions } from "../../src/entries/testing.ts";

/** Time after which a check counts what it waits for as missing: short where a fault makes it miss, else longer than a slow machine needs. */
const PATIENCE_MS = 60;
const LONG_PATIENCE_MS = 20_000;

/** Checks over a memory engine with some methods of `faults`, and the number of engines that are open. */
function suiteWith(faults: (engine: Engine) => Partial<Engine>, options: EngineSuiteOptions = {}) {
  const opened = { count: 0 };
  const checks = engineSuite(() => {
    const engine = memoryEngine();
    opened.count++;
    return Promise.resolve({
      engine: { ...engine, processId: "p", ...faults(engine) },
      close: async () => {
        opened.count--;
        await engine.close();
      },
    });
  }, { patienceMs: PATIENCE_MS, ...options });
  return { checks, opened };
}

function find(checks: readonly EngineCheck[], name: string): EngineCheck {
  const check = checks.find((check) => check.name === name);
  ok(check, `There is no check ${JSON.stringify(name)}`);
  return check;
}

/** Faults of engines: the check that finds each, and its message. */
const FAULTS: readonly [fault: string, check: string, message: RegExp, (engine: Engine) => Partial<Engine>][] = [
  ["changes any version", "jobs: replace() changes the given version only", /older version: expected false, got true/, (
    engine,
  ) => ({
    async replace(job) {
      const stored = await engine.get(job.id);
      return stored !== undefined && await engine.replace(job, stored.version);
    },
  })],
  ["overwrites a job", "jobs: insert() refuses an id that exists", /expected false, got true/, (engine) => ({
    insert: async (job) => (await engine.remove(job.id), engine.insert(job)),
  })],
  ["shares the inserted object", "jobs: insert() stores a job unchanged", /inserted object itself/, (engine) => {
    const jobs = new Map<string, Job>();
    return { insert: (job) => (jobs.set(job.id, job), engine.insert(job)), get: (id) => jobs.get(id) };
  }],
  ["keeps a removed job", "jobs: remove() deletes a job", /get\(\): expected undefined/, () => ({ remove() {} })],
  [
    "notifies no subscriber",
    "subscriptions: subscribe() notifies of changes by any process",
    /Not within 60 ms/,
    () => ({
      subscribe: () => () => {},
    }),
  ],
  [
    "ignores the delay of an insertion",
    "deliveries: insert() with a delay schedules the job, unless its id exists",
    /Not within 60 ms: the new job has run/,
    (engine) => ({ insert: (job) => engine.insert(job) }),
  ],
  ["delivers at once", "deliveries: schedule() waits for its delay, while later jobs run", /the first job/, (
    engine,
  ) => ({ schedule: (id) => engine.schedule(id, 0) })],
  [
    "ignores the concurrency",
    "deliveries: work() runs as many jobs at once as its concurrency, and no more",
    /expected 3, got 9/,
    (engine) => ({ work: (run) => engine.work(run, { concurrency: 100 }) }),
  ],
  [
    "forgets what was due before a worker",
    "deliveries: work() delivers what was scheduled before it began",
    /Not within/,
    (
      engine,
    ) => {
      let works = false;
      return {
        schedule: (id, delayMs) => works ? engine.schedule(id, delayMs) : undefined,
        work: (run, options) => (works = true, engine.work(run, options)),
      };
    },
  ],
  [
    "has leases without effect",
    "leases: lease() postpones what was scheduled before it",
    /number of runs during/,
    () => ({
      lease: () => () => {},
    }),
  ],
  ["ends a worker before its runs", "deliveries: stop() waits for running jobs, and takes no more", /has resolved/, (
    engine,
  ) => ({
    work: (run, options) => {
      const worker = engine.work(run, options);
      return { stop: () => (void worker.stop(), Promise.resolve()) };
    },
  })],
  [
    "lists without a filter",
    "lists: list() filters by state, tool, principal, tenant and time of creation",
    /"states":/,
    (
      engine,
    ) => ({ list: (_, limit, cursor) => engine.list!({}, limit, cursor) }),
  ],
  ["lists the first page only", "lists: list() continues at the cursor although jobs are added and removed", /cursor/, (
    engine,
  ) => ({ list: async (filter, limit) => ({ ids: (await engine.list!(filter, limit)).ids }) })],
  [
    "has no process id",
    "processes: processId is a string if only this process has the jobs",
    /expected "string"/,
    () => ({
      processId: undefined,
    }),
  ],
];

for (const [fault, name, message, faults] of FAULTS) {
  test(`engineSuite() finds an engine that ${fault}`, async () => {
    const patienceMs = /Not within/.test(message.source) ? PATIENCE_MS : LONG_PATIENCE_MS;
    const { checks, opened } = suiteWith(faults, { patienceMs });
    await rejects(find(checks, name).run(), { message });
    strictEqual(opened.count, 0, "the engine is closed");
  });
}

test("engineSuite() names each check once, and skips those of lapsed leases by reason", () => {
  const { checks, opened } = suiteWith(() => ({}));
  strictEqual(new Set(checks.map(({ name }) => name)).size, checks.length);
  const skipped = checks.filter(({ skip }) => skip !== undefined);
  strictEqual(skipped.length, 1);
  match(skipped[0]!.skip!, /leaseMs/);
  ok(suiteWith(() => ({}), { leaseMs: 100 }).checks.every(({ skip }) => skip === undefined));
  ok(checks.every(({ timeoutMs }) => timeoutMs === 3 * PATIENCE_MS));
  strictEqual(opened.count, 0, "an engine is opened when a check runs");
});

test("engineSuite() skips the checks of lists by reason with hasList: false, and otherwise finds an engine without list()", async () => {
  const unlisted = { list: undefined } as unknown as Partial<Engine>;
  const isOfLists = ({ name }: EngineCheck) => name.startsWith("lists: ");
  const { checks } = suiteWith(() => unlisted, { hasList: false, leaseMs: 100 });
  ok(checks.some(isOfLists));
  for (const check of checks) strictEqual(check.skip, isOfLists(check) ? "the option hasList is false" : undefined);
  for (const { name, skip, run } of suiteWith(() => unlisted).checks.filter(isOfLists)) {
    strictEqual(skip, undefined);
    await rejects(run(), { message: /no list\(\), which is optional; pass hasList: false/ }, name);
  }
});
