/** Schemas in the form that LangChain takes. */
import type { ParameterSchema } from "./dialects.ts";

/**
 * Makes a JSON Schema that LangChain shows to models and does not check. Its own check ends a call with an exception whose stack, with
 * paths of the host, is shown to the model; the server checks arguments in any case. LangChain leaves the check to schemas of zod 4, and
 * asks them for their JSON Schema, so that the schema has the two members that are read of these.
 */
export function toLangChainSchema(schema: ParameterSchema): Record<string, unknown> & { type: "object" } {
  const shown = { ...schema, type: "object" } as const;
  const zod = {
    def: { type: "any" },
    run: (payload: unknown) => payload,
    toJSONSchema: () => structuredClone(shown),
  };
  return Object.defineProperty(shown, "_zod", { value: zod });
}
