/** The conformance suite by native gRPC, beside HTTP: our server passes every check over real connections. */
import { deepStrictEqual, ok } from "node:assert/strict";
import { test } from "node:test";
import { serve } from "../../../src/runtime/serve.ts";
import { type ConformanceResult, conformanceSuite } from "../../../src/testing/mod.ts";
import { runtime } from "../../runtime/runtime.ts";
import { createCheckedServer, OPTIONS } from "./server.ts";

const skip = runtime !== "bun" &&
  "the suite's checks run in process on every runtime, and the gRPC client has its tests there";

test("MCP-lite over gRPC: our server passes every check", { skip }, async () => {
  const listening = await serve(createCheckedServer(), { port: 0, grpc: { port: 0 } });
  try {
    const target = { mcpLite: new URL("/mcp-lite/v1", listening.url), grpc: listening.grpcUrl ?? "" };
    const results: ConformanceResult[] = [];
    for (const { run } of conformanceSuite(target, OPTIONS)) results.push(await run());
    const others = results.filter(({ status }) => status !== "passed");
    deepStrictEqual(others.map(({ id, binding, reason, received }) => [id, binding, reason, received]), []);
    ok(results.some(({ binding, id }) => binding === "grpc" && id === "2.1-same-answer"));
  } finally {
    await listening.close();
  }
});
