// Types the tutorials as a reader does, each in an empty folder, with the packed package and one runtime on the path:
// `node scripts/check_tutorials.mjs [--runtime node,bun,deno] [tutorial …]`. A machine has what the pages ask for, and nothing else.
import { execFile } from "node:child_process";
import { accessSync, mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, delimiter, join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { freePort, serveConsumers, TOOLWIRE } from "./package/consumers.mjs";
import { commandsOf, deedsOf, isAsShown, portsOf, printedBy, scriptOf, translate } from "./package/tutorials.mjs";
import { findBin, findNode, root } from "./runtimes.mjs";

const { values, positionals } = parseArgs({ allowPositionals: true, options: { runtime: { type: "string" } } });
const FOLDER = join(root, "docs/tutorials");
const FIRST = readFileSync(join(FOLDER, "first-server.md"), "utf8");
const COMMANDS = commandsOf(FIRST);
/** What the pages use beside a runtime. `env` is for the first lines of scripts. */
const TOOLS =
  "awk basename bash base64 cat chmod cp curl cut date dirname env find grep head id kill ln ls mkdir mktemp mv nginx printf ps pwd readlink realpath rm sed seq sh sleep sort tail tee touch tr uname uniq wc which xargs"
    .split(" ");
const RUN_MS = 400_000;

const runtimes = values.runtime?.split(",") ?? ["node", "bun", "deno"];
const tutorials = readdirSync(FOLDER).filter((name) =>
  positionals.length === 0 || positionals.includes(basename(name, ".md"))
);
const { temporary, env, close } = await serveConsumers([TOOLWIRE]);
let failed = 0;
try {
  for (const runtime of runtimes) makeMachine(runtime);
  const all = tutorials.flatMap((name) => runtimes.map((runtime) => ({ name, runtime })));
  // Two at a time: most of them wait for programs.
  await Promise.all([0, 1].map(async () => {
    for (let next = all.shift(); next !== undefined; next = all.shift()) await check(next);
  }));
} finally {
  close();
}
console.log(`${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

/** A folder with the commands of a machine that has one runtime. */
function makeMachine(runtime) {
  const folder = join(temporary, runtime);
  mkdirSync(folder);
  const own = {
    node: { node: findNode(22), npm: findOnPath("npm"), npx: findOnPath("npx") },
    bun: { bun: realpathSync(findBin("bun")), bunx: realpathSync(findBin("bun")) },
    deno: { deno: realpathSync(findBin("deno")) },
  }[runtime];
  for (const [name, file] of Object.entries(own)) symlinkSync(realpathSync(file), join(folder, name));
  for (const name of TOOLS) {
    const file = findOnPath(name);
    if (file !== undefined) symlinkSync(file, join(folder, name));
  }
}

function findOnPath(name) {
  const folders = [...process.env.PATH.split(delimiter), "/usr/sbin"].filter((folder) =>
    !folder.includes("node_modules")
  );
  return folders.map((folder) => join(folder, name)).find((file) => {
    try {
      accessSync(file);
      return true;
    } catch {
      return false;
    }
  });
}

async function check({ name, runtime }) {
  const startMs = performance.now();
  const title = `${basename(name, ".md")} on ${runtime}`;
  try {
    const shown = await typeAll(name, runtime);
    console.log(`ok   ${title}: ${shown} outputs (${((performance.now() - startMs) / 1000).toFixed(1)} s)`);
  } catch (thrown) {
    failed++;
    console.log(`FAIL ${title}\n${thrown.message}`);
  }
}

async function typeAll(name, runtime) {
  const folder = join(temporary, `${runtime}-${name}`);
  const saved = `${folder}.saved`;
  for (const made of [folder, saved]) mkdirSync(made);
  const { text, ports } = await withFreePorts(
    translate(withFolder(readFileSync(join(FOLDER, name), "utf8")), COMMANDS[runtime]),
  );
  const deeds = deedsOf(text);
  for (const [at, deed] of deeds.entries()) if (deed.file !== undefined) writeFileSync(join(saved, `${at}`), deed.code);
  const variables = {
    ...env,
    PATH: join(temporary, runtime),
    HOME: folder,
    // Node 22 warns of types in files and of its SQLite, as the first tutorial says.
    NODE_NO_WARNINGS: "1",
    NODE_OPTIONS: "--test-reporter=spec",
    // The package is found under its name, and not by the manifest of this tree.
    NPM_CONFIG_USERCONFIG: join(folder, ".npmrc"),
  };
  // npm takes half a second for each `npx`: once, in the first tutorial, is enough.
  const isDirect = runtime === "node" && name !== "first-server.md";
  const npx = isDirect ? 'npx() { "node_modules/.bin/$1" "${@:2}"; }\n' : "";
  const output = await runScript(npx + scriptOf(deeds, ports, saved), folder, variables);
  const printed = printedBy(output);
  const shown = deeds.flatMap((deed, at) => deed.shown === undefined ? [] : [{ at, ...deed }]);
  if (shown.length <= 3) throw new Error(`It shows ${shown.length} outputs`);
  for (const { at, typed, shown: expected } of shown) {
    // Each runtime has another report of tests.
    const isTest = /^(?:node --|bun |deno )test/m.test(typed);
    if (isTest && runtime !== "node") continue;
    if (!isAsShown(printed.get(at) ?? "", expected)) {
      throw new Error(`${typed}\nshows\n${expected}\nand printed\n${printed.get(at)}\nof all:\n${output}`);
    }
  }
  return shown.length;
}

/** A page that uses the folder of the first tutorial begins with its commands. */
function withFolder(page) {
  if (page.includes("npm install")) return page;
  return `${/^## A folder\n\n```sh\n[^]*?^```$/m.exec(FIRST)[0]}\n\n${page}`;
}

/** The page with free ports in place of those that it names. */
async function withFreePorts(page) {
  const free = new Map();
  for (const port of portsOf(page)) free.set(port, `${await freePort()}`);
  return { text: page.replaceAll(/\b\d{4}\b/g, (found) => free.get(found) ?? found), ports: [...free.values()] };
}

function runScript(script, cwd, variables) {
  return new Promise((resolve, reject) => {
    const child = execFile(
      join(variables.PATH, "bash"),
      ["-c", script],
      { cwd, env: variables, timeout: RUN_MS, killSignal: "SIGKILL", maxBuffer: 1 << 26 },
      (error, stdout) =>
        stdout.includes("\n::end")
          ? resolve(stdout)
          : reject(new Error(`It ended with ${error?.signal ?? error?.code}:\n${stdout}`)),
    );
    child.stdin.end();
  });
}
