// Packs the npm package and uses it as a stranger would: `node scripts/check_package.mjs`. Installs the tarball into a fresh
// project, loads every entry and does a round trip on each runtime, type-checks it for each platform, runs the snippets of the pages,
// and loads the single file by URL.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { exportsOf } from "./exports.mjs";
import { startRedis } from "./stores/redis.mjs";
import { startPostgres } from "./stores/postgres.mjs";
import { bundleWorker } from "./package/bundle_worker.mjs";
import { compileSnippets, linkPackages } from "./package/compile_snippets.mjs";
import { findLargerBundles } from "./package/bundles.mjs";
import { engineStores, suiteScript, writeObjectSuite } from "./package/engines.mjs";
import { findProblems } from "./package/files.mjs";
import { copyPackages, layoutProgram, layoutsOf } from "./package/layouts.mjs";
import { startJsr, startRegistry } from "./package/registry.mjs";
import { entriesOf, findPages, followPage, runtimesOf } from "./package/tabs.mjs";
import { typeCheckPackages, typeChecks, typedConsumer, writeProject } from "./package/types.mjs";
import { childEnv, findBin, findNode, root } from "./runtimes.mjs";

const execute = promisify(execFile);
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const entries = Object.keys(manifest.exports).filter((entry) => entry !== "./package.json").map((entry) =>
  `toolwire${entry.slice(1)}`
);
const sources = Object.entries(JSON.parse(readFileSync(join(root, "deno.json"), "utf8")).exports).map((
  [name, source],
) => ({
  name,
  source,
  built: manifest.exports[name].default,
}));
/** Entries, and whether they export more than types. */
const withValues = sources.map(({ name, source }) => [
  `toolwire${name.slice(1)}`,
  exportsOf(readFileSync(join(root, source), "utf8")).some((exported) => !exported.startsWith("type ")),
]);
const temporary = mkdtempSync(join(tmpdir(), "toolwire-package-"));
const consumer = join(temporary, "consumer");
const unpacked = join(temporary, "unpacked/package");

const bun = (script) => [findBin("bun"), script];
const deno = (script) => [findBin("deno"), "run", "-A", "--quiet", script];
const node = (major) => (script) => [findNode(major), script];
const runtimes = { node22: node(22), node24: node(24), bun, deno };

const ROUND_TRIP = `
import { strictEqual } from "node:assert/strict";
import { createClient, createServer, defineTool, memoryTransport } from "toolwire";
import * as v from "toolwire/schema";
import { serve } from "toolwire/serve";
import { testClient } from "toolwire/testing";

for (const [entry, hasValues] of ${JSON.stringify(withValues)}) {
  strictEqual(Object.keys(await import(entry)).length > 0, hasValues, entry);
}
const add = defineTool("add")
  .describe("Add two numbers")
  .input(v.object({ a: v.number(), b: v.number() }))
  .output(v.number())
  .handle(({ a, b }) => a + b);
const server = createServer({ name: "math", version: "1.0.0", tools: [add] });
const listening = await serve(server, { port: 0 });
for (const client of [createClient(memoryTransport(server)), testClient(server), createClient(listening.url + "/mcp-lite/v1")]) {
  strictEqual(await client.add({ a: 1, b: 2 }), 3);
  await client.add({ a: "1", b: 2 }).then(() => strictEqual(1, 2), (error) => strictEqual(error.code, "invalid_input"));
}
await listening.close();
console.log("done");
`;

function singleFile(url, end = `if (answer !== "Hello, Ada!") throw new Error(answer);\nconsole.log("done");`) {
  return `
const { createClient, createServer, defineTool, memoryTransport } = await import(${JSON.stringify(url)});
const greet = defineTool("greet").describe("Greet someone").handle(({ name }) => "Hello, " + name + "!");
const server = createServer({ tools: [greet] });
const client = createClient("http://localhost/mcp-lite/v1", { fetch: (url, init) => server.fetch(new Request(url, init)) });
const answer = await createClient(memoryTransport(server)).greet({ name: "Ada" }) && await client.greet({ name: "Ada" });
${end}
`;
}

let failed = 0;
let passed = 0;
try {
  let tarball;
  await check("npm pack", async () => {
    tarball = await pack();
  });
  if (tarball !== undefined) await checkTarball(tarball);
} finally {
  rmSync(temporary, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

async function checkTarball(tarball) {
  mkdirSync(join(temporary, "unpacked"));
  await run(["tar", "-xzf", tarball, "-C", join(temporary, "unpacked")]);
  await check("the tarball holds what it says, and nothing else", checkFiles);
  await check("publint --strict", () => run([findBin("publint"), "run", tarball, "--strict"]));
  // There is no build for `require`, and none for the resolution of TypeScript before 4.7.
  await check("arethetypeswrong", () => run([findBin("attw"), tarball, "--profile", "esm-only", "--format", "ascii"]));
  await check("bundles are as small as those of the sources", checkBundles);
  // ./otel imports its package when it loads. Snippets make ./agents/tokenizer and ./websocket load theirs, but do not name them.
  const peers = ["@opentelemetry/api", "gpt-tokenizer", "quickjs-wasi", "ws"].map((name) =>
    `${name}@${manifest.devDependencies[name]}`
  );
  await check("install into a fresh project", () => install(consumer, [tarball, ...peers]));
  for (const [name, command] of Object.entries(runtimes)) {
    await check(
      `${name}: every entry loads, and a tool is defined, served and called`,
      () => runScript(command, consumer, ROUND_TRIP),
    );
  }
  await checkEngines(tarball);
  for (const [name, command] of Object.entries(runtimes)) {
    await check(`${name}: the command says how it is used`, () => runBin(command));
  }
  await checkTypes(tarball);
  await check("a consumer type-checks in Deno", () => run([findBin("deno"), "check", "--quiet", "index.ts"], consumer));
  await check("snippets of the pages and doc comments compile with `tsc --init`, `bun init` and in Deno", async () => {
    const count = await compileSnippets(join(temporary, "init"), tarball, run);
    if (count < 200) throw new Error(`Only ${count} snippets were found`);
  });
  await checkLayouts(tarball);
  await checkSnippets();
  await checkTabs(tarball);
  await check("workerd: a bundle of the installed package serves and calls a tool", runInWorkerd);
  await checkSingleFile();
}

/** The suite of the package over each of its engines. */
async function checkEngines(tarball) {
  const folder = join(temporary, "engines");
  const peers = ["bullmq", "ioredis", "pg"].map((name) => `${name}@${manifest.devDependencies[name]}`);
  await check("install with the packages of engines", () => install(folder, [tarball, ...peers]));
  const stores = { redis: await startRedis(), postgres: await startPostgres() };
  try {
    for (const { name, store } of engineStores) {
      if (store !== undefined && stores[store] === undefined && !process.env.CI) {
        console.log(`not run: the suite over ${name}, which is not installed`);
        continue;
      }
      const env = { STORE_URL: stores[store]?.url ?? "" };
      const run = () => runScript(node(24), folder, suiteScript(name), env);
      await check(`node24: ${name} passes the suite of the package`, run);
    }
  } finally {
    for (const store of Object.values(stores)) store?.stop();
  }
  await check("workerd: Durable Objects pass the suite of the package", async () => {
    const suite = join(temporary, "objects");
    await writeObjectSuite(folder, suite);
    await run([findBin("workerd"), "test", "config.capnp"], suite);
  });
}

async function checkTypes(tarball) {
  const typed = join(temporary, "typed");
  await check("install with types and all peers", () => install(typed, [tarball, ...typeCheckPackages(manifest)]));
  for (const [name, options] of Object.entries(typeChecks)) {
    await check(`every entry type-checks: ${name}`, async () => {
      await run([findBin("tsc"), "-p", writeProject(typed, name, options)], typed);
    });
  }
}

/** Schemas of the project's own copies of libraries. */
async function checkLayouts(tarball) {
  for (const [name, layout] of Object.entries(layoutsOf(manifest))) {
    const folder = join(temporary, name.replace(" ", "-"));
    await check(`install, with ${name} of valibot and zod`, async () => {
      await install(folder, [tarball, ...layout.packages]);
      copyPackages(folder, layout.copies);
    });
    for (const [runtime, command] of Object.entries(runtimes)) {
      await check(`${runtime}: schemas with ${name}`, () => runScript(command, folder, layoutProgram(layout)));
    }
  }
}

async function pack() {
  await run(["npm", "run", "build", "--silent"]);
  const { stdout } = await run(["npm", "pack", "--json", "--ignore-scripts", "--pack-destination", temporary]);
  const packed = JSON.parse(stdout);
  // An array in npm 10 and 11, a record by name in later ones.
  const [{ filename }] = Array.isArray(packed) ? packed : Object.values(packed);
  return join(temporary, filename);
}

function checkFiles() {
  const problems = findProblems(unpacked, manifest, root);
  if (problems.length > 0) throw new Error(problems.join("\n"));
}

async function checkBundles() {
  const external = Object.keys(manifest.peerDependencies);
  // Beside the sources' node_modules, so that both find the same dependencies.
  const problems = await findLargerBundles({ entries: sources, packed: root, root, external });
  if (problems.length > 0) throw new Error(problems.join("\n"));
}

/** Installs the tarball, and packages beside it, into an empty folder. */
async function install(folder, packages) {
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "consumer", private: true, type: "module" }));
  const flags = ["--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];
  await run(["npm", "install", ...flags, ...packages], folder);
  writeFileSync(join(folder, "index.ts"), typedConsumer(entries));
}

/** The snippets of README.md and docs/ with the installed package, one process for each runtime. */
async function checkSnippets() {
  const folder = join(consumer, "snippets");
  mkdirSync(folder);
  const { stdout } = await run([findBin("bun"), join(root, "tests/docs/write_snippets.ts"), folder]);
  const snippets = JSON.parse(stdout);
  linkPackages(consumer, snippets.flatMap(({ packages }) => packages));
  for (const [name, command] of Object.entries(runtimes)) {
    // Node 22 has no `using`, and warns of types in every file.
    if (name !== "node22") {
      await check(`${name}: ${snippets.length} snippets of the pages run`, () => runSnippets(command, snippets));
    }
  }
}

async function runSnippets(command, snippets) {
  const script = join(root, "tests/docs/run_examples.mjs");
  const { stdout } = await run([...command(script), ...snippets.map(({ file }) => pathToFileURL(file).href)], consumer);
  const results = Array.from(stdout.matchAll(/^::example (.*)$/gm), ([, json]) => JSON.parse(json));
  const failed = results.flatMap(({ error }, index) =>
    error === undefined ? [] : [`${snippets[index].place}: ${error}`]
  );
  if (failed.length > 0) throw new Error(failed.join("\n\n"));
  if (results.length < snippets.length || !stdout.includes("::end")) {
    throw new Error(`It ended in ${snippets[results.length]?.place}`);
  }
}

/** The tabs of the pages, each on its runtime, with the package installed by the command of its tab. */
async function checkTabs(tarball) {
  const { stdout: upstream } = await run(["npm", "config", "get", "registry"]);
  const { stdout: cache } = await run(["npm", "config", "get", "cache"]);
  const npm = await startRegistry([{ manifest, bytes: readFileSync(tarball) }], upstream.trim());
  const pages = findPages(root);
  const jsr = await startJsr(root, pages.flatMap(({ parts }) => entriesOf(parts)));
  const env = {
    ...childEnv(findNode(24)),
    npm_config_registry: npm.url,
    NPM_CONFIG_REGISTRY: npm.url,
    JSR_URL: jsr.url,
    npm_config_cache: cache.trim(),
    npm_config_prefer_offline: "true",
    npm_config_update_notifier: "false",
    // Not those of this user: the package of this tree has a version that is not published, and may be packed again.
    BUN_INSTALL_CACHE_DIR: join(temporary, "tabs-bun"),
    DENO_DIR: join(temporary, "tabs-deno"),
  };
  for (const [at, { file, parts }] of pages.entries()) {
    for (const runtime of runtimesOf(parts)) {
      const folder = join(temporary, `tabs-${at}-${runtime}`);
      await check(`${file}, the tabs of ${runtime}`, () => followPage({ parts, runtime, folder, env }));
    }
  }
  for (const { close } of [npm, jsr]) close();
}

/** A bundle of the installed package inside of workerd, as Wrangler makes one. */
async function runInWorkerd() {
  const folder = join(temporary, "workerd");
  mkdirSync(folder);
  const contents = `
    import { createClient, createServer, defineTool } from "toolwire";
    const add = defineTool("add").describe("Add two numbers").handle(({ a, b }) => a + b);
    const server = createServer({ tools: [add] });
    const client = createClient("http://localhost/mcp-lite/v1", { fetch: (url, init) => server.fetch(new Request(url, init)) });
    export default {
      async test() {
        if (await client.add({ a: 1, b: 2 }) !== 3) throw new Error("add");
      },
    };`;
  await bundleWorker({ contents, resolveDir: consumer }, join(folder, "test.js"));
  writeFileSync(
    join(folder, "config.capnp"),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "test", worker = (
  compatibilityDate = "2026-08-04",
  modules = [(name = "test.js", esModule = embed "test.js")],
))]);
`,
  );
  await run([findBin("workerd"), "test", "config.capnp"], folder);
}

/** dist/toolwire.js alone: from a file on its own, and over HTTP wherever a runtime imports such URLs. */
async function checkSingleFile() {
  const alone = join(temporary, "alone");
  mkdirSync(alone);
  const code = readFileSync(join(root, "dist/toolwire.js"));
  writeFileSync(join(alone, "toolwire.mjs"), code);
  for (const [name, command] of Object.entries(runtimes)) {
    await check(`${name}: toolwire.js alone, as a file`, () => runScript(command, alone, singleFile("./toolwire.mjs")));
  }
  const site = createServer(({ url }, response) => {
    const isCode = url === "/toolwire.js";
    response.writeHead(200, { "content-type": isCode ? "text/javascript" : "text/html" }).end(
      isCode ? code : "<!doctype html>",
    );
  });
  await new Promise((resolve) => site.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${site.address().port}`;
  await check("deno: toolwire.js over HTTP", () => runScript(deno, alone, singleFile(`${origin}/toolwire.js`)));
  await check("chromium: toolwire.js over HTTP", () => runInChromium(origin));
  console.log("     not possible: Node and Bun import no http: URLs");
  site.closeAllConnections();
  site.close();
}

async function runInChromium(origin) {
  const paths = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
  const executablePath = paths.find((path) => path !== undefined && existsSync(path));
  if (executablePath === undefined) throw new Error("There is no Chromium; set CHROMIUM to its path");
  const { chromium } = await import("playwright-core");
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
  try {
    const page = await browser.newPage();
    await page.goto(origin);
    const answer = await page.evaluate(`(async () => { ${singleFile("/toolwire.js", "")} return answer; })()`);
    if (answer !== "Hello, Ada!") throw new Error(`The page got ${JSON.stringify(answer)}`);
  } finally {
    await browser.close();
  }
}

async function runScript(command, folder, code, env) {
  const script = join(folder, "script.mjs");
  writeFileSync(script, code);
  const { stdout } = await run(command(script), folder, env);
  if (!stdout.endsWith("done\n")) throw new Error(`It did not run to its end: ${stdout}`);
}

async function runBin(command) {
  const { stdout } = await run([...command("node_modules/.bin/toolwire"), "--help"], consumer);
  if (!stdout.startsWith("Usage: toolwire <command>")) throw new Error(`It said: ${stdout}`);
}

async function check(name, body) {
  try {
    await body();
    passed++;
    console.log(`ok   ${name}`);
  } catch (thrown) {
    failed++;
    console.log(`FAIL ${name}\n${thrown.stdout ?? ""}${thrown.stderr ?? ""}${thrown.message}`);
  }
}

async function run([command, ...args], cwd = root, added = {}) {
  // Deno caches modules that it loads over HTTP; here the cache is deleted.
  const env = { ...childEnv(), DENO_DIR: join(temporary, "deno"), ...added };
  const running = execute(command, args, { cwd, env, timeout: 180_000, maxBuffer: 1 << 26 });
  running.child.stdin.end();
  return await running;
}
