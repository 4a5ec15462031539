/** One of several replicas whose work is done by Temporal: `replica.ts <address of Temporal>`. Keeps nothing. */
import { createRequire } from "node:module";
import process from "node:process";
import * as v from "../../../src/entries/schema.ts";
import { createServer, defineTool, mcpLite } from "../../../mod.ts";
import { temporal, type TemporalClient } from "../../../src/entries/temporal.ts";
import { serve } from "../../../src/entries/serve.ts";
import { mcp } from "../../../src/entries/mcp.ts";
import { rest } from "../../../src/entries/rest.ts";

const require = createRequire(new URL("../../../.cache/temporal/package.json", import.meta.url));
const { Client, Connection } = require("@temporalio/client") as {
  readonly Client: new (options: { connection: unknown }) => TemporalClient;
  readonly Connection: { lazy(options: { address: string }): unknown };
};

const [, , address = ""] = process.argv;
const client = new Client({ connection: Connection.lazy({ address }) });
const id = v.object({ id: v.string() });
const common = { client, taskQueue: "tests", workflowId: (input: { id: string }) => input.id, retryAfterMs: 50 };
// A busy machine takes longer than the default.
const patient = { queryTimeoutMs: 20_000, requestTimeoutMs: 20_000 };

const render = defineTool("render").describe("Ask, and render")
  .input(v.object({ id: v.string(), frames: v.number() })).output(v.string())
  .external(
    temporal({
      ...common,
      ...patient,
      workflow: "render",
      args: (input: { id: string; frames: number }) => [input.frames],
    }),
  );

const order = defineTool("order").describe("Order something").input(
  v.object({ id: v.string(), sku: v.string(), count: v.number() }),
)
  .output(v.string()).errors({ not_approved: null })
  .external(temporal({
    ...common,
    ...patient,
    workflow: "order",
    args: ({ sku, count }: { id: string; sku: string; count: number }) => [sku, count],
  }));

const waiting = defineTool("waiting").describe("Wait for a signal").input(id).output(v.string())
  .external(temporal({ ...common, ...patient, workflow: "waiting", query: false }));

const short = defineTool("short").describe("Wait for a second").input(id).output(v.string())
  .external(
    temporal({ ...common, ...patient, workflow: "waiting", startOptions: { workflowExecutionTimeout: 1_000 } }),
  );

const failing = defineTool("failing").describe("Fail").input(
  v.object({ id: v.string(), type: v.string(), detail: v.unknown() }),
)
  .errors({ sold_out: v.object({ left: v.number() }) })
  .external(temporal({ ...common, ...patient, workflow: "failing" }));

const idle = defineTool("idle").describe("Wait for a worker that does not come").input(id).output(v.string())
  .external(temporal({ ...common, ...patient, workflow: "waiting", taskQueue: "without_worker", queryTimeoutMs: 50 }));

const hasty = defineTool("hasty").describe("Do not wait for Temporal's server").input(id).output(v.string())
  .external(temporal({ ...common, workflow: "waiting", requestTimeoutMs: 100 }));

const server = createServer({
  name: "temporal_replica",
  tools: [render, order, waiting, short, failing, idle, hasty],
  wires: [mcpLite(), mcp(), rest()],
  keys: "k1:a secret that all of the replicas know",
  // Secrets of masked errors stay out of the output of tests.
  logger: { debug() {}, info() {}, warn() {}, error() {} },
});

const { url } = await serve(server, { port: 0, graceMs: 0 });
console.log(url);

/** The type of a replica, for typed clients. */
export type TemporalReplica = typeof server;
