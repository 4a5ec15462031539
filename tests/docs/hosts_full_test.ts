/** The snippets of docs/mcp.md for hosts: each command is started, each URL called, as a host would. */
import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { createClient, createServer, defineTool } from "../../mod.ts";
import { serve } from "../../src/entries/serve.ts";
import * as v from "../../src/entries/schema.ts";
import { mcp, type McpTransport, mcpTransport } from "../../src/entries/mcp.ts";
import { stdioTransport } from "../../src/entries/stdio.ts";
import { installExample, installPackage } from "../examples/packages.ts";
import { findNode, findProgram, root, runProgram, testWith } from "../serve/programs.ts";
import { temporaryFolder } from "../temporary_folder.ts";
import { findCommands, findHostEntries, findTableCommands } from "./host_snippets.ts";

const markdown = readFileSync(join(root, "docs/mcp.md"), "utf8");
const entries = findHostEntries(markdown);
const programs = entries.flatMap((entry) => ("command" in entry ? [[entry.command, ...entry.args]] : []));
const urls = entries.flatMap((entry) => ("url" in entry ? [entry.url] : []));
const table = findTableCommands(markdown);
const typed = findCommands(markdown);

/** What the texts stand for. */
const FOLDER = "/srv/math";
const ORIGIN = "http://127.0.0.1:8000";

const SERVER = `
import { createServer, defineTool } from "toolwire";
import * as v from "toolwire/schema";
const add = defineTool("add")
  .describe("Add two numbers")
  .input(v.object({ a: v.number(), b: v.number() }))
  .output(v.number())
  .handle(({ a, b }) => a + b);
export const server = createServer({ name: "math", version: "1.0.0", tools: [add] });
`;

/** The program of the section on stdio, with the server above. */
const MAIN = `
import { serveStdio } from "toolwire/stdio";
import { server } from "./server.ts";
await serveStdio(server);
`;

test("docs/mcp.md has a snippet for each host, and nothing in them is a surprise", () => {
  strictEqual(entries.length, 13);
  deepStrictEqual([...new Set(urls)], [`${ORIGIN}/mcp`]);
  const known = table.map((words) => words.join(" "));
  strictEqual(known.length, 4);
  for (const words of programs) ok(known.includes(words.join(" ")), words.join(" "));
  for (const words of typed) {
    const end = words.indexOf("--");
    if (end === -1) strictEqual(words.at(-1), `${ORIGIN}/mcp`);
    else ok(known.includes(words.slice(end + 1).join(" ")), words.join(" "));
  }
});

test("findHostEntries() refuses what is no JSON, and servers without a way to them", () => {
  throws(() => findHostEntries('```json\n{ "mcpServers": { } , }\n```'), SyntaxError);
  throws(() => findHostEntries('```json\n{ "servers": { "a": { "uri": "x" } } }\n```'), /line 1, a has neither/);
});

testWith(
  "each command lists the tools and calls one, started from elsewhere, and so does what toolwire install writes",
  [findNode(24), findProgram("bun"), findProgram("deno"), findProgram("tsc")],
  async (node, bun, deno, compiler) => {
    await using project = await temporaryFolder();
    await installMath(project.path, compiler);
    const env = { PATH: [dirname(node), join(root, "node_modules/.bin"), process.env["PATH"]].join(delimiter) };
    for (const words of table) {
      const [command = "", ...args] = words.map((word) => word.replaceAll(FOLDER, project.path));
      // Hosts of today greet with `initialize`; asking for the era first would only wait for a program that is slow to start.
      const transport = stdioTransport(command, args, { cwd: "/", env, era: "legacy", stderr: "ignore" });
      await use(transport, words.join(" "));
    }
    for (const runtime of [[node], [bun], [deno, "run", "-A", "--quiet"]]) {
      const { command, args } = await installInHost(runtime, project.path);
      ok([command, ...args].filter((word) => word.includes("/")).every((word) => word.startsWith("/")), args.join(" "));
      const transport = stdioTransport(command, args, { cwd: "/", env: { PATH: "" }, era: "legacy", stderr: "ignore" });
      await use(transport, [command, ...args].join(" "));
    }
  },
  120_000,
);

/** Runs `toolwire install` with a runtime, and returns the entry that it wrote. */
async function installInHost(runtime: readonly string[], folder: string) {
  await using home = await temporaryFolder();
  const env = { HOME: home.path, XDG_CONFIG_HOME: home.path, APPDATA: home.path };
  const program = join(folder, "node_modules/toolwire/dist/apps/cli/main.js");
  const words = [...runtime, program, "install", "claude-desktop", "server.ts", "--json"];
  const { code, stdout, stderr } = await runProgram(words, { cwd: folder, env, withinMs: 60_000 });
  strictEqual(code, 0, stderr);
  const { file, name } = JSON.parse(stdout) as { readonly file: string; readonly name: string };
  strictEqual(name, "math");
  ok(file.startsWith(home.path), file);
  const { mcpServers } = JSON.parse(readFileSync(file, "utf8")) as {
    readonly mcpServers: Readonly<Record<string, { readonly command: string; readonly args: readonly string[] }>>;
  };
  const entry = mcpServers[name];
  ok(entry);
  return entry;
}

testWith("each URL lists the tools and calls one, in both eras", [findProgram("bun")], async () => {
  const add = defineTool("add").describe("Add two numbers").input(v.object({ a: v.number(), b: v.number() }))
    .handle(({ a, b }) => a + b);
  const running = await serve(createServer({ tools: [add], wires: [mcp()] }), { port: 0 });
  try {
    for (const url of urls) {
      for (const era of ["modern", "legacy"] as const) {
        await use(mcpTransport(url.replace(ORIGIN, running.url), { era }), `${url}, ${era}`);
      }
    }
  } finally {
    await running.close();
  }
});

testWith(
  "the MCP Inspector's commands list the tools",
  [findNode(24), findProgram("tsc"), inspectorPackage()],
  async (node, compiler, inspector) => {
    await using project = await temporaryFolder();
    await installMath(project.path, compiler);
    const add = defineTool("add").describe("Add").handle(() => 3);
    const running = await serve(createServer({ tools: [add], wires: [mcp()] }), { port: 0 });
    const commands = typed.filter(([, name]) => name === "@modelcontextprotocol/inspector");
    strictEqual(commands.length, 2);
    const env = { PATH: [dirname(node), process.env["PATH"]].join(delimiter) };
    for (const [, , ...words] of commands) {
      const args = words.map((word) => word.replaceAll(FOLDER, project.path).replace(ORIGIN, running.url));
      const { code, stdout, stderr } = await runProgram([node, inspector, ...args], {
        cwd: "/",
        env,
        withinMs: 60_000,
      });
      strictEqual(code, 0, stderr);
      deepStrictEqual(JSON.parse(stdout).tools.map(({ name }: { name: string }) => name), ["add"]);
    }
    await running.close();
  },
  120_000,
);

async function installMath(folder: string, compiler: string): Promise<void> {
  await installPackage(folder, compiler);
  const files = {
    "package.json": JSON.stringify({ type: "module", dependencies: { toolwire: "0.1.0" } }),
    "deno.json": JSON.stringify({ nodeModulesDir: "manual" }),
    "server.ts": SERVER,
    "main.ts": MAIN,
  };
  for (const [file, text] of Object.entries(files)) await writeFile(join(folder, file), text);
}

async function use(transport: McpTransport, what: string): Promise<void> {
  const client = createClient(transport);
  try {
    deepStrictEqual((await client.$.list()).map(({ name }) => name), ["add"], what);
    strictEqual(await client.$.call("add", { a: 1, b: 2 }), 3, what);
  } finally {
    client.$.close();
  }
}

function inspectorPackage() {
  const missing = process.versions["bun"] === undefined ? "not looked for" : installExample("mcp");
  const path = join(root, "examples/mcp/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js");
  return missing === undefined ? { path } : { missing };
}
