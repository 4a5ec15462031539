// Puts jobs to sleep in memory and prints what they cost: `sleepers_program.ts <count>`, with `node --expose-gc`.
import process from "node:process";
import { createServer, defineTool, memoryEngine } from "../../../mod.ts";
import { type Clock, systemClock } from "../../../src/internal/time.ts";
import { testClient } from "../../../src/entries/testing.ts";

const count = Number(process.argv[2]);
const { gc } = globalThis as { gc?: () => void };
let timers = 0;
const clock: Clock = {
  now: () => systemClock.now(),
  elapsed: () => systemClock.elapsed(),
  after(delayMs, callback) {
    timers++;
    const cancel = systemClock.after(delayMs, () => (timers--, callback()));
    let isSet = true;
    return () => {
      if (isSet) timers--;
      isSet = false;
      cancel();
    };
  },
};
const engine = memoryEngine({ maxJobs: 2 * count, clock });
const nap = defineTool("nap").describe("Sleep").promise({ ttlMs: 1_000_000_000 }).handle(async (_, ctx) => {
  await ctx.step("before", () => 1);
  await ctx.sleep("nap", 600_000_000);
});
const server = createServer({ tools: [nap], keys: "k1:a secret of at least thirty-two bytes", engine, clock });
const client = testClient(server);

async function putToSleep(number: number): Promise<void> {
  for (let at = 0; at < number; at += 100) {
    await Promise.all(Array.from({ length: 100 }, () => client.nap.outcome()));
  }
  // Until the timers of the calls have ended.
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  gc?.();
  gc?.();
}

await putToSleep(1_000);
const before = process.memoryUsage().heapUsed;
await putToSleep(count);
const bytes = (process.memoryUsage().heapUsed - before) / count;
console.log(JSON.stringify({ bytes: Math.round(bytes), timers, jobs: count }));
process.exit(0);
