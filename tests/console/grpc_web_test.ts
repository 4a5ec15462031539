/** The page's own gRPC-Web, against the server's. */
import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { decodeGrpcWeb, encodeToolRequest, hexDump, joinBytes } from "../../apps/console/grpc_web.ts";
import type { Json } from "../../apps/console/json_schema.ts";
import { createServer, defineTool } from "../../mod.ts";
import * as v from "../../src/entries/schema.ts";
import { grpc } from "../../src/entries/grpc.ts";

const echo = defineTool("echo").describe("Return the arguments").handle((args) => args);
const divide = defineTool("divide").describe("Divide").errors({ zero: v.object({ dividend: v.number() }) })
  .handle((_, ctx) => {
    throw ctx.fail("zero", "Cannot divide by zero: 10 %", { dividend: 1 });
  });
const count = defineTool("count").describe("Count").handle(async function* (_, ctx) {
  await ctx.progress(1, 2);
  yield "1 ";
  yield "2 ";
});
const server = createServer({ tools: [echo, divide, count], wires: [grpc()], logger: false });

async function call(name: string, args: Json, method = "CallTool") {
  const headers = { "content-type": "application/grpc-web+proto", "x-grpc-web": "1" };
  const init = { method: "POST", headers, body: encodeToolRequest(name, args) };
  const response = await server.fetch(new Request(`http://localhost/mcplite.MCPLite/${method}`, init));
  return decodeGrpcWeb(new Uint8Array(await response.arrayBuffer()));
}

const members = fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue(), { maxKeys: 4 });

test("gRPC-Web of the page: any arguments arrive at the handler and come back", async () => {
  await fc.assert(
    fc.asyncProperty(members, async (args) => {
      const [message] = (await call("echo", args as Json)).messages;
      // A struct has no order of members, and JSON no negative zero.
      deepStrictEqual(message?.["result"], { content: JSON.parse(JSON.stringify(args)) });
    }),
    { numRuns: 30 },
  );
});

test("gRPC-Web of the page: failures, pieces, progress and errors", async () => {
  const failed = await call("divide", {});
  const content = { code: "zero", message: "Cannot divide by zero: 10 %", data: { dividend: 1 } };
  deepStrictEqual(failed.messages[0]?.["result"], { content });
  strictEqual((failed.messages[0]?.["meta"] as { responseType: string }).responseType, "failure");
  const streamed = (await call("count", {}, "CallToolStream")).messages.map(({ result }) => result);
  deepStrictEqual(streamed.slice(0, 3), [{ progress: { done: 1, total: 2 } }, { partial: "1 " }, { partial: "2 " }]);
  const unknown = await call("no such tool: 100 %", {});
  deepStrictEqual([unknown.messages, unknown.trailers?.["grpc-status"]], [[], "5"]);
  match(unknown.trailers?.["grpc-message"] ?? "", /no such tool: 100 %/);
});

test("gRPC-Web of the page: a body in parts gives the same messages", async () => {
  const request = encodeToolRequest("echo", { a: [1, null, true, "é"] });
  const init = { method: "POST", headers: { "content-type": "application/grpc-web+proto" }, body: request };
  const response = await server.fetch(new Request("http://localhost/mcplite.MCPLite/CallTool", init));
  const whole = new Uint8Array(await response.arrayBuffer());
  let rest = new Uint8Array();
  const messages: unknown[] = [];
  for (const byte of whole) {
    const body = decodeGrpcWeb(joinBytes(rest, [byte]));
    rest = body.rest;
    messages.push(...body.messages);
  }
  deepStrictEqual([messages, rest.length], [decodeGrpcWeb(whole).messages, 0]);
  strictEqual(hexDump(new Uint8Array([0, 65, 255]), 5).replace(/ +/g, " "), "000000 00 41 ff .A.\n2 more bytes");
});
