// What promises cost a caller, in process: `calls_worker.mjs <calls> <rounds>`. Prints each cost ÷ that of the same call answered
// plainly, by the processor's time, one number a round, as JSON.
import process from "node:process";
import { toRatios } from "../measure.mjs";
import { Asker } from "./asker.mjs";
import { timeCpu } from "./clock.mjs";
import { memoryEngine } from "./package.mjs";
import { createPromising } from "./tools.mjs";

const [calls, rounds] = process.argv.slice(2).map(Number);
/** Its promises have no worker: their work is not measured here. */
const idle = () => createAsker(0);
const working = createAsker(1);
const finished = await working.mint(1);
await working.redeem(finished, 1);

const plain = { prepare: () => working, ask: (asker, a) => asker.add(a) };
const costs = {
  mint: { prepare: idle, ask: (asker, a) => asker.mint(a) },
  "redeem, finished": { prepare: () => working, ask: (asker) => asker.redeem(finished, 1) },
  "redeem, pending": { prepare: withTokens(1), ask: ({ asker, tokens }) => asker.look(tokens[0]) },
  cancel: { prepare: withTokens(calls), ask: ({ asker, tokens }, index) => asker.cancel(tokens[index]) },
};

const all = [plain, ...Object.values(costs)];
const samples = all.map(() => []);
for (let round = -3; round < rounds; round++) {
  for (const [index, cost] of all.entries()) {
    const ns = await time(cost);
    // The first rounds warm up.
    if (round >= 0) samples[index].push(ns);
  }
}
samples[0].push(await time(plain));
const [base, ...others] = samples;
console.log(
  JSON.stringify(Object.fromEntries(Object.keys(costs).map((name, index) => [name, toRatios(others[index], base)]))),
);
process.exit(0);

function createAsker(concurrency) {
  return new Asker(createPromising({ engine: memoryEngine({ maxJobs: calls + 1 }), concurrency }));
}

function withTokens(count) {
  return async () => {
    const asker = idle();
    const tokens = [];
    for (let a = 0; a < count; a++) tokens.push(await asker.mint(a));
    return { asker, tokens };
  };
}

async function time({ prepare, ask }) {
  const prepared = await prepare();
  return await timeCpu(async () => {
    for (let index = 0; index < calls; index++) await ask(prepared, index);
  });
}
