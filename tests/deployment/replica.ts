/**
 * One of several replicas: `replica.ts <name> <port> <folder>`, with `TOOLWIRE_KEYS` in its environment. Its tools wait for files
 * in the folder, so that tests decide when something happens; its name is its version, which is in every answer.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { createServer, defineTool, mcpLite } from "../../mod.ts";
import { sqliteEngine } from "../../src/entries/engines/sqlite.ts";
import { keysFromEnv, serve } from "../../src/entries/serve.ts";
import * as v from "../../src/entries/schema.ts";
import { grpc } from "../../src/entries/grpc.ts";
import { healthPage } from "../../src/entries/health.ts";
import { mcp } from "../../src/entries/mcp.ts";

const [, , name = "", port = "0", folder = ""] = process.argv;
const LOOK_MS = 20;
const file = v.object({ file: v.string() });

const isThere = (file: string): boolean => existsSync(join(folder, file));

/** Checks the signal, too: a handler without an end would keep the process alive. */
async function untilThere(file: string, signal: AbortSignal): Promise<void> {
  while (!isThere(file)) {
    signal.throwIfAborted();
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

const ping = defineTool("ping").describe("Say which replica this is").annotate({ readOnlyHint: true }).handle(() =>
  name
);

const twoPieces = defineTool("two_pieces").describe("Say one thing, and another once a file is there").input(file)
  .handle(async function* ({ file }, ctx) {
    yield "one";
    await untilThere(file, ctx.signal);
    yield "two";
  });

const work = defineTool("work").describe("End once a file is there").input(file).output(v.string())
  .promise({ budgetMs: 50 })
  .handle(async ({ file }, ctx) => {
    await untilThere(file, ctx.signal);
    return `begun by ${name}`;
  });

const order = defineTool("order").describe("Work that goes on elsewhere, until a file is there").input(file).output(
  v.string(),
)
  .external({
    start: ({ file }) => ({ file, by: name }),
    check: ({ file, by }, ctx) => isThere(file) ? `begun by ${by}` : ctx.pending({ retryAfterMs: 50 }),
  });

const server = createServer({
  name: "replica",
  version: name,
  tools: [ping, twoPieces, work, order],
  wires: [mcpLite(), mcp(), grpc(), healthPage()],
  keys: keysFromEnv(),
  engine: sqliteEngine(join(folder, "jobs.db")),
  logger: console,
});
// The work waits for a test, so that no grace is long enough for it: what still runs is handed over.
const options = { port: Number(port), grpc: { port: 0 }, signals: ["SIGTERM"], graceMs: 500 } as const;
const { url, grpcUrl } = await serve(server, options);
console.log(`Replica ${name} on ${url} and gRPC on ${grpcUrl}.`);

/** What clients of any replica are typed by. */
export type ReplicaServer = typeof server;
