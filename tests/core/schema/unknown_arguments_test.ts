/** Undeclared arguments with each validation library, and the options that decide about them. */
import { deepStrictEqual, ok, rejects, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import { type } from "arktype";
import { Schema as E } from "effect";
import * as v from "../../../src/entries/schema.ts";
import { z } from "zod";
import { createServer, defineTool, type Schema, type ServerOptions, type ToolError } from "../../../mod.ts";
import { createServer as createCoreServer, defineTool as defineCoreTool } from "../../../src/entries/core.ts";
import { jsonSchema } from "../../../src/entries/json_schema.ts";
import { unknownArguments } from "../../../src/entries/schema.ts";
import { testClient } from "../../../src/entries/testing.ts";

const title = { type: "string" };
const properties = { title, assignee: title };

function effect<S extends E.ConstraintDecoder<unknown>>(schema: S): Schema {
  return E.toStandardJSONSchemaV1(E.toStandardSchemaV1(schema)) as unknown as Schema;
}

/** Schemas that say nothing of other names, that refuse them and that keep them. */
const LIBRARIES: Readonly<Record<string, readonly [unsaid: unknown, strict: unknown, loose: unknown]>> = {
  valibot: [
    v.object({ title: v.string(), assignee: v.optional(v.string()) }),
    v.strictObject({ title: v.string(), assignee: v.optional(v.string()) }),
    v.looseObject({ title: v.string(), assignee: v.optional(v.string()) }),
  ],
  zod: [
    z.object({ title: z.string(), assignee: z.string().optional() }),
    z.strictObject({ title: z.string(), assignee: z.string().optional() }),
    z.looseObject({ title: z.string(), assignee: z.string().optional() }),
  ],
  ArkType: [
    type({ title: "string", "assignee?": "string" }),
    type({ "+": "reject", title: "string", "assignee?": "string" }),
    type({ title: "string", "assignee?": "string", "[string]": "unknown" }),
  ],
  "JSON Schema": [
    jsonSchema({ type: "object", properties, required: ["title"] }),
    jsonSchema({ type: "object", properties, required: ["title"], additionalProperties: false }),
    jsonSchema({ type: "object", properties, required: ["title"], additionalProperties: true }),
  ],
};

function open(schema: unknown, options: Partial<ServerOptions<[]>> = {}) {
  const names: unknown[] = [];
  const keep = (_: string, fields?: object) => names.push(fields);
  const logger = { debug() {}, info: keep, warn: keep, error() {} };
  const tool = defineTool("create").describe("Create").input(schema as Schema).handle((input) => input);
  const server = createServer({ logger, ...options, tools: [tool] });
  return { call: (args: unknown) => testClient(server).$.call("create", args), server, names };
}

const MISSPELLED = { title: "T", assigne: "ada" };
const FOREIGN = { title: "T", host_call_id: "1" };
const refused = { code: "invalid_input", message: /at "assigne": unknown property; did you mean "assignee"\?/ };

for (const [name, [unsaid, strict, loose]] of Object.entries(LIBRARIES)) {
  test(`${name}: a schema that says nothing of other names`, async () => {
    const { call, names, server } = open(unsaid);
    await rejects(call(MISSPELLED), refused);
    deepStrictEqual(await call(FOREIGN), { title: "T" });
    deepStrictEqual(names, [{ tool: "create", names: ["host_call_id"] }]);
    strictEqual(server.tools[0]?.inputSchema["additionalProperties"], undefined);
    deepStrictEqual(await open(unsaid, { unknownArguments: "drop" }).call(MISSPELLED), { title: "T" });
    const refusing = open(unsaid, { unknownArguments: "refuse" });
    await rejects(refusing.call(FOREIGN), { code: "invalid_input", message: /there are title, assignee/ });
    strictEqual(refusing.server.tools[0]?.inputSchema["additionalProperties"], false);
  });

  test(`${name}: a schema that refuses other names`, async () => {
    for (const mode of ["suggest", "drop"] as const) {
      const { call, server } = open(strict, { unknownArguments: mode });
      await rejects(call(MISSPELLED), refused);
      await rejects(call(FOREIGN), { code: "invalid_input" });
      strictEqual(server.tools[0]?.inputSchema["additionalProperties"], false);
    }
  });

  test(`${name}: a schema that keeps other names`, async () => {
    for (const mode of ["suggest", "refuse", "drop"] as const) {
      const { call, names, server } = open(loose, { unknownArguments: mode });
      deepStrictEqual(await call(MISSPELLED), MISSPELLED);
      deepStrictEqual(await call(FOREIGN), FOREIGN);
      deepStrictEqual(names, []);
      ok(server.tools[0]?.inputSchema["additionalProperties"]);
    }
  });
}

test("Effect decides for itself: it lists that other properties are allowed, and drops them", async () => {
  const schema = effect(E.Struct({ title: E.String, assignee: E.optionalKey(E.String) }));
  const { call, server } = open(schema, { unknownArguments: "refuse" });
  deepStrictEqual(await call(MISSPELLED), { title: "T" });
  strictEqual(server.tools[0]?.inputSchema["additionalProperties"], true);
});

test("alternatives, references and tools without a schema are left to the library", async () => {
  const either = v.union([v.object({ a: v.string() }), v.object({ b: v.string() })]);
  deepStrictEqual(await open(either, { unknownArguments: "refuse" }).call({ a: "x", c: 1 }), { a: "x" });
  const free = defineTool("free").describe("Free").unknownArguments("refuse").handle((input) => input);
  deepStrictEqual(await testClient(createServer({ tools: [free] })).$.call("free", { a: 1 }), { a: 1 });
});

test("names that every object has are unknown names like others", async () => {
  const { call, names } = open(v.object({ title: v.string() }));
  const args = JSON.parse('{"title":"T","__proto__":{"a":1},"constructor":2}');
  deepStrictEqual(await call(args), { title: "T" });
  deepStrictEqual(names, [{ tool: "create", names: ["__proto__", "constructor"] }]);
});

test("a hundred thousand unknown names are dropped, and few are logged", async () => {
  const entries = Array.from({ length: 100_000 }, (_, at) => [`unknown_${at}`, 1]);
  const declared = Object.fromEntries(
    Array.from({ length: 50 }, (_, at) => [`declared_property_${at}`, v.optional(v.string())]),
  );
  const { call, names } = open(v.object(declared));
  deepStrictEqual(await call(Object.fromEntries(entries)), {});
  ok(JSON.stringify(names).length < 5_000);
});

test("few names are compared with five thousand declared ones, and few of these are named", async () => {
  const declared = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`declared_${at}`, title]));
  const args = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`declared_x${at}`, 1]));
  for (const [mode, expected] of [["suggest", 2], ["refuse", 20]] as const) {
    const schema = jsonSchema({ type: "object", properties: declared }) as Schema;
    const { details } = await open(schema, { unknownArguments: mode }).call(args).catch((error) => error) as ToolError;
    const { issues } = details as { issues: { message: string }[] };
    strictEqual(issues.length, expected);
    const hints = issues.map(({ message }) => message.replace(/ "declared_.*|declared_.*$/, ""));
    deepStrictEqual(new Set(hints.slice(0, 2)), new Set(["unknown property; did you mean"]));
    deepStrictEqual(new Set(hints.slice(2)), new Set(mode === "suggest" ? [] : ["unknown property; there are "]));
  }
});

test("a schema that refuses other names does so after a hundred unknown names below it", async () => {
  const { call } = open(v.strictObject({ options: v.object({ depth: v.optional(v.number()) }) }));
  const options = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`unknown_${at}`, 1]));
  await rejects(call({ options, extra: 1 }), { code: "invalid_input", message: /"extra"/ });
});

test("a refused name is shortened in the error", async () => {
  const { call } = open(v.strictObject({ title: v.optional(v.string()) }));
  await rejects(call({ ["n".repeat(100_000)]: 1 }), ({ message }: Error) => message.length < 200);
});

test("a logger that throws does not end the call", async () => {
  const info = () => {
    throw new Error("broken");
  };
  const { call } = open(v.object({ title: v.string() }), { logger: { debug() {}, info, warn: info, error() {} } });
  deepStrictEqual(await call(FOREIGN), { title: "T" });
});

test("the mode is one of three, and the small core needs the value that brings it", () => {
  const tool = defineTool("t").describe("T").handle(() => 1);
  const message = /unknownArguments must be "suggest" or "refuse" or "drop", not "maybe"/;
  const wrong = { name: "TypeError", message };
  throws(() => createServer({ tools: [tool], unknownArguments: "maybe" as "drop" }), wrong);
  throws(() => defineTool("t").describe("T").unknownArguments("maybe" as "drop"), wrong);
  const core = defineCoreTool("t").describe("T").unknownArguments("refuse").handle(() => 1);
  throws(
    () => createCoreServer({ tools: [core] }),
    /tool "t" needs unknownArguments\(…\), from ".*schema"/,
  );
  createCoreServer({ tools: [core], unknownArguments: unknownArguments() });
  throws(() => createCoreServer({ tools: [core], unknownArguments: "refuse" as never }), /what unknownArguments/);
});

test("a caller that invents names fills no log with warnings", async () => {
  const warned: string[] = [];
  const keep = (message: string) => void warned.push(message);
  const logger = { debug() {}, info() {}, warn: keep, error() {} };
  const { call } = open(v.object({ title: v.string() }), { logger });
  for (let at = 0; at < 100; at++) await call({ title: "T", [`host_call_${at}`]: 1 });
  deepStrictEqual(warned, Array.from({ length: 20 }, () => "Unknown arguments were dropped"));
});
