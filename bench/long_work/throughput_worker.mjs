// Jobs from promise to redeemed answer, in process: `throughput_worker.mjs <engines> <jobs> <rounds> [redis URL]`. The engines take
// turns. Prints of each, as JSON, one value a round: milliseconds a job by the clock and by the processor, and what its store was
// asked for a job.
import process from "node:process";
import { Asker } from "./asker.mjs";
import { timeCpu } from "./clock.mjs";
import { openEngine } from "./engines.mjs";
import { createPromising } from "./tools.mjs";
import { subtract, watchRedis, watchSqlite } from "./watch.mjs";

const inFlight = 64;
const [enginesText, jobsText, roundsText, redis] = process.argv.slice(2);
const jobs = Number(jobsText);
const rounds = Number(roundsText);

const watches = { sqlite: watchSqlite(), bullmq: redis ? await watchRedis(redis) : undefined };
const contenders = enginesText.split(",").map((name) => {
  // All jobs of all rounds are kept: they expire later.
  const { engine, clear } = openEngine[name]({ maxJobs: 1_000_000, redis });
  const asker = new Asker(createPromising({ engine, concurrency: inFlight }));
  return { name, engine, clear, asker, watch: watches[name], costs: { ms: [], cpuMs: [], store: [] } };
});
for (let round = -2; round < rounds; round++) {
  for (const contender of contenders) {
    const cost = await measure(contender);
    // The first rounds warm up, and connect.
    if (round >= 0) { for (const [what, value] of Object.entries(cost)) contender.costs[what].push(value); }
  }
}
for (const { engine, clear } of contenders) {
  await engine.close();
  clear();
}
console.log(JSON.stringify(Object.fromEntries(contenders.map(({ name, costs }) => [name, costs]))));
process.exit(0);

/** Milliseconds a job, and what `watch` saw of the store meanwhile. */
async function measure({ asker, watch }) {
  const before = await watch?.();
  const startMs = performance.now();
  const cpuNs = await timeCpu(() => runAll(asker));
  const ms = (performance.now() - startMs) / jobs;
  const after = await watch?.();
  return { ms, cpuMs: cpuNs / 1e6 / jobs, store: before && subtract(after, before, jobs) };
}

async function runAll(asker) {
  let next = 0;
  const lane = async () => {
    while (next < jobs) {
      const a = next++;
      await asker.redeem(await asker.mint(a), a);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
}
