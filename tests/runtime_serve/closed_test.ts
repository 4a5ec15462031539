import { rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool } from "../../mod.ts";
import { serve } from "../../src/runtime/serve.ts";

test("serve() refuses a server that was closed: it would only say that it shuts down", async () => {
  const server = createServer({ tools: [defineTool("t").describe("T").handle(() => "ok")] });
  strictEqual(server.isClosed, false);
  const listening = await serve(server, { port: 0 });
  await listening.close();
  await listening.closed;
  strictEqual(server.isClosed, true);
  await rejects(serve(server, { port: 0 }), { name: "TypeError", message: /create another one/ });
});
