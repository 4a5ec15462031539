import { toJsonSchema } from "@valibot/to-json-schema";
import type { JsonSchema, Schema } from "./schema.ts";

type Config = NonNullable<Parameters<typeof toJsonSchema>[1]>;
type OverrideAction = NonNullable<Config["overrideAction"]>;

/**
 * Converts a valibot schema to the JSON Schema of what it takes.
 *
 * What JSON Schema cannot say of a value (`v.check`, a regular expression with flags) is left out: callers are told less,
 * never more than what holds. The same goes for checks that follow a transformation, which are not about what was sent.
 *
 * @throws What the converter throws for a schema that has no JSON form, such as a `Date`.
 */
export function convertValibot(schema: Schema, target: NonNullable<Config["target"]>): unknown {
  const config: Config = { target, typeMode: "input", errorMode: "throw", overrideAction: createOverride() };
  // The structural type stands for valibot's own, which must not show in our signatures.
  const converted = toJsonSchema(schema as never, config);
  const { type } = schema as { readonly type?: unknown };
  return type === "loose_object" ? { additionalProperties: true, ...converted } : converted;
}

function createOverride(): OverrideAction {
  /** Schemas whose value has been transformed, with what was known of it before. */
  const before = new WeakMap<object, JsonSchema>();
  return ({ valibotAction, jsonSchema, errors }) => {
    const { kind, type } = valibotAction as { readonly kind: string; readonly type: string };
    const known = before.get(jsonSchema);
    if (kind === "transformation") {
      if (known === undefined) before.set(jsonSchema, { ...jsonSchema });
      return jsonSchema;
    }
    if (kind === "validation" && known !== undefined) {
      const restored = { ...known };
      before.set(restored, known);
      return restored;
    }
    if (errors === undefined) return undefined;
    if (type !== "regex") return jsonSchema;
    const { pattern: _, ...rest } = jsonSchema;
    return rest;
  };
}
