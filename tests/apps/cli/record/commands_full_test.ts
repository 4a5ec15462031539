/** `toolwire record`, `replay` and `bench` as commands: files, servers on ports, comparisons, targets. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createClient, createServer, defineTool } from "../../../../mod.ts";
import { serve } from "../../../../src/entries/serve.ts";
import { runInProcess } from "../in_process.ts";
import { temporaryFolder } from "../../../temporary_folder.ts";

const LIMIT = { timeout: 60_000 };

/** Serves a server of the given version on a port until the callback has ended. */
async function withTarget(version: number, use: (url: string) => Promise<void>): Promise<void> {
  const server = createServer({
    name: "recorded",
    version: `${version}.0.0`,
    logger: false,
    tools: [
      defineTool("greet").describe("Greet").handle(({ name }) => `Hello, ${name}, from ${version}`),
      defineTool("echo").describe("Echo").handle((input) => input),
    ],
  });
  const listening = await serve(server, { port: 0, graceMs: 0 });
  try {
    await use(`${listening.url}/mcp`);
  } finally {
    await listening.close();
  }
}

/** Starts a command that serves until Ctrl+C, uses its URL, and returns what it has printed. */
async function serving(
  args: readonly string[],
  cwd: string,
  use: (url: string) => Promise<void>,
): Promise<{ readonly code: number | null; readonly errors: string }> {
  const interruption = new AbortController();
  const started = Promise.withResolvers<string>();
  const ended = runInProcess(args, {
    cwd,
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
  return await ended;
}

test("record writes a file that replay serves and compares; a changed server exits with 1", LIMIT, async () => {
  await using folder = await temporaryFolder();
  await withTarget(1, (one) => withTarget(2, (two) => recordAndReplay(one, two, folder.path)));
});

test("record that does not start changes no file", LIMIT, async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, "old.ndjson");
  writeFileSync(file, "old");
  await withTarget(1, async (url) => {
    const record = (...args: readonly string[]) =>
      runInProcess(["record", url, "--port", new URL(url).port, ...args], { cwd: folder.path });
    const replaced = await record("--out", file, "--force");
    deepStrictEqual([replaced.code, readFileSync(file, "utf8")], [1, "old"], replaced.errors);
    match(replaced.errors, /Cannot listen on port/);
    strictEqual((await record("--out", "new.ndjson")).code, 1);
    strictEqual(existsSync(join(folder.path, "new.ndjson")), false);
  });
});

async function recordAndReplay(one: string, two: string, cwd: string): Promise<void> {
  const recorded = await serving(["record", one, "--out", "calls/calls.ndjson"], cwd, async (url) => {
    const client = createClient(url);
    strictEqual(await client.$.call("greet", { name: "Ada" }), "Hello, Ada, from 1");
    await client.$.call("echo", { password: "hunter2-hunter2" });
    client.$.close();
  });
  deepStrictEqual([recorded.code, recorded.errors.split("\n").at(-2)], [0, "2 calls recorded in calls/calls.ndjson"]);
  const file = join(cwd, "calls/calls.ndjson");
  strictEqual(statSync(file).mode & 0o777, 0o600);
  strictEqual(statSync(join(cwd, "calls")).mode & 0o777, 0o700);
  ok(!readFileSync(file, "utf8").includes("hunter2"));
  match(recorded.errors, /greet mcp-lite answer [\d.]+ ms/);

  const exists = await runInProcess(["record", one, "--out", file], { cwd });
  deepStrictEqual([exists.code, /^The file .* exists/.test(exists.errors)], [2, true], exists.errors);

  const replayed = await serving(["replay", file], cwd, async (url) => {
    const client = createClient(url);
    strictEqual(await client.$.call("greet", { name: "Ada" }), "Hello, Ada, from 1");
    client.$.close();
  });
  strictEqual(replayed.code, 0, replayed.errors);

  const same = await runInProcess(["replay", file, "--against", one], { cwd });
  deepStrictEqual([same.code, same.out], [0, "1 same, 0 different, 1 skipped\n"], same.errors);
  match(same.errors, /call 2 of echo is skipped: its secrets are not in the recording/);
  const different = await runInProcess(["replay", file, "--against", two], { cwd });
  strictEqual(different.code, 1);
  match(
    different.out,
    /✕ call 1 of greet\n {2}\/value\n {4}recorded "Hello, Ada, from 1"\n {4}now {6}"Hello, Ada, from 2"\n/,
  );
  const json = await runInProcess(["replay", file, "--against", two, "--json"], { cwd });
  deepStrictEqual([json.code, JSON.parse(json.out).different], [1, 1]);
  const ignored = await runInProcess(["replay", file, "--against", two, "--ignore", "/value"], { cwd });
  strictEqual(ignored.code, 0);

  const listed = await runInProcess(["list", `record:${file}`], { cwd });
  deepStrictEqual([listed.code, /greet/.test(listed.out)], [0, true], listed.errors);
}

test("credentials of the flags are not in the file, though the server repeats them", LIMIT, async () => {
  await using folder = await temporaryFolder();
  const cwd = folder.path;
  const flags = ["--header", "x-api-key: plain-old-words", "--token", "another-plain-word"];
  await withTarget(1, async (one) => {
    await serving(["record", one, "-o", "calls.ndjson", ...flags], cwd, async (url) => {
      const client = createClient(url);
      await client.$.call("echo", { text: "plain-old-words and another-plain-word" });
      client.$.close();
    });
  });
  const text = readFileSync(join(cwd, "calls.ndjson"), "utf8");
  ok(text.includes("[redacted] and [redacted]"), text);
});

test("headers of a host's configuration are not in the file, though the server repeats them", LIMIT, async () => {
  await using folder = await temporaryFolder();
  const cwd = folder.path;
  await withTarget(1, async (url) => {
    const weather = { url, headers: { "x-tenant": "plain-old-words" } };
    writeFileSync(join(cwd, ".mcp.json"), JSON.stringify({ mcpServers: { weather } }));
    await serving(["record", "weather", "--trust-project", "-o", "calls.ndjson"], cwd, async (proxy) => {
      const client = createClient(proxy);
      await client.$.call("echo", { text: "you sent plain-old-words" });
      client.$.close();
    });
  });
  const text = readFileSync(join(cwd, "calls.ndjson"), "utf8");
  ok(text.includes("you sent [redacted]") && !text.includes("plain-old-words"), text);
});

test("wrong files, targets and options are refused with what to do", LIMIT, async () => {
  await using folder = await temporaryFolder();
  await withTarget(1, (one) => refuse(one, folder.path));
});

async function refuse(one: string, cwd: string): Promise<void> {
  writeFileSync(join(cwd, "other.txt"), "hello\n");
  for (
    const [args, code, words] of [
      [["replay", "gone.ndjson"], 2, /^Cannot read the recording \/.*gone\.ndjson/],
      [["replay", "other.txt"], 2, /^Cannot read other\.txt: Not a recording/],
      [["list", "record:gone.ndjson"], 2, /^Cannot read the recording/],
      [["record", one], 2, /The option --out needs a value|out/],
      [["record", "--out", "x"], 2, /^The target is missing/],
      [["replay", "other.txt", "--ignore", "value"], 2, /is not a JSON pointer such as \/value\/at/],
      [["record", one, "--out", "x", "--port", "70000"], 2, /"70000" is not the number of a port/],
      [["bench", one], 2, /^The tool is missing/],
      [["bench", one, "echo", "{"], 2, /^The argument is not JSON/],
      [["bench", one, "nope", "--calls", "1"], 5, /^Tool not found/],
      [["bench", one, "echo", "--calls", "0"], 2, /"0" is not a positive whole number/],
    ] as const
  ) {
    const ended = await runInProcess(args, { cwd });
    deepStrictEqual([ended.code, ended.out], [code, ""], `${args.join(" ")}: ${ended.errors}`);
    match(ended.errors, words, args.join(" "));
  }
}

test("bench prints figures and a plot, or one JSON object", LIMIT, () => withTarget(1, measure));

async function measure(one: string): Promise<void> {
  const args = ["bench", one, "greet", "name=Ada", "--calls", "200", "--connections", "4"];
  const plotted = await runInProcess(args, { columns: 40, env: { NO_COLOR: "1" } });
  strictEqual(plotted.code, 0, plotted.errors);
  match(plotted.out, /^[\d.]+ calls a second: 200 in [\d.]+ (?:m|µ)?s\n[^]*p95[^]*\n200 answer\n\n[^]*█/);
  const json = await runInProcess([...args, "--json"]);
  const { calls, wire, outcomes, latencyMs } = JSON.parse(json.out);
  deepStrictEqual([calls, wire, outcomes], [200, "mcp", { answer: 200 }]);
  ok(latencyMs.p50 <= latencyMs.p95 && latencyMs.p95 <= latencyMs.p99 && latencyMs.p99 <= latencyMs.max);
}
