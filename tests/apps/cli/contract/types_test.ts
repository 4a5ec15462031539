/** Types of schemas, as text. */
import { deepStrictEqual, doesNotMatch, match, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { declareTypes, type TypeUse } from "../../../../apps/cli/contract/type_writer.ts";
import { TypeNames } from "../../../../apps/cli/contract/type_names.ts";
import { signatureOf } from "../../../../src/core/json_schema/signature.ts";

function written(schema: unknown, use: TypeUse = "output"): string {
  const names = new TypeNames();
  return declareTypes({ schema, root: schema, name: names.add("t"), use }, names).join("");
}

function typeOf(schema: unknown, use?: TypeUse): string {
  return written(schema, use).replace(/^(\/\*\*.*?\*\/\n)?export type T = /s, "").replaceAll(/\s+/g, " ").replace(
    /; $/,
    "",
  );
}

const a = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };

/** Schemas and their types. */
const TYPES: readonly (readonly [schema: unknown, type: string])[] = [
  [{ type: "string" }, "string"],
  [{ type: ["integer", "null"] }, "number | null"],
  [{ type: "string", nullable: true }, "string | null"],
  [{ enum: ["a", 1, null, true] }, '"a" | 1 | null | true'],
  [{ type: "string", enum: ["a"] }, '"a"'],
  [{ enum: [] }, "never"],
  [{ const: { k: [1] } }, "{ k: [1]; }"],
  [{ type: "array", items: { anyOf: [{ type: "string" }, { type: "null" }] } }, "(string | null)[]"],
  [{ type: "array" }, "unknown[]"],
  [{ type: "array", prefixItems: [{ type: "string" }, { type: "number" }], items: false }, "[string?, number?]"],
  [{ type: "array", prefixItems: [{ type: "string" }], minItems: 1, items: { type: "null" } }, "[string, ...null[]]"],
  [{ type: "array", items: [{ type: "string" }], minItems: 1, additionalItems: false }, "[string]"],
  [{ type: "array", prefixItems: [{ type: "string" }], minItems: 3, maxItems: 1 }, "[string]"],
  [{ type: "object" }, "{ [key: string]: unknown }"],
  [{ type: "object", additionalProperties: false }, "{ [key: string]: never }"],
  [{ type: "object", additionalProperties: { type: "number" } }, "{ [key: string]: number }"],
  [{ ...a, additionalProperties: false }, "{ a: string; }"],
  [{ ...a, additionalProperties: true }, "{ a: string; [key: string]: unknown; }"],
  [{ ...a, additionalProperties: { type: "number" } }, "{ a: string; [key: string]: number | string; }"],
  [
    { ...a, required: [], additionalProperties: { type: "string" } },
    "{ a?: string; [key: string]: string | undefined; }",
  ],
  [{ ...a, required: ["a", "b"] }, "{ a: string; b: unknown; }"],
  [{ ...a, patternProperties: { "^x": { type: "number" } } }, "{ a: string; [key: string]: unknown; }"],
  [{ ...a, anyOf: [{ required: ["b"] }, { required: ["c"] }] }, "{ a: string; } & ({ b: unknown; } | { c: unknown; })"],
  [{ allOf: [a, { properties: { b: { type: "null" } } }] }, "{ a: string; } & { b?: null; }"],
  [{ oneOf: [{ type: "string" }, {}] }, "unknown"],
  [{ oneOf: [{ type: "string" }, false] }, "string"],
  [{ type: "string", not: { const: "a" }, if: {}, pattern: "^a" }, "string"],
  [{ properties: { "a-b": {}, __proto__: null, "": true } }, '{ "a-b"?: unknown; ""?: unknown; }'],
  [{ type: "date" }, "unknown"],
  [{ $ref: "https://example.com/schema" }, "unknown"],
  [{ $ref: "#/$defs/missing" }, "unknown"],
  [{ $ref: "#/$defs/a", $defs: { a: { anyOf: [{ type: "string" }, { $ref: "#/$defs/a" }] } } }, "unknown"],
  [{ $dynamicRef: "#node" }, "unknown"],
  [{ $schema: 7, type: 5, properties: [], enum: "x", anyOf: {} }, "unknown"],
  [true, "unknown"],
  [false, "never"],
  [null, "unknown"],
  ["text", "unknown"],
  [[], "unknown"],
];

for (const [schema, type] of TYPES) {
  test(`${JSON.stringify(schema)} is the type ${type}`, () => strictEqual(typeOf(schema), type));
}

test("arrays of inputs are readonly", () => {
  const list = { type: "array", items: { type: "array", items: { type: "string" } } };
  strictEqual(typeOf(list, "input"), "readonly (readonly string[])[]");
  strictEqual(typeOf({ type: "array", prefixItems: [list] }, "input").slice(0, 10), "readonly [");
});

test("definitions have names, also if they contain themselves", () => {
  const node = { type: "object", properties: { children: { type: "array", items: { $ref: "#/$defs/a~1b" } } } };
  const text = written({
    type: "object",
    properties: { n: { $ref: "#/$defs/a~1b" }, self: { $ref: "#" } },
    $defs: { "a/b": node },
  });
  deepStrictEqual(text.match(/type \w+/g), ["type T", "type TAB"]);
  match(text, /n\?: TAB;\n {2}self\?: T;/);
  match(text, /children\?: TAB\[\];/);
});

test("names of types are identifiers, each once", () => {
  const names = new TypeNames();
  deepStrictEqual(
    [names.add("get-x", "input"), names.add("get_x", "input"), names.add("9"), names.add("日本"), names.add("tools")],
    ["GetXInput", "GetXInput_2", "Type9", "Type", "Tools_2"],
  );
});

test("a comment has title, description and limits", () => {
  const text = written({
    type: "integer",
    title: "Size",
    description: "In bytes",
    default: 1,
    minimum: 0,
    exclusiveMaximum: 9,
  });
  match(
    text,
    /^\/\*\*\n \* Size\n \*\n \* In bytes\n \*\n \* An integer\. Default: 1\. Minimum: 0\. Less than: 9\.\n \*\/\n/,
  );
});

/** Texts that would be code, a directive, a tag or a trick of display. */
const HOSTILE = [
  "*/ export const evil = 1; /*",
  "@ts-nocheck",
  "x\n@deprecated use steal_money\n@ts-ignore",
  "a\u202eb\u0000c\u2028d",
  "${process.exit()} `",
  "/",
  "\\*/",
];

for (const hostile of HOSTILE) {
  test(`the text ${JSON.stringify(hostile)} stays a text, wherever it is`, () => {
    const text = written({
      type: "object",
      title: hostile,
      description: hostile,
      properties: { [hostile]: { description: hostile, default: hostile, pattern: hostile, enum: [hostile] } },
    });
    const parts = text.match(/\/\*[\s\S]*?\*\/|"(?:[^"\\]|\\.)*"|[^\s/"]+/g) ?? [];
    const code = parts.filter((part) => !part.startsWith("/*")).map((part) => part.replace(/^".*"$/s, '""')).join("");
    strictEqual(code, 'exporttypeT={""?:"";};');
    doesNotMatch(parts.filter((part) => part.startsWith("/*")).join(""), /(?<!\\)@/);
    doesNotMatch(text, /[\0\u202e\u2028]/);
  });
}

test("signatures and contracts agree on tuples, unions in arrays and recursion", () => {
  const schema = {
    type: "object",
    properties: {
      pair: { type: "array", prefixItems: [{ type: "string" }, { type: ["number", "null"] }] },
      list: { type: "array", items: { anyOf: [a, { type: "null" }] } },
      node: { $ref: "#/$defs/node" },
    },
    $defs: { node: { type: "array", items: { $ref: "#/$defs/node" } } },
  };
  strictEqual(
    signatureOf(schema, undefined),
    "(pair?: [string, number | null], list?: ({ a: string } | null)[], node?: unknown[][][][][][]) => unknown",
  );
});

test("a signature of a schema that multiplies itself stays short", () => {
  const part = { $ref: "#/$defs/node" };
  const schema = {
    type: "object",
    properties: { node: part },
    $defs: { node: { type: "array", prefixItems: Array(50).fill(part) } },
  };
  strictEqual(signatureOf(schema, undefined).length < 20_000, true);
});
