// Runs a soak, which ends with 1 if anything was off.
//
// node tests/soak/soak.mjs [--calls 1000000] [--runtime bun,deno,node22,node24] [--kind calls,streams]
//
// Calls one process a million times over connections that are kept, and then what else a process is asked: streams, promises,
// sessions, callers that leave; each in a separate process. Prints its memory once it is warm, and at the end.
//
// node tests/soak/soak.mjs replicas [--seconds 60] [--replicas 3] [--workers 1] [--users 96] [--seed 1] [--kill-every-ms 1000]
//   [--longest-job-ms 3000] [--runtimes bun,deno,node24] [--no-key-change] [--engine redis|postgres|sqlite]
//
// Three replicas and a worker behind nginx, over Redis, PostgreSQL or SQLite, killed again and again while a hundred callers check every answer. The
// seed decides which caller calls what, and which replica is killed; the course differs from run to run. The callers run on Bun,
// the replicas on the runtimes of the command line, in turn.
import { spawn } from "node:child_process";
import process from "node:process";
import { childEnv, findBin, root } from "../../scripts/runtimes.mjs";

const [first, ...rest] = process.argv.slice(2);
const args = first === "replicas"
  ? ["tests/soak/replicas_main.ts", ...rest]
  : ["tests/soak/growth_main.ts", ...process.argv.slice(2)];
const child = spawn(findBin("bun"), args, { cwd: root, env: childEnv(), stdio: "inherit" });
// It ends what it has started before it ends.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.once("close", (code) => {
  process.exitCode = code ?? 1;
});
