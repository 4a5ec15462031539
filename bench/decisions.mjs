// Measures what decisions() adds to a call: `bun bench/decisions.mjs`. The ratio of 10,000 calls in process with a policy and a record to the
// same without, the median of 15 rounds in turn. Needs the root's dev dependencies only.
import process from "node:process";
import { createServer, defineTool } from "../mod.ts";
import { charge, decisions } from "../src/entries/decisions.ts";
import * as v from "../src/entries/schema.ts";
import { formatTable } from "./report.mjs";

const calls = 10_000;
const rounds = 15;
const add = defineTool("add").describe("Add").input(v.object({ a: v.number(), b: v.number() }))
  .handle(async ({ a, b }) => await Promise.resolve(a + b));
let records = 0;
const servers = {
  without: createServer({ tools: [add], logger: false }),
  "middleware that does nothing": createServer({ tools: [add], logger: false, middleware: [(_, next) => next()] }),
  "decide and record": createServer({
    tools: [add],
    logger: false,
    middleware: [decisions({ decide: () => charge(1), record: () => void records++ })],
  }),
};
const times = Object.fromEntries(Object.keys(servers).map((name) => [name, []]));
for (let round = 0; round <= rounds; round++) {
  for (const [name, server] of Object.entries(servers)) {
    const { dispatch } = server["~server"].host;
    const peer = { wire: "bench", principal: { id: "ada", tenant: "north" }, metadata: new Headers(), client: {} };
    const startedMs = performance.now();
    for (let call = 0; call < calls; call++) {
      const result = await dispatch.call({ tool: "add", args: { a: call, b: 1 }, meta: undefined, peer }).toPromise();
      if (result.value !== call + 1) throw new Error(`${name}: ${JSON.stringify(result)}`);
    }
    // The first round warms up.
    if (round > 0) times[name].push(performance.now() - startedMs);
  }
}
if (records !== calls * (rounds + 1)) throw new Error(`${records} records`);
const median = (values) => values.toSorted((one, other) => one - other)[values.length >> 1];
const floor = median(times.without);
console.log(`${process.versions.bun === undefined ? "Node" : "Bun"}, ${calls} calls, median of ${rounds} rounds`);
console.log(formatTable(
  ["", "microseconds a call", "of without"],
  Object.entries(times).map(([name, all]) => {
    const ms = median(all);
    return [name, (ms * 1_000 / calls).toFixed(2), (ms / floor).toFixed(2)];
  }),
));
for (const server of Object.values(servers)) await server.close(0);
