// Runs every example to its end, or those that are named: `node scripts/run_examples.mjs [story …]`. Each
// `examples/<story>/main.ts` is run on Bun, Deno and Node 24, at the same time. A story without a main.ts, being
// servers, has to have a test, `tests/examples/<story>_….ts`. Of a story with a package.json the packages are installed first.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { childEnv, findBin, findNode, root, runOrThrow, runToEnd } from "./runtimes.mjs";

const node = findNode(24);
const hook = new URL("../tests/runtime/node_hook.mjs", import.meta.url).href;
const commands = {
  bun: [findBin("bun")],
  // A story with a package.json would else count as a separate project.
  deno: [findBin("deno"), "run", "-A", "--no-check", "--quiet", `--config=${join(root, "deno.json")}`],
  node24: [node, "--disable-warning=ExperimentalWarning", `--import=${hook}`],
};

const tests = readdirSync(join(root, "tests/examples"));

const named = process.argv.slice(2);
const stories = named.length > 0 ? named : readdirSync(join(root, "examples")).sort();

let failed = 0;
for (const story of stories) {
  const main = `examples/${story}/main.ts`;
  const folder = join(root, "examples", story);
  if (existsSync(join(folder, "package.json"))) {
    const install = join(root, "scripts/install.mjs");
    await attempt(
      `packages of ${story}`,
      () => runOrThrow(process.execPath, [install], { cwd: folder, timeout: 120_000 }),
    );
  }
  if (existsSync(join(root, main))) {
    await Promise.all(
      Object.entries(commands).map(([name, command]) => attempt(`${main} on ${name}`, () => run(command, main))),
    );
  } else {
    await attempt(`${story} has a test`, () => {
      const isTested = tests.some((file) => file.startsWith(`${story}_`) && file.endsWith("_test.ts"));
      if (!isTested) throw new Error("It has neither a main.ts nor a test");
    });
  }
}
process.exitCode = failed > 0 ? 1 : 0;

async function run([command, ...args], main) {
  const options = { cwd: root, env: childEnv(node), timeout: 120_000 };
  const { status, stdout, stderr } = await runToEnd(command, [...args, main], options);
  if (status !== 0) throw new Error(`It ended with ${status}:\n${stdout}${stderr}`);
}

async function attempt(name, body) {
  try {
    await body();
    console.log(`ok   ${name}`);
  } catch (thrown) {
    failed++;
    console.log(`FAIL ${name}\n${thrown.message}`);
  }
}
