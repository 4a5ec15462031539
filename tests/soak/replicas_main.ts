// The soak of replicas as a program; `soak.mjs` starts it. It ends with 1 if anything was off.
import process from "node:process";
import { parseArgs } from "node:util";
import { missingPrograms } from "../../examples/replicas/programs.ts";
import type { FleetOptions } from "./fleet.ts";
import { findFaults, formatReport } from "./report.ts";
import { runSoak } from "./soak.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    replicas: { type: "string", default: "3" },
    workers: { type: "string", default: "1" },
    users: { type: "string", default: "96" },
    "longest-job-ms": { type: "string", default: "3000" },
    seed: { type: "string", default: "1" },
    "kill-every-ms": { type: "string", default: "1000" },
    runtimes: { type: "string", default: "bun" },
    engine: { type: "string", default: "redis" },
    "no-key-change": { type: "boolean", default: false },
  },
});

const missing = missingPrograms({ "redis-server": "redis-server", nginx: "nginx" });
if (missing === undefined) await soak();
else {
  console.error(`Cannot soak: ${missing}`);
  process.exitCode = 1;
}

async function soak(): Promise<void> {
  const options = {
    seconds: Number(values.seconds),
    replicas: Number(values.replicas),
    workers: Number(values.workers),
    users: Number(values.users),
    longestJobMs: Number(values["longest-job-ms"]),
    seed: Number(values.seed),
    killEveryMs: Number(values["kill-every-ms"]),
    runtimes: values.runtimes.split(","),
    engine: values.engine as FleetOptions["engine"],
    changesKeys: !values["no-key-change"],
  };
  console.log(`soak: ${JSON.stringify(options)}`);
  const startMs = performance.now();
  const report = await runSoak(options, (text) => {
    console.log(`${((performance.now() - startMs) / 1000).toFixed(1).padStart(6)} s  ${text}`);
  });
  console.log(`\n${formatReport(report)}`);
  process.exitCode = findFaults(report).length === 0 ? 0 : 1;
}
