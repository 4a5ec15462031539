/** Schemas that argument forms have to show, with values. */
import type { Json, Schema } from "../../apps/console/json_schema.ts";

export const NODE: Schema = {
  $ref: "#/$defs/Node",
  $defs: {
    Node: {
      type: "object",
      properties: {
        kind: { const: "node" },
        value: { type: "number" },
        children: { type: "array", items: { $ref: "#/$defs/Node" } },
      },
      required: ["kind", "value"],
    },
  },
};

export const SHAPES: Schema = {
  anyOf: [
    { type: "object", properties: { kind: { const: "circle" }, r: { type: "number" } }, required: ["kind", "r"] },
    {
      type: "object",
      properties: { kind: { const: "box" }, w: { type: "number" }, h: { type: "number" } },
      required: ["kind", "w", "h"],
    },
  ],
};

const WIDE = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`field_${at}`, { type: "string" }]));

/** A member's schema, and values that fit it. What a member begins with is the third entry. */
export const MEMBERS: readonly (readonly [name: string, schema: unknown, values: readonly Json[], begun: Json])[] = [
  ["text", { type: "string" }, ["", "a", "\u202e<b>"], ""],
  ["text with a default", { type: "string", default: "x" }, ["x", "y"], "x"],
  ["number", { type: "number" }, [0, -1.5, 1e21], 0],
  ["number with a minimum", { type: "number", minimum: 3 }, [3, 4], 3],
  ["integer", { type: "integer" }, [0, -7, 9007199254740993], 0],
  ["integer with a default of 0", { type: "integer", default: 0 }, [0, 1], 0],
  ["boolean", { type: "boolean" }, [true, false], false],
  ["boolean with a default", { type: "boolean", default: true }, [true, false], true],
  ["null", { type: "null" }, [null], null],
  ["default of null", { type: ["string", "null"], default: null }, [null, "a"], null],
  ["list of texts", { type: "array", items: { type: "string" } }, [[], ["a", "b"]], []],
  ["list of at least two", { type: "array", items: { type: "number" }, minItems: 2 }, [[1, 2]], [0, 0]],
  ["list of lists", { type: "array", items: { type: "array", items: { type: "null" } } }, [[[null], []]], []],
  ["list with a default", { type: "array", default: ["a"] }, [["a"], []], ["a"]],
  ["list without items", { type: "array" }, [[], [1, "a", null]], []],
  ["positions", { type: "array", prefixItems: [{ type: "number" }, { const: "m" }] }, [[1, "m"]], [0, "m"]],
  ["positions and more", { prefixItems: [{ type: "string" }], items: false }, [["a"]], [""]],
  ["empty object", { type: "object" }, [{}, { a: 1 }], {}],
  ["closed object", { type: "object", additionalProperties: false }, [{}], {}],
  ["object", { type: "object", properties: { a: { type: "string" } } }, [{}, { a: "x" }], {}],
  ["required member", { properties: { a: { type: "string" } }, required: ["a"] }, [{ a: "" }], { a: "" }],
  [
    "deep required members",
    {
      type: "object",
      properties: { a: { type: "object", properties: { b: { const: 1 } }, required: ["b"] } },
      required: ["a"],
    },
    [{ a: { b: 1 } }],
    { a: { b: 1 } },
  ],
  ["map", { type: "object", additionalProperties: { type: "number" } }, [{}, { a: 1, b: 2 }], {}],
  ["map of maps", { type: "object", additionalProperties: { type: "object" } }, [{ a: { b: {} } }], {}],
  ["text enum", { enum: ["a", "b"] }, ["a", "b"], "a"],
  ["typed enum", { type: "string", enum: ["b", "a"] }, ["a", "b"], "b"],
  ["nullable enum", { enum: ["c", null] }, ["c", null], "c"],
  ["mixed enum", { enum: [1, "1", null, true, "true"] }, [1, "1", null, true, "true"], 1],
  ["enum of objects", { enum: [{ a: 1 }, [2]] }, [{ a: 1 }, [2]], { a: 1 }],
  ["enum of many types", { type: ["integer", "null"], enum: [1, null] }, [1, null], 1],
  ["nullable integer", { type: ["integer", "null"] }, [0, null], 0],
  ["null first", { type: ["null", "string"] }, [null, "a"], null],
  ["const", { const: "v1" }, ["v1"], "v1"],
  ["const null", { const: null }, [null], null],
  ["const object", { const: { a: [1] } }, [{ a: [1] }], { a: [1] }],
  ["date", { type: "string", format: "date-time" }, ["2026-11-23T01:00:00Z"], ""],
  ["password", { type: "string", format: "password", writeOnly: true }, ["s"], ""],
  ["kinds", SHAPES, [{ kind: "circle", r: 1 }, { kind: "box", w: 1, h: 2 }], { kind: "circle", r: 0 }],
  ["kinds by oneOf", { oneOf: SHAPES["anyOf"] }, [{ kind: "box", w: 1, h: 2 }], { kind: "circle", r: 0 }],
  ["text or list", { anyOf: [{ type: "string" }, { type: "array" }] }, ["a", ["a"]], ""],
  ["nested alternatives", { anyOf: [{ anyOf: [{ type: "number" }, { type: "null" }] }, SHAPES] }, [1, null], 0],
  ["reference", { $ref: "#/$defs/Point" }, [{ x: 1 }], { x: 0 }],
  ["reference with siblings", { $ref: "#/$defs/Point", default: { x: 9 } }, [{ x: 9 }], { x: 9 }],
  ["reference to nothing", { $ref: "#/$defs/Missing" }, [1, "a", null, {}], ""],
  ["reference elsewhere", { $ref: "https://schemas.example/x.json" }, [1, {}], ""],
  ["reference to itself", { $ref: "#/$defs/Loop" }, [1, {}], ""],
  ["recursive", { $ref: "#/$defs/Tree" }, [{ v: 1 }, { v: 1, next: { v: 2 } }], { v: 0 }],
  ["200 fields", { type: "object", properties: WIDE }, [{}, { field_7: "x" }], {}],
  ["true", true, [1, "a", null, [], {}], ""],
  ["no keyword", {}, [1, "a", null, [], {}], ""],
];

/** Definitions that the schemas refer to. */
export const DEFS: Readonly<Record<string, unknown>> = {
  Point: { type: "object", properties: { x: { type: "number" } }, required: ["x"] },
  Loop: { $ref: "#/$defs/Loop" },
  Tree: {
    type: "object",
    properties: { v: { type: "number" }, next: { $ref: "#/$defs/Tree" } },
    required: ["v"],
  },
};

/** A schema with one member, required or not. */
export function around(member: unknown, isRequired: boolean): Schema {
  return { type: "object", properties: { m: member }, $defs: DEFS, ...(isRequired && { required: ["m"] }) };
}
