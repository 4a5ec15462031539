// Measures job queues: jobs per second, and how late work begins and wakes up. The engines of Toolwire beside plain BullMQ and pg-boss.
// `node bench/queues.mjs [--runtime node] [--contender memory,sqlite,…] [--rounds 5] [--jobs 2000] [--naps 200]`. Every result is checked.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { startRedis } from "../scripts/stores/redis.mjs";
import { readCount, readNames, readOptions, scale } from "./options.mjs";
import { startPostgres } from "../scripts/stores/postgres.mjs";
import { formatSpread, formatTable } from "./report.mjs";
import { buildPackage, commands, installPeers, readVersion } from "./runtimes.mjs";

/** Name and store of each contender. */
const contenders = {
  "memory": undefined,
  "sqlite": undefined,
  "bullmq-redis": "redis",
  "bullmq-postgres": "postgres",
  "durable-objects": undefined,
  "plain-bullmq-redis": "redis",
  "plain-bullmq-postgres": "postgres",
  "pg-boss": "postgres",
};

const options = readOptions({
  runtime: { type: "string", default: "node" },
  contender: { type: "string", default: Object.keys(contenders).join() },
  rounds: { type: "string", default: "5" },
  jobs: { type: "string", default: "2000" },
  naps: { type: "string", default: "200" },
}, ({ runtime, contender, rounds, jobs, naps }) => ({
  runtimes: readNames("runtime", runtime, Object.keys(commands)),
  names: readNames("contender", contender, Object.keys(contenders)),
  rounds: readCount("--rounds", rounds),
  jobs: Math.ceil(scale * readCount("--jobs", jobs)),
  naps: Math.ceil(scale * readCount("--naps", naps)),
}));
installPeers();
if (options.runtimes.includes("node")) buildPackage();

const stores = { redis: await startRedis(), postgres: await startPostgres() };
try {
  for (const runtime of options.runtimes) measure(runtime);
} finally {
  for (const store of Object.values(stores)) store?.stop();
}

function measure(runtime) {
  const missing = (name) => contenders[name] !== undefined && stores[contenders[name]] === undefined;
  for (const name of options.names.filter(missing)) {
    console.log(`\nnot run: ${name}, ${contenders[name]} is not installed`);
  }
  const names = options.names.filter((name) => !missing(name));
  const [command, ...rest] = commands[runtime](fileURLToPath(new URL("queues/worker.mjs", import.meta.url)));
  const { rounds, jobs, naps } = options;
  const args = [names, rounds, jobs, naps, stores.redis?.url ?? "", stores.postgres?.url ?? ""];
  const { status, stdout, stderr } = spawnSync(command, [...rest, ...args.map(String)], { encoding: "utf8" });
  if (status !== 0) throw new Error(`bench/queues/worker.mjs failed on ${runtime}: ${stderr}\n${stdout}`);
  const costs = JSON.parse(stdout.trim().split("\n").at(-1));
  console.log(`\n### Queues, ${runtime} ${readVersion(runtime)}\n`);
  const head = ["queue", "jobs per second", "begins after, ms (p50 / p99)", "wakes up after, ms (p50 / p99)"];
  console.log(formatTable(head, Object.entries(costs).map(toRow)));
}

function toRow([name, { perSecond, beginMs, wakeMs }]) {
  return [name, formatSpread(perSecond), formatLatency(beginMs), formatLatency(wakeMs)];
}

function formatLatency(values) {
  const sorted = values.toSorted((left, right) => left - right);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))].toFixed(1);
  return `${at(0.5)} / ${at(0.99)}`;
}
