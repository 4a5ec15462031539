// Contenders in turns, in one process: `worker.mjs <contenders> <rounds> <jobs> <naps> <redis URL> <postgres URL>`. Prints JSON: of each
// the jobs per second of each round, and all delays of begins and wake-ups in milliseconds.
import { strictEqual } from "node:assert/strict";
import process from "node:process";
import { openObjects } from "./objects.mjs";
import { openOurs } from "./ours.mjs";
import { openBoss, openPlain } from "./peers.mjs";

/** Jobs in flight, and runs at once. */
const inFlight = 64;
/** Longer than the sleeps that Toolwire spends in place. */
const napMs = 1_500;
/** Between two sleepers, so that each wakes up alone. */
const gapMs = 10;

const [namesText, roundsText, jobsText, napsText, redis, postgres] = process.argv.slice(2);
const [rounds, jobs, naps] = [roundsText, jobsText, napsText].map(Number);
const openers = {
  "memory": () => openOurs("memory", inFlight, {}),
  "sqlite": () => openOurs("sqlite", inFlight, {}),
  "bullmq-redis": () => openOurs("bullmq", inFlight, { redis }),
  "bullmq-postgres": () => openOurs("bullmq", inFlight, { postgres }),
  "durable-objects": () => openObjects(),
  "plain-bullmq-redis": () => openPlain(inFlight, { redis }),
  "plain-bullmq-postgres": () => openPlain(inFlight, { postgres }),
  "pg-boss": () => openBoss(inFlight, { postgres }),
};

const contenders = [];
for (const name of namesText.split(",")) {
  contenders.push({ name, queue: await openers[name](), perSecond: [], beginMs: [], wakeMs: [] });
}
let next = 0;
for (let round = -1; round < rounds; round++) {
  for (const { queue, perSecond, beginMs, wakeMs } of contenders) {
    const measured = [await measureJobs(queue), await measureBegins(queue), await measureNaps(queue)];
    // The first round connects and warms up.
    if (round < 0) continue;
    perSecond.push(measured[0]);
    beginMs.push(...measured[1]);
    wakeMs.push(...measured[2]);
  }
}
for (const { queue } of contenders) await queue.close();
console.log(JSON.stringify(Object.fromEntries(contenders.map(({ name, queue: _, ...costs }) => [name, costs]))));
process.exit(0);

/** @returns jobs per second, from the first call to the last result that its caller has. */
async function measureJobs(queue) {
  const startMs = performance.now();
  let left = jobs;
  const lane = async () => {
    while (left-- > 0) {
      const a = next++;
      strictEqual(await queue.add(a), a + 1);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  return 1_000 * jobs / (performance.now() - startMs);
}

/** @returns the time from each call to the begin of its handler, one call at a time. */
async function measureBegins(queue) {
  const delays = [];
  for (let n = 0; n < naps; n++) {
    const a = next++;
    const startMs = performance.now();
    const begun = queue.whenBegun(a);
    const [atMs] = await Promise.all([begun, queue.add(a)]);
    delays.push(atMs - startMs);
  }
  return delays;
}

/** @returns the time from when each sleeper is due to when it continues. */
async function measureNaps(queue) {
  const naps_ = [];
  for (let n = 0; n < naps; n++) {
    naps_.push(queue.nap(next++, napMs));
    await new Promise((resolve) => setTimeout(resolve, gapMs));
  }
  return await Promise.all(naps_);
}
