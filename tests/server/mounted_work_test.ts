/** Servers take up due jobs and schedules by being served, without a request; those that are only imported take none. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { test } from "node:test";
import { createServer, defineTool, type Logger, memoryEngine } from "../../mod.ts";
import { every } from "../../src/entries/schedules.ts";
import type { Engine } from "../../src/entries/engines.ts";
import { FakeClock, testClient } from "../../src/entries/testing.ts";
import { toNodeHandler } from "../../src/runtime/node_handler.ts";

const KEYS = "k1:a secret that all replicas of this test have";
const isWorker = globalThis.navigator?.userAgent === "Cloudflare-Workers";

/** A job in an engine that outlives its server, and servers that could run it. */
async function waitingJob() {
  const engine: Engine = Object.assign({ ...memoryEngine(), close: () => {} }, { processId: undefined });
  const ran = Promise.withResolvers<void>();
  const runs: string[] = [];
  const report = defineTool("report").describe("Report").promise({ budgetMs: 10 }).handle(() => {
    runs.push("run");
    ran.resolve();
  });
  const lines: string[] = [];
  const note = (message: string): void => void lines.push(message);
  const logger: Logger = { debug() {}, info: note, warn: note, error: note };
  const create = (options: object = {}) => createServer({ tools: [report], engine, keys: KEYS, logger, ...options });
  const first = create({ work: false });
  await testClient(first).report.start();
  await first.close(0);
  return { create, ran: ran.promise, runs, lines, report };
}

/** Lets everything happen that does not wait for time. */
async function turns(): Promise<void> {
  for (let n = 0; n < 20; n++) await new Promise((resolve) => setTimeout(resolve, 0));
}

if (!isWorker) {
  test("server.fetch that is read, as Deno.serve(server.fetch) does, has due jobs run", async () => {
    const { create, ran } = await waitingJob();
    const server = create();
    ok({ fetch: server.fetch });
    await ran;
    await server.close(0);
  });

  test("a server that is created only, and one whose tools are listed and called, take no due job", async () => {
    const { create, runs } = await waitingJob();
    const server = create({ tools: [defineTool("ping").describe("Answer").handle(() => "pong")] });
    create();
    strictEqual(server.tools.length, 1);
    await turns();
    deepStrictEqual(runs, []);
  });

  test("a listener with toNodeHandler() has due jobs run before its first request", async () => {
    const { create, ran } = await waitingJob();
    const server = create();
    const http = createHttpServer(toNodeHandler(server)).listen(0, "127.0.0.1");
    await once(http, "listening");
    await ran;
    http.close();
    await server.close(0);
  });

  test("a module that starts its own worker has that one only", async () => {
    const { create, ran } = await waitingJob();
    const started: number[] = [];
    const base: Engine = Object.assign({ ...memoryEngine(), close: () => {} }, { processId: undefined });
    const engine = Object.assign(base, {
      work: ((work) => (run, options) => {
        started.push(options.concurrency);
        return work(run, options);
      })(base.work) as Engine["work"],
    });
    const server = create({ engine });
    ok(server.fetch);
    server.work({ concurrency: 3 });
    await turns();
    deepStrictEqual(started, [3]);
    await server.close(0);
    const other = create();
    other.work();
    await ran;
    await other.close(0);
  });
}

test("schedules begin when a server is mounted", async () => {
  const clock = new FakeClock();
  const runs: number[] = [];
  const tick = defineTool("tick").describe("Tick").promise().handle(() => void runs.push(clock.now()));
  const server = createServer({ tools: [tick], clock, schedules: [every("1h", tick, {})], logger: false });
  await clock.advance(3_600_000);
  deepStrictEqual(runs, []);
  ok(server.fetch);
  await clock.advance(3_600_000);
  await clock.advance(0);
  strictEqual(runs.length, 1);
  await server.close(0);
});

test("a server with work that nothing serves says so after its start, once", async () => {
  const clock = new FakeClock();
  const lines: string[] = [];
  const logger: Logger = { debug() {}, info() {}, warn: (line) => void lines.push(line), error() {} };
  const tick = defineTool("tick").describe("Tick").promise().handle(() => "done");
  const create = (options: object = {}) => createServer({ tools: [tick], clock, logger, ...options });
  const schedules = [every("1h", tick, {})];
  const forgotten = create({ schedules });
  const working = create({ schedules });
  working.work();
  create();
  await clock.advance(60_000);
  strictEqual(lines.length, 1);
  match(lines[0] ?? "", /no worker.*server\.work\(\)/);
  await Promise.all([forgotten.close(0), working.close(0)]);
});

test("a server with the option work: false says that it runs no jobs", async () => {
  const { create, lines, runs } = await waitingJob();
  const server = create({ work: false });
  server["~server"].resume();
  server["~server"].resume();
  await turns();
  strictEqual(lines.filter((line) => /work: false/.test(line)).length, 1);
  deepStrictEqual(runs, []);
  await server.close(0);
});
