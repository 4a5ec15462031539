/** Patterns of other servers' schemas: none takes more than linear time, and the ones that are fast are checked. */
import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createServer } from "../../../mod.ts";
import { compileCheck } from "../../../src/core/json_schema/check.ts";
import { compileForeignCheck } from "../../../src/core/json_schema/foreign.ts";
import { maxMatchedLength } from "../../../src/core/json_schema/pattern_cost.ts";
import { toolsFromOpenApi } from "../../../src/entries/openapi.ts";
import { gateway, mount } from "../../../src/entries/compose.ts";
import { testClient } from "../../../src/entries/testing.ts";
import { objectOf, SLOW, webtoolOf } from "./foreign.ts";
import { listing, scripted } from "../../server/compose/scripted.ts";

test("a slow pattern of a server behind a gateway that validates is left to the server", async () => {
  for (const [pattern, text] of SLOW) {
    const schemas = { inputSchema: objectOf({ pattern }), outputSchema: objectOf({ pattern }) };
    const remote = scripted([listing("t", schemas)], () => ({ kind: "answer", value: { text } }));
    const app = createServer({ tools: [], parts: [mount(await gateway("far", remote, { validate: true }))] });
    deepStrictEqual(await testClient(app).$.call("t", { text }), { text });
  }
});

test("a slow pattern of an OpenAPI document is left to the API", async () => {
  for (const [pattern, text] of SLOW) {
    const schema = objectOf({ type: "string", pattern });
    const content = { "application/json": { schema } };
    const tools = toolsFromOpenApi({
      openapi: "3.1.0",
      info: { title: "Test", version: "1" },
      paths: {
        "/t": {
          post: { operationId: "t", requestBody: { content }, responses: { 200: { description: "", content } } },
        },
      },
    }, { baseUrl: "https://api.example", fetch: () => Promise.resolve(Response.json({ text })) });
    deepStrictEqual(await testClient(createServer({ tools })).$.call("t", { text }), { text });
  }
});

test("a fast pattern is checked before anything is sent", async () => {
  const fast: readonly (readonly [pattern: string, good: string, bad: string])[] = [
    ["^\\d{4}-\\d{2}-\\d{2}$", "2026-01-31", "today"],
    ["^[A-Z]{2,3}$", "EUR", "euro"],
    ["^[a-z]+$", "a".repeat(10_000), "a b"],
    ["^(open|closed)$", "open", "ajar"],
    ["^(\\d{1,3}\\.){3}\\d{1,3}$", "127.0.0.1", "localhost"],
    ["^\\p{L}+$", "Žižek", "x1"],
    ["^[\\w.-]+@[\\w.-]+\\.\\w+$", "a@b.example", "a@b"],
    ["[{(|*+]", "a|b", "ab"],
  ];
  for (const [pattern, good, bad] of fast) {
    const { sent, call } = webtoolOf(objectOf({ type: "string", pattern }));
    strictEqual(await call({ text: good }), "sent", pattern);
    await rejects(call({ text: bad }), { code: "invalid_input", message: /text that matches/ }, pattern);
    strictEqual(sent.length, 1);
  }
});

/** Pieces of patterns, with repetitions and choices in any nesting. */
const { pattern: anyPattern } = fc.letrec<{ pattern: string; part: string; piece: string }>((tie) => ({
  piece: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom("a", "b", ".", "[ab]", "\\w", "aa", "^", "$", "[^b]"),
    tie("pattern").map((pattern) => `(${pattern})`),
    tie("pattern").map((pattern) => `(?:${pattern})`),
  ),
  part: fc.tuple(
    tie("piece").filter((piece) => !/^[$^]$/.test(piece)),
    fc.constantFrom("", "", "*", "+", "?", "{2}", "{1,3}", "{2,}", "*?", "{0}"),
  ).map(([piece, quantifier]) => piece + quantifier),
  pattern: fc.oneof(
    fc.array(fc.oneof(tie("part"), tie("piece")), { minLength: 1, maxLength: 4 }).map((parts) => parts.join("")),
    fc.tuple(tie("part"), tie("part")).map(([one, other]) => `${one}|${other}`),
  ),
}));

test("any pattern that is applied ends, at the longest text that it is applied to", () => {
  let applied = 0;
  const property = fc.property(anyPattern, (pattern) => {
    const length = Math.min(maxMatchedLength(pattern), 20_000);
    if (length === 0) return;
    applied++;
    const matcher = new RegExp(pattern, "u");
    for (const text of ["a".repeat(length), `${"a".repeat(length - 1)}!`, `${"ab".repeat(length / 2)}!`]) {
      matcher.test(text);
    }
  });
  fc.assert(property, { numRuns: 500 });
  strictEqual(applied > 50, true);
});

const names = fc.constantFrom("a", "aa", "ab", "b");

/** Schemas with fast and slow patterns, under all kinds of keywords. */
const { schema: anySchema } = fc.letrec<{ schema: Readonly<Record<string, unknown>> }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom({ pattern: "^(a+)+$" }, { pattern: "^a*$" }, { pattern: "a+b" }, { type: "string" }, {
      maxLength: 1,
    }, {}),
    fc.tuple(fc.constantFrom("not", "if", "additionalProperties", "items", "contains", "propertyNames"), tie("schema"))
      .map(([keyword, schema]) => ({ [keyword]: schema })),
    fc.tuple(tie("schema"), tie("schema")).map(([then, other]) => ({ if: then, then: other, else: { maxLength: 2 } })),
    fc.tuple(fc.constantFrom("anyOf", "oneOf", "allOf"), fc.array(tie("schema"), { minLength: 1, maxLength: 3 }))
      .map(([keyword, schemas]) => ({ [keyword]: schemas })),
    fc.tuple(tie("schema"), fc.boolean()).map(([schema, isClosed]) => ({
      patternProperties: { "^(a+)+$": schema, "^b": schema },
      ...(isClosed && { additionalProperties: false, unevaluatedProperties: false }),
    })),
    tie("schema").map((schema) => ({ contains: schema, maxContains: 1 })),
    tie("schema").map((schema) => ({
      properties: { a: schema },
      $defs: { pattern: schema },
      unevaluatedProperties: false,
    })),
  ),
}));

test("what a schema of another server accepts is accepted, however slow its patterns are", () => {
  const value = fc.oneof(names, fc.array(names), fc.dictionary(names, names), fc.constant(1));
  const property = fc.property(anySchema, value, (schema, value) => {
    if (compileCheck(schema)(value).length > 0) return;
    deepStrictEqual(compileForeignCheck(schema)(value), []);
  });
  fc.assert(property, { numRuns: 500 });
});
