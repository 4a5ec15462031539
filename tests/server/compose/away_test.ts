/** A server elsewhere that is down, or has something else in its place: errors say which server it is. */
import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool, mcpLite, mcpLiteTransport, type ToolError } from "../../../mod.ts";
import { gateway, group } from "../../../src/entries/compose.ts";
import { mcp, mcpTransport } from "../../../src/entries/mcp.ts";
import { keepingLogger } from "./scripted.ts";
import type { Transport } from "../../../src/entries/wire.ts";

type Answer = () => Promise<Response>;

const page = (status: number, headers: Readonly<Record<string, string>> = {}): Answer => () =>
  Promise.resolve(new Response("<html>", { status, headers: { "content-type": "text/html", ...headers } }));

const AWAY: Readonly<Record<string, Answer>> = {
  "is down": () => Promise.reject(new TypeError("ECONNREFUSED")),
  "is a page": page(200),
  "is a page that is not there": page(404),
  "is elsewhere": page(302, { location: "https://login.example" }),
  "is behind a proxy": page(502),
  "answers somebody else": () => Promise.resolve(Response.json({ jsonrpc: "2.0", id: 999, result: { content: 1 } })),
};

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

const WAYS: Readonly<Record<string, (fetch: Fetch) => Transport>> = {
  "MCP": (fetch) => mcpTransport("http://far.example/mcp", { fetch }),
  "MCP-lite": (fetch) => mcpLiteTransport("http://far.example/mcp-lite/v1", { fetch }),
};

const far = createServer({
  tools: [defineTool("total").describe("What is owed").handle(() => 12)],
  wires: [mcpLite(), mcp()],
});

for (const [what, answer] of Object.entries(AWAY)) {
  for (const [way, open] of Object.entries(WAYS)) {
    test(`gateway() says whose server ${what}, over ${way}`, async () => {
      await rejects(gateway("billing", open(answer)), (error: ToolError) => {
        strictEqual(error.code, "unavailable");
        match(error.message, /^Cannot list the server "billing": /);
        ok(error.cause instanceof Error);
        return true;
      });
    });

    test(`a call is told whose server ${what} by now, over ${way}, and when to try again`, async () => {
      let isAway = false;
      const remote = await gateway(
        "billing",
        open((url, init) => isAway ? answer() : far.fetch(new Request(url, init))),
      );
      const app = createServer({ tools: [], parts: [group("b", remote)] });
      isAway = true;
      const request = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "b_total" } };
      const response = await app.fetch(
        new Request("http://localhost/mcp-lite/v1/calltools", {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(request),
        }),
      );
      deepStrictEqual([response.status, response.headers.get("retry-after")], [503, "1"]);
      const { error } = await response.json();
      match(error.message, /^The server "billing" /);
      strictEqual(error.data.server, "billing");
      isAway = false;
      await app.close(0);
    });
  }
}

for (const [what, answer] of Object.entries(AWAY)) {
  test(`the gateway's logger is told once that the server ${what}, and the transport warns of nothing`, async () => {
    const logger = keepingLogger();
    const warnings: string[] = [];
    const warn = (line: string) => void warnings.push(line);
    const transport = mcpTransport("http://far.example/mcp", { fetch: answer, logger: { ...logger, warn } });
    await rejects(gateway("billing", transport, { logger }));
    await new Promise((resolve) => setTimeout(resolve));
    strictEqual(logger.lines.length, 1);
    match(logger.lines[0] ?? "", /Gateway "billing": cannot be used/);
    deepStrictEqual(warnings, []);
  });
}

test("what is closed while it finds out how to listen warns of nothing", async () => {
  const warnings: string[] = [];
  const asked = Promise.withResolvers<Response>();
  const transport = mcpTransport("http://far.example/mcp", {
    fetch: () => asked.promise,
    logger: { ...keepingLogger(), warn: (line) => void warnings.push(line) },
  });
  transport.onChange("tools", () => {});
  transport.close?.();
  asked.reject(new TypeError("ECONNREFUSED"));
  await new Promise((resolve) => setTimeout(resolve));
  deepStrictEqual(warnings, []);
});
