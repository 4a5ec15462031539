/** The program as a process: modules, pipes, signals, programs of other projects, and what it loads. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { build, type Metafile } from "esbuild";
import { findNode, findProgram, root, testWith } from "../../serve/programs.ts";
import { runtime } from "../../runtime/runtime.ts";
import { temporaryFolder } from "../../temporary_folder.ts";
import { commandOf, run, runWith, SLOW_STARTS } from "./run.ts";

const MODULE = "tests/apps/cli/tools_server.ts";
const LIMIT = { timeout: 120_000 };

test("a module's output is not that of the command", LIMIT, async () => {
  const { code, out, errors } = await run("call", MODULE, "noisy");
  deepStrictEqual({ code, out }, { code: 0, out: "red \u001b[31mtext\u0007\n" });
  match(errors, /this must not reach standard output/);
  strictEqual(JSON.parse((await run("call", MODULE, "noisy", "--json")).out).answer, "red \u001b[31mtext\u0007");
});

test("a module has every scope, unless the flags name some", { ...LIMIT, skip: SLOW_STARTS }, async () => {
  strictEqual((await run("call", MODULE, "secret")).out, "hidden\n");
  const other = await run("call", MODULE, "secret", "--scopes", "other", "--json");
  strictEqual(other.code, 3);
  strictEqual(JSON.parse(other.errors).error.code, "permission_denied");
});

/** A server without a logger, whose tool throws. */
const BROKEN = `import { createServer, defineTool } from ${
  JSON.stringify(new URL("../../../mod.ts", import.meta.url).href)
};
const broken = defineTool("broken").describe("Break").handle(() => { throw new Error("the reason"); });
export const server = createServer({ name: "broken", version: "1.0.0", tools: [broken] });
`;

test("with JSON output, standard error has one line of JSON when a handler throws", LIMIT, async () => {
  await using folder = await temporaryFolder();
  const module = join(folder.path, "broken.ts");
  writeFileSync(module, BROKEN);
  for (const flag of ["--json", "--ndjson"]) {
    const { code, out, errors } = await run("call", module, "broken", flag);
    deepStrictEqual([code, out, JSON.parse(errors).error.code], [5, "", "internal"], errors);
  }
  match((await run("call", module, "broken")).errors, /^Tool call broke[^]*at .*broken\.ts/);
});

test("a module's resources, prompts and completion; arguments of a pipe", { ...LIMIT, skip: SLOW_STARTS }, async () => {
  const { resources, resourceTemplates, prompts } = JSON.parse((await run("list", MODULE, "--json")).out);
  deepStrictEqual([resources?.length, resourceTemplates?.length, prompts?.length], [1, 1, 1]);
  strictEqual((await run("read", MODULE, "docs://guide")).out, "Read this.\n");
  match((await run("prompt", MODULE, "review", "code=x")).out, /Review this any: x/);
  strictEqual((await runWith({ input: '{"a":4}' }, "call", MODULE, "add", "--args", "-")).out, "4\n");
});

test("Ctrl+C ends a module's call with 130, and its handler is aborted", LIMIT, async () => {
  const ended = await runWith({ interruptAt: "step 1" }, "call", MODULE, "work", "steps=2000", "stepMs=100");
  deepStrictEqual([ended.code, ended.out], [130, ""], ended.errors);
  match(ended.errors, /aborted\n/);
  match(ended.errors, /Interrupted; the call is cancelled\n$/);
});

test("a reader of the pipe may leave early", {
  ...LIMIT,
  skip: runtime === "deno" && "a shell on the other runtimes is enough",
}, () => {
  const [file, ...args] = commandOf("call", MODULE, "count", "to=20000");
  const line = [file, ...args].map((word) => `'${word}'`).join(" ");
  const { stdout, stderr } = spawnSync("sh", ["-c", `${line} | head -n 2`], { cwd: root, encoding: "utf8" });
  deepStrictEqual([stdout, stderr], ["1\n2\n", ""]);
});

test("what a script writes after the command arrives", {
  ...LIMIT,
  skip: runtime === "deno" && "a shell on the other runtimes is enough",
}, () => {
  const line = commandOf("call", MODULE, "add", "a=4").map((word) => `'${word}'`).join(" ");
  // On Node the output is a socket that the shell shares: a command that ends it ends that of the shell, too.
  const { stdout, status } = spawnSync("sh", ["-c", `${line}; echo after`], { cwd: root, encoding: "utf8" });
  deepStrictEqual([stdout, status], ["4\nafter\n", 0]);
});

test("a slow reader of the pipe gets all of the output", LIMIT, async () => {
  const [file, ...args] = commandOf("call", MODULE, "count", "to=150000", "--json");
  const child = spawn(file, args, { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((resolve) => child.once("close", resolve));
  let out = "";
  for await (const text of child.stdout.setEncoding("utf8")) {
    out += text;
    // The pipe is full until the next read.
    if (out.length < 200_000) await new Promise((resolve) => setTimeout(resolve, 100));
  }
  strictEqual(await ended, 0);
  ok(out.length > 1_000_000, `${out.length} characters`);
  match(JSON.parse(out).answer, /^1\n2\n[^]*\n150000\n$/);
});

testWith(
  "official servers 2 and everything, over their pipes",
  [findProgram("bun"), findNode(22)],
  async (bun, node) => {
    const official = ["--", bun, join(root, "tests/wires/mcp/client/stdio_v2_program.ts")];
    const listed = JSON.parse((await run("list", "--json", ...official)).out);
    strictEqual(listed.wire, "stdio");
    ok(listed.tools.length > 3, "the official server lists its tools");

    const everything = [
      node,
      join(root, "node_modules/@modelcontextprotocol/server-everything/dist/index.js"),
      "stdio",
    ];
    const target = `stdio:${everything.map((word) => `'${word}'`).join(" ")}`;
    match((await run("list", target)).out, /^get-sum\(a: number, b: number\) => unknown$/m);
    const sum = await run("call", "get-sum", "a=1", "b=2", "--", ...everything);
    strictEqual(sum.out, "The sum of 1 and 2 is 3.\n", sum.errors);
    const long = await run("call", target, "trigger-long-running-operation", "duration=0.4", "steps=4", "--ndjson");
    const events = long.out.trim().split("\n").map((line) => JSON.parse(line));
    deepStrictEqual(events[0], { progress: { done: 1, total: 4 } });
    strictEqual(events.at(-1).outcome, "answer");
    const asked = await run("call", target, "trigger-elicitation-request", "--json");
    strictEqual(asked.code, 6, asked.errors);
    const resource = await run("read", target, "demo://resource/static/document/features.md");
    match(resource.out, /^# /);
    match((await run("prompt", target, "args-prompt", "city=Bern")).out, /Bern/);
    const refused = await run("call", target, "get-sum", "a=x", "b=2");
    strictEqual(refused.code, 5, refused.errors);
    const gone = await run("list", "--", "no-such-program");
    deepStrictEqual([gone.code, /no-such-program/.test(gone.errors)], [4, true], gone.errors);
  },
  120_000,
);

const FASTMCP = join(root, ".cache/generators/fastmcp/bin/python");

testWith("a server of FastMCP, over its pipes", [
  existsSync(FASTMCP)
    ? { path: FASTMCP }
    : { missing: "FastMCP is not installed: run node scripts/install_generators.mjs" },
], async (python) => {
  const target = ["--", python, join(root, "tests/apps/cli/fastmcp_server.py")];
  const [listed, typed, asked, refused] = await Promise.all([
    run("list", ...target),
    run("call", "page", "number=7", "--json", ...target),
    // It asks in sessions of older revisions alone.
    run("call", "ask", "--answer", "value=Ada", "--era", "legacy", "--json", ...target),
    run("call", "add", "a=x", ...target),
  ]);
  match(listed.out, /^\/\/ Add two numbers\nadd\(a: number, b\?: number\) => number$/m);
  match(listed.out, /^resource notes:\/\/today$/m);
  match(listed.out, /^prompt greet\(name: string\)$/m);
  // FastMCP's own program sends a nullable integer as text.
  deepStrictEqual(JSON.parse(typed.out).answer, "7 int", typed.errors);
  deepStrictEqual(JSON.parse(asked.out).answer, "Hello, Ada", asked.errors);
  strictEqual(refused.code, 5, refused.errors);
}, 120_000);

/** Modules that are loaded when a file is imported: those that its static imports reach. */
function reachedFrom(entry: string, { outputs }: Metafile): readonly string[] {
  const reached = new Set<string>();
  const visit = (file: string): void => {
    if (reached.has(file)) return;
    reached.add(file);
    for (const { path, kind } of outputs[file]?.imports ?? []) if (kind === "import-statement") visit(path);
  };
  const [start = ""] = Object.keys(outputs).filter((file) => outputs[file]?.entryPoint === entry);
  visit(start);
  return [...reached].flatMap((file) => outputs[file] === undefined ? [file] : Object.keys(outputs[file].inputs));
}

test(
  "the list of a module loads neither prompts, nor parsers of files, nor clients of other wires",
  LIMIT,
  async () => {
    const names = [
      "apps/cli/main",
      "apps/cli/commands/list",
      "apps/cli/targets/module",
      "apps/cli/commands/call",
      "src/entries/core",
    ];
    const entries = names.map((name) => `${name}.ts`);
    const { metafile } = await build({
      entryPoints: entries,
      bundle: true,
      splitting: true,
      format: "esm",
      platform: "node",
      packages: "external",
      outdir: "out",
      write: false,
      metafile: true,
      absWorkingDir: root,
    });
    const loaded = (name: string) => reachedFrom(`${name}.ts`, metafile);
    // A module that exports a server loads the core anyway.
    const core = new Set(loaded("src/entries/core"));
    const listing = new Set(names.slice(0, 3).flatMap(loaded).filter((file) => !core.has(file)));
    ok(listing.has("@stricli/core") && listing.size < 60, `${listing.size} modules`);
    const heavy =
      /clack|toml|jsonc|cfworker|eventsource|connectrpc|oauth|src\/wires\/(grpc|rest|webtools)|wires\/mcp\/(server|client)\//;
    deepStrictEqual([...listing].filter((file) => heavy.test(file)), []);
    deepStrictEqual(loaded("apps/cli/commands/call").filter((file) => /clack|toml|jsonc|connectrpc/.test(file)), []);
    // The check above can fail.
    ok(loaded("apps/cli/commands/call").some((file) => file.includes("cfworker")));
  },
);
