/** Schemas in the form that LangChain takes. */
import { valueAt } from "../../core/json_schema/pointer.ts";
import { isJsonObject } from "../../internal/json.ts";
import type { ParameterSchema } from "./dialects.ts";

/** Largest number of values in a schema whose definitions are put in place. */
const MAX_VALUES = 5_000;

/**
 * Makes a JSON Schema that LangChain shows to models and does not check. Its own check ends a call with an exception whose stack, with
 * paths of the host, is shown to the model; the server checks arguments in any case. LangChain leaves the check to schemas of zod 4, and
 * asks them for their JSON Schema, so that the schema has the two members that are read of these.
 */
export function toLangChainSchema(schema: ParameterSchema): Record<string, unknown> & { type: "object" } {
  const shown = { ...(inlineDefinitions(schema) ?? schema), type: "object" } as const;
  const zod = {
    def: { type: "any" },
    run: (payload: unknown) => payload,
    toJSONSchema: () => structuredClone(shown),
  };
  return Object.defineProperty(shown, "_zod", { value: zod });
}

/**
 * Puts definitions in the place of references: `@langchain/google` throws for a reference, and the model is not known here. `undefined` without
 * references, if a definition contains itself, and if the schema would become large.
 */
function inlineDefinitions(schema: ParameterSchema): ParameterSchema | undefined {
  let count = 0;
  let hasReference = false;
  const inline = (value: unknown, open: readonly string[]): unknown => {
    if (++count > MAX_VALUES) throw new NotInlined();
    if (Array.isArray(value)) return value.map((item) => inline(item, open));
    if (!isJsonObject(value)) return value;
    const { $ref: reference, ...rest } = value;
    if (typeof reference !== "string") return mapMembers(value, open);
    const target = reference.startsWith("#") ? valueAt(schema, reference) : undefined;
    if (!isJsonObject(target) || open.includes(reference)) throw new NotInlined();
    hasReference = true;
    return inline({ ...target, ...rest }, [...open, reference]);
  };
  const mapMembers = (value: object, open: readonly string[]) =>
    Object.fromEntries(Object.entries(value).map(([name, member]) => [name, inline(member, open)]));
  const { $defs: _, definitions: _definitions, ...root } = schema;
  try {
    const inlined = mapMembers(root, []);
    return hasReference ? inlined : undefined;
  } catch (thrown) {
    if (thrown instanceof NotInlined) return undefined;
    throw thrown;
  }
}

/** Thrown where a reference cannot be replaced by its definition. */
class NotInlined extends Error {}
