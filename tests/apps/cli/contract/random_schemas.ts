/** Random schemas, and random values that are near to what they accept. */
import fc from "fast-check";
import { isJsonObject } from "../../../../src/internal/json.ts";

type Schema = boolean | Readonly<Record<string, unknown>>;

const NAMES = ["a", "b", "c-d"];
const LITERALS = ["x", "y", "", 0, 1, -1.5, true, false, null];

const literal = fc.oneof(
  fc.constantFrom<unknown>(...LITERALS),
  fc.constantFrom<unknown>([1, "x"], [], { a: 1 }, { b: ["x"] }, {}),
);

/** Schemas that refer to the definitions `d0` and `d1`. */
const { schema } = fc.letrec<{ schema: Schema }>((tie) => {
  const part = tie("schema");
  const object = fc.record({
    type: fc.constant("object"),
    properties: fc.dictionary(fc.constantFrom(...NAMES), part, { maxKeys: 3 }),
    required: fc.subarray([...NAMES, "e"]),
    additionalProperties: fc.option(part, { nil: undefined }),
    patternProperties: fc.option(fc.constant({ "^x": { type: "number" } }), { nil: undefined, freq: 8 }),
  });
  const array = fc.record({ type: fc.constant("array"), items: part, maxItems: fc.constantFrom(1, 2, 3) });
  const tuple = fc.record({
    type: fc.constant("array"),
    prefixItems: fc.array(part, { minLength: 1, maxLength: 3 }),
    items: fc.oneof(fc.constant(false), fc.constant(undefined), part),
    minItems: fc.constantFrom(undefined, 0, 1, 2, 5),
    maxItems: fc.constantFrom(undefined, 1, 3),
  });
  const scalar = fc.constantFrom<Schema>(
    { type: "string", minLength: 1 },
    { type: "number", minimum: 0 },
    { type: "integer" },
    { type: "boolean" },
    { type: "null" },
    { type: ["string", "null"], maxLength: 1 },
    { type: ["integer", "array", "object"], items: { type: "string" }, properties: { a: { type: "string" } } },
    {},
    true,
    { not: { type: "string" } },
  );
  const combined = fc.oneof(
    fc.record({ anyOf: fc.array(part, { minLength: 1, maxLength: 3 }) }),
    fc.record({ oneOf: fc.array(part, { minLength: 1, maxLength: 3 }) }),
    fc.record({ allOf: fc.array(part, { minLength: 1, maxLength: 2 }) }),
    fc.tuple(object, fc.array(part, { minLength: 1, maxLength: 2 })).map(([base, anyOf]) => ({ ...base, anyOf })),
    fc.tuple(object, fc.subarray(NAMES, { minLength: 1, maxLength: 1 })).map(([base, required]) => ({
      ...base,
      allOf: [{ type: "object", required }],
    })),
  );
  const reference = fc.constantFrom<Schema>(
    { $ref: "#/$defs/d0" },
    { $ref: "#/$defs/d1" },
    { $ref: "#" },
    { $ref: "#/$defs/d0", type: "object", required: ["a"] },
  );
  const constant = fc.oneof(
    fc.record({ const: literal }),
    fc.record({ enum: fc.array(literal, { minLength: 1, maxLength: 4 }) }),
    fc.record({ type: fc.constantFrom("string", "number"), enum: fc.array(literal, { minLength: 1, maxLength: 4 }) }),
  );
  return {
    schema: fc.oneof(
      { maxDepth: 4, withCrossShrink: false },
      scalar,
      constant,
      reference,
      object,
      array,
      tuple,
      combined,
    ),
  };
});

const object = schema.map((one): Readonly<Record<string, unknown>> => (typeof one === "boolean" ? {} : one));

/** Schemas with definitions. References that only lead back to themselves have no values, and are left out. */
export const documents: fc.Arbitrary<Readonly<Record<string, unknown>>> = fc
  .tuple(object, object, object)
  .map(([root, d0, d1]) => ({ ...clean(root), $defs: { d0: clean(d0), d1: clean(d1) } }));

function clean(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return JSON.parse(JSON.stringify(value));
}

/** Returns values that the schema may accept, by a source of random numbers between 0 and 1. */
export function valueNear(node: unknown, root: unknown, random: () => number, depth = 0): unknown {
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  if (!isJsonObject(node) || depth > 5) return pick(LITERALS);
  const { $ref, const: constant, enum: values, anyOf, oneOf, allOf, type } = node as Record<string, never>;
  const next = (part: unknown) => valueNear(part, root, random, depth + 1);
  if ("const" in node) return constant;
  if (values !== undefined) return pick(values);
  if ($ref !== undefined) return next($ref === "#" ? root : (root as { $defs: never }).$defs[String($ref).slice(8)]);
  const alternatives = anyOf ?? oneOf ?? allOf;
  if (alternatives !== undefined && (type === undefined || random() < 0.3)) return next(pick(alternatives));
  switch (Array.isArray(type) ? pick<string>(type) : type) {
    case "string":
      return pick(["x", "yy", ""]);
    case "number":
    case "integer":
      return pick([0, 1, 2.5]);
    case "boolean":
      return random() < 0.5;
    case "null":
      return null;
    case "array":
      return arrayNear(node, next, random);
    case "object":
      return objectNear(node, next, random);
    default:
      return pick([...LITERALS, [], [1], {}, { a: "x" }]);
  }
}

type Next = (part: unknown) => unknown;

function arrayNear(node: Readonly<Record<string, unknown>>, next: Next, random: () => number): unknown[] {
  const { items, prefixItems = [] } = node as { items?: unknown; prefixItems?: readonly unknown[] };
  const length = Math.floor(random() * 4);
  return Array.from({ length }, (_, index) => next(prefixItems[index] ?? items));
}

function objectNear(node: Readonly<Record<string, unknown>>, next: Next, random: () => number): object {
  const { properties = {}, required = [], additionalProperties: others } = node as {
    properties?: Readonly<Record<string, unknown>>;
    required?: readonly string[];
    additionalProperties?: unknown;
  };
  const names = Object.keys(properties).filter((name) => required.includes(name) || random() < 0.6);
  const extra = random() < 0.4 ? ["xtra", "other"] : [];
  const all = new Set([...names, ...required.filter(() => random() < 0.9), ...extra]);
  return Object.fromEntries([...all].map((name) => [name, next(properties[name] ?? others)]));
}
