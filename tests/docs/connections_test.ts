/** docs/connections.md: a test proves each row of its tables. */
import { existsSync } from "node:fs";
import { test } from "node:test";
import { createServer, defineTool } from "../../mod.ts";
import { mcp } from "../../src/entries/mcp.ts";
import { runtime } from "../runtime/runtime.ts";
import { checkProofs, type Proofs } from "./proofs.ts";

const skip = !existsSync(new URL("../../docs/connections.md", import.meta.url));

const CALLS: Proofs = {
  "of a tool with [`.promise()`](promises.md), after its budget": [
    ["tests/testing/conversations_test.ts", "a token outlives the replica that gave it"],
    ["tests/wires/kept_pieces_test.ts", "a stream continues over the promise that its call became"],
  ],
  "with an [idempotency key](promises.md#idempotency-keys)": [
    ["tests/core/dispatch/keys/keyed_calls_test.ts", "a caller that leaves does not abort a keyed call"],
  ],
  "any other": [["tests/wires/suite_test.ts", "aborts a call with the caller's own reason, and the handler with it"]],
};

const WIRES: Proofs = {
  "MCP 2026-07-28": [
    ["tests/hostile/requests/mcp_test.ts", "who leaves a stream ends the call"],
    ["tests/wires/mcp/client/modern_test.ts", "a stream that breaks off is no answer, and not resumed in this era"],
    ["tests/wires/mcp/client/official_sessions_test.ts", "a stream of changes that breaks off is asked for again"],
  ],
  "MCP 2025-11-25, 2025-06-18, 2025-03-26 with [`mcpSessions()`](mcp.md#sessions)": [
    ["tests/wires/mcp/server/sessions_test.ts", "a stream that broke off is resumed at its last event"],
  ],
  "the same without sessions": [
    ["tests/docs/connections_test.ts", "without sessions a call of an older revision ends with its connection"],
  ],
  "MCP 2024-11-05, `ssePath`": [
    ["tests/wires/mcp/server/endpoints_test.ts", "a client that closes its stream ends its session"],
  ],
  "stdio": [
    ["tests/wires/mcp/stdio/stdio_full_test.ts", "what is under way when the input ends is answered"],
    ["tests/wires/mcp/client/stdio_full_test.ts", "a server program that ended is started again"],
  ],
  "MCP-lite, REST": [
    ["tests/wires/suite_test.ts", "aborts the handler when the reader leaves the loop"],
    ["tests/wires/rest/files_test.ts", "a reader that cancels a stream aborts its handler"],
  ],
  "WebSocket": [
    ["tests/wires/websocket/messages_test.ts", "the calls of a socket that is lost are aborted"],
  ],
  "gRPC, Connect, gRPC-Web": [
    ["tests/wires/grpc/server_test.ts", "a reader that leaves before the first message aborts the handler"],
    ["tests/hostile/servers/grpc_test.ts", "grpcTransport() reconnects after a lost connection"],
  ],
};

const CLIENT: Proofs = {
  "a call whose repetition does no harm": [["tests/client/retry_test.ts", "a call is made again when its tool says"]],
  "a promise, while it is redeemed": [
    [
      "tests/client/retry_test.ts",
      "a promise is asked for with more patience than a call, and its token is in the refusal",
    ],
  ],
  "a stream of a promised tool": [["tests/wires/kept_pieces_test.ts", "and has every piece once"]],
  "a stream of an MCP session": [
    ["tests/wires/mcp/client/legacy_test.ts", "a server that breaks each stream off after an event"],
  ],
  "an MCP session that the server no longer knows": [
    ["tests/wires/mcp/client/legacy_test.ts", "a session that is lost twice in a row is an error"],
  ],
  "a program over stdio that has ended": [[
    "tests/wires/mcp/client/stdio_full_test.ts",
    "a server program that ended is started again",
  ]],
  "everything else": [["tests/client/retry_test.ts", "a call is not made again when its tool says"]],
};

test("each row of docs/connections.md has a test, which is there", { skip }, () => {
  checkProofs("docs/connections.md", "| the call | what happens to the work | how the caller gets the result |", CALLS);
  checkProofs("docs/connections.md", "| wire | when the connection ends | afterwards |", WIRES);
  checkProofs("docs/connections.md", "| | the client |", CLIENT);
});

test("without sessions a call of an older revision ends with its connection", {
  skip: runtime === "workerd" && "a request's stream is not another request's to write to",
}, async () => {
  const aborted = Promise.withResolvers<void>();
  const wait = defineTool("wait").describe("Wait").handle(async (_, ctx) => {
    ctx.signal.addEventListener("abort", () => aborted.resolve());
    ctx.progress(1, 2);
    await aborted.promise;
  });
  const server = createServer({ logger: false, tools: [wait], wires: [mcp()] });
  try {
    const params = { name: "wait", arguments: {}, _meta: { progressToken: "p" } };
    const response = await server.fetch(
      new Request("http://localhost/mcp", {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "mcp-protocol-version": "2025-06-18",
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
      }),
    );
    const reader = response.body!.getReader();
    await reader.read(); // the progress
    await reader.cancel();
    await aborted.promise;
  } finally {
    await server.close(0);
  }
});
