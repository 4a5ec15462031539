// Packs the npm package and uses it as a stranger would: `node scripts/check_package.mjs`. Installs the tarball into a fresh
// project, loads every entry and does a round trip on each runtime, type-checks a consumer, and loads the single file by URL.
import { execFile } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { childEnv, findBin, findNode, root } from "./runtimes.mjs";

const execute = promisify(execFile);
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const entries = Object.keys(manifest.exports).filter((entry) => entry !== "./package.json").map((entry) =>
  `toolwire${entry.slice(1)}`
);
const temporary = mkdtempSync(join(tmpdir(), "toolwire-package-"));
const consumer = join(temporary, "consumer");

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

for (const entry of ${JSON.stringify(entries)}) {
  // These two entries export types only.
  const hasValues = !["toolwire/wire", "toolwire/types"].includes(entry);
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

const CONSUMER = `
import { type Client, createClient, createServer, defineTool, memoryTransport } from "toolwire";
import * as v from "toolwire/schema";
${entries.map((entry, index) => `import * as entry${index} from "${entry}";`).join("\n")}

const add = defineTool("add")
  .describe("Add two numbers")
  .input(v.object({ a: v.number(), b: v.optional(v.number(), 1) }))
  .output(v.number())
  .handle(({ a, b }) => a + b);
const server = createServer({ name: "math", version: "1.0.0", tools: [add] });
export const client: Client<typeof server> = createClient<typeof server>(memoryTransport(server));
export const sum: number = await client.add({ a: 1 });
// @ts-expect-error: a is a number
export const wrong: Promise<number> = client.add({ a: "1" });
// @ts-expect-error: there is no such tool
export const unknown: unknown = client.subtract;
export const entries: readonly object[] = [${entries.map((_, index) => `entry${index}`).join(", ")}];
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
  await check("the tarball holds what it says, and nothing else", () => checkFiles(tarball));
  await check("publint --strict", () => run([findBin("publint"), "run", tarball, "--strict"]));
  await check("install into a fresh project", () => install(tarball));
  for (const [name, command] of Object.entries(runtimes)) {
    await check(
      `${name}: every entry loads, and a tool is defined, served and called`,
      () => runScript(command, consumer, ROUND_TRIP),
    );
  }
  for (const [name, command] of Object.entries(runtimes)) {
    await check(`${name}: the command says how it is used`, () => runBin(command));
  }
  for (const resolution of ["nodenext", "bundler"]) {
    await check(`a consumer type-checks (${resolution}, skipLibCheck off)`, () => typeCheck(resolution));
  }
  await check("a consumer type-checks in Deno", () => run([findBin("deno"), "check", "--quiet", "index.ts"], consumer));
  await checkSingleFile();
}

async function pack() {
  await run(["npm", "run", "build", "--silent"]);
  const { stdout } = await run(["npm", "pack", "--json", "--ignore-scripts", "--pack-destination", temporary]);
  const packed = JSON.parse(stdout);
  // An array in npm 10 and 11, a record by name in later ones.
  const [{ filename }] = Array.isArray(packed) ? packed : Object.values(packed);
  return join(temporary, filename);
}

async function checkFiles(tarball) {
  const unpacked = join(temporary, "unpacked");
  mkdirSync(unpacked);
  await run(["tar", "-xzf", tarball, "-C", unpacked]);
  const files = readdirSync(join(unpacked, "package"), { recursive: true })
    .filter((file) => statSync(join(unpacked, "package", file)).isFile());
  const problems = manifest.files
    .filter((name) => !files.some((file) => file === name || file.startsWith(`${name}/`)))
    .map((name) => `missing: ${name}`);
  for (const file of files) {
    if (/(^|\/)(tests?|bench|examples|node_modules|\.cache|scripts)\/|_test\./.test(file)) {
      problems.push(`does not belong: ${file}`);
    }
    if (readFileSync(join(unpacked, "package", file), "utf8").includes(root)) {
      problems.push(`names a path of this machine: ${file}`);
    }
  }
  if (problems.length > 0) throw new Error(problems.join("\n"));
}

async function install(tarball) {
  mkdirSync(consumer);
  writeFileSync(join(consumer, "package.json"), JSON.stringify({ name: "consumer", private: true, type: "module" }));
  // What ./otel needs beside the package, and names at once; what the engines need they load when they are made.
  const peer = `@opentelemetry/api@${manifest.devDependencies["@opentelemetry/api"]}`;
  await run(
    ["npm", "install", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error", tarball, peer],
    consumer,
  );
  writeFileSync(join(consumer, "index.ts"), CONSUMER);
}

async function typeCheck(resolution) {
  const options = {
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    noEmit: true,
    target: "es2023",
    lib: ["ESNext", "DOM", "DOM.Iterable"],
    module: resolution === "bundler" ? "esnext" : "nodenext",
    moduleResolution: resolution,
    types: [],
  };
  const project = join(consumer, `tsconfig.${resolution}.json`);
  writeFileSync(project, JSON.stringify({ compilerOptions: options, include: ["index.ts"] }));
  await run([findBin("tsc"), "-p", project], consumer);
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

async function runScript(command, folder, code) {
  const script = join(folder, "script.mjs");
  writeFileSync(script, code);
  const { stdout } = await run(command(script), folder);
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

async function run([command, ...args], cwd = root) {
  // Deno caches modules that it loads over HTTP; here the cache is deleted.
  const env = { ...childEnv(), DENO_DIR: join(temporary, "deno") };
  const running = execute(command, args, { cwd, env, timeout: 180_000, maxBuffer: 1 << 26 });
  running.child.stdin.end();
  return await running;
}
