// Creates a project of each template by `create-toolwire`, installs it from the packed package, runs its own commands, and calls a tool
// of the running server: `node scripts/check_templates.mjs [template …]`.
//
// A registry on this machine has the two packages of this tree, and sends requests for all others on; so the projects are installed as
// they are. One cache is shared.
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { CREATE_TOOLWIRE, freePort, serveConsumers, TOOLWIRE } from "./package/consumers.mjs";
import { findBin, root } from "./runtimes.mjs";

const TEMPLATES = ["node", "bun", "deno", "workers", "hono", "next"];
const chosen = process.argv.slice(2);
const START_MS = 60_000;
const MAX_BUNDLE_BYTES = 1_000_000;

let failed = 0;
const { temporary, env, node, run, close } = await serveConsumers([TOOLWIRE, CREATE_TOOLWIRE]);
try {
  mkdirSync(join(temporary, "projects"));
  for (const template of chosen.length > 0 ? chosen : TEMPLATES) await check(template);
} finally {
  close();
}
console.log(`${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

async function check(template) {
  const startMs = performance.now();
  const steps = [];
  try {
    const folder = await createProject(template);
    await checkProject(template, folder, steps);
  } catch (thrown) {
    failed++;
    console.log(
      `FAIL ${template}, after ${steps.join(", ")}\n${thrown.stdout ?? ""}${thrown.stderr ?? ""}${thrown.message}`,
    );
    return;
  }
  console.log(`ok   ${template}: ${steps.join(", ")} (${((performance.now() - startMs) / 1000).toFixed(1)} s)`);
}

/** As `npm create toolwire@latest <name> -- --yes` does. */
async function createProject(template) {
  const program = join(temporary, "create");
  cpSync(join(root, "apps/create-toolwire/dist"), program, { recursive: true });
  const name = `my-${template}`;
  await run(
    [node, join(program, "main.js"), name, "--yes", "--template", template, "--no-git"],
    join(temporary, "projects"),
  );
  return join(temporary, "projects", name);
}

async function checkProject(template, folder, steps) {
  steps.push("install");
  const words = { bun: [findBin("bun"), "run"], deno: [findBin("deno"), "task", "--quiet"] }[template] ??
    ["npm", "run", "--silent"];
  for (const step of ["check", "test"]) {
    await run([...words, step], folder);
    steps.push(step);
  }
  const port = await freePort();
  const commands = {
    node: [node, "main.ts"],
    hono: [node, "main.ts"],
    bun: [findBin("bun"), "main.ts"],
    deno: [findBin("deno"), "run", "-A", "--quiet", "main.ts"],
    workers: [join(folder, "node_modules/.bin/wrangler"), "dev", "--port", `${port}`],
    next: [join(folder, "node_modules/.bin/next"), "dev", "--port", `${port}`],
  };
  await serveAndCall(commands[template], folder, port);
  steps.push("serve and call");
  if (template !== "node") return;
  await checkCommand(folder);
  steps.push("toolwire list, install and pack");
}

async function serveAndCall(command, cwd, port) {
  const [file, ...args] = command;
  // A process group, as some commands start others.
  const child = spawn(file, args, {
    cwd,
    env: { ...env, PORT: `${port}` },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text));
  let hasEnded = false;
  child.once("close", () => (hasEnded = true));
  try {
    const answer = await callUntil(`http://127.0.0.1:${port}/mcp-lite/v1/call`, () => hasEnded);
    if (!answer.includes("Hello, Ada!")) throw new Error(`The tool answered ${answer}`);
  } catch (thrown) {
    throw new Error(`${command.join(" ")}: ${thrown.message}\n${output}`);
  } finally {
    end(child);
  }
}

function end(child) {
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

/** Repeats the call until the server listens. */
async function callUntil(url, hasEnded) {
  const params = { name: "greet", arguments: { name: "Ada" } };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  const endMs = performance.now() + START_MS;
  for (;;) {
    try {
      const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
      return `${response.status} ${await response.text()}`;
    } catch (cause) {
      if (hasEnded()) throw new Error("The server has ended", { cause });
      if (performance.now() > endMs) throw new Error(`It does not answer within ${START_MS} ms`, { cause });
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

/** The installed command, from the project: a list, an entry for a host, and a bundle, which needs esbuild by name. */
async function checkCommand(folder) {
  const toolwire = [node, join(folder, "node_modules/.bin/toolwire")];
  const { stdout } = await run([...toolwire, "list", "./server.ts"], folder);
  if (!stdout.includes("greet(")) throw new Error(`toolwire list printed ${stdout}`);
  const { stdout: printed } = await run([...toolwire, "install", "cursor", "./server.ts", "--print"], folder);
  const { args } = JSON.parse(printed).mcpServers["my-node"];
  if (args[0] !== join(folder, "node_modules/toolwire/dist/apps/cli/main.js")) {
    throw new Error(`It would start ${args}`);
  }
  const file = join(folder, "package.json");
  writeFileSync(
    file,
    JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), description: "Tools", author: "Ada" }),
  );
  const packed = await run([...toolwire, "pack", "./server.ts"], folder).catch((thrown) => thrown);
  if (packed.code !== 1 || !packed.stderr.includes("npm install --save-dev esbuild")) {
    throw new Error(`pack: ${packed.stderr}`);
  }
  await run(["npm", "install", "--save-dev", "esbuild"], folder);
  await run([...toolwire, "pack", "./server.ts"], folder);
  const { size } = statSync(join(folder, "my-node-0.1.0.mcpb"));
  if (size > MAX_BUNDLE_BYTES) throw new Error(`The bundle has ${size} bytes, at most ${MAX_BUNDLE_BYTES}`);
  console.log(`     my-node-0.1.0.mcpb: ${size} bytes`);
}
