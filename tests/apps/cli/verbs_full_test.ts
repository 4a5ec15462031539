/** The same commands against each kind of server: the example over its wires, official servers, FastMCP. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { searchDocuments } from "../../../examples/library/tools.ts";
import { createClient, createServer, mcp, mcpLite } from "../../../mod.ts";
import { serve } from "../../../src/entries/serve.ts";
import { grpc } from "../../../src/entries/grpc.ts";
import { rest } from "../../../src/entries/rest.ts";
import { findNode, findProgram, root, testWith } from "../../serve/programs.ts";
import { temporaryFolder } from "../../temporary_folder.ts";
import { runInProcess } from "./in_process.ts";
import type { Ended } from "./run.ts";

/** What is asked of a server. */
interface Subject {
  /** What names it, and flags. */
  readonly target: readonly string[];
  readonly tool: string;
  readonly args: Readonly<Record<string, string | number>>;
  readonly answer: RegExp;
  /** URI of a resource, and its text. */
  readonly resource?: readonly [uri: string, text: RegExp];
}

class Verbs {
  readonly subject: Subject;
  readonly cwd: string;

  constructor(subject: Subject, cwd: string) {
    this.subject = subject;
    this.cwd = cwd;
  }

  run(verb: string, ...words: readonly string[]): Promise<Ended> {
    return runInProcess([verb, ...this.subject.target, ...words], { cwd: this.cwd });
  }

  async succeed(verb: string, ...words: readonly string[]): Promise<string> {
    const { code, out, errors } = await this.run(verb, ...words);
    strictEqual(code, 0, `${verb}: ${errors}${out}`);
    return out;
  }

  /** Runs a command that serves until Ctrl+C, and uses its URL. */
  async serving(args: readonly string[], use: (url: string) => Promise<void>): Promise<void> {
    const interruption = new AbortController();
    const started = Promise.withResolvers<string>();
    const ended = runInProcess(args, {
      cwd: this.cwd,
      interrupt: interruption.signal,
      onError: (text) => {
        const url = /http:\/\/127\.0\.0\.1:\d+\/mcp-lite\/v1/.exec(text)?.[0];
        if (url !== undefined) started.resolve(url);
      },
    });
    void ended.then(({ errors }) => started.reject(new Error(errors)));
    try {
      await use(await started.promise);
    } finally {
      interruption.abort();
    }
    const { code, errors } = await ended;
    strictEqual(code, 0, errors);
  }
}

async function walk(subject: Subject): Promise<void> {
  await using folder = await temporaryFolder();
  const verbs = new Verbs(subject, folder.path);
  await testReading(verbs);
  await testContract(verbs);
  await testRecording(verbs);
  const [url = "", ...flags] = subject.target;
  if (flags.includes("mcp")) await testDoctor(url);
}

async function testReading(verbs: Verbs): Promise<void> {
  const { tool, args, answer, resource } = verbs.subject;
  const names = JSON.parse(await verbs.succeed("list", "--json")).tools.map(({ name }: { name: string }) => name);
  ok(names.includes(tool), `${names}`);
  const words = Object.entries(args).map(([name, value]) => `${name}=${value}`);
  await Promise.all([
    verbs.succeed("call", tool, ...words).then((out) => match(out, answer)),
    resource && verbs.succeed("read", resource[0]).then((out) => match(out, resource[1])),
    verbs.run("call", `${tool}x`).then(({ code, errors }) => {
      deepStrictEqual([code, errors.includes(tool)], [5, true], errors);
    }),
  ]);
}

async function testContract(verbs: Verbs): Promise<void> {
  await verbs.succeed("types", "-o", "contract.ts");
  await verbs.succeed("types", "-o", "contract.ts", "--check");
  const list = join(verbs.cwd, "list.json");
  const text = await verbs.succeed("list", "--json");
  writeFileSync(list, text);
  const { target } = verbs.subject;
  const same = await runInProcess(["diff", "list.json", ...target], { cwd: verbs.cwd });
  deepStrictEqual([same.code, same.out], [0, ""], same.errors);
  writeFileSync(list, text.replaceAll(`"${verbs.subject.tool}"`, '"removed"'));
  const changed = await runInProcess(["diff", "list.json", ...target], { cwd: verbs.cwd });
  deepStrictEqual([changed.code, changed.out.includes("removed")], [1, true], changed.out);
}

async function testDoctor(url: string): Promise<void> {
  const { code, out } = await runInProcess(["doctor", url, "--json"]);
  deepStrictEqual([code, JSON.parse(out).ok], [0, true], out);
}

async function testRecording(verbs: Verbs): Promise<void> {
  const { target, tool, args } = verbs.subject;
  const call = async (url: string) => {
    const client = createClient(url);
    const answer = JSON.stringify(await client.$.call(tool, args));
    client.$.close();
    return answer;
  };
  let recorded = "";
  await verbs.serving(["record", ...target, "-o", "calls.ndjson"], async (url) => void (recorded = await call(url)));
  await verbs.serving(["replay", "calls.ndjson"], async (url) => strictEqual(await call(url), recorded));
  const again = await runInProcess(["replay", "calls.ndjson", "--against", ...target], { cwd: verbs.cwd });
  deepStrictEqual([again.code, again.out], [0, "1 same, 0 different, 0 skipped\n"], again.errors);
}

testWith("list, call, types, diff, doctor, record and replay: the example over its wires", [], async () => {
  const wires = [mcp(), mcpLite(), rest(), grpc()];
  const library = createServer({ name: "library", version: "1.0.0", tools: [searchDocuments], wires, logger: false });
  const running = await serve(library, { port: 0, graceMs: 0, grpc: { port: 0 } });
  try {
    const search = { tool: "search_documents", args: { query: "godfather", limit: 3 }, answer: /Godfather/i };
    const { url, grpcUrl = "" } = running;
    const targets = [
      ["mcp", `${url}/mcp`],
      ["mcp-lite", `${url}/mcp-lite/v1`],
      ["rest", `${url}/rest`],
      ["connect", url],
      ["grpc-web", url],
    ].map(([wire = "", at = ""]) => [at, "--wire", wire]);
    for (const target of [...targets, [grpcUrl.replace("http", "grpc")]]) await walk({ target, ...search });
  } finally {
    await running.close();
  }
}, 120_000);

testWith("list, call, read, types, diff, record and replay: the official server 2.4 over its pipes", [
  findProgram("bun"),
], async (bun) => {
  await walk({
    target: programOf(bun, join(root, "tests/wires/mcp/client/stdio_v2_program.ts")),
    tool: "greet",
    args: { name: "Ada" },
    answer: /Hello, Ada!/,
    resource: ["test://note", /A note/],
  });
}, 120_000);

testWith("list, call, read, types, diff, record and replay: server-everything over its pipes", [
  findNode(22),
], async (node) => {
  const program = join(root, "node_modules/@modelcontextprotocol/server-everything/dist/index.js");
  await walk({
    target: programOf(node, program, "stdio"),
    tool: "echo",
    args: { message: "Hi" },
    answer: /Echo: Hi/,
    resource: ["demo://resource/static/document/features.md", /^# /],
  });
}, 120_000);

/** A program as one word. */
function programOf(...words: readonly string[]): readonly string[] {
  return [`stdio:${words.map((word) => `'${word}'`).join(" ")}`];
}

const FASTMCP = join(root, ".cache/generators/fastmcp/bin/python");

testWith("list, call, read, types, diff, record and replay: FastMCP over its pipes", [
  existsSync(FASTMCP)
    ? { path: FASTMCP }
    : { missing: "FastMCP is not installed: run node scripts/install_generators.mjs" },
], async (python) => {
  await walk({
    // Python starts slowly on a busy machine.
    target: [...programOf(python, join(root, "tests/apps/cli/fastmcp_server.py")), "--timeout", "3m"],
    tool: "add",
    args: { a: 1, b: 2 },
    answer: /3/,
    resource: ["notes://today", /Nothing yet/],
  });
}, 600_000);
