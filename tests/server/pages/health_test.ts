import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool, mcpLite } from "../../../mod.ts";
import { bearer } from "../../../src/entries/auth.ts";
import { type HealthOptions, healthPage } from "../../../src/entries/health.ts";
import { KeptLog } from "../../core/dispatch/harness.ts";

const ping = defineTool("ping").describe("Ping").handle(() => "pong");

function serverWith(options?: HealthOptions) {
  const log = new KeptLog();
  const server = createServer({ tools: [ping], wires: [mcpLite(), healthPage(options)], logger: log });
  const ask = async (path: string, method = "GET") => {
    const response = await server.fetch(new Request(`http://localhost${path}`, { method }));
    return [response.status, await response.text()];
  };
  return { server, log, ask };
}

test("health() answers while the process lives, and readiness while calls are taken", async () => {
  const { server, ask } = serverWith();
  deepStrictEqual(await ask("/healthz"), [200, '{"status":"ok"}']);
  deepStrictEqual(await ask("/readyz"), [200, '{"status":"ok"}']);
  await server.close(0);
  deepStrictEqual(await ask("/healthz"), [200, '{"status":"ok"}']);
  deepStrictEqual(await ask("/readyz"), [503, '{"status":"unavailable"}']);
});

test("health() tells of the close at once, while calls still end", async () => {
  const gate = Promise.withResolvers<string>();
  const begun = Promise.withResolvers<void>();
  const server = createServer({
    tools: [
      defineTool("wait").describe("Wait").handle(() => {
        begun.resolve();
        return gate.promise;
      }),
    ],
    wires: [mcpLite(), healthPage()],
  });
  const calling = server.fetch(
    new Request("http://localhost/mcp-lite/v1/calltools", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}}',
    }),
  );
  await begun.promise;
  const closing = server.close(10_000);
  strictEqual((await server.fetch(new Request("http://localhost/readyz"))).status, 503);
  gate.resolve("done");
  strictEqual((await calling).status, 200);
  await closing;
});

test("health() is for everybody, where calls are not", async () => {
  const server = createServer({
    tools: [ping],
    wires: [mcpLite(), healthPage()],
    auth: bearer(() => undefined),
  });
  strictEqual((await server.fetch(new Request("http://localhost/readyz"))).status, 200);
});

test("health() asks whether what tools need is there, and logs what that throws", async () => {
  for (const isReady of [() => true, () => Promise.resolve(true)]) {
    strictEqual((await serverWith({ isReady }).ask("/readyz"))[0], 200);
  }
  strictEqual((await serverWith({ isReady: () => false }).ask("/readyz"))[0], 503);
  const { log, ask } = serverWith({ isReady: () => Promise.reject(new Error("no database")) });
  deepStrictEqual(await ask("/readyz"), [503, '{"status":"unavailable"}']);
  strictEqual(log.lines.length, 1);
  strictEqual((await ask("/healthz"))[0], 200);
});

test("health() answers GET and HEAD, is not kept, and takes other paths", async () => {
  const { server, ask } = serverWith({ path: "/live", ready: "/ready" });
  deepStrictEqual(await ask("/live", "HEAD"), [200, ""]);
  strictEqual((await ask("/ready", "POST"))[0], 405);
  strictEqual((await ask("/healthz"))[0], 404);
  const { headers } = await server.fetch(new Request("http://localhost/live"));
  strictEqual(headers.get("cache-control"), "no-store");
  ok(headers.get("content-type")?.startsWith("application/json"));
  throws(() => healthPage({ path: "/a", ready: "/a" }), TypeError);
});
