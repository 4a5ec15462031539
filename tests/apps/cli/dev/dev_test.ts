/** `toolwire dev`, without its processes: the server for development, lines of watchers, errors of loading. */
import { deepStrictEqual, match, ok, rejects, strictEqual, throws } from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { createServer as createSocket } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { createServer, defineTool, mcpLite } from "../../../../mod.ts";
import { consolePage } from "../../../../src/entries/console.ts";
import { createServer as createCore } from "../../../../src/entries/core.ts";
import * as v from "../../../../src/entries/schema.ts";
import { hasOwnKey, toDevServer } from "../../../../apps/cli/dev/dev_server.ts";
import { awaitChange } from "../../../../apps/cli/dev/failed_module.ts";
import { formatLoadError } from "../../../../apps/cli/dev/load_error.ts";
import { decodeDevEvent, encodeDevEvent } from "../../../../apps/cli/dev/messages.ts";
import { pickPort } from "../../../../apps/cli/dev/pick_port.ts";
import { isEndOfProgram, isOwnLine } from "../../../../apps/cli/dev/watcher.ts";
import { assertSameCopy } from "../../../../apps/cli/targets/same_copy.ts";
import { discover } from "../../../../src/entries/discovery.ts";
import { FakeClock, testClient } from "../../../../src/entries/testing.ts";
import { temporaryFolder } from "../../../temporary_folder.ts";

const KEYS = "dev:a secret of at least thirty-two bytes";

function forDev(server: Parameters<typeof toDevServer>[0], wires?: readonly string[]) {
  const lines: string[] = [];
  const write = (line: string): void => void lines.push(line);
  return { server: toDevServer(server, { keys: KEYS, wires, colors: false, write }), lines };
}

const ask = defineTool("ask").describe("Ask").handle(async (_, ctx) => {
  const { action } = await ctx.elicit("name", { message: "Who?", schema: v.object({ name: v.string() }) });
  return action;
});
const crash = defineTool("crash").describe("Break").handle(() => {
  throw new Error("the database is down");
});

test("a server for development writes a line for each call, and errors of handlers with their stack", async () => {
  const { server, lines } = forDev(createServer({ name: "demo", version: "2.0.0", tools: [ask, crash] }));
  deepStrictEqual([server.info.name, server.info.version, server.wires], ["demo", "2.0.0", ["mcp", "mcp-lite"]]);
  await rejects(testClient(server).$.call("crash"), { code: "internal", message: /^Internal error, correlation id/ });
  const log = lines.join("\n");
  match(log, /Error: the database is down\n\s+at /);
  match(log, / crash memory error internal [\d.]+ ms docs\/errors\.md#internal$/);
});

test("a server for development has the console, with its key, unless it mounts a console itself", async () => {
  const options = { keys: KEYS, wires: undefined, colors: false, write: () => {}, consoleKey: "a key" };
  const server = toDevServer(createServer({ tools: [ask] }), options);
  deepStrictEqual(server.wires, ["mcp", "mcp-lite", "console"]);
  const hello = (key: string, of = server) => {
    const headers = { "x-toolwire-console": "1", "x-toolwire-console-key": key };
    return of.fetch(new Request("http://localhost/console/api/hello", { method: "POST", headers }));
  };
  deepStrictEqual([(await hello("a key")).status, (await hello("another")).status], [200, 403]);
  const own = createServer({ tools: [ask], wires: [mcpLite(), consolePage()] });
  const keyed = toDevServer(own, options);
  deepStrictEqual([keyed.wires, hasOwnKey(own)], [["mcp-lite", "console"], false]);
  deepStrictEqual([(await hello("a key", keyed)).status, (await hello("another", keyed)).status], [200, 403]);
  const chosen = createServer({ tools: [ask], wires: [consolePage({ key: "chosen" })] });
  ok(hasOwnKey(chosen));
  deepStrictEqual((await hello("chosen", toDevServer(chosen, options))).status, 200);
});

test("a question that was asked before a reload can be answered after it", async () => {
  const create = () => forDev(createServer({ tools: [ask] })).server;
  const outcome = await testClient(create()).$.outcome("ask");
  ok("continuation" in outcome);
  const again = await testClient(create()).$.outcome("ask", {}, {
    meta: {
      continuation: outcome.continuation,
      responses: { name: { action: "accept", content: { name: "Ada" } } },
    },
  });
  deepStrictEqual({ kind: again.kind, value: (again as { value?: unknown }).value }, {
    kind: "answer",
    value: "accept",
  });
});

test("a promise of before a reload is lost with the memory engine, and its token is known to be one of this server", async () => {
  const report = defineTool("report").describe("Report").promise().handle(() => "done");
  const create = () => testClient(forDev(createServer({ tools: [report] })).server);
  const { token } = await create().$.start("report");
  await rejects(create().$.redeem(token).result(), { code: "promise_lost" });
});

test("keys of the module are used; a server without engine gets none", async () => {
  const own = "own:another secret of thirty-two bytes";
  const outcome = await testClient(forDev(createServer({ tools: [ask], keys: own })).server).$.outcome("ask");
  const elsewhere = testClient(createServer({ tools: [ask], keys: own }));
  const meta = {
    continuation: (outcome as { continuation: string }).continuation,
    responses: { name: { action: "decline" } },
  };
  strictEqual(await elsewhere.$.call("ask", {}, { meta }), "decline");
  const { server: core, lines } = forDev(createCore({ tools: [ask] }));
  await rejects(testClient(core).$.call("ask"), { code: "internal" });
  ok(lines.length > 0);
});

test("a logger of the module is kept, and calls get their lines", async () => {
  const own: string[] = [];
  const write = (message: string): void => void own.push(message);
  const logger = { debug: write, info: write, warn: write, error: write };
  const { server, lines } = forDev(createServer({ tools: [crash], logger }));
  await testClient(server).$.call("crash").catch(() => {});
  deepStrictEqual(own, ["Tool call broke"]);
  match(lines.join("\n"), /^\S+ crash memory error internal [\d.]+ ms docs\/errors\.md#internal$/);
});

test("wires can be chosen: those of the module keep their options, others have defaults; a wrong name is explained", () => {
  const module = createServer({ tools: [ask], wires: [mcpLite({ path: "/lite" })] });
  const paths = (wires?: readonly string[]) =>
    forDev(module, wires).server["~server"].host.mounted.map(({ wire, paths: [first] }) => `${wire} ${first}`);
  ok(paths()[0]?.startsWith("mcp-lite /lite"), String(paths()[0]));
  const chosen = paths(["mcp", "mcp-lite", "rest", "connect", "openapi", "health"]);
  deepStrictEqual(chosen.map((path) => path.split(" ")[0]), [
    "mcp",
    "mcp-lite",
    "rest",
    "connect",
    "openapi",
    "health",
  ]);
  ok(chosen[1]?.includes("/lite"), String(chosen[1]));
  throws(() => forDev(module, ["mcplite"]), { message: 'There is no wire "mcplite": did you mean "mcp-lite"?' });
});

test("changes that the module announces reach clients of the server for development", async () => {
  const module = createServer({ tools: [ask] });
  const { server } = forDev(module);
  const seen: string[] = [];
  server["~server"].host.changes.subscribe((change) => void seen.push(change.kind));
  module.notify.listChanged("tools");
  await Promise.resolve();
  deepStrictEqual(seen, ["list-changed"]);
});

test("lines of watchers are recognised, with their styles; other output is not", () => {
  for (
    const line of [
      "Change detected in '/tmp/dep.ts'",
      "Restarting 'apps/cli/main.ts dev-child'",
      "Completed running 'apps/cli/main.ts'. Waiting for file changes before restarting...",
      "\u001b[0m\u001b[38;5;12mWatcher\u001b[0m Process started.",
      '\u001b[0m\u001b[38;5;12mWatcher\u001b[0m \u001b[0m\u001b[38;5;245mRestarting! File change detected: "/tmp/dep.ts"\u001b[0m',
    ]
  ) {
    ok(isOwnLine(line), line);
  }
  for (const line of ["module loads", "Restarting the job", "Watchers: 3", ""]) ok(!isOwnLine(line), line);
  ok(isEndOfProgram("Failed running 'apps/cli/main.ts'. Waiting for file changes before restarting..."));
  ok(!isEndOfProgram("Restarting 'apps/cli/main.ts'"));
});

test("events survive their way as lines, and other output is not taken for one", () => {
  const event = { kind: "failed", message: "Cannot\nload", detail: "a\u2028b", startedMs: 0 } as const;
  deepStrictEqual(decodeDevEvent(encodeDevEvent(event)), event);
  ok(!encodeDevEvent(event).includes("\n"));
  for (const line of ["", "@toolwire/dev", "@toolwire/dev {", "@toolwire/dev 1", '{"kind":"closed"}']) {
    strictEqual(decodeDevEvent(line), undefined, line);
  }
});

test("an error of loading has its place, without frames of the program and control characters", () => {
  const parser = { message: "Unexpected ;", position: { file: "/a/b.ts", line: 3, column: 5, lineText: "let = ;" } };
  strictEqual(formatLoadError(parser), "/a/b.ts:3:5\nlet = ;\n    ^\nUnexpected ;");
  const thrown = new Error("boom \u001b[2J", { cause: new Error("the reason") });
  thrown.stack =
    `Error: boom \u001b[2J\n    at file:///a/b.ts:1:1\n    at async importModule (file:///t/module.ts:1:1)\n    at async x`;
  const text = formatLoadError(thrown);
  match(text, /file:\/\/\/a\/b\.ts:1:1/);
  match(text, /the reason/);
  ok(!text.includes("\u001b") && !text.includes("importModule"), text);
  match(formatLoadError(new AggregateError([parser, new Error("second")])), /Unexpected ;\nError: second/);
});

test("a port in use is refused if it was asked for", async () => {
  const socket = createSocket();
  await new Promise<void>((resolve) => socket.listen(0, "127.0.0.1", resolve));
  const { port } = socket.address() as AddressInfo;
  await rejects(pickPort(port), { message: new RegExp(`^Port ${port} is not free: `) });
  socket.close();
  ok(await pickPort(undefined) > 0);
});

test("a server of another copy of Toolwire is refused, with what to run; servers of this copy are not", async () => {
  const view = createServer({ tools: [ask], discovery: discover() });
  for (const server of [createServer({ tools: [ask] }), createCore({ tools: [] }), view]) {
    await assertSameCopy(server, "x.ts");
  }
  const other = { "~server": { host: { dispatch: new (class Dispatcher {})() } } };
  await rejects(assertSameCopy(other as never, "x.ts"), {
    message: "Cannot load x.ts: its server is made by another copy of Toolwire than this program",
    exitCode: 2,
  });
});

test("a module that came back before the wait began is loaded again, and other files are no change", async () => {
  await using folder = await temporaryFolder();
  const changes: string[] = [];
  writeFileSync(join(folder.path, "jobs.db"), "1");
  const startedMs = Date.now() - 60_000;
  const clock = new FakeClock();
  const awaitOne = (file: string) => awaitChange(folder.path, startedMs, () => changes.push(file), clock);
  const end = awaitOne("other");
  clock.tick(500);
  end();
  deepStrictEqual(changes, []);
  writeFileSync(join(folder.path, "server.ts"), "1");
  const endOfWait = awaitOne("server.ts");
  clock.tick(499);
  deepStrictEqual(changes, []);
  clock.tick(1);
  deepStrictEqual(changes, ["server.ts"]);
  endOfWait();
});
