/** Schemas with values that fit them, for the codec of typed messages. */
import fc from "fast-check";

/** A schema, and values that fit it. */
export interface Typed {
  readonly schema: unknown;
  readonly value: fc.Arbitrary<unknown>;
  /** Whether it is a repeated field or a map. An optional one without items is the same as an absent one. */
  readonly isRepeated?: true;
}

const anyText = fc.string({ unit: "grapheme", maxLength: 40 });
const anyNumber = fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0);
const anyName = fc.oneof(
  fc.constantFrom("id", "userId", "user_id", "@type", "größe", "constructor", "__proto__", "message", "2nd", "", "[x]"),
  anyText,
);

const anyScalar: fc.Arbitrary<Typed> = fc.constantFrom<Typed>(
  { schema: { type: "string" }, value: anyText },
  { schema: { enum: ["red", "", "blue"] }, value: fc.constantFrom("red", "", "blue") },
  { schema: { type: "boolean" }, value: fc.boolean() },
  { schema: { type: "number" }, value: anyNumber },
  { schema: { type: "integer" }, value: fc.maxSafeInteger() },
  {
    schema: { type: "integer", minimum: -(2 ** 31), maximum: 2 ** 31 - 1 },
    value: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  },
  { schema: { type: "integer", minimum: 0, maximum: 2 ** 32 - 1 }, value: fc.integer({ min: 0, max: 2 ** 32 - 1 }) },
  { schema: { enum: [1, 2, -3] }, value: fc.constantFrom(1, 2, -3) },
  { schema: {}, value: fc.jsonValue({ maxDepth: 2 }).map((json) => JSON.parse(JSON.stringify(json))) },
  {
    schema: { type: "object" },
    value: fc.dictionary(anyText, fc.oneof(anyText, anyNumber), { noNullPrototype: true }),
  },
);

/** Any schema that has a typed form, or none. */
export const anyTyped: fc.Arbitrary<Typed> = fc.letrec<{ typed: Typed }>((tie) => ({
  typed: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    anyScalar,
    listOf(tie("typed")),
    mapOf(tie("typed")),
    objectOf(tie("typed")),
    nullableOf(tie("typed")),
  ),
})).typed;

function listOf(item: fc.Arbitrary<Typed>): fc.Arbitrary<Typed> {
  return item.map(({ schema, value }) => ({
    schema: { type: "array", items: schema },
    value: fc.array(value, { maxLength: 4 }),
    isRepeated: true,
  }));
}

function mapOf(item: fc.Arbitrary<Typed>): fc.Arbitrary<Typed> {
  return item.map(({ schema, value }) => ({
    schema: { type: "object", additionalProperties: schema },
    value: fc.dictionary(anyName, value, { maxKeys: 3, noNullPrototype: true }),
    isRepeated: true,
  }));
}

function nullableOf(typed: fc.Arbitrary<Typed>): fc.Arbitrary<Typed> {
  return typed.map(({ schema, value }) => ({
    schema: { anyOf: [schema, { type: "null" }] },
    value: fc.option(value),
  }));
}

/** An object with required and optional properties. */
export function objectOf(typed: fc.Arbitrary<Typed>): fc.Arbitrary<Typed> {
  const member = fc.record({ typed, isRequired: fc.boolean() });
  return fc.dictionary(anyName, member, { maxKeys: 4, noNullPrototype: true }).map((members) => {
    const names = Object.keys(members);
    const required = names.filter((name) => members[name]?.isRequired);
    const properties = Object.fromEntries(names.map((name) => [name, members[name]?.typed.schema]));
    const values = Object.fromEntries(names.map((name) => {
      const { typed: { value, isRepeated }, isRequired } = members[name] as { typed: Typed; isRequired: boolean };
      return [name, isRepeated && !isRequired ? value.filter((some) => Object.keys(some as object).length > 0) : value];
    }));
    return {
      schema: { type: "object", properties, required, additionalProperties: false },
      value: fc.record(values, { requiredKeys: required, noNullPrototype: true }),
    };
  });
}
