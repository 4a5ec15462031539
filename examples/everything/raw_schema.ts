import type { Schema } from "jsr:@toolwire/toolwire";

/** A schema given as JSON Schema. Only the callers validate against it: all arguments are accepted here. */
export function rawSchema<Value>(jsonSchema: Readonly<Record<string, unknown>>): Schema<Value, Value> {
  const standard = {
    version: 1,
    vendor: "everything",
    validate: (value: unknown) => ({ value }),
    jsonSchema: { input: () => jsonSchema },
  } as const;
  return { "~standard": standard };
}
