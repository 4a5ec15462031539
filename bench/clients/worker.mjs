// Clients beside each other in one process, each against a server of its protocol, and each beside a bare `fetch` to that server with the
// same question. Prints of each client the rounds' ratios, `{ time, bytes }`, as JSON: processor time, and bytes allocated, of which Bun
// keeps no account. `worker.mjs <{ library: url } as JSON> <workload> <in flight> <rounds> <calls>`.
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import process from "node:process";
import { getHeapStatistics } from "node:v8";
import { createRequest, expected } from "../http/check.mjs";
import { workloads } from "../http/tools.mjs";
import { libraries } from "./libraries.mjs";
import { openers } from "./open.mjs";

const [, , urlsJson, workload, ...counts] = process.argv;
const [inFlight, rounds, calls] = counts.map(Number);
const { tool, inputs } = workloads[workload];

const pairs = {};
for (const [name, url] of Object.entries(JSON.parse(urlsJson))) {
  const contender = await import(`../contenders/${libraries[name].file}.mjs`);
  const call = await openers[name](url, tool);
  const answer = await expected(tool, inputs[0]);
  const [text, asked] = await ask(contender, url, inputs[0]);
  deepStrictEqual(contender.decodeCall(text, asked).value, answer.value);
  const called = await call(inputs[0]);
  deepStrictEqual(
    called,
    called.partials === undefined ? answer.value : answer,
  );
  pairs[name] = { call, bare: (args) => callBare(contender, url, args) };
}
console.log(JSON.stringify(await timePairs()));
process.exit(0);

/** What the library's client asks, with no library. */
async function ask(contender, url, args) {
  const { call, url: target, ...init } = createRequest(
    contender,
    url,
    tool,
    args,
    1,
  );
  const response = await fetch(target, init);
  strictEqual(response.status, 200);
  return [await response.text(), call];
}

/** The least that a caller does: the answer is parsed, of a stream every event's data. */
async function callBare(contender, url, args) {
  const [text] = await ask(contender, url, args);
  return text.startsWith("{") ? JSON.parse(text) : text.match(/(?<=^data: ).+/gm).map((data) => JSON.parse(data));
}

/** Rounds in turns: bare, client, bare, …, so that a client has a bare round on both sides. */
async function timePairs() {
  const ratios = Object.fromEntries(
    Object.keys(pairs).map((name) => [name, { time: [], bytes: [] }]),
  );
  for (let round = -1; round < rounds; round++) {
    for (const [name, { call, bare }] of Object.entries(pairs)) {
      const before = await timeRound(bare);
      const own = await timeRound(call);
      const after = await timeRound(bare);
      // The first round warms up.
      if (round < 0) continue;
      ratios[name].time.push(2 * own.cpuUs / (before.cpuUs + after.cpuUs));
      if (!("Bun" in globalThis)) {
        ratios[name].bytes.push(2 * own.bytes / (before.bytes + after.bytes));
      }
    }
  }
  return ratios;
}

async function timeRound(call) {
  let left = calls;
  const work = async () => {
    while (left-- > 0) await call(inputs[left % inputs.length]);
  };
  const { total_allocated_bytes: startBytes } = getHeapStatistics();
  const start = process.cpuUsage();
  await Promise.all(Array.from({ length: inFlight }, work));
  const { user, system } = process.cpuUsage(start);
  return {
    cpuUs: user + system,
    bytes: getHeapStatistics().total_allocated_bytes - startBytes,
  };
}
