/** Keywords of JSON Schema whose members are schemas by name. */
export const SCHEMA_MAPS: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
]);

/** Keywords whose value is data: what looks like a reference there is none. */
export const DATA: ReadonlySet<string> = new Set(["const", "enum", "default", "examples"]);
