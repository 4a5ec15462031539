// Times contenders in turns, each in a separate process: what run.mjs prints and gate.mjs judges.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { contenders } from "./contenders.mjs";
import { commands } from "./runtimes.mjs";
import { workloads } from "./tools.mjs";

/**
 * Rounds in turns: A, B, C, A, B, C, …, A.
 *
 * @param entries `{ contender, workload, bench? }` of each; `bench` is the URL of the folder of another checkout. The first one
 * closes the last round too, so that every round has it on both sides.
 * @returns of each entry the rounds, `{ nsPerCall, cpuNsPerCall }`.
 */
export async function measureTogether(runtime, entries, { rounds, calls, scale }) {
  const workers = [];
  const samples = entries.map(() => []);
  try {
    for (const { contender, workload, bench = import.meta.url } of entries) {
      const script = fileURLToPath(new URL("worker.mjs", bench));
      workers.push(
        await startWorker(runtime, script, contender, workload, (calls ?? workloads[workload].calls) * scale, scale),
      );
    }
    for (const worker of workers) await worker.warmUp();
    for (let round = 0; round < rounds; round++) {
      for (const [index, worker] of workers.entries()) samples[index].push(await worker.timeRound());
    }
    samples[0].push(await workers[0].timeRound());
    return samples;
  } finally {
    for (const worker of workers) worker.stop();
  }
}

async function startWorker(runtime, script, name, workload, roundCalls, scale) {
  const [command, ...args] = commands[runtime](script);
  const child = spawn(command, [...args, contenders[name].file, workload], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const readLine = async () => {
    const { done, value } = await lines.next();
    if (done) throw new Error(`${name} failed at ${workload} on ${runtime}`);
    return JSON.parse(value);
  };
  const time = (calls, maxMs) => {
    child.stdin.write(`${JSON.stringify({ calls: Math.ceil(calls), maxMs })}\n`);
    return readLine();
  };
  await readLine();
  return {
    warmUp: () => time(roundCalls * 5, 2500 * scale),
    // A slow contender stops at the time limit with fewer calls, and its mean is as good.
    timeRound: () => time(roundCalls, 150),
    stop: () => child.kill(),
  };
}

/**
 * Each round of one against the base's rounds on either side of it, so that a slow spell of the machine hits both.
 *
 * @param samples One number a round; the base's may be one longer.
 * @param baseIsBefore Whether the base's round came before the other's, or after it.
 */
export function toRatios(samples, base, baseIsBefore = true) {
  const rounds = Math.min(samples.length, base.length);
  return samples.slice(0, rounds).map((value, round) => {
    const beside = base[round + (baseIsBefore ? 1 : -1)] ?? base[round];
    return value / ((base[round] + beside) / 2);
  });
}
