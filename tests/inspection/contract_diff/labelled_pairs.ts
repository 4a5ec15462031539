/** Pairs of schemas, with what the change means for callers if they are arguments, and if they are an output. */

type Verdict = "same" | "note" | "compatible" | "uncertain" | "breaking";

/** A pair: before, after, as arguments, as an output. */
export type LabelledPair = readonly [name: string, before: unknown, after: unknown, input: Verdict, output: Verdict];

const text = { type: "string" };
const number = { type: "number" };
const integer = { type: "integer" };

function object(properties: object, required: readonly string[] = [], more: object = {}) {
  return { type: "object", properties, required, ...more };
}

function list(items: unknown, more: object = {}) {
  return { type: "array", items, ...more };
}

function kinds(...names: readonly string[]) {
  return names.map((name) => object({ kind: { const: name }, [name]: text }, ["kind"]));
}

function tree(leaf: unknown) {
  const node = object({ leaf, children: list({ $ref: "#/$defs/node" }) });
  return { $ref: "#/$defs/node", $defs: { node } };
}

/** A definition that is compared within an alternative first, together with one that contains it. */
function mutual(leaf: unknown, names: readonly [string, string]) {
  const [a, x] = names.map((name) => ({ $ref: `#/$defs/${name}` }));
  const $defs = { [names[0]]: object({ x, leaf }), [names[1]]: object({ a }) };
  return object({ u: { anyOf: [a, {}] }, q: x }, [], { $defs });
}

const CLOSED = { additionalProperties: false };

/** All pairs. */
export const LABELLED_PAIRS: readonly LabelledPair[] = [
  // Texts for models.
  ["description", { ...text, description: "a" }, { ...text, description: "b" }, "note", "note"],
  ["title", { ...text, title: "a" }, text, "note", "note"],
  ["default", { ...number, default: 1 }, { ...number, default: 2 }, "note", "note"],
  ["examples", text, { ...text, examples: ["a"] }, "note", "note"],
  ["$schema and $id", { $schema: "a", $id: "b", ...text }, text, "same", "same"],
  ["order of members", { type: "string", minLength: 1 }, { minLength: 1, type: "string" }, "same", "same"],
  ["unknown keyword of an extension", text, { ...text, "x-order": 1 }, "same", "same"],
  ["unknown keyword", text, { ...text, magic: 1 }, "uncertain", "uncertain"],
  // Types.
  ["another type", text, number, "breaking", "breaking"],
  ["type added", text, { type: ["string", "null"] }, "compatible", "breaking"],
  ["type removed", { type: ["string", "null"] }, text, "breaking", "compatible"],
  ["integer to number", integer, number, "compatible", "breaking"],
  ["number to integer", number, integer, "breaking", "compatible"],
  ["type to anything", text, {}, "compatible", "breaking"],
  ["anything to type", true, text, "breaking", "compatible"],
  ["nothing to type", false, text, "compatible", "breaking"],
  ["type to nothing", text, false, "breaking", "compatible"],
  ["true and {}", true, {}, "same", "same"],
  ["order of types", { type: ["string", "null"] }, { type: ["null", "string"] }, "same", "same"],
  ["nullable of OpenAPI 3.0", text, { ...text, nullable: true }, "uncertain", "uncertain"],
  // Listed values.
  ["enum value added", { enum: ["a"] }, { enum: ["a", "b"] }, "compatible", "breaking"],
  ["enum value removed", { enum: ["a", "b"] }, { enum: ["a"] }, "breaking", "compatible"],
  ["enum values in another order", { enum: ["a", "b"] }, { enum: ["b", "a"] }, "same", "same"],
  ["enum value replaced", { enum: ["a"] }, { enum: ["b"] }, "breaking", "breaking"],
  ["const changed", { const: 1 }, { const: 2 }, "breaking", "breaking"],
  ["const to enum", { const: 1 }, { enum: [1, 2] }, "compatible", "breaking"],
  ["const and enum of one", { const: "a" }, { enum: ["a"] }, "same", "same"],
  ["enum to type", { enum: ["a", "b"] }, text, "compatible", "breaking"],
  ["enum to a type that some values do not have", { enum: ["a", 1] }, text, "breaking", "breaking"],
  ["enum to a bound that some values exceed", { enum: ["a", "bb"] }, { ...text, maxLength: 1 }, "breaking", "breaking"],
  ["type to enum", text, { enum: ["a"] }, "breaking", "compatible"],
  ["enum value that the type excluded", { ...text, enum: ["a", 1] }, { ...text, enum: ["a"] }, "same", "same"],
  ["boolean to true", { type: "boolean" }, { const: true }, "breaking", "compatible"],
  ['1 and "1"', { enum: [1] }, { enum: ["1"] }, "breaking", "breaking"],
  ["null in an enum", { enum: ["a", null] }, { enum: ["a"] }, "breaking", "compatible"],
  // Bounds.
  ["maximum lowered", { ...number, maximum: 9 }, { ...number, maximum: 8 }, "breaking", "compatible"],
  ["maximum raised", { ...number, maximum: 8 }, { ...number, maximum: 9 }, "compatible", "breaking"],
  ["minimum added", number, { ...number, minimum: 0 }, "breaking", "compatible"],
  ["minimum removed", { ...number, minimum: 0 }, number, "compatible", "breaking"],
  ["minimum to exclusive", { ...number, minimum: 0 }, { ...number, exclusiveMinimum: 0 }, "breaking", "compatible"],
  ["exclusive bound of integers", { ...integer, exclusiveMinimum: 0 }, { ...integer, minimum: 1 }, "same", "same"],
  [
    "exclusive bound as in draft 4",
    { ...number, minimum: 0, exclusiveMinimum: true },
    { ...number, minimum: 0 },
    "uncertain",
    "uncertain",
  ],
  ["multipleOf added", number, { ...number, multipleOf: 2 }, "breaking", "compatible"],
  ["multipleOf tighter", { ...number, multipleOf: 2 }, { ...number, multipleOf: 4 }, "breaking", "compatible"],
  ["multipleOf unlike", { ...number, multipleOf: 2 }, { ...number, multipleOf: 3 }, "uncertain", "uncertain"],
  ["maxLength tighter", { ...text, maxLength: 9 }, { ...text, maxLength: 8 }, "breaking", "compatible"],
  ["minLength removed", { ...text, minLength: 1 }, text, "compatible", "breaking"],
  ["minLength of 0", text, { ...text, minLength: 0 }, "same", "same"],
  ["bound of another type", text, { ...text, maximum: 5 }, "same", "same"],
  ["pattern added", text, { ...text, pattern: "^a" }, "breaking", "compatible"],
  ["pattern removed", { ...text, pattern: "^a" }, text, "compatible", "breaking"],
  ["pattern changed", { ...text, pattern: "^a" }, { ...text, pattern: "^b" }, "uncertain", "uncertain"],
  ["format changed", { ...text, format: "uri" }, { ...text, format: "email" }, "uncertain", "uncertain"],
  // Objects.
  ["optional member added", object({ a: text }), object({ a: text, b: text }), "compatible", "compatible"],
  [
    "optional member added, closed",
    object({}, [], CLOSED),
    object({ b: text }, [], CLOSED),
    "compatible",
    "compatible",
  ],
  [
    "optional member added where numbers were accepted",
    object({}, [], { additionalProperties: number }),
    object({ b: text }, [], { additionalProperties: number }),
    "breaking",
    "breaking",
  ],
  [
    "optional member added where anything was accepted",
    object({}, [], { additionalProperties: true }),
    object({ b: text }, [], { additionalProperties: true }),
    "uncertain",
    "uncertain",
  ],
  [
    "required member added",
    object({ a: text }, ["a"]),
    object({ a: text, b: text }, ["a", "b"]),
    "breaking",
    "compatible",
  ],
  ["member removed", object({ a: text, b: text }), object({ a: text }), "breaking", "breaking"],
  ["required member removed", object({ a: text }, ["a"]), object({}), "breaking", "breaking"],
  ["member becomes required", object({ a: text }), object({ a: text }, ["a"]), "breaking", "compatible"],
  ["member becomes optional", object({ a: text }, ["a"]), object({ a: text }), "compatible", "breaking"],
  ["member renamed", object({ a: text }), object({ b: text }), "breaking", "breaking"],
  ["member of another type", object({ a: text }), object({ a: number }), "breaking", "breaking"],
  [
    "nested member narrowed",
    object({ a: object({ b: { enum: [1, 2] } }) }),
    object({ a: object({ b: { enum: [1] } }) }),
    "breaking",
    "compatible",
  ],
  ["object closed", object({ a: text }), object({ a: text }, [], CLOSED), "breaking", "compatible"],
  ["object opened", object({ a: text }, [], CLOSED), object({ a: text }), "compatible", "breaking"],
  [
    "type of other members",
    object({}, [], { additionalProperties: text }),
    object({}, [], { additionalProperties: number }),
    "breaking",
    "breaking",
  ],
  [
    "patternProperties changed",
    { type: "object", patternProperties: { "^a": text } },
    { type: "object", patternProperties: { "^b": text } },
    "uncertain",
    "uncertain",
  ],
  ["maxProperties added", object({}), object({}, [], { maxProperties: 3 }), "breaking", "compatible"],
  [
    "dependentRequired added",
    object({ a: text }),
    object({ a: text }, [], { dependentRequired: { a: ["b"] } }),
    "breaking",
    "compatible",
  ],
  [
    "member beside unevaluatedProperties",
    object({}, [], { unevaluatedProperties: false }),
    object({ a: text }, [], { unevaluatedProperties: false }),
    "uncertain",
    "uncertain",
  ],
  [
    "member called __proto__",
    JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}'),
    object({}),
    "breaking",
    "breaking",
  ],
  // Arrays.
  ["items widened", list(text), list({ type: ["string", "number"] }), "compatible", "breaking"],
  ["items narrowed", list({}), list(text), "breaking", "compatible"],
  ["maxItems added", list(text), list(text, { maxItems: 3 }), "breaking", "compatible"],
  ["minItems removed", list(text, { minItems: 1 }), list(text), "compatible", "breaking"],
  ["uniqueItems added", list(text), list(text, { uniqueItems: true }), "breaking", "compatible"],
  ["uniqueItems of false", list(text), list(text, { uniqueItems: false }), "same", "same"],
  [
    "position added to a closed tuple",
    list(false, { prefixItems: [text] }),
    list(false, { prefixItems: [text, text] }),
    "compatible",
    "breaking",
  ],
  [
    "position of another type",
    { type: "array", prefixItems: [text] },
    { type: "array", prefixItems: [number] },
    "breaking",
    "breaking",
  ],
  [
    "tuple opened",
    list(false, { prefixItems: [text] }),
    { type: "array", prefixItems: [text] },
    "compatible",
    "breaking",
  ],
  [
    "tuple of an older draft",
    { type: "array", items: [text], additionalItems: false },
    list(false, { prefixItems: [text] }),
    "same",
    "same",
  ],
  [
    "tuple closed by maxItems",
    list(false, { prefixItems: [text] }),
    { type: "array", prefixItems: [text], maxItems: 1 },
    "same",
    "same",
  ],
  [
    "position beyond maxItems",
    { type: "array", prefixItems: [text, number], maxItems: 1 },
    list(false, { prefixItems: [text] }),
    "same",
    "same",
  ],
  ["list to tuple", list(text), list(text, { prefixItems: [number] }), "breaking", "breaking"],
  ["contains added", list(text), list(text, { contains: { const: "a" } }), "breaking", "compatible"],
  [
    "minContains changed",
    list(text, { contains: text }),
    list(text, { contains: text, minContains: 2 }),
    "uncertain",
    "uncertain",
  ],
  // Unions.
  ["alternative added", { anyOf: [text] }, { anyOf: [text, number] }, "compatible", "breaking"],
  ["alternative removed", { anyOf: [text, number] }, { anyOf: [text] }, "breaking", "compatible"],
  ["alternatives in another order", { anyOf: [text, number] }, { anyOf: [number, text] }, "same", "same"],
  ["type list to anyOf", { type: ["string", "null"] }, { anyOf: [text, { type: "null" }] }, "same", "same"],
  ["anyOf of one", text, { anyOf: [text] }, "same", "same"],
  ["made nullable", text, { anyOf: [text, { type: "null" }] }, "compatible", "breaking"],
  ["alternative that was covered", { anyOf: [text, { const: "a" }] }, { anyOf: [text] }, "same", "same"],
  ["kind added", { anyOf: kinds("a") }, { anyOf: kinds("a", "b") }, "compatible", "breaking"],
  ["kind removed", { oneOf: kinds("a", "b") }, { oneOf: kinds("a") }, "breaking", "compatible"],
  ["kind added to oneOf", { oneOf: kinds("a") }, { oneOf: kinds("a", "b") }, "compatible", "breaking"],
  ["distinct oneOf to anyOf", { oneOf: kinds("a", "b") }, { anyOf: kinds("a", "b") }, "same", "same"],
  ["other oneOf", { oneOf: [text, { minLength: 2 }] }, { oneOf: [text, { minLength: 3 }] }, "uncertain", "uncertain"],
  [
    "description within an alternative",
    { anyOf: [text, number] },
    { anyOf: [{ ...text, description: "b" }, number] },
    "note",
    "note",
  ],
  ["allOf part added", { allOf: [text] }, { allOf: [text, { minLength: 1 }] }, "breaking", "compatible"],
  ["allOf part removed", { allOf: [text, { minLength: 1 }] }, { allOf: [text] }, "compatible", "breaking"],
  ["allOf part narrowed", { allOf: [{ minLength: 1 }] }, { allOf: [{ minLength: 2 }] }, "breaking", "compatible"],
  ["not added", text, { ...text, not: { const: "a" } }, "uncertain", "uncertain"],
  ["not changed", { not: { const: "a" } }, { not: { const: "b" } }, "uncertain", "uncertain"],
  [
    "then changed",
    { if: text, then: { minLength: 1 } },
    { if: text, then: { minLength: 2 } },
    "uncertain",
    "uncertain",
  ],
  // References.
  ["reference to its target", { $ref: "#/$defs/a", $defs: { a: text } }, text, "same", "same"],
  [
    "target narrowed",
    { $ref: "#/$defs/a", $defs: { a: text } },
    { $ref: "#/$defs/a", $defs: { a: { ...text, minLength: 1 } } },
    "breaking",
    "compatible",
  ],
  [
    "definition renamed",
    { $ref: "#/$defs/a", $defs: { a: text } },
    { $ref: "#/definitions/b", definitions: { b: text } },
    "same",
    "same",
  ],
  ["recursive schema, same", tree(text), tree(text), "same", "same"],
  ["recursive schema, leaf narrowed", tree({}), tree(text), "breaking", "compatible"],
  [
    "recursive schema, unrolled",
    tree(text),
    { ...tree(text), ...object({ leaf: text, children: list({ $ref: "#/$defs/node" }) }), $ref: undefined },
    "same",
    "same",
  ],
  [
    "a part that was compared within an alternative",
    mutual(text, ["a", "x"]),
    mutual(number, ["b", "y"]),
    "breaking",
    "breaking",
  ],
  ["reference that leads nowhere", { $ref: "#/$defs/a" }, { $ref: "#/$defs/b" }, "uncertain", "uncertain"],
  [
    "the same reference to another document",
    object({ a: { $ref: "https://a.example/s" }, b: text }),
    object({ a: { $ref: "https://a.example/s" }, b: {} }),
    "compatible",
    "breaking",
  ],
  ["circular reference", { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/a" } } }, text, "uncertain", "uncertain"],
  [
    "target below not",
    { not: { $ref: "#/$defs/a" }, $defs: { a: text } },
    { not: { $ref: "#/$defs/a" }, $defs: { a: {} } },
    "uncertain",
    "uncertain",
  ],
  [
    "target below if",
    { if: { $ref: "#/$defs/a" }, then: text, $defs: { a: text } },
    { if: { $ref: "#/$defs/a" }, then: text, $defs: { a: number } },
    "uncertain",
    "uncertain",
  ],
  [
    "siblings of a reference",
    { $ref: "#/$defs/a", $defs: { a: text } },
    { $ref: "#/$defs/a", minLength: 1, $defs: { a: text } },
    "breaking",
    "breaking",
  ],
  ["malformed", { type: 5 }, { type: 6 }, "uncertain", "uncertain"],
];
