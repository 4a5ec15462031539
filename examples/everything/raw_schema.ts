import type { Schema } from "jsr:@toolwire/toolwire";

/** A schema given as JSON Schema, which callers are held to by their own side: whatever comes is taken. */
export function rawSchema<Value>(jsonSchema: Readonly<Record<string, unknown>>): Schema<Value, Value> {
  const standard = {
    version: 1,
    vendor: "everything",
    validate: (value: unknown) => ({ value }),
    jsonSchema: { input: () => jsonSchema },
  } as const;
  return { "~standard": standard };
}
