// Fuzzes every decoder, by the door that strangers come to it: random bytes, and damaged requests, from a seed. It ends with 1 if
// an answer is not as it should be, one case holds the event loop for too long, or the heap grows.
//
// node tests/hostile/fuzz/fuzz.mjs [--seed 1] [--cases 20000] [--seconds 300] [--target mcp-lite,connect] [--case 4711]
//
// Without a seed it takes one, and says which. `--case` makes that one case alone.
import { spawn } from "node:child_process";
import process from "node:process";
import { childEnv, findBin, root } from "../../../scripts/runtimes.mjs";

const child = spawn(findBin("bun"), ["tests/hostile/fuzz/main.ts", ...process.argv.slice(2)], {
  cwd: root,
  env: childEnv(),
  stdio: "inherit",
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.once("close", (code) => {
  process.exitCode = code ?? 1;
});
