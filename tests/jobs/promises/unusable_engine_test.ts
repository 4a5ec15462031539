/** An engine that can never work, as without an optional package: the log says so at the start, and calls are refused at once. */
import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool, type Logger, memoryEngine } from "../../../mod.ts";
import type { Engine } from "../../../src/entries/engines.ts";
import { MissingPackageError } from "../../../src/jobs/engines/store_errors.ts";
import { testClient } from "../../../src/entries/testing.ts";

test("a missing package is logged when the server is created, and promised work is unavailable at once", async () => {
  const lines: string[] = [];
  const runs: string[] = [];
  const note = (_: string, { error }: { readonly error?: unknown } = {}) => void lines.push(String(error));
  const logger: Logger = { debug() {}, info() {}, warn: note, error: note };
  const missing = new MissingPackageError("Cannot use the bullmq engine: run npm install bullmq ioredis");
  const engine: Engine = { ...memoryEngine(), prepare: () => Promise.reject(missing) };
  const report = defineTool("report").describe("Report").promise().handle(() => void runs.push("report"));
  const ping = defineTool("ping").describe("Answer").handle(() => "pong");
  const server = createServer({ tools: [report, ping], engine, logger });
  await new Promise((resolve) => setTimeout(resolve, 0));
  strictEqual(lines.length, 1);
  match(lines[0] ?? "", /npm install bullmq ioredis/);
  const client = testClient(server, { retry: { attempts: 0 } });
  const codes: unknown[] = [];
  for (const call of [() => client.report(), () => client.report.start()]) {
    await call().catch(({ code }: { code: unknown }) => codes.push(code));
  }
  deepStrictEqual(codes, ["unavailable", "unavailable"]);
  deepStrictEqual(runs, []);
  strictEqual(await client.ping(), "pong");
  await server.close(0);
});

test("a run under way when the engine proves unusable ends at its budget", async () => {
  const prepared = Promise.withResolvers<void>();
  const fail = () => {
    throw new MissingPackageError("No package");
  };
  const engine: Engine = { ...memoryEngine(), prepare: () => prepared.promise, insert: fail };
  const hang = defineTool("hang").describe("Hang").promise({ budgetMs: 20 }).handle(() => new Promise(() => {}));
  const server = createServer({ tools: [hang], engine, logger: false });
  const call = testClient(server, { retry: { attempts: 0 } }).hang();
  prepared.reject(new MissingPackageError("No package"));
  strictEqual(await call.catch(({ code }: { code: unknown }) => code), "unavailable");
  await server.close(0);
});
