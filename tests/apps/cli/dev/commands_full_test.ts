/** `toolwire dev`, `doctor`, `record` and `replay` as programs on each runtime: one session, with reloads and a broken module. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "../../../../mod.ts";
import {
  command,
  type Program,
  root,
  runProgram,
  type Runtime,
  runtimes,
  startProgram,
  testWith,
} from "../../../serve/programs.ts";
import { temporaryFolder } from "../../../temporary_folder.ts";

const mod = new URL("../../../../mod.ts", import.meta.url).href;
const schema = new URL("../../../../src/entries/schema.ts", import.meta.url).href;

const SERVER = `import { createServer, defineTool } from ${JSON.stringify(mod)};
import * as v from ${JSON.stringify(schema)};
import { word } from "./word.ts";
console.log("the module is loaded");
export const server = createServer({
  name: "reloaded",
  version: "1.0.0",
  tools: [
    defineTool("say").describe("Say").handle(() => word),
    defineTool("crash").describe("Break").handle(() => { throw new Error("the reason"); }),
    defineTool("ask").describe("Ask").handle(async (_, ctx) => {
      const { action } = await ctx.elicit("name", { message: "Who?", schema: v.object({ name: v.string() }) });
      return action;
    }),
  ],
});
`;

/** Calls a tool of a program. The program may be restarting. */
async function say(url: string): Promise<unknown> {
  const client = createClient(url, { retry: { attempts: 0 } });
  try {
    return await client.$.call("say");
  } finally {
    client.$.close();
  }
}

for (const runtime of runtimes) {
  testWith(`dev, doctor, record and replay on ${runtime.name}`, [runtime.program], async (path) => {
    await using folder = await temporaryFolder();
    const cwd = folder.path;
    writeFileSync(join(cwd, "server.ts"), SERVER);
    writeWord(cwd, '"one"');
    const toolwire = (...args: readonly string[]) => command(runtime, path, join(root, "apps/cli/main.ts"), ...args);
    const start = (...args: readonly string[]) => startProgram(toolwire(...args), { cwd });
    const run = (...args: readonly string[]) => runProgram(toolwire(...args), { cwd, withinMs: 60_000 });

    const wrong = await run("dev", "./server.ts", "--port", "0", "--wires", "mcplite");
    deepStrictEqual([wrong.code, wrong.stdout], [2, ""], wrong.stderr);
    match(wrong.stderr, /There is no wire "mcplite": did you mean "mcp-lite"\?\n--wires takes mcp, /);

    await using dev = await start("dev", "./server.ts", "--port", "0", "--wires", "mcp-lite,mcp");
    const url = `${dev.url}/mcp-lite/v1`;
    await dev.printed(/tools +say, crash, ask/);
    strictEqual(await say(url), "one");
    await testReloads(dev, url, cwd, runtime);

    const [examined] = await Promise.all([
      run("doctor", `${dev.url}/mcp`, "--json"),
      testRecording(start, run, url, cwd),
    ]);
    const { ok: isFine, steps } = JSON.parse(examined.stdout);
    deepStrictEqual([examined.code, isFine, steps.length], [0, true, 10], examined.stdout);

    dev.signal("SIGINT");
    strictEqual(await dev.exited, 0, dev.output());
    const refused = await run("doctor", url);
    strictEqual(refused.code, 4, refused.stdout);
    match(refused.stdout, /✕ tcp {8}Port \d+ is closed/);
  }, 120_000);
}

function writeWord(cwd: string, word: string): void {
  writeFileSync(join(cwd, "word.ts"), `export const word = ${word};\n`);
}

async function testReloads(dev: Program, url: string, cwd: string, { name }: Runtime): Promise<void> {
  const client = createClient(url);
  const asked = await client.$.outcome("ask");
  await client.$.call("crash").catch(({ message }: Error) => ok(!message.includes("the reason"), message));
  await dev.printed(/Error: the reason\n +at .*server\.ts/);
  await dev.printed(/ crash mcp-lite error internal [\d.]+ ms/);
  await saveUntilReloaded(dev, cwd, '"two"');
  strictEqual(await say(url), "two");
  // The question was signed before the reload.
  const meta = {
    continuation: (asked as { readonly continuation: string }).continuation,
    responses: { name: { action: "accept", content: { name: "Ada" } } },
  };
  strictEqual(await client.$.call("ask", {}, { meta }), "accept");
  client.$.close();
  writeWord(cwd, ";");
  await dev.printed(/✕ Cannot load \.\/server\.ts[^]*word\.ts:1[^]*→ Mend it and save/);
  await saveUntilReloaded(dev, cwd, '"three"');
  await untilQuiet(dev);
  await untilSays(url, "three");
  if (name === "bun") await testMissing(dev, url, cwd);
  ok(!/Restarting|Watcher|Change detected/.test(dev.output()), `${name}: ${dev.output()}`);
}

/** Bun's own watcher does not see a module that comes back. */
async function testMissing(dev: Program, url: string, cwd: string): Promise<void> {
  const before = dev.output().length;
  renameSync(join(cwd, "server.ts"), join(cwd, "away.txt"));
  await dev.printed(/Cannot load \.\/server\.ts: there is no file/);
  renameSync(join(cwd, "away.txt"), join(cwd, "server.ts"));
  for (let looks = 0; looks < 500 && !dev.output().slice(before).includes("Reloaded: 3 tools"); looks++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  ok(dev.output().slice(before).includes("Reloaded: 3 tools"), dev.output());
  await untilQuiet(dev);
  await untilSays(url, "three");
}

/** Saves again if the watcher has missed it: some do while they start a program. */
async function saveUntilReloaded(dev: Program, cwd: string, word: string): Promise<void> {
  const before = dev.output().length;
  for (let saves = 0; saves < 6; saves++) {
    writeWord(cwd, word);
    for (let looks = 0; looks < 250; looks++) {
      if (dev.output().slice(before).includes("Reloaded: 3 tools")) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  throw new Error(`The module is not reloaded:\n${dev.output()}`);
}

/** Waits for an answer: a busy machine may still restart the program. */
async function untilSays(url: string, word: string): Promise<void> {
  let said: unknown;
  for (let looks = 0; looks < 500 && said !== word; looks++) {
    if (looks > 0) await new Promise((resolve) => setTimeout(resolve, 20));
    said = await say(url).catch(String);
  }
  strictEqual(said, word);
}

/** Waits until a program has printed nothing for a while: a watcher may restart it twice for one save. */
async function untilQuiet(program: Program): Promise<void> {
  for (let before = ""; before !== program.output();) {
    before = program.output();
    await new Promise((resolve) => setTimeout(resolve, 1_500));
  }
}

type Start = (...args: readonly string[]) => Promise<Program>;
type Run = (...args: readonly string[]) => ReturnType<typeof runProgram>;

async function testRecording(start: Start, run: Run, target: string, cwd: string): Promise<void> {
  await using recorder = await start("record", target, "--out", "calls.ndjson");
  strictEqual(await say(`${recorder.url}/mcp-lite/v1`), "three");
  recorder.signal("SIGINT");
  strictEqual(await recorder.exited, 0, recorder.output());
  match(
    readFileSync(join(cwd, "calls.ndjson"), "utf8"),
    /^\{"toolwire":"record".*\n.*"tool":"say".*\n.*"value":"three"/,
  );
  const compared = await run("replay", "calls.ndjson", "--against", target);
  deepStrictEqual([compared.code, compared.stdout], [0, "1 same, 0 different, 0 skipped\n"], compared.stderr);
  await using replay = await start("replay", "calls.ndjson");
  strictEqual(await say(`${replay.url}/mcp-lite/v1`), "three");
}
