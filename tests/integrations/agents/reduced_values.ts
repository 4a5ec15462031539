/** Arguments that fit a reduced schema, drawn at random: bounds that were moved into descriptions are not respected. */
import fc from "fast-check";

type Schema = Readonly<Record<string, unknown>>;

const FORMAT_SAMPLES: Readonly<Record<string, readonly string[]>> = {
  "date-time": ["2026-01-02T03:04:05Z"],
  date: ["2026-01-02"],
  time: ["03:04:05Z"],
  duration: ["P1D"],
  email: ["ada@example.com"],
  hostname: ["example.com"],
  ipv4: ["127.0.0.1"],
  ipv6: ["::1"],
  uuid: ["123e4567-e89b-42d3-a456-426614174000"],
  uri: ["https://example.com/a"],
};

/** Levels of nesting below which a reference is no longer followed. */
const MAX_DEPTH = 6;

/** Draws values of a schema that {@link explainSchema} gives. */
export function valuesOf(schema: unknown, root: Schema, depth = 0): fc.Arbitrary<unknown> {
  const node = (schema === true ? {} : schema) as Schema;
  const { $ref, anyOf, type } = node;
  if (depth > MAX_DEPTH) return fc.constant(null);
  if (typeof $ref === "string") {
    const name = $ref.replace("#/$defs/", "");
    return valuesOf((root["$defs"] as Schema)[name], root, depth + 1);
  }
  if ("const" in node) return fc.constant(node["const"]);
  if (Array.isArray(node["enum"])) return fc.constantFrom(...node["enum"]);
  if (Array.isArray(anyOf)) return fc.oneof(...anyOf.map((branch) => valuesOf(branch, root, depth + 1)));
  const types = type === undefined ? ["string", "integer"] : [type].flat();
  return fc.oneof(...types.map((one) => typed(String(one), node, root, depth)));
}

function typed(type: string, node: Schema, root: Schema, depth: number): fc.Arbitrary<unknown> {
  switch (type) {
    case "string":
      return texts(node);
    case "integer":
    case "number":
      return numbers(node, type);
    case "boolean":
      return fc.boolean();
    case "array":
      return arrays(node, root, depth);
    case "object":
      return objects(node, root, depth);
    default:
      return fc.constant(null);
  }
}

function texts(node: Schema): fc.Arbitrary<string> {
  const { format, pattern, minLength = 0, maxLength = Number(minLength) + 12 } = node;
  if (typeof format === "string") return fc.constantFrom(...FORMAT_SAMPLES[format] ?? [format]);
  if (typeof pattern === "string") return fc.stringMatching(new RegExp(pattern));
  return fc.string({ minLength: Number(minLength), maxLength: Number(maxLength) });
}

function numbers(node: Schema, type: string): fc.Arbitrary<number> {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf = 1 } = node;
  const step = type === "integer" ? 1 : Number(multipleOf);
  const min = Number(minimum ?? (exclusiveMinimum === undefined ? -1000 : Number(exclusiveMinimum) + step));
  const max = Number(
    maximum ?? (exclusiveMaximum === undefined ? Math.max(1000, min + 1000) : Number(exclusiveMaximum) - step),
  );
  const least = Math.min(min, max);
  if (Math.ceil(least) > Math.floor(max)) return fc.constant(least);
  return fc.integer({ min: Math.ceil(Math.max(least, -2e9)), max: Math.floor(Math.min(max, 2e9)) });
}

function arrays(node: Schema, root: Schema, depth: number): fc.Arbitrary<unknown> {
  const { items = {}, prefixItems, minItems = 0, maxItems = Number(minItems) + 3 } = node;
  if (Array.isArray(prefixItems)) return fc.tuple(...prefixItems.map((item) => valuesOf(item, root, depth + 1)));
  return fc.array(valuesOf(items, root, depth + 1), { minLength: Number(minItems), maxLength: Number(maxItems) });
}

function objects(node: Schema, root: Schema, depth: number): fc.Arbitrary<unknown> {
  const { properties = {}, required = [] } = node;
  const members = Object.entries(properties as Schema).map((
    [name, member],
  ) => [name, valuesOf(member, root, depth + 1)]);
  return fc.record(Object.fromEntries(members) as Record<string, fc.Arbitrary<unknown>>, {
    requiredKeys: required as string[],
    noNullPrototype: true,
  });
}
