import { rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool } from "../../mod.ts";
import { serve } from "../../src/entries/serve.ts";

test("serve() refuses a server that was closed: it would only say that it shuts down", async () => {
  const server = createServer({ tools: [defineTool("t").describe("T").handle(() => "ok")] });
  strictEqual(server.isClosed, false);
  const listening = await serve(server, { port: 0 });
  await listening.close();
  await listening.closed;
  strictEqual(server.isClosed, true);
  await rejects(serve(server, { port: 0 }), { name: "TypeError", message: /create another one/ });
});

test("serve() refuses signals that there are not before it listens", async () => {
  const server = createServer({ tools: [] });
  for (const signals of [["SIGFOO"], ["SIGTERM", "sigint"], "SIGTERM", [""]]) {
    await rejects(serve(server, { port: 0, signals: signals as never }), {
      name: "TypeError",
      message: /signals must be an array of "SIGINT" and "SIGTERM", not/,
    });
  }
  await (await serve(server, { port: 0, signals: ["SIGINT", "SIGTERM"] })).close();
});
