/** The typed service by native gRPC: a caller that knows only what reflection says. */
import { fromJson, type JsonObject, toBinary } from "@bufbuild/protobuf";
import { StructSchema } from "@bufbuild/protobuf/wkt";
import { base64Encode } from "@bufbuild/protobuf/wire";
import { deepStrictEqual, match, ok, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import * as v from "../../../src/entries/schema.ts";
import { createServer, defineTool } from "../../../mod.ts";
import { bearer } from "../../../src/entries/auth.ts";
import { grpc } from "../../../src/entries/grpc.ts";
import { TypedClient, type TypedError } from "./typed_client.ts";

const id = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(1_000_000));

const tools = [
  defineTool("find_user").describe("Find a user")
    .input(v.object({ id, fields: v.optional(v.array(v.string())), limit: v.optional(v.number(), 10) }))
    .output(v.object({ id, userName: v.string(), nick: v.nullable(v.string()), limit: v.number() }))
    .handle((input) => ({ id: input.id, userName: "Ada", nick: null, limit: input.limit })),
  defineTool("half").describe("Halve").input(v.object({ of: v.number() })).output(v.number())
    .handle(({ of }) => of / 2),
  defineTool("anything").describe("Give back everything").handle((input) => input),
  defineTool("count").describe("Count").input(v.object({ to: v.number() })).partial(v.object({ at: v.number() }))
    .output(v.number()).handle(async function* ({ to }, ctx) {
      ctx.progress(1, 2, "half");
      for (let at = 1; at <= to; at++) yield { at };
      return to;
    }),
  defineTool("render").describe("Render").input(v.object({ name: v.string() })).output(v.object({ url: v.string() }))
    .promise({ budgetMs: 60_000 }).handle(({ name }) => ({ url: `/${name}` })),
  defineTool("locked").describe("Fail").errors({ locked: v.object({ by: v.string() }) }).handle((_, ctx): string => {
    throw ctx.fail("locked", "It is locked", { by: "batch" });
  }),
  defineTool("drop").describe("Ask").input(v.object({ id })).output(v.string()).handle(async ({ id }, ctx) => {
    const answer = await ctx.elicit("sure", { message: `Drop ${id}?`, schema: v.object({ yes: v.boolean() }) });
    return answer.action === "accept" && answer.content.yes ? "dropped" : "kept";
  }),
] as const;

function open(): Promise<TypedClient> {
  return TypedClient.of(createServer({
    name: "My docs",
    tools,
    wires: [grpc({ typed: true })],
    keys: "k1:a secret that only these tests know",
  }));
}

test("reflection lists the service, with types of the schemas", async () => {
  await using client = await open();
  ok((await client.services()).includes("my_docs.Tools"));
  const registry = await client.registry("my_docs.Tools.FindUser");
  const input = registry?.getMessage("my_docs.FindUserInput");
  deepStrictEqual(
    input?.fields.map(({ name, jsonName, proto }) => [name, jsonName, proto.type, proto.proto3Optional]),
    [
      ["id", "id", 5, false],
      ["fields", "fields", 9, false],
      ["limit", "limit", 1, true],
    ],
  );
  deepStrictEqual(registry?.getService("my_docs.Tools")?.methods.map(({ name }) => name), [
    ...["Anything", "Cancel", "Count", "Drop", "FindUser", "Half", "Locked", "Render", "RedeemRender"],
  ]);
});

test("a call has the types of the schemas: integers, defaults, nulls and camel case", async () => {
  await using client = await open();
  deepStrictEqual(await client.call("my_docs.Tools/FindUser", { id: 7, fields: ["a"] }), [
    { id: 7, userName: "Ada", limit: 10 },
  ]);
  deepStrictEqual(await client.call("my_docs.Tools/Half", { of: 3 }), [{ result: 1.5 }]);
  deepStrictEqual(await client.call("my_docs.Tools/Anything", { additionalProperties: { a: [1, null] } }), [
    { result: { a: [1, null] } },
  ]);
});

test("invalid arguments have the error of every wire", async () => {
  await using client = await open();
  const { code, reason, types } = await client.call("my_docs.Tools/FindUser", {}) as TypedError;
  deepStrictEqual([code, reason], [3, "invalid_input"]);
  deepStrictEqual(types, ["google.rpc.ErrorInfo", "google.rpc.BadRequest", "google.protobuf.Value"]);
  const malformed = await client.send("/my_docs.Tools/FindUser", Uint8Array.of(0x0f)) as TypedError;
  deepStrictEqual([malformed.code, malformed.reason], [3, "parse_error"]);
  match(malformed.message, /^Not a my_docs\.FindUserInput: /);
});

test("a streaming tool sends partials and progress, then the output", async () => {
  await using client = await open();
  deepStrictEqual(await client.call("my_docs.Tools/Count", { to: 2 }), [
    { progress: { done: 1, total: 2, message: "half" } },
    { partial: { at: 1 } },
    { partial: { at: 2 } },
    { output: { result: 2 } },
  ]);
});

test("a promise is one of the outcomes, and its own method redeems it", async () => {
  await using client = await open();
  deepStrictEqual(await client.call("my_docs.Tools/Render", { name: "a" }), [{ output: { url: "/a" } }]);
  const meta = metaHeader({ promise: true });
  const [begun] = await client.call("my_docs.Tools/Render", { name: "b" }, meta) as readonly [JsonObject];
  const promise = begun["promise"] as JsonObject;
  match(String(promise["token"]), /^prom_/);
  const redeem = { promise: String(promise["token"]), wait_ms: 10_000 };
  deepStrictEqual(await client.call("my_docs.Tools/RedeemRender", redeem), [{ output: { url: "/b" } }]);
});

test("a failure is an error with its code, of the domain of the service", async () => {
  await using client = await open();
  deepStrictEqual(await client.call("my_docs.Tools/Locked", {}), {
    code: 9,
    message: "It is locked",
    reason: "locked",
    domain: "my_docs",
    data: { by: "batch" },
    meta: undefined,
    types: ["google.rpc.ErrorInfo", "google.protobuf.Value"],
  });
});

test("a question is an error with a continuation, which the same call is repeated with", async () => {
  await using client = await open();
  const asked = await client.call("my_docs.Tools/Drop", { id: 1 }) as TypedError;
  deepStrictEqual([asked.code, asked.reason, asked.types], [9, "elicitation", [
    "google.rpc.ErrorInfo",
    "mcplite.ResponseMeta",
  ]]);
  const { continuation, requests } = asked.meta as { continuation: string; requests: JsonObject };
  deepStrictEqual(Object.keys(requests), ["sure"]);
  const responses = { sure: { action: "accept", content: { yes: true } } };
  deepStrictEqual(await client.call("my_docs.Tools/Drop", { id: 1 }, metaHeader({ continuation, responses })), [
    { result: "dropped" },
  ]);
  for (const [header, reason] of [["%", undefined], ["/w", "parse_error"]] as const) {
    const refused = await client.call("my_docs.Tools/Drop", { id: 1 }, { "mcplite-meta-bin": header }) as TypedError;
    deepStrictEqual([refused.code, refused.reason], [3, reason]);
  }
});

test("a method that does not exist is UNIMPLEMENTED, and so is one of a hidden tool", async () => {
  const hidden = defineTool("hidden").describe("Hide").visibleTo((who) => who?.id === "admin").promise();
  const server = createServer({
    name: "docs",
    tools: [tools[1], hidden.handle(() => 1)],
    wires: [grpc({ typed: true })],
    auth: bearer((id) => ({ id })),
    keys: "k1:a secret that only these tests know",
  });
  await using eve = await TypedClient.of(server, { authorization: "Bearer eve" });
  await using admin = await TypedClient.of(server, { authorization: "Bearer admin" });
  for (const name of ["Nope", "constructor", "Hidden", "RedeemHidden"]) {
    const { code, reason, message } = await eve.send(`/docs.Tools/${name}`, new Uint8Array()) as TypedError;
    deepStrictEqual([code, reason, message], [12, "method_not_found", `Method not found: /docs.Tools/${name}`]);
    strictEqual(await eve.registry(`docs.${name}Response`), undefined);
  }
  deepStrictEqual(await admin.call("docs.Tools/Hidden", {}), [{ output: { result: 1 } }]);
  const names = (await eve.registry("docs.Tools"))?.getService("docs.Tools")?.methods.map(({ name }) => name);
  deepStrictEqual(names, ["Cancel", "Half"]);
});

test("without `typed` there is no service", async () => {
  await using client = await TypedClient.of(createServer({ name: "docs", tools: [tools[1]], wires: [grpc()] }));
  ok(!(await client.services()).includes("docs.Tools"));
});

test("wrong options are refused with the reason", () => {
  throws(() => grpc({ typed: "yes" as never }), /typed must be true, false or an object/);
  throws(() => grpc({ typed: { package: "google.tools" } }), /package must be the name of a package/);
  throws(() => grpc({ typed: { pakage: "a" } as never }), /pakage/);
});

function metaHeader(meta: JsonObject): Record<string, string> {
  return { "mcplite-meta-bin": base64Encode(toBinary(StructSchema, fromJson(StructSchema, meta)), "std_raw") };
}
