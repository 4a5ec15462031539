/** Schemas, and their form in strict mode. */

/** A property's schema, whether it is required, and its strict form; `undefined` if it has no strict form. */
export interface StrictCase {
  readonly name: string;
  readonly property: Record<string, unknown>;
  readonly isRequired?: boolean;
  readonly strict: Record<string, unknown> | undefined;
  /** Beside the property. */
  readonly root?: Record<string, unknown>;
}

const text = { type: "string" };
const nothing = { type: "null" };
const point = { type: "object", properties: { x: { type: "number" } }, required: ["x"] };
const closedPoint = { ...point, additionalProperties: false };

/** The cases. */
export const STRICT_CASES: readonly StrictCase[] = [
  { name: "text", property: text, isRequired: true, strict: text },
  {
    name: "text that may be left out",
    property: { type: "string", description: "A name" },
    strict: { anyOf: [text, nothing], description: "A name (null: left out)" },
  },
  {
    name: "a default",
    property: { type: "integer", minimum: 1, default: 10 },
    strict: { anyOf: [{ type: "integer", minimum: 1 }, nothing], description: "null: 10" },
  },
  {
    name: "null, required",
    property: { type: ["string", "null"] },
    isRequired: true,
    strict: { type: ["string", "null"] },
  },
  { name: "null, or left out: two things", property: { anyOf: [text, nothing] }, strict: undefined },
  { name: "anything", property: {}, isRequired: true, strict: undefined },
  { name: "a constant gets its type", property: { const: 3 }, isRequired: true, strict: { type: "number", const: 3 } },
  { name: "a constant that is an object", property: { const: { a: 1 } }, isRequired: true, strict: undefined },
  {
    name: "an enumeration gets its types",
    property: { enum: ["a", 1, null] },
    isRequired: true,
    strict: { type: ["string", "number", "null"], enum: ["a", 1, null] },
  },
  { name: "an enumeration with null, or left out", property: { enum: ["a", null] }, strict: undefined },
  { name: "an object is closed", property: point, isRequired: true, strict: closedPoint },
  { name: "a record", property: { type: "object", additionalProperties: text }, isRequired: true, strict: undefined },
  { name: "an open object", property: { ...point, additionalProperties: true }, isRequired: true, strict: undefined },
  {
    name: "an object of which nothing is said",
    property: { type: "object" },
    isRequired: true,
    strict: undefined,
  },
  {
    name: "an empty object",
    property: { type: "object", additionalProperties: false },
    isRequired: true,
    strict: { type: "object", properties: {}, required: [], additionalProperties: false },
  },
  {
    name: "an array",
    property: { type: "array", items: point, minItems: 1 },
    isRequired: true,
    strict: { type: "array", items: closedPoint, minItems: 1 },
  },
  { name: "an array of anything", property: { type: "array" }, isRequired: true, strict: undefined },
  {
    name: "unique items",
    property: { type: "array", items: text, uniqueItems: true },
    isRequired: true,
    strict: { type: "array", items: text, description: "uniqueItems: true" },
  },
  { name: "a tuple", property: { type: "array", prefixItems: [text] }, isRequired: true, strict: undefined },
  { name: "a format", property: { ...text, format: "email" }, isRequired: true, strict: { ...text, format: "email" } },
  {
    name: "a format that is not known",
    property: { ...text, format: "color" },
    isRequired: true,
    strict: { ...text, description: 'format: "color"' },
  },
  { name: "a pattern", property: { ...text, pattern: "^a+$" }, isRequired: true, strict: { ...text, pattern: "^a+$" } },
  {
    name: "a pattern that looks ahead",
    property: { ...text, pattern: "^(?=a)" },
    isRequired: true,
    strict: { ...text, description: 'pattern: "^(?=a)"' },
  },
  { name: "a keyword that is not known", property: { ...text, "x-kind": 1 }, isRequired: true, strict: text },
  { name: "allOf", property: { allOf: [text, { minLength: 1 }] }, isRequired: true, strict: { ...text, minLength: 1 } },
  { name: "allOf with two types", property: { allOf: [text, nothing] }, isRequired: true, strict: undefined },
  {
    name: "allOf of objects",
    property: { allOf: [point, { type: "object", properties: { y: text }, required: ["y"] }] },
    isRequired: true,
    strict: {
      type: "object",
      properties: { x: { type: "number" }, y: text },
      required: ["x", "y"],
      additionalProperties: false,
    },
  },
  {
    name: "allOf of an object that is closed, and of one with another property",
    property: { allOf: [closedPoint, { type: "object", properties: { y: text }, required: ["y"] }] },
    isRequired: true,
    strict: undefined,
  },
  {
    name: "alternatives",
    property: { anyOf: [text, { type: "number" }], description: "Either" },
    strict: { anyOf: [text, { type: "number" }, nothing], description: "Either (null: left out)" },
  },
  {
    name: "alternatives of which one has members that may be left out: which was meant cannot be told",
    property: { anyOf: [{ type: "object", properties: { a: text } }, { type: "object", properties: { b: text } }] },
    isRequired: true,
    strict: undefined,
  },
  {
    name: "exclusive alternatives that say which they are",
    property: {
      oneOf: [1, 2].map((kind) => ({ type: "object", properties: { kind: { const: kind } }, required: ["kind"] })),
    },
    isRequired: true,
    strict: {
      anyOf: [1, 2].map((kind) => ({
        type: "object",
        properties: { kind: { type: "number", const: kind } },
        required: ["kind"],
        additionalProperties: false,
      })),
    },
  },
  {
    name: "exclusive alternatives",
    property: { oneOf: [text, { type: "number" }] },
    isRequired: true,
    strict: { anyOf: [text, { type: "number" }] },
  },
  {
    name: "alternatives of which exactly one has to fit",
    property: { oneOf: [text, { type: "string", maxLength: 3 }] },
    isRequired: true,
    strict: { anyOf: [text, { type: "string", maxLength: 3 }], description: "exactly one alternative fits" },
  },
  {
    name: "an object that requires one of two properties",
    property: { ...point, anyOf: [{ required: ["x"] }, { required: ["y"] }] },
    isRequired: true,
    strict: { ...closedPoint, description: 'anyOf: [{"required":["x"]},{"required":["y"]}]' },
  },
  {
    name: "a definition",
    property: { $ref: "#/$defs/Point", description: "Where" },
    root: { $defs: { Point: point, Unused: { not: {} } } },
    isRequired: true,
    strict: { anyOf: [{ $ref: "#/$defs/Point" }], description: "Where" },
  },
  { name: "a definition that is nowhere", property: { $ref: "#/$defs/Lost" }, isRequired: true, strict: undefined },
  { name: "a reference to the root", property: { $ref: "#" }, isRequired: true, strict: { $ref: "#/$defs/root" } },
  {
    name: "a definition of draft 7",
    property: { $ref: "#/definitions/Point" },
    root: { definitions: { Point: point } },
    isRequired: true,
    strict: { $ref: "#/$defs/Point" },
  },
  {
    name: "too deep",
    property: Array.from({ length: 12 }).reduce<Record<string, unknown>>((items) => ({ type: "array", items }), text),
    isRequired: true,
    strict: undefined,
  },
  {
    name: "too many values",
    property: { enum: Array.from({ length: 1001 }, (_, index) => index) },
    isRequired: true,
    strict: undefined,
  },
];

/** The schema of a tool's arguments that has a case's property. */
export function schemaOf({ property, isRequired, root }: StrictCase): Record<string, unknown> {
  return { type: "object", properties: { it: property }, ...(isRequired && { required: ["it"] }), ...root };
}
