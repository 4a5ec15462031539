/** The conformance suite over real connections, by HTTP, gRPC and WebSocket: our server passes every check. */
import { deepStrictEqual, ok } from "node:assert/strict";
import { test } from "node:test";
import { serve } from "../../../src/entries/serve.ts";
import { type ConformanceResult, conformanceSuite } from "../../../src/entries/testing.ts";
import { runtime } from "../../runtime/runtime.ts";
import { createCheckedServer, OPTIONS } from "./server.ts";

const skip = runtime !== "bun" &&
  "the suite's checks run in process on every runtime, and the clients of gRPC and WebSocket have their tests there";

test("MCP-lite over connections: our server passes every check", { skip }, async () => {
  const listening = await serve(createCheckedServer(), { port: 0, grpc: { port: 0 } });
  try {
    const url = new URL("/mcp-lite/v1", listening.url);
    const target = { mcpLite: url, grpc: listening.grpcUrl ?? "", webSocket: url };
    const results: ConformanceResult[] = [];
    for (const { run } of conformanceSuite(target, OPTIONS)) results.push(await run());
    const others = results.filter(({ status }) => status !== "passed");
    deepStrictEqual(others.map(({ id, binding, reason, received }) => [id, binding, reason, received]), []);
    for (const wanted of ["grpc", "websocket"]) {
      ok(results.some(({ binding, id }) => binding === wanted && id === "2.1-same-answer"));
    }
  } finally {
    await listening.close();
  }
});
