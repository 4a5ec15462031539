/** Writes JSON Schema as the source of a schema of zod or valibot, as far as it is simple; what is not is written as `…`. */
import { isJsonObject, type Members } from "../../internal/json.ts";

/** Maximum length of JSON Schema in a message. */
const MAX_JSON = 600;

/** Writes a schema with the functions of the library by `~standard.vendor`; of other libraries, JSON Schema. */
export function writeSchema(schema: Members, vendor: unknown): string {
  if (vendor === "zod" || vendor === "valibot") return writePart(schema, vendor === "zod" ? "z" : "v");
  const json = JSON.stringify(schema);
  return json.length > MAX_JSON || json === "{}" ? "…" : json;
}

/** Name under which a program imports its schema library: `z` for zod, `v` for valibot. */
type Prefix = "z" | "v";

function writePart(schema: Members, prefix: Prefix): string {
  const {
    type,
    properties,
    required = [],
    items,
    enum: values,
    description,
    default: preset,
    additionalProperties,
    ...more
  } = schema;
  const name = `${prefix}.`;
  if (Object.keys(more).length > 0 || additionalProperties || preset !== undefined) return "…";
  if (isJsonObject(properties)) {
    return withText(writeObject(properties, required as readonly unknown[], prefix), description, prefix);
  }
  if (Array.isArray(values)) {
    return withText(`${name}${prefix === "z" ? "enum" : "picklist"}(${JSON.stringify(values)})`, description, prefix);
  }
  if (type === "array" && isJsonObject(items)) {
    return withText(`${name}array(${writePart(items, prefix)})`, description, prefix);
  }
  if (type === "integer") {
    return withText(prefix === "z" ? "z.int()" : "v.pipe(v.number(), v.integer())", description, prefix);
  }
  return /^(string|number|boolean|null)$/.test(String(type)) ? withText(`${name}${type}()`, description, prefix) : "…";
}

function writeObject(properties: Members, required: readonly unknown[], prefix: Prefix): string {
  const members = Object.entries(properties).map(([name, part]) => {
    const text = isJsonObject(part) ? writePart(part, prefix) : "…";
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    return `${key}: ${required.includes(name) || text === "…" ? text : `${prefix}.optional(${text})`}`;
  });
  return `${prefix}.object({ ${members.join(", ")} })`;
}

function withText(source: string, description: unknown, prefix: Prefix): string {
  if (typeof description !== "string") return source;
  const text = JSON.stringify(description);
  return prefix === "z" ? `${source}.describe(${text})` : `v.pipe(${source}, v.description(${text}))`;
}
