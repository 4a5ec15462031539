/** Errors in gRPC's trailers: whatever their content, the error code arrives and the response ends. */
import { deepStrictEqual, doesNotMatch, ok, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createClient, createServer, defineTool, ToolError, type ToolErrorCode } from "../../../mod.ts";
import { serve } from "../../../src/entries/serve.ts";
import { connectTransport, grpc, grpcTransport, grpcWebTransport } from "../../../src/entries/grpc.ts";
import { runtime } from "../../runtime/runtime.ts";

const skip = runtime === "workerd" && "workerd opens no sockets";

/** Error details that a handler may forward from another service. */
const DETAILS: Readonly<Record<string, unknown>> = {
  "a wait that no duration can say": { retry_after_ms: 1e30 },
  "a wait of an age": { retry_after_ms: Number.MAX_SAFE_INTEGER },
  "a long text": { detail: "x".repeat(5_000) },
  "many texts": Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`key${index}`, "y".repeat(40)])),
  "many issues": { issues: Array.from({ length: 500 }, () => ({ path: ["a", "b"], message: "no ".repeat(20) })) },
  "a value that is nested deep": { deep: JSON.parse(`${"[".repeat(400)}${"]".repeat(400)}`) },
};

const MESSAGES: Readonly<Record<string, string>> = {
  "of ASCII": "a".repeat(5_000),
  "of three bytes each": "語".repeat(1_024),
  "of four bytes each": "🚲".repeat(1_024),
  "of spaces": " ".repeat(3_000),
};

/** Errors without a message, and their details. */
const WORDLESS: readonly (readonly [ToolErrorCode, details: unknown])[] = [
  ["rate_limited", { retry_after_ms: 50 }],
  ["rate_limited", undefined],
  ["conflict", { version: 2 }],
  ["tool_not_found", undefined],
  ["unavailable", undefined],
  ["result_too_large", undefined],
];

const refuse = defineTool("refuse").describe("Refuse").handle((input): string => {
  const { message, details } = input as { message: string; details: unknown };
  throw new ToolError("conflict", message, { details });
});
const stream = defineTool("stream").describe("Refuse after a piece").handle(async function* (input) {
  yield "first";
  const { message, details } = input as { message: string; details: unknown };
  throw new ToolError("conflict", message, { details });
});

const refuseAs = defineTool("refuseAs").describe("Refuse without words").handle((input): string => {
  const { code, details } = input as { code: ToolErrorCode; details: unknown };
  throw new ToolError(code, "", { details });
});

async function withClients(check: (client: ReturnType<typeof createClient>, wire: string) => Promise<void>) {
  const server = createServer({ tools: [refuse, refuseAs, stream], wires: [grpc()] });
  const listening = await serve(server, { port: 0, grpc: { port: 0 }, graceMs: 0 });
  const transports = {
    grpc: grpcTransport(listening.grpcUrl ?? ""),
    connect: connectTransport(listening.url),
    "gRPC-Web": grpcWebTransport(listening.url),
  };
  try {
    for (const [wire, transport] of Object.entries(transports)) {
      await check(createClient(transport, { retry: { attempts: 0 } }), wire);
    }
  } finally {
    transports.grpc.close?.();
    await listening.close();
  }
}

for (const [what, details] of Object.entries(DETAILS)) {
  test(
    `a refusal with ${what} arrives with its code, over gRPC and Connect, called and streamed`,
    { skip },
    async () => {
      await withClients(async (client, wire) => {
        const sent = { message: "Not like this", details };
        await rejects(client.$.call("refuse", sent), { code: "conflict", message: "Not like this" }, wire);
        await rejects(client.$.stream("stream", sent).result, { code: "conflict" }, wire);
      });
    },
  );
}

for (const [code, details] of WORDLESS) {
  test(`${code} without words keeps its code and ${JSON.stringify(details)}`, { skip }, async () => {
    await withClients(async (client, wire) => {
      const thrown = await client.$.call("refuseAs", { code, details }).catch((error: unknown) => error) as ToolError;
      deepStrictEqual([thrown.code, thrown.details], [code, details], wire);
      doesNotMatch(thrown.message, /MCP-lite/, wire);
    });
  });
}

for (const [what, message] of Object.entries(MESSAGES)) {
  test(`a long message ${what} is cut between characters, and arrives`, { skip }, async () => {
    await withClients(async (client, wire) => {
      const thrown = await client.$.call("refuse", { message, details: undefined }).catch((error: unknown) => error);
      const { code, message: got } = thrown as ToolError;
      strictEqual(code, "conflict", wire);
      ok(message.startsWith(got) && got.length > 0, wire);
      strictEqual(got.isWellFormed(), true, wire);
      if (wire === "connect") strictEqual(got, message);
    });
  });
}

test(
  "a result that is nested too deep for protobuf is masked and logged, over gRPC and Connect alike",
  { skip },
  async () => {
    const logged: unknown[] = [];
    const logger = { debug() {}, info() {}, warn() {}, error: (message: string) => logged.push(message) };
    const deep = defineTool("deep").describe("Return something deep").handle(() =>
      JSON.parse(`${"[".repeat(3_000)}${"]".repeat(3_000)}`) as unknown
    );
    const server = createServer({ tools: [deep], wires: [grpc()], logger, limits: { depth: 5_000 } });
    const listening = await serve(server, { port: 0, grpc: { port: 0 }, graceMs: 0 });
    const transport = grpcTransport(listening.grpcUrl ?? "");
    for (const client of [createClient(transport), createClient(connectTransport(listening.url))]) {
      await rejects(
        client.$.call("deep", {}),
        (error: ToolError) => error.code === "internal" && /id/i.test(error.message),
      );
    }
    deepStrictEqual(logged.length, 2);
    transport.close?.();
    await listening.close();
  },
);
