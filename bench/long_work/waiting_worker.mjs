// Callers who wait for promised work, in process: `waiting_worker.mjs <engine> <one|own> <count>`. They wait for one piece of work,
// or each for a separate one. Prints what that costs, by the processor's time, as JSON:
// - `bytes` of the heap for each of them
// - `begin`, until all wait, and `end`, from the end of the work until all have their answers: in calls of `add`
// - `idleMs`, of a second in which nothing happens, more than before there was any work
// - `beside`: a call of `add` meanwhile ÷ one without waiting callers
import process from "node:process";
import { setTimeout } from "node:timers/promises";
import { scale } from "../options.mjs";
import { Asker } from "./asker.mjs";
import { readCpuNs, readHeapBytes, timeCpu } from "./clock.mjs";
import { openEngine } from "./engines.mjs";
import { createPromising, Gate } from "./tools.mjs";

const [engineName, shape, countText] = process.argv.slice(2);
const count = Number(countText);
const jobs = shape === "one" ? 1 : count;
/** A sample's aim: enough for the processor's clock, and for the compiler to have seen the code. */
const sampleNs = 40e6;
const idleMs = Math.max(50, Math.min(1, scale) * 1_000);
/** After this time other processes would start jobs without a lease. */
const recoveryMs = Math.min(1, scale) * 3_500;

const gate = new Gate();
const { engine, clear } = openEngine[engineName]({ maxJobs: count + 1_000 });
const asker = new Asker(createPromising({ engine, concurrency: 10, gate }));
await warmUp();
await measureAdd();
const restNs = await measureIdle();
const tokens = await holdAll();
const beforeNs = await measureAdd();

const emptyBytes = readHeapBytes();
let redeems;
const beginNs = await timeCpu(async () => {
  redeems = Array.from({ length: count }, (_, index) => asker.redeem(tokens[index % jobs], index % jobs));
  await setTimeout(20);
});
const bytes = readHeapBytes() - emptyBytes;
const idleNs = await measureIdle();
const besideNs = await measureAdd();
const endNs = await timeCpu(async () => {
  gate.open();
  await Promise.all(redeems);
});
const aloneNs = (beforeNs + await measureAdd()) / 2;
await engine.close();
clear();
console.log(JSON.stringify({
  bytes: bytes / count,
  begin: beginNs / aloneNs,
  idleMs: (idleNs - restNs) / 1e6,
  beside: besideNs / aloneNs,
  end: endNs / aloneNs,
}));
process.exit(0);

/** Everything that is timed later, once or twice before. */
async function warmUp() {
  const first = new Gate();
  const other = openEngine.memory({ maxJobs: 2_000 });
  const waiting = new Asker(createPromising({ engine: other.engine, concurrency: 1_000, gate: first }));
  const tokens = await Promise.all(Array.from({ length: 1_000 }, (_, a) => waiting.hold(a)));
  const redeems = tokens.map((token, a) => waiting.redeem(token, a));
  first.open();
  await Promise.all(redeems);
  other.engine.close();
}

/** @returns the tokens of the work, all of which is under way, and past its budget. */
async function holdAll() {
  const tokens = [];
  for (let a = 0; a < jobs; a += 100) {
    const some = Math.min(100, jobs - a);
    tokens.push(...await Promise.all(Array.from({ length: some }, (_, index) => asker.hold(a + index))));
  }
  if (engineName === "sqlite") await setTimeout(recoveryMs);
  return tokens;
}

/** Nanoseconds a call: the median of five samples. */
async function measureAdd() {
  let calls = 200;
  const samples = [];
  while (samples.length < 5) {
    const ns = await timeCpu(async () => {
      for (let call = 0; call < calls; call++) await asker.add(call);
    });
    if (ns < sampleNs / 2) calls *= 2;
    else samples.push(ns / calls);
  }
  return samples.sort((left, right) => left - right)[2];
}

/** The processor's nanoseconds in a second in which nothing happens. */
async function measureIdle() {
  readHeapBytes();
  // What was collected is given back in the background.
  await setTimeout(100);
  const startNs = readCpuNs();
  await setTimeout(idleMs);
  return (readCpuNs() - startNs) * 1_000 / idleMs;
}
