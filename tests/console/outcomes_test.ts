/** How the page reads the responses of servers: how calls end over each wire, also when streams fail or break off. */
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { mcpAnswer, mcpLiteAnswer, type Outcome } from "../../apps/console/outcome.ts";
import { readBinary, readText, type WireReader } from "../../apps/console/reading.ts";
import { createServer, defineTool, mcp, mcpLite } from "../../mod.ts";
import * as v from "../../src/entries/schema.ts";

const count = defineTool("count").describe("Count, then fail").handle(async function* () {
  yield "1 ";
  await Promise.resolve();
  throw new Error("away");
});
const words = defineTool("words").describe("Say words").handle(async function* () {
  yield "a ";
  await Promise.resolve();
  yield "b";
});
const zero = defineTool("zero").describe("Return 0").output(v.number()).handle(() => 0);
const divide = defineTool("divide").describe("Divide").errors({ zero: v.object({ dividend: v.number() }) })
  .handle((_, ctx) => {
    throw ctx.fail("zero", "Cannot divide by zero", { dividend: 6 });
  });
const server = createServer({ tools: [count, words, zero, divide], wires: [mcp(), mcpLite()], logger: false });

const MCP_LITE: WireReader = { id: "mcp-lite", answer: mcpLiteAnswer };
const MCP: WireReader = { id: "mcp-2025", answer: mcpAnswer };

async function call(wire: WireReader, name: string): Promise<Response> {
  const isLite = wire === MCP_LITE;
  const params = { name, arguments: {}, _meta: { progressToken: 1 } };
  return await server.fetch(
    new Request(`http://localhost/${isLite ? "mcp-lite/v1/calltools" : "mcp"}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "text/event-stream, application/json",
        "mcp-protocol-version": "2025-11-25",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
    }),
  );
}

/** Reads a body whole, or without the event that ends it. */
async function outcomeOf(wire: WireReader, response: Response, isBroken = false): Promise<Outcome> {
  const text = await response.text();
  const sent = isBroken ? text.slice(0, text.trimEnd().lastIndexOf("\n\n") + 2) : text;
  const reading = readText(wire, response, () => 0);
  reading.take(new TextEncoder().encode(sent));
  return reading.soFar(true).outcome;
}

const BROKEN = { code: "unavailable", message: "The stream broke off: its end did not arrive" };

test("page: a stream that ends with an error is an error, and one that breaks off as well", async () => {
  for (const wire of [MCP_LITE, MCP]) {
    const failed = await outcomeOf(wire, await call(wire, "count"));
    strictEqual(failed.kind, "error", wire.id);
    const broken = await outcomeOf(wire, await call(wire, "words"), true);
    deepStrictEqual(broken, { kind: "error", value: BROKEN }, wire.id);
    const whole = await outcomeOf(wire, await call(wire, "words"));
    deepStrictEqual([whole.kind, whole.value], ["answer", "a b"], wire.id);
  }
});

test("page: a body of gRPC-Web without trailers broke off", () => {
  const response = new Response(null, { headers: { "content-type": "application/grpc-web+proto" } });
  const reading = readBinary({ id: "grpc-web", answer: mcpLiteAnswer }, response, () => 0);
  deepStrictEqual(reading.soFar(true).outcome, { kind: "error", value: BROKEN });
});

test("page: a refusal of a proxy is an error", async () => {
  const refusal = () => new Response("<h1>Bad gateway</h1>", { status: 502 });
  for (const wire of [MCP_LITE, MCP]) {
    const { kind, value } = await outcomeOf(wire, refusal());
    deepStrictEqual([kind, value], ["error", { code: "HTTP 502", message: "<h1>Bad gateway</h1>" }]);
  }
});

test("page: values of MCP 2025-11-25 are unwrapped, and a failure has the message of its first text", async () => {
  const endOf = async (tool: string) => {
    const { kind, value } = await outcomeOf(MCP, await call(MCP, tool));
    return { kind, value };
  };
  deepStrictEqual(await endOf("zero"), { kind: "answer", value: 0 });
  const value = { code: "zero", message: "Cannot divide by zero", data: { dividend: 6 } };
  deepStrictEqual(await endOf("divide"), { kind: "failure", value });
});
