/** A trace from the client to the server, over every wire. */
import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { SpanKind, SpanStatusCode } from "@opentelemetry/api";
import { createClient, createServer, defineTool, mcpLite, mcpLiteTransport, ToolError } from "../../../mod.ts";
import { otel, otelTransport } from "../../../src/entries/otel.ts";
import { mcp } from "../../../src/entries/mcp.ts";
import { skipOf, WIRES, wires } from "../../wires/matrix.ts";
import { Telemetry } from "./harness.ts";

const tools = [
  defineTool("ping").describe("Answer").handle(() => "pong"),
  defineTool("stream").describe("Stream").handle(async function* () {
    yield "a";
  }),
  defineTool("refuse").describe("Refuse").handle((): string => {
    throw new ToolError("conflict", "No");
  }),
] as const;

for (const wire of WIRES) {
  test(`${wire.name}: the spans of client and server are of one trace`, { skip: skipOf(wire) }, async () => {
    const [here, there] = [new Telemetry(), new Telemetry()];
    const server = createServer({ tools, wires, middleware: [otel({ tracer: there.tracer, meter: there.meter })] });
    const { transport, close } = await wire.open(server);
    try {
      const client = createClient<typeof server>(otelTransport(transport, { tracer: here.tracer, meter: here.meter }));
      strictEqual(await client.ping(), "pong");
      for await (const piece of client.stream.stream()) strictEqual(piece, "a");
      await rejects(client.refuse(), { code: "conflict" });
      strictEqual((await client.$.list()).length, 3);
    } finally {
      transport.close?.();
      await close();
    }
    strictEqual(here.spans.length, 3);
    for (const [index, sent] of here.spans.entries()) {
      const received = there.spans[index];
      ok(received !== undefined);
      deepStrictEqual([sent.name, sent.kind, received.kind], [received.name, SpanKind.CLIENT, SpanKind.SERVER]);
      const { traceId, spanId } = sent.spanContext();
      deepStrictEqual([received.spanContext().traceId, received.parentSpanContext?.spanId], [traceId, spanId]);
    }
    const [, , refused] = here.spans;
    deepStrictEqual([refused?.status.code, refused?.attributes["error.type"]], [SpanStatusCode.ERROR, "conflict"]);
    const [, , served] = there.spans;
    strictEqual(served?.status.code, SpanStatusCode.UNSET, "the server did nothing wrong");
    strictEqual((await here.measured("rpc.client.call.duration")).length, 3);
  });
}

const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
const TRACEPARENT = `00-${TRACE_ID}-b7ad6b7169203331-01`;

const MODERN = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

for (const [era, version, meta] of [["2026-07-28", "2026-07-28", MODERN], ["2025-11-25", "2025-11-25", {}]] as const) {
  test(`MCP ${era}: params._meta.traceparent is the trace of the call`, async () => {
    const telemetry = new Telemetry();
    const { tracer, meter } = telemetry;
    const server = createServer({ tools, wires: [mcp()], middleware: [otel({ tracer, meter })] });
    const params = { name: "ping", arguments: {}, _meta: { ...meta, traceparent: TRACEPARENT } };
    const response = await server.fetch(
      new Request("http://localhost/mcp", {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "mcp-protocol-version": version,
          "mcp-method": "tools/call",
          "mcp-name": "ping",
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
      }),
    );
    strictEqual(response.status, 200, await response.text());
    strictEqual(telemetry.spans[0]?.spanContext().traceId, TRACE_ID);
  });
}

test("headers of a request are the trace of the call, where its _meta says none", async () => {
  const telemetry = new Telemetry();
  const { tracer, meter } = telemetry;
  const server = createServer({ tools, wires: [mcpLite()], middleware: [otel({ tracer, meter })] });
  const client = createClient<typeof server>(
    mcpLiteTransport("http://localhost/mcp-lite/v1", {
      headers: { traceparent: TRACEPARENT },
      fetch: (url, init) => server.fetch(new Request(url, { ...init, redirect: "follow" })),
    }),
  );
  await client.ping();
  strictEqual(telemetry.spans[0]?.spanContext().traceId, TRACE_ID);
});

test("otelTransport() ends the span of a call whose headers cannot be had, and passes on what was thrown", async () => {
  const telemetry = new Telemetry();
  const { tracer, meter } = telemetry;
  const thrown = new Error("no token");
  const transport = mcpLiteTransport("http://localhost/mcp-lite/v1", { headers: () => Promise.reject(thrown) });
  await rejects(createClient(otelTransport(transport, { tracer, meter })).$.call("ping"), thrown);
  deepStrictEqual(telemetry.spans.map(({ status }) => status.code), [SpanStatusCode.ERROR]);
});
