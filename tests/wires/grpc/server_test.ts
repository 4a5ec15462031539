/** The wire at the level of bytes, without the client of the SDK. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { createServer, defineTool, type ServerOptions, ToolError } from "../../../mod.ts";
import {
  BadRequestSchema,
  ErrorInfoSchema,
  RetryInfoSchema,
} from "../../../src/wires/grpc/messages/gen/google/rpc/error_details_pb.ts";
import {
  ResponseType,
  ToolRequestSchema,
  ToolResponseSchema,
} from "../../../src/wires/grpc/messages/gen/mcplite_pb.ts";
import { joinChunks } from "../../../src/internal/chunks.ts";
import { grpc } from "../../../src/entries/grpc.ts";
import { definePrompt } from "../../../src/entries/mcp.ts";
import * as v from "../../../src/entries/schema.ts";
import { settle } from "../../core/dispatch/harness.ts";
import { createFixture } from "../fixture.ts";
import { frame, framesOf, gzipped, textOf } from "./frames.ts";

const CALL = "/mcplite.MCPLite/CallTool";
const STREAM = "/mcplite.MCPLite/CallToolStream";
const JSON_TYPE = { "content-type": "application/json" };
const STREAM_JSON = { "content-type": "application/connect+json" };

type Fetching = Pick<ReturnType<typeof createServer>, "fetch">;

function post(
  server: Fetching,
  path: string,
  body: BodyInit,
  headers: Readonly<Record<string, string>> = JSON_TYPE,
): Promise<Response> {
  return server.fetch(new Request(`http://localhost${path}`, { method: "POST", body, headers }));
}

async function bytesOf(response: Promise<Response>): Promise<Uint8Array> {
  return new Uint8Array(await (await response).arrayBuffer());
}

/** A Connect error, as JSON. */
interface ErrorJson {
  readonly code: string;
  readonly message?: string;
  readonly details?: readonly { readonly type: string; readonly value: string; readonly debug?: unknown }[];
}

async function errorOf(response: Promise<Response>): Promise<ErrorJson & { readonly status: number }> {
  const answer = await response;
  return { status: answer.status, ...(await answer.json() as ErrorJson) };
}

function detailOf(error: ErrorJson, type: string): Uint8Array {
  const detail = error.details?.find((one) => one.type === type);
  if (detail === undefined) throw new Error(`no ${type} in ${JSON.stringify(error)}`);
  return Uint8Array.from(atob(detail.value), (char) => char.charCodeAt(0));
}

function reasonOf(error: ErrorJson): string {
  return fromBinary(ErrorInfoSchema, detailOf(error, "google.rpc.ErrorInfo")).reason;
}

function serverOf(options: Partial<ServerOptions<never>> & Pick<ServerOptions<never>, "tools"> | object): Fetching {
  return createServer({ wires: [grpc()], ...options } as ServerOptions<never>);
}

const { server } = createFixture();

test("GetTools gives the list of section A.1", async () => {
  const { tools } = await (await post(server, "/mcplite.MCPLite/GetTools", "{}")).json() as {
    tools: Record<string, unknown>[];
  };
  deepStrictEqual(tools[0], {
    name: "add",
    type: "math",
    title: "Addition",
    description: "Add two numbers",
    inputSchema: {
      type: "object",
      properties: { a: { type: "number", description: "First" }, b: { type: "number", default: 10 } },
      required: ["a"],
      examples: [{ a: 1, b: 2 }, { a: 5 }],
    },
    outputSchema: {
      type: "object",
      properties: { sum: { type: "number" } },
      required: ["sum"],
      examples: [{ sum: 3 }],
    },
    annotations: { readOnlyHint: true },
    meta: { "example.com/unit": "none" },
  });
});

test("GetPrompts gives an empty list", async () => {
  deepStrictEqual(await (await post(server, "/mcplite.MCPLite/GetPrompts", "{}")).json(), {});
});

test("CallTool answers as section A.2 has it", async () => {
  const beforeMs = Date.now();
  const body = toBinary(ToolRequestSchema, create(ToolRequestSchema, { name: "add", arguments: { a: 1, b: 2 } }));
  const response = await post(server, CALL, body, { "content-type": "application/proto" });
  strictEqual(response.headers.get("content-type"), "application/proto");
  const { result, meta } = fromBinary(ToolResponseSchema, new Uint8Array(await response.arrayBuffer()));
  deepStrictEqual(result, { content: { sum: 3 } });
  ok(meta !== undefined && Number(meta.timestamp) >= beforeMs && Number(meta.timestamp) <= Date.now());
  deepStrictEqual([meta.responseType, meta.serverVersion], [ResponseType.ANSWER, "1.2.3"]);
});

test("CallTool says a failure as a result", async () => {
  const response = await post(server, CALL, '{"name":"locked","arguments":{"how":"locked"}}');
  strictEqual(response.status, 200);
  const { result, meta } = await response.json() as { result: unknown; meta: { responseType: string } };
  deepStrictEqual(result, { content: { code: "locked", message: "It is locked", data: { by: "batch" } } });
  strictEqual(meta.responseType, "FAILURE");
});

test("CallToolStream sends partials without meta and one last response with it, as section A.4 has it", async () => {
  const body = frame('{"name":"report","arguments":{"pieces":["Quarterly Report\\n","Revenue"]}}');
  const response = await post(server, STREAM, body, STREAM_JSON);
  deepStrictEqual([response.status, response.headers.get("content-type")], [200, "application/connect+json"]);
  const frames = framesOf(new Uint8Array(await response.arrayBuffer()));
  const messages = frames.map(({ data }) => JSON.parse(textOf(data)) as Record<string, unknown>);
  deepStrictEqual(messages.slice(0, 2), [
    { result: { partial: "Quarterly Report\n" } },
    { result: { partial: "Revenue" } },
  ]);
  deepStrictEqual(Object.keys(messages[2] ?? {}).sort(), ["meta", "result"]);
  deepStrictEqual(frames.map(({ flags }) => flags), [0, 0, 0, 2]);
  deepStrictEqual(messages[3], {});
});

test("CallToolStream ends with an error after what was streamed", async () => {
  const response = post(server, STREAM, frame('{"name":"stumble","arguments":{"how":"refusal"}}'), STREAM_JSON);
  const frames = framesOf(await bytesOf(response));
  deepStrictEqual(JSON.parse(textOf(frames[0]!.data)), { result: { partial: "first" } });
  const { error } = JSON.parse(textOf(frames[1]!.data)) as { error: ErrorJson };
  deepStrictEqual([frames.length, error.code, error.message, reasonOf(error)], [
    2,
    "resource_exhausted",
    "Slow down",
    "rate_limited",
  ]);
});

test("an unknown tool is NOT_FOUND with ErrorInfo, as section A.5 has it", async () => {
  const error = await errorOf(post(server, CALL, '{"name":"ad"}'));
  deepStrictEqual([error.status, error.code, error.message], [404, "not_found", "Tool not found: ad"]);
  const { reason, domain, metadata } = fromBinary(ErrorInfoSchema, detailOf(error, "google.rpc.ErrorInfo"));
  deepStrictEqual([reason, domain], ["tool_not_found", "toolwire"]);
  deepStrictEqual(metadata, { requested_tool: "ad", suggestion: "Did you mean 'add'?" });
  const data = error.details?.find(({ type }) => type === "google.protobuf.Value")?.debug as { available_tools: [] };
  ok(data.available_tools.length > 10);
});

test("wrong arguments are INVALID_ARGUMENT with BadRequest", async () => {
  const error = await errorOf(post(server, CALL, '{"name":"add","arguments":{"a":"one"}}'));
  deepStrictEqual([error.status, error.code, reasonOf(error)], [400, "invalid_argument", "invalid_input"]);
  const { fieldViolations } = fromBinary(BadRequestSchema, detailOf(error, "google.rpc.BadRequest"));
  deepStrictEqual(fieldViolations.map(({ field }) => field), ["a"]);
  match(fieldViolations[0]!.description, /number/);
});

test("a refusal that says when to come back has RetryInfo", async () => {
  const busy = defineTool("busy").describe("Be busy").handle(() => {
    throw new ToolError("rate_limited", "Later", { details: { retry_after_ms: 1_500 } });
  });
  const error = await errorOf(post(serverOf({ tools: [busy] }), CALL, '{"name":"busy"}'));
  const { retryDelay } = fromBinary(RetryInfoSchema, detailOf(error, "google.rpc.RetryInfo"));
  deepStrictEqual([retryDelay?.seconds, retryDelay?.nanos], [1n, 500_000_000]);
});

test("what breaks in a handler is INTERNAL, and says nothing of it", async () => {
  for (
    const [path, body, headers] of [
      [CALL, '{"name":"boom"}', JSON_TYPE],
      [STREAM, frame('{"name":"boom"}'), STREAM_JSON],
      [STREAM, frame('{"name":"unwritable","arguments":{"what":"bigint"}}'), STREAM_JSON],
    ] as const
  ) {
    const text = await (await post(server, path, body, headers)).text();
    match(text, /"code":"internal"/);
    ok(!/secret|etc|\.ts/.test(text), text);
  }
});

test("the caller's deadline ends the call, in either protocol's header", async () => {
  for (
    const [name, value] of [["connect-timeout-ms", "30"], ["grpc-timeout", "30m"], ["grpc-timeout", "30000u"]] as const
  ) {
    const error = await errorOf(post(server, CALL, '{"name":"hang"}', { ...JSON_TYPE, [name]: value }));
    deepStrictEqual([error.code, reasonOf(error)], ["deadline_exceeded", "deadline_exceeded"]);
  }
});

test("a deadline that has passed, is invalid, or is far away gets a regular answer", async () => {
  const answers: string[] = [];
  for (const value of ["0", "-1", "abc", "99999999999", "9999999999"]) {
    const headers = { ...JSON_TYPE, "connect-timeout-ms": value };
    const response = await post(server, CALL, '{"name":"add_later","arguments":{"a":1,"b":2}}', headers);
    const { code = "ok" } = await response.json() as { code?: string };
    answers.push(code);
  }
  deepStrictEqual(answers, ["deadline_exceeded", "invalid_argument", "invalid_argument", "invalid_argument", "ok"]);
});

test("a body over the limit is refused in the words of its protocol, compressed or not", async () => {
  const small = serverOf({
    tools: [defineTool("echo").describe("Echo").handle((input) => input)],
    limits: { bodyBytes: 1_000 },
  });
  const large = JSON.stringify({ name: "echo", arguments: { text: "x".repeat(2_000) } });
  const plain = await errorOf(post(small, CALL, large));
  deepStrictEqual([plain.code, reasonOf(plain)], ["resource_exhausted", "payload_too_large"]);
  const packed = await gzipped(large);
  ok(packed.length < 1_000);
  const unary = await errorOf(post(small, CALL, packed, { ...JSON_TYPE, "content-encoding": "gzip" }));
  deepStrictEqual([unary.code, reasonOf(unary)], ["resource_exhausted", "payload_too_large"]);
  const headers = { ...STREAM_JSON, "connect-content-encoding": "gzip" };
  const [end] = framesOf(await bytesOf(post(small, STREAM, frame(packed, 1), headers)));
  const { error } = JSON.parse(textOf(end!.data)) as { error: ErrorJson };
  deepStrictEqual([error.code, reasonOf(error)], ["resource_exhausted", "payload_too_large"]);
});

test("a compressed request is read, another compression is refused, and so is what is not what it says", async () => {
  const call = await gzipped('{"name":"add","arguments":{"a":1,"b":2}}');
  const answer = await post(server, CALL, call, {
    ...JSON_TYPE,
    "content-encoding": "gzip",
    "accept-encoding": "gzip",
  });
  deepStrictEqual((await answer.json() as { result: unknown }).result, { content: { sum: 3 } });
  const unknown = await errorOf(post(server, CALL, call, { ...JSON_TYPE, "content-encoding": "br" }));
  strictEqual(unknown.code, "unimplemented");
  const broken = await errorOf(post(server, CALL, '{"name":"add"}', { ...JSON_TYPE, "content-encoding": "gzip" }));
  deepStrictEqual([broken.code, reasonOf(broken)], ["invalid_argument", "parse_error"]);
});

test("nesting beyond the limit is refused, in JSON and in bytes, however deep", async () => {
  for (const depth of [600, 20_000, 400_000]) {
    const body = `{"name":"anything","arguments":{"a":${"[".repeat(depth)}${"]".repeat(depth)}}}`;
    const error = await errorOf(post(server, CALL, body));
    strictEqual(error.code, "invalid_argument", String(depth));
  }
  const deep = deepStruct(3_000);
  const error = await errorOf(post(server, CALL, deep, { "content-type": "application/proto" }));
  strictEqual(error.code, "invalid_argument");
  const body = `{"name":"anything","arguments":{"a":${"[".repeat(500)}${"]".repeat(500)}}}`;
  strictEqual((await post(server, CALL, body)).status, 200);
});

/** A `ToolRequest` with nested arguments, encoded from the inside, so that no encoder has to recurse. */
function deepStruct(depth: number): Uint8Array<ArrayBuffer> {
  const field = (number: number, data: Uint8Array): Uint8Array<ArrayBuffer> => {
    const length: number[] = [];
    for (let rest = data.length; length.push(rest > 127 ? (rest & 127) | 128 : rest), rest > 127;) rest >>>= 7;
    return joinChunks([new Uint8Array([(number << 3) | 2, ...length]), data]);
  };
  let struct: Uint8Array<ArrayBuffer> = new Uint8Array();
  const key = field(1, new TextEncoder().encode("a"));
  for (let level = 0; level < depth; level++) {
    struct = field(1, joinChunks([key, field(2, field(5, struct))]));
  }
  return joinChunks([field(1, new TextEncoder().encode("anything")), field(2, struct)]);
}

test("numbers that JSON has not are refused", async () => {
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY]) {
    const request = create(ToolRequestSchema, { name: "anything", arguments: { list: [1, { value: 1 }] } });
    const bytes = toBinary(ToolRequestSchema, request);
    // The last double of the message is the inner one.
    new DataView(bytes.buffer).setFloat64(bytes.length - 8, value, true);
    const error = await errorOf(post(server, CALL, bytes, { "content-type": "application/proto" }));
    deepStrictEqual([error.code, reasonOf(error)], ["invalid_argument", "parse_error"]);
  }
});

test("what is not a message is INVALID_ARGUMENT", async () => {
  for (const [body, type] of [["{", "json"], ["[]", "json"], ["\xff", "proto"], ['{"name":1}', "json"]] as const) {
    const error = await errorOf(post(server, CALL, body, { "content-type": `application/${type}` }));
    deepStrictEqual([error.code, reasonOf(error)], ["invalid_argument", "parse_error"], body);
  }
});

test("GetPrompts lists the prompts", async () => {
  const review = definePrompt("review").title("Review").describe("Review a text")
    .input(v.object({ text: v.string(), tone: v.optional(v.string()) }))
    .handle(({ text }) => `Review this: ${text}`);
  const withPrompts = createServer({ tools: [], prompts: [review], wires: [grpc()] });
  const answer = await post(withPrompts, "/mcplite.MCPLite/GetPrompts", "{}");
  deepStrictEqual(await answer.json(), {
    prompts: [{
      name: "review",
      title: "Review",
      description: "Review a text",
      arguments: [{ name: "text", required: true }, { name: "tone" }],
    }],
  });
});

test("other methods, types and paths are refused by their statuses", async () => {
  const get = await server.fetch(new Request(`http://localhost${CALL}`));
  deepStrictEqual([get.status, get.headers.get("allow")], [405, "POST"]);
  strictEqual((await get.json()).message, "GET is not allowed here: use POST");
  for (const type of ["text/plain", "application/grpc+json", "application/connect+json"]) {
    const answer = await post(server, CALL, "{}", { "content-type": type });
    const taken = answer.headers.get("accept-post") ?? "";
    match(taken, /^application\/json, application\/proto, /);
    const { code, message, details } = await answer.json();
    deepStrictEqual([answer.status, code, message], [
      415,
      "invalid_argument",
      `${type} is not read here: use ${taken}`,
    ]);
    strictEqual(details[0].debug.reason, "invalid_request");
  }
  const stream = await post(server, "/mcplite.MCPLite/CallToolStream", "{}");
  deepStrictEqual([stream.status, stream.headers.get("accept-post")?.split(", ")[0]], [
    415,
    "application/connect+json",
  ]);
  const health = await post(server, "/grpc.health.v1.Health/Check", "{}");
  deepStrictEqual([health.status, health.headers.get("accept-post")], [
    415,
    "application/grpc, application/grpc+proto",
  ]);
  strictEqual((await post(server, "/mcplite.MCPLite/CallTools", "{}")).status, 404);
});

test("native gRPC on the wrong port gets a status, without trailers, that names the right one", async () => {
  for (const type of ["application/grpc", "application/grpc+proto"]) {
    const { status, headers } = await post(server, CALL, frame(new Uint8Array()), { "content-type": type });
    deepStrictEqual([status, headers.get("grpc-status")], [200, "12"], type);
    match(headers.get("grpc-message") ?? "", /serve\(server, { grpc: { port } }\)/);
  }
});

test("connect() answers under the path that it is given", async () => {
  const tools = [defineTool("ping").describe("Answer").handle(() => "pong")];
  const moved = createServer({ tools, wires: [grpc({ path: "/rpc/" })] });
  strictEqual((await post(moved, `/rpc${CALL}`, '{"name":"ping"}')).status, 200);
  strictEqual((await post(moved, CALL, '{"name":"ping"}')).status, 404);
});

test("gRPC-Web's text form carries the same, in pieces with their own padding", async () => {
  const request = create(ToolRequestSchema, { name: "report", arguments: { pieces: ["a", "bc"] } });
  const message = frame(toBinary(ToolRequestSchema, request));
  const base64 = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes));
  const body = base64(message.slice(0, 7)) + base64(message.slice(7));
  for (const [path, count] of [[CALL, 2], [STREAM, 4]] as const) {
    const response = await post(server, path, body, { "content-type": "application/grpc-web-text+proto" });
    strictEqual(response.headers.get("content-type"), "application/grpc-web-text+proto");
    const pieces = (await response.text()).match(/[^=]+=*/g) ?? [];
    const bytes = Uint8Array.from(pieces.map((piece) => atob(piece)).join(""), (char) => char.charCodeAt(0));
    const frames = framesOf(bytes);
    strictEqual(frames.length, count);
    match(textOf(frames.at(-1)!.data), /grpc-status: 0/);
  }
});

test("handlers see the request's headers", async () => {
  const tool = defineTool("who").describe("Say who").handle((_, ctx) => ctx.metadata.get("X-Caller"));
  const response = await post(serverOf({ tools: [tool] }), CALL, '{"name":"who"}', { ...JSON_TYPE, "x-caller": "Ada" });
  strictEqual((await response.json() as { result: { content: string } }).result.content, "Ada");
});

test("pages of allowed origins may read what gRPC-Web says in headers", async () => {
  const tools = [defineTool("ping").describe("Answer").handle(() => "pong")];
  const open = createServer({ tools, wires: [grpc()], origins: ["https://app.example"], cors: true });
  const origin = { origin: "https://app.example" };
  const preflight = await open.fetch(
    new Request(`http://localhost${CALL}`, {
      method: "OPTIONS",
      headers: { ...origin, "access-control-request-headers": "connect-protocol-version,content-type" },
    }),
  );
  deepStrictEqual([preflight.status, preflight.headers.get("access-control-allow-headers")], [
    204,
    "connect-protocol-version,content-type",
  ]);
  const response = await post(open, CALL, '{"name":"ping"}', { ...JSON_TYPE, ...origin });
  strictEqual(
    response.headers.get("access-control-expose-headers"),
    "retry-after, www-authenticate, grpc-status, grpc-message, grpc-status-details-bin",
  );
});

test("a reader that stalls makes the handler wait", async () => {
  let pushed = 0;
  const tool = defineTool("flood").describe("Send much").handle(async function* () {
    for (; pushed < 10_000; pushed++) yield "x".repeat(1_000);
  });
  const response = await post(serverOf({ tools: [tool] }), STREAM, frame('{"name":"flood"}'), STREAM_JSON);
  const reader = response.body!.getReader();
  await reader.read();
  // Until no piece follows in a turn of the event loop, or many were written ahead.
  for (let before = -1; pushed !== before && pushed < 100;) {
    before = pushed;
    for (let turn = 0; turn < 20; turn++) await settle();
  }
  ok(pushed < 100, `${pushed} pieces went ahead of the reader`);
  await reader.cancel();
});

test("a reader that leaves before the first message aborts the handler", async () => {
  const entered = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<ToolError>();
  const tool = defineTool("hang").describe("Hang").handle(async (_, ctx) => {
    entered.resolve();
    await new Promise((resolve) => ctx.signal.addEventListener("abort", resolve, { once: true }));
    aborted.resolve(ctx.signal.reason);
  });
  const response = await post(serverOf({ tools: [tool] }), STREAM, frame('{"name":"hang"}'), STREAM_JSON);
  await entered.promise;
  await response.body!.cancel();
  strictEqual((await aborted.promise).code, "cancelled");
});
