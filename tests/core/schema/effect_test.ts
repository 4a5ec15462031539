/** What Effect's schemas list is what their validators accept. */
import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { Schema as E } from "effect";
import { createServer, defineTool } from "../../../mod.ts";
import type { Schema } from "../../../src/core/schema/standard_schema.ts";
import { testClient } from "../../../src/entries/testing.ts";

const Item = E.Struct({ note: E.optional(E.String), weight: E.Number });
const schema = E.Struct({
  count: E.Number,
  title: E.optional(E.String),
  limit: E.optional(E.Number),
  nick: E.optionalKey(E.NullOr(E.String)),
  owner: E.optional(E.NullOr(E.String)),
  items: E.Array(Item),
  pair: E.Tuple([E.Number, E.optional(E.String)]),
  either: E.Union([E.Struct({ kind: E.Literal("a"), a: E.optional(E.Number) }), E.Struct({ b: E.String })]),
});
const standard = E.toStandardJSONSchemaV1(E.toStandardSchemaV1(schema)) as unknown as Schema;
const tool = defineTool("t").describe("T").input(standard as never).handle((input: unknown) => input);
const client = testClient(createServer({ tools: [tool] })).$;

const text = { type: "string" };
const number = { type: "number" };
const orNull = { anyOf: [text, { type: "null" }] };

test("Effect's numbers list no text, and optional members no null, at every depth; a null that is accepted stays", async () => {
  const [listed] = await client.list();
  const { properties } = listed?.inputSchema as { readonly properties: Readonly<Record<string, unknown>> };
  const { items, pair, either, ...rest } = properties;
  deepStrictEqual(rest, { count: number, title: text, limit: number, nick: orNull, owner: orNull });
  deepStrictEqual((items as { items: { properties: unknown } }).items.properties, { note: text, weight: number });
  deepStrictEqual((pair as { prefixItems: unknown }).prefixItems, [number, text]);
  deepStrictEqual((either as { anyOf: { properties: unknown }[] }).anyOf.map((one) => one.properties), [
    { kind: { type: "string", enum: ["a"] }, a: number },
    { b: text },
  ]);
});

test("the validator refuses what is no longer listed, and accepts what is", async () => {
  const good = { count: 1, nick: null, owner: null, items: [{ weight: 2 }], pair: [1], either: { b: "b" } };
  deepStrictEqual(await client.call("t", good), good);
  for (
    const bad of [{ count: "Infinity" }, { title: null }, { limit: "NaN" }, { items: [{ weight: 1, note: null }] }]
  ) {
    await rejects(client.call("t", { ...good, ...bad }), { code: "invalid_input" });
  }
  strictEqual(typeof tool, "object");
});
