/** What a tool knows of schemas: nothing but what it was brought, and all of it at the front door. */
import { deepStrictEqual, match, rejects, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import { Schema as E } from "effect";
import * as npmValibot from "valibot";
import { z } from "zod";
import {
  type AnyTool,
  createServer,
  defineTool as frontDoorDefineTool,
  memoryTransport,
  type Schema,
  type ServerOptions,
} from "../../../mod.ts";
import { gateway, mount } from "../../../src/entries/compose.ts";
import { jsonSchema } from "../../../src/entries/json_schema.ts";
import { toolsFromOpenApi } from "../../../src/entries/openapi.ts";
import * as v from "../../../src/entries/schema.ts";
import { testClient } from "../../../src/entries/testing.ts";
import { defineCoreTool, type DefineTool, toolDefiner } from "../../../src/core/tool/define_tool.ts";
import type { ServerPart } from "../../../src/entries/types.ts";

const KEYS = ["k1:0123456789abcdef0123456789abcdef"];
const LISTED = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };

/** One object, by each library that provides its own JSON Schema. */
const STANDARD: readonly (readonly [name: string, schema: Schema])[] = [
  ["zod", z.object({ a: z.string() }) as Schema],
  ["ArkType", type({ a: "string" }) as unknown as Schema],
  ["Effect", E.toStandardJSONSchemaV1(E.toStandardSchemaV1(E.Struct({ a: E.String }))) as unknown as Schema],
  ["jsonSchema()", jsonSchema(LISTED) as Schema],
  ["toStandardJsonSchema() of valibot", toStandardJsonSchema(v.object({ a: v.string() })) as Schema],
];

const DEFINERS: readonly (readonly [name: string, define: DefineTool])[] = [
  ["of the core", defineCoreTool],
  ["of the core, by a definer", toolDefiner(v.valibotJsonSchema, v.compiledChecks)],
  ["of the front door", frontDoorDefineTool],
];

for (const [library, schema] of STANDARD) {
  for (const [name, define] of DEFINERS) {
    test(`defineTool() ${name} takes a schema of ${library}`, async () => {
      const tool = define("t").describe("T").input(schema).handle((args) => args);
      const server = createServer({ tools: [tool] });
      const { type, required, properties } = server.tools[0]?.inputSchema ?? {};
      deepStrictEqual({ type, required, properties }, LISTED);
      deepStrictEqual(await testClient(server).$.call("t", { a: "x" }), { a: "x" });
      await rejects(testClient(server).$.call("t", { a: 1 }), { code: "invalid_input" });
    });
  }
}

const UNKNOWN = 'cannot become JSON Schema: valibot does not offer it here; use the front door, "toolwire"; ' +
  'with "toolwire/core", toolDefiner(valibotJsonSchema), of "toolwire/schema"';

for (
  const [name, define] of [["defineTool()", defineCoreTool], [
    "toolDefiner(compiledChecks)",
    toolDefiner(v.compiledChecks),
  ]] as const
) {
  test(`${name} of the core refuses a schema of valibot, and says what to import`, () => {
    throws(() => define("t").input(v.object({ a: v.string() })), {
      name: "TypeError",
      message: `Input schema of tool "t" ${UNKNOWN}`,
    });
    throws(() => define("t").errors({ late: v.string() }), {
      message: `Schema of error "late" of tool "t" ${UNKNOWN}`,
    });
  });
}

test("toolDefiner() has those adapters that it is given, of valibot from npm as well", () => {
  const { object, string } = npmValibot;
  const planOf = (define: DefineTool) =>
    define("t").describe("T").input(object({ a: string() })).handle(() => null)["~definition"];
  const [converted, compiled, frontDoor] = [
    toolDefiner(v.valibotJsonSchema),
    toolDefiner(v.compiledChecks, v.valibotJsonSchema),
    frontDoorDefineTool,
  ].map(planOf);
  for (const plan of [converted, compiled, frontDoor]) deepStrictEqual(plan?.inputSchema, LISTED);
  strictEqual(converted?.input?.exact, undefined);
  // Workers do not allow code generation: the check then accepts nothing, and valibot validates.
  const canCompile = globalThis.navigator?.userAgent !== "Cloudflare-Workers";
  strictEqual(compiled?.input?.exact?.accepts({ a: "x" }), canCompile);
  strictEqual(frontDoor?.input?.exact?.accepts({ a: "x" }), canCompile);
});

test("toolDefiner() without a compiled check takes and refuses the same", async () => {
  const schema = v.object({ a: v.pipe(v.string(), v.minLength(2)) });
  for (const define of [toolDefiner(v.valibotJsonSchema), frontDoorDefineTool]) {
    const server = createServer({ tools: [define("t").describe("T").input(schema).handle(({ a }) => a)] });
    strictEqual(await testClient(server).$.call("t", { a: "xy" }), "xy");
    await rejects(testClient(server).$.call("t", { a: "x" }), { code: "invalid_input" });
  }
});

test("toolDefiner() takes adapters of any library, and asks the schema itself first", () => {
  const adapter: v.SchemaAdapter = {
    vendor: "house",
    toJsonSchema: () => ({ type: "object", title: "By the adapter" }),
  };
  const standard = { version: 1 as const, vendor: "house", validate: (value: unknown) => ({ value }) };
  const own = { ...standard, jsonSchema: { input: () => ({ type: "object", title: "Its own" }) } };
  const titleOf = (schema: Schema) =>
    toolDefiner(adapter)("t").describe("T").input(schema).handle(() => null)["~definition"].inputSchema["title"];
  strictEqual(titleOf({ "~standard": standard }), "By the adapter");
  strictEqual(titleOf({ "~standard": own }), "Its own");
  throws(
    () => toolDefiner({ ...adapter, vendor: "other" })("t").input({ "~standard": standard }),
    /house does not offer it/,
  );
});

for (
  const [name, define, asks] of [
    ["asks with schemas that its tool has adapters for", toolDefiner(v.valibotJsonSchema), true],
    ["is refused a schema that its tool has none for", defineCoreTool, false],
  ] as const
) {
  test(`ctx.elicit() ${name}`, async () => {
    const logged: unknown[] = [];
    const log = (_: string, fields?: Readonly<Record<string, unknown>>) =>
      void logged.push(fields?.["error"] ?? fields);
    const server = createServer({
      tools: [
        define("t").describe("T").handle(async (_, ctx) =>
          (await ctx.elicit("sure", { message: "Sure?", schema: v.object({ yes: v.boolean() }) })).action
        ),
      ],
      keys: KEYS,
      logger: { debug: log, info: log, warn: log, error: log },
    });
    const called = testClient(server, { onElicitation: () => ({ action: "decline" }) }).$.call("t");
    if (asks) return strictEqual(await called, "decline");
    await rejects(called, { code: "internal" });
    match(
      logged.map(String).join(),
      /Schema of question "sure" cannot become JSON Schema: .* toolDefiner\(valibotJsonSchema\)/,
    );
  });
}

const remote = createServer({ tools: [frontDoorDefineTool("t").describe("T").handle(() => null)], keys: KEYS });
const document = {
  openapi: "3.1.0",
  info: { title: "Test", version: "1" },
  paths: { "/t": { get: { operationId: "t", responses: {} } } },
};

type Offer = ServerOptions<readonly AnyTool[], readonly ServerPart[]>;

const OFFERS: readonly (readonly [name: string, open: () => Offer | Promise<Offer>])[] = [
  ["a tool of an OpenAPI document", () => ({ tools: toolsFromOpenApi(document, { baseUrl: "https://api.example" }) })],
  // Opened inside of the test: workerd allows no timers while modules load.
  ["a tool of a gateway", async () => ({
    tools: [],
    parts: [mount(await gateway<typeof remote>("remote", memoryTransport(remote)))],
  })],
];

for (const [name, open] of OFFERS) {
  test(`middleware asks around ${name} with schemas that it asks with around the server's own`, async () => {
    const server = createServer({
      ...await open(),
      keys: KEYS,
      middleware: [async (ctx, next) => {
        await ctx.elicit("sure", { message: "Sure?", schema: v.object({}) });
        return await next();
      }],
    });
    const outcome = await testClient(server).$.call("t").catch((error: unknown) => error);
    match(String(outcome), /elicitation/);
  });
}

test("middleware asks around redeem with schemas that it asks with around the tool", async () => {
  const server = createServer({
    tools: [frontDoorDefineTool("t").describe("T").promise().handle(() => "done")],
    keys: KEYS,
    middleware: [async (ctx, next) => {
      if (ctx.tool.name === "redeem") await ctx.elicit("sure", { message: "Sure?", schema: v.object({}) });
      return await next();
    }],
  });
  const client = testClient(server);
  const { token } = await client.t.start();
  const outcome = await client.$.call("redeem", { promise: token }).catch((error: unknown) => error);
  match(String(outcome), /elicitation/);
});
