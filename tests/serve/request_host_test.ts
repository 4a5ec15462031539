/** `fetch(request, env, ctx)` of Workers: the bindings in `ctx.env`, and work that continues after the response. */
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import {
  createClient,
  createServer,
  defineTool,
  mcpLite,
  mcpLiteTransport,
  memoryEngine,
  memoryTransport,
} from "../../mod.ts";
import { mcp, mcpTransport } from "../../src/entries/mcp.ts";
import { rest, restTransport } from "../../src/entries/rest.ts";
import { webtools, webtoolsTransport } from "../../src/entries/webtools.ts";

const ENV = { REGION: "west" };
const opened = Promise.withResolvers<void>();

const tools = [
  defineTool("region").describe("Name the region").handle((_, ctx) =>
    (ctx.env as Partial<typeof ENV> | undefined)?.REGION
  ),
  defineTool("later").describe("Work later").handle((_, ctx) => {
    ctx.waitUntil(Promise.resolve("written"));
    ctx.waitUntil(Promise.reject(new Error("disk full")));
    return "answered";
  }),
  defineTool("report").describe("Report").promise({ budgetMs: 1 }).handle(async () => {
    await opened.promise;
    return "done";
  }),
] as const;

function fixture() {
  const logged: unknown[] = [];
  const ignore = () => {};
  const logger = {
    debug: ignore,
    info: ignore,
    warn: ignore,
    error: (_message: string, fields?: object) => void logged.push((fields as { error: Error }).error.message),
  };
  const wires = [mcp(), mcpLite(), rest(), webtools({ name: "all", description: "All", version: "1.0.0" })];
  const engine = memoryEngine({ workEndsWithRequest: true });
  const server = createServer({ tools, wires, engine, logger });
  const works: Promise<unknown>[] = [];
  const context = {
    works,
    waitUntil(work: Promise<unknown>) {
      this.works.push(work);
    },
  };
  const http = { fetch: (url: string, init: RequestInit) => server.fetch(new Request(url, init), ENV, context) };
  return { server, logged, works, http };
}

const TRANSPORTS = {
  "MCP-lite": (http: ReturnType<typeof fixture>["http"]) => mcpLiteTransport("http://localhost/mcp-lite/v1", http),
  MCP: (http: ReturnType<typeof fixture>["http"]) => mcpTransport("http://localhost/mcp", http),
  REST: (http: ReturnType<typeof fixture>["http"]) => restTransport("http://localhost/rest", http),
  Webtools: (http: ReturnType<typeof fixture>["http"]) => webtoolsTransport("http://localhost/webtools/all", http),
};

for (const [name, connect] of Object.entries(TRANSPORTS)) {
  test(`${name}: ctx.env has the second argument of fetch, and ctx.waitUntil() uses the third`, async () => {
    const { http, works, logged } = fixture();
    const client = createClient<ReturnType<typeof fixture>["server"]>(connect(http));
    strictEqual(await client.region(), "west");
    strictEqual(await client.later(), "answered");
    strictEqual(works.length, 2);
    strictEqual(await works[0], "written");
    strictEqual(await works[1], undefined, "a rejection is logged, and does not reject the runtime's promise");
    deepStrictEqual(logged, ["disk full"]);
  });
}

test("without Workers ctx.env is undefined, and ctx.waitUntil() logs errors", async () => {
  const { server, logged } = fixture();
  const client = createClient<typeof server>(memoryTransport(server));
  strictEqual(await client.region(), undefined);
  strictEqual(await client.later(), "answered");
  deepStrictEqual(logged, ["disk full"]);
});

test("a promised job keeps the runtime waiting until it has ended", async () => {
  const { http, works, server } = fixture();
  const client = createClient<typeof server>(mcpLiteTransport("http://localhost/mcp-lite/v1", http));
  const outcome = await client.report.outcome();
  strictEqual(outcome.kind, "promise");
  strictEqual(works.length, 1);
  let isOver = false;
  void works[0]!.then(() => (isOver = true));
  await Promise.resolve();
  strictEqual(isOver, false);
  opened.resolve();
  await works[0];
  await server.close();
});
