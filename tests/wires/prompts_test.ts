/** Prompts over MCP-lite: the list endpoint, JSON-RPC, and the message of gRPC. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { toJson } from "@bufbuild/protobuf";
import * as v from "../../src/entries/schema.ts";
import { createServer, defineTool, Failure, mcpLite } from "../../mod.ts";
import { definePrompt, user } from "../../src/entries/mcp.ts";
import { encodePrompt } from "../../src/wires/grpc/server/encode.ts";
import { PromptSchema } from "../../src/wires/grpc/messages/gen/mcplite_pb.ts";

const prompts = [
  definePrompt("greet").title("Greet").describe("Greet someone").meta({ "example.com/a": 1 })
    .input(v.object({ name: v.pipe(v.string(), v.description("Whom")), tone: v.optional(v.string()) }))
    .handle(({ name, tone = "kind" }) => [user(`A ${tone} hello to ${name}`)]),
  definePrompt("later").describe("Answer later").handle(async () => await Promise.resolve("later")),
  definePrompt("ask").describe("Ask first").handle(async (_, ctx) => {
    const answer = await ctx.elicit("who", { message: "Who?", schema: v.object({ name: v.string() }) });
    return answer.action === "accept" ? `Hello ${answer.content.name}` : "Hello";
  }),
  definePrompt("fail").describe("Fail").handle(() => {
    throw new Failure("tired", "Too tired");
  }),
];
const LISTED = [
  {
    name: "greet",
    title: "Greet",
    description: "Greet someone",
    arguments: [{ name: "name", description: "Whom", required: true }, { name: "tone", required: false }],
    _meta: { "example.com/a": 1 },
  },
  { name: "later", description: "Answer later" },
  { name: "ask", description: "Ask first" },
  { name: "fail", description: "Fail" },
];
const server = createServer({ tools: [], prompts, keys: "k1:a secret of at least thirty-two bytes" });

async function post(path: string, body: unknown, to: { fetch: typeof server.fetch } = server) {
  const response = await to.fetch(
    new Request(`http://localhost/mcp-lite/v1${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    }),
  );
  return { status: response.status, body: await response.json() as Record<string, never> };
}

async function rpc(method: string, params?: unknown, to?: { fetch: typeof server.fetch }) {
  const { status, body } = await post("/rpc", { jsonrpc: "2.0", id: 7, method, params }, to);
  strictEqual(body["id"], 7);
  const { result, error } = body as { readonly result?: Result; readonly error?: RpcError };
  return { status, result, error };
}

interface Result {
  readonly content: unknown;
  readonly prompts: unknown;
  readonly _meta: { readonly response_type: string; readonly continuation?: string };
}

interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data: { readonly code: string; readonly suggestion?: string };
}

test("POST /prompts lists the prompts, and so does prompts/list", async () => {
  deepStrictEqual(await post("/prompts", {}), { status: 200, body: { prompts: LISTED } });
  const { status, result } = await rpc("prompts/list");
  strictEqual(status, 200);
  deepStrictEqual(result?.prompts, LISTED);
  strictEqual(result?._meta.response_type, "answer");
});

test("prompts/get gives a prompt, at once or later", async () => {
  const greeted = await rpc("prompts/get", { name: "greet", arguments: { name: "Ada" } });
  strictEqual(greeted.status, 200);
  deepStrictEqual(greeted.result?.content, {
    description: "Greet someone",
    messages: [{ role: "user", content: { type: "text", text: "A kind hello to Ada" } }],
  });
  strictEqual(greeted.result?._meta.response_type, "answer");
  const later = await rpc("prompts/get", { name: "later" });
  deepStrictEqual(later.result?.content, { description: "Answer later", messages: [user("later")] });
});

test("prompts/get asks its caller, and continues with the continuation", async () => {
  const asked = await rpc("prompts/get", { name: "ask" });
  strictEqual(asked.result?._meta.response_type, "elicitation");
  const _meta = {
    continuation: asked.result?._meta.continuation,
    responses: { who: { action: "accept", content: { name: "Ada" } } },
  };
  const { result } = await rpc("prompts/get", { name: "ask", _meta });
  deepStrictEqual(result?.content, { description: "Ask first", messages: [user("Hello Ada")] });
});

test("prompts/get tells failures and refusals as tools/call does", async () => {
  const failed = await rpc("prompts/get", { name: "fail" });
  strictEqual(failed.result?._meta.response_type, "failure");
  deepStrictEqual(failed.result?.content, { code: "tired", message: "Too tired" });
  const unknown = await rpc("prompts/get", { name: "great" });
  deepStrictEqual([unknown.status, unknown.error?.code, unknown.error?.data.code], [404, -32602, "prompt_not_found"]);
  strictEqual(unknown.error?.data.suggestion, "Did you mean 'greet'?");
  for (const params of [{ name: "greet" }, { name: "greet", arguments: { name: 5 } }, {}, { name: 5 }, undefined]) {
    const { status, error } = await rpc("prompts/get", params);
    deepStrictEqual([status, error?.code, error?.data.code], [400, -32602, "invalid_input"]);
  }
});

test("where there are prompts, an unknown method names theirs", async () => {
  const { error } = await rpc("prompts/put", {});
  match(error?.message ?? "", /there are tools\/call, tools\/list, prompts\/get, prompts\/list and ping$/);
});

test("where there are none, nothing answers", async () => {
  const bare = createServer({ tools: [defineTool("ping").describe("Answer").handle(() => "pong")] });
  strictEqual((await post("/prompts", {}, bare)).status, 404);
  for (const method of ["prompts/list", "prompts/get"]) {
    const { status, error } = await rpc(method, { name: "greet" }, bare);
    deepStrictEqual([status, error?.data.code], [404, "method_not_found"]);
    match(error?.message ?? "", /there are tools\/call, tools\/list and ping$/);
  }
});

test("the path of the wire is the path of its prompts", async () => {
  const plain = createServer({ tools: [], prompts, wires: [mcpLite({ path: "/" })] });
  const response = await plain.fetch(
    new Request("http://localhost/prompts/", { method: "POST", headers: { "content-type": "application/json" } }),
  );
  deepStrictEqual(await response.json(), { prompts: LISTED });
});

test("encodePrompt() writes a prompt as gRPC lists it", () => {
  const [greet, later] = LISTED;
  ok(greet !== undefined && later !== undefined);
  const { _meta: meta, ...rest } = greet as typeof greet & { readonly _meta: Record<string, unknown> };
  deepStrictEqual(toJson(PromptSchema, encodePrompt(greet)), {
    ...rest,
    meta,
    arguments: [{ name: "name", description: "Whom", required: true }, { name: "tone" }],
  });
  deepStrictEqual(toJson(PromptSchema, encodePrompt(later)), later);
});
