/** The manifests of npm, Deno and JSR say the same, and the front door runs everywhere. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { VERSION } from "../../src/internal/version.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

interface JsrManifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly exports: Readonly<Record<string, string>>;
}
interface NpmManifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly type: string;
  readonly sideEffects: boolean;
  readonly dependencies: Readonly<Record<string, string>>;
}

const read = (name: string): unknown => JSON.parse(readFileSync(join(ROOT, name), "utf8"));
const npm = read("package.json") as NpmManifest;
const deno = read("deno.json") as JsrManifest;
const jsr = read("jsr.json") as JsrManifest;

test("package.json, deno.json and jsr.json agree on name, version and licence, and so does the code", () => {
  strictEqual(npm.name, "toolwire");
  deepStrictEqual([deno.name, jsr.name], ["@toolwire/toolwire", "@toolwire/toolwire"]);
  deepStrictEqual([deno.version, jsr.version], [npm.version, npm.version]);
  deepStrictEqual([deno.license, jsr.license], [npm.license, npm.license]);
  strictEqual(VERSION, npm.version);
  match(npm.version, /^\d+\.\d+\.\d+(-[\w.]+)?$/);
  strictEqual(npm.type, "module");
  // All modules have no effect until they are used.
  strictEqual(npm.sideEffects, false);
});

test("npm install toolwire brings at most 12 packages: others are in dist/", () => {
  const { packages } = read("package-lock.json") as {
    readonly packages: Readonly<Record<string, { readonly dependencies?: Readonly<Record<string, string>> }>>;
  };
  const installed = new Set(Object.keys(npm.dependencies));
  for (const name of installed) {
    const { dependencies } = packages[`node_modules/${name}`] ?? {};
    for (const other of Object.keys(dependencies ?? {})) installed.add(other);
  }
  ok(installed.size >= 5);
  ok(1 + installed.size <= 12, [...installed].join(", "));
});

/** What a bundle of an entry imports that is not in it. */
async function outsideOf(entry: string, platform: "neutral" | "browser"): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: [join(ROOT, entry)],
    bundle: true,
    write: false,
    metafile: true,
    platform,
    format: "esm",
    mainFields: ["module", "main"],
    conditions: ["import"],
    external: ["node:*", "bun:*"],
    logLevel: "silent",
  });
  return Object.values(metafile.outputs).flatMap(({ imports }) =>
    imports.filter(({ external }) => external).map(({ path }) => path)
  );
}

for (
  const entry of [
    ".",
    "./core",
    "./engines",
    "./keys",
    "./schema",
    "./testing",
    "./grpc",
    "./mcp",
    "./rest",
    "./agents",
    "./webmcp",
    "./apps",
    "./apps/view",
    "./oauth",
  ]
) {
  for (const platform of ["neutral", "browser"] as const) {
    test(`entry ${entry} bundles for ${platform} without a module of any runtime`, async () => {
      deepStrictEqual(await outsideOf(deno.exports[entry] ?? "", platform), []);
    });
  }
}

test("entry ./serve is known to import modules of node: the check above can fail", async () => {
  ok((await outsideOf(deno.exports["./serve"] ?? "", "neutral")).some((path) => path.startsWith("node:")));
});

/** The bundle of a module whose text is `contents`. */
async function bundleOf(contents: string) {
  return await build({
    stdin: { contents, resolveDir: ROOT, loader: "ts" },
    bundle: true,
    write: false,
    metafile: true,
    minify: true,
    platform: "browser",
    format: "esm",
    logLevel: "silent",
  });
}

async function textOf(contents: string): Promise<string> {
  return (await bundleOf(contents)).outputFiles.map(({ text }) => text).join("");
}

/** Files with bytes in the bundle of a module whose text is `contents`. */
async function filesIn(contents: string): Promise<string[]> {
  const { metafile } = await bundleOf(contents);
  const [output] = Object.values(metafile.outputs);
  return Object.entries(output?.inputs ?? {}).filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) =>
    path
  );
}

test("the client alone pulls in neither valibot nor the server", async () => {
  const files = await filesIn('import { createClient } from "./mod.ts"; console.log(createClient);');
  deepStrictEqual(
    files.filter((path) => /valibot|src\/(server|runtime|core\/(dispatch|tool|schema))\//.test(path)),
    [],
  );
});

/** Files that a program loads when it starts, by the rest that it loads on demand, of a module whose text is `contents`. */
async function startOf(contents: string): Promise<{ readonly start: string[]; readonly late: string[] }> {
  const { metafile: { outputs } } = await build({
    stdin: { contents, resolveDir: ROOT, loader: "ts" },
    bundle: true,
    splitting: true,
    outdir: ROOT,
    write: false,
    metafile: true,
    minify: true,
    platform: "browser",
    format: "esm",
    logLevel: "silent",
  });
  const first = Object.keys(outputs).find((name) => outputs[name]?.entryPoint === "<stdin>") ?? "";
  const names = new Set([first]);
  // The loop visits what is added to the set meanwhile.
  for (const name of names) {
    for (const { path, kind } of outputs[name]?.imports ?? []) if (kind === "import-statement") names.add(path);
  }
  const start: string[] = [];
  const late: string[] = [];
  for (const [name, { inputs }] of Object.entries(outputs)) {
    (names.has(name) ? start : late).push(...Object.keys(inputs));
  }
  return { start, late };
}

test("a client loads the parser of Server-Sent Events and the explanation of errors on demand, not when it starts", async () => {
  const { start, late } = await startOf('export { createClient } from "./mod.ts";');
  for (const file of ["src/http_client/sse.ts", "src/client/explain_error.ts"]) ok(late.includes(file), file);
  ok(late.some((file) => file.includes("eventsource-parser")));
  deepStrictEqual(start.filter((file) => /eventsource|explain|src\/(server|core\/(dispatch|token))\//.test(file)), []);
});

test("the front door loads the code of jobs on demand, not when it starts", async () => {
  const { start, late } = await startOf('export * from "./mod.ts";');
  for (const file of ["job_service.ts", "job_runner.ts", "jobs.ts", "redeem.ts", "wait_resolver.ts"]) {
    ok(late.includes(`src/jobs/promises/${file}`), file);
  }
  ok(start.includes("src/jobs/promises/with_promises.ts"));
});

/** Calls that need the code of jobs, each as the first of its server. */
const FIRST_CALLS = `
  import { createClient, createServer, defineTool, memoryEngine, memoryTransport } from "./mod.ts";
  const slow = defineTool("slow").describe("S").promise({ budgetMs: 1 }).handle(() => new Promise((end) => setTimeout(end, 5, "late")));
  const plain = defineTool("plain").describe("P").handle(() => "now");
  const clientOf = (...tools) => createClient(memoryTransport(createServer({ tools })));
  export const calls = {
    budget: () => clientOf(slow).$.call("slow"),
    start: async () => (await clientOf(slow).slow.start()).token.slice(0, 5),
    key: () => clientOf(plain).$.call("plain", {}, { idempotencyKey: "k" }),
    token: () => clientOf(slow, plain).$.call("redeem", { promise: "prom_x" }).catch(({ code }) => code),
    resolver: () => createServer({ tools: [slow] }).resolve("res_x", 1).catch(({ code }) => code),
    worker: async () => {
      const server = createServer({ tools: [plain] });
      await server.work().stop();
      await server.close();
      return "closed";
    },
    closed: async () => {
      const engine = memoryEngine();
      const { work } = engine;
      let workers = 0;
      engine.work = (...args) => (workers++, work.apply(engine, args));
      const server = createServer({ tools: [slow], engine });
      server.work();
      await server.close();
      await new Promise((resolve) => setTimeout(resolve, 20));
      return workers;
    },
  };`;

const ANSWERS = {
  budget: "late",
  start: "prom_",
  key: "now",
  token: "invalid_promise",
  resolver: "invalid_promise",
  worker: "closed",
  // A worker that started after the end would keep the process alive.
  closed: 0,
};

/** The bundle, built by the first test. */
let oneFile: Promise<string> | undefined;

for (const [name, answer] of Object.entries(ANSWERS)) {
  test(`in a bundle of one file the code of jobs is there for the first call: ${name}`, async () => {
    const text = await (oneFile ??= textOf(FIRST_CALLS));
    ok(!/import\("\./.test(text), "one file");
    // Another module for each test, in which no code has been loaded.
    const { calls } = await import(`data:text/javascript;base64,${Buffer.from(`${text}//${name}`).toString("base64")}`);
    strictEqual(await calls[name](), answer);
  });
}

/** A tool with a schema of valibot, from one of the two imports. */
const defineBy = (valibot: string) => `
  import * as v from "${valibot}";
  import { defineTool } from "./mod.ts";
  export const define = () => defineTool("t").input(v.object({ a: v.string() })).describe("T").handle(() => 1)["~definition"];`;

async function importOf(contents: string) {
  const text = await textOf(contents);
  return await import(`data:text/javascript;base64,${Buffer.from(text).toString("base64")}`);
}

for (const valibot of ["./src/entries/schema.ts", "valibot"]) {
  test(`a bundle takes schemas of ${valibot}, with compiled checks`, async () => {
    const { define } = await importOf(defineBy(valibot));
    deepStrictEqual(define().inputSchema.required, ["a"]);
    strictEqual(define().input.exact.accepts({ a: "x" }), true);
  });
}

test("the front door has the converter of valibot, and no library of schemas", async () => {
  const files = await filesIn('export * from "./mod.ts";');
  ok(files.some((file) => file.includes("@valibot/to-json-schema/")));
  deepStrictEqual(files.filter((file) => /node_modules\/(valibot|zod|arktype|effect|typebox)\//.test(file)), []);
});

test("the front door pulls in MCP, but neither protobuf nor Connect, nor the code of resources and prompts", async () => {
  const files = await filesIn('export * from "./mod.ts";');
  ok(files.includes("src/wires/mcp/http/server/mcp.ts"));
  deepStrictEqual(files.filter((path) => /@bufbuild|@connectrpc|wires\/grpc\/|core\/content/.test(path)), []);
});

const CORE_SERVER = `
  import { createServer, defineTool, mcpLite } from "./src/entries/core.ts";
  const tool = defineTool("t").describe("T").handle(() => 1);
  export const server = createServer({ tools: [tool], wires: [mcpLite()] });`;

/** Code that arrives with an engine, with keys, with an adapter of schemas, or with the front door. */
const BROUGHT = [
  /^src\/core\/(token|keys)\//,
  /^src\/jobs\/engines\//,
  /^node_modules\/@noble\//,
  /^src\/jobs\/promises\//,
  /^src\/core\/dispatch\/questions\//,
  /valibot/,
  /exact_check|check_writer/,
  /^src\/server\/option_rules|^src\/core\/tool\/definition_rules|^src\/core\/schema\/references/,
  /^src\/core\/dispatch\/run_config/,
  /^src\/server\/(origin_policy|base_path)/,
];

test("a core server with one tool has no byte of tokens, engines, promises, questions, valibot, compiled checks, config, rules of options and origins", async () => {
  const files = await filesIn(CORE_SERVER);
  ok(files.includes("src/core/dispatch/dispatcher.ts"));
  deepStrictEqual(files.filter((path) => BROUGHT.some((pattern) => pattern.test(path))), []);
});

/** Members of the code that stops runs at questions and waits, makes runs jobs, and starts workers. */
const MEMBERS_BROUGHT = /\.(bindKey|runKeyed|divergence|concurrency|middlewareDeadline|getPrompt)\b/g;

test("keys and engines, not a core server, have the steps of stopped runs and of jobs", async () => {
  const membersOf = async (contents: string) => new Set((await textOf(contents)).match(MEMBERS_BROUGHT));
  deepStrictEqual(await membersOf(CORE_SERVER), new Set());
  strictEqual((await membersOf('export * from "./mod.ts";')).size, 6);
});

test("the front door with ./schema has each of them: the check above can fail", async () => {
  const files = await filesIn('export * from "./mod.ts"; import "./src/entries/schema.ts";');
  for (const pattern of BROUGHT) ok(files.some((path) => pattern.test(path)), String(pattern));
});

for (
  const [name, code, pattern] of [
    ["an engine", 'export { memoryEngine } from "./src/entries/engines.ts";', BROUGHT[3]],
    ["keys", 'export { keyRing } from "./src/entries/keys.ts";', BROUGHT[4]],
    ["an adapter", 'export { compiledChecks } from "./src/entries/schema.ts";', BROUGHT[6]],
  ] as const
) {
  test(`${name} beside a core server brings its code`, async () => {
    const files = await filesIn(`${CORE_SERVER}\n${code}`);
    ok(files.some((path) => pattern?.test(path)));
  });
}

const SESSIONS = /^src\/wires\/mcp\/http\/sessions\//;

test("a server with mcp() has no byte of sessions, which arrive with mcpSessions()", async () => {
  const server = (options: string) => `
    import { createServer } from "./src/entries/core.ts";
    import { mcp, mcpSessions } from "./src/entries/mcp.ts";
    export const server = createServer({ tools: [], wires: [mcp(${options})] });`;
  const sessionFiles = async (options: string) =>
    (await filesIn(server(options))).filter((path) => SESSIONS.test(path));
  deepStrictEqual(await sessionFiles(""), []);
  ok((await sessionFiles("{ sessions: mcpSessions() }")).includes("src/wires/mcp/http/sessions/sse_transport.ts"));
});

const MCP_PARTS = /^src\/wires\/mcp\/server\/(tasks|legacy_tasks|content_handlers)\.ts$/;

test("a server with mcp() has no byte of tasks, resources and prompts, which arrive with values", async () => {
  const partsOf = async (code: string) => (await filesIn(code)).filter((path) => MCP_PARTS.test(path));
  const server = (options: string) => `
    import { createServer } from "./src/entries/core.ts";
    import { mcp, mcpCatalog, mcpTasks } from "./src/entries/mcp.ts";
    export const server = createServer({ tools: [], wires: [mcp(${options})] });`;
  deepStrictEqual(await partsOf(server("")), []);
  strictEqual((await partsOf(server("{ tasks: mcpTasks }"))).length, 2);
  strictEqual((await partsOf(server("{ catalog: mcpCatalog }"))).length, 1);
  strictEqual((await partsOf('export * from "./mod.ts";')).length, 3);
});
