/** Converts the text of an argument to the value that its schema accepts. */
import { compileCheck } from "../../../src/core/json_schema/check.ts";
import { valueAt } from "../../../src/core/json_schema/pointer.ts";
import { isJsonObject, type Members } from "../../../src/internal/json.ts";
import { CliError } from "../cli_error.ts";
import { EXIT } from "../exit_codes.ts";
import { assertExactNumbers } from "./exact_numbers.ts";
import type { SchemaNode } from "./schema_at.ts";

/** Maximum number of references and unions within each other that are followed. */
const MAX_DEPTH = 16;

/**
 * Returns the value of a text: the first candidate that the schema accepts, the text itself before its JSON. `007` therefore stays
 * text where text fits. If neither fits, the JSON where the schema does not accept text at all, else the text: the server's error then
 * states what is expected.
 *
 * @param schema Schema of the value. `undefined` if it is not known: the value is text.
 * @param root Document of the schema, for its references.
 * @throws {CliError} If the text is a number that JSON cannot carry exactly.
 */
export function convertText(text: string, schema: SchemaNode | undefined, root: Members): unknown {
  if (schema === undefined || accepts(schema, text, root)) return text;
  const json = parseJsonText(text);
  if (json === undefined) return text;
  if (!accepts(schema, json.value, root) && acceptsSomeText(schema, root)) return text;
  assertExactNumbers(text);
  return json.value;
}

/** Parses JSON of a user, and throws a `CliError` that begins with `where`. Numbers must be exact; a byte order mark is permitted. */
export function parseExactJson(text: string, where: string): unknown {
  try {
    const bare = text.replace(/^\uFEFF/, "");
    const value: unknown = JSON.parse(bare);
    assertExactNumbers(bare);
    return value;
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    throw new CliError(EXIT.usage, `${where} is not JSON: ${(cause as Error).message}`, {
      hint: "Quote it for your shell: name:='{\"a\": 1}'. For text write name=value",
      cause,
    });
  }
}

/** Whether a schema accepts a value. A schema that cannot be checked here accepts everything: the server decides. */
export function accepts(schema: SchemaNode, value: unknown, root: Members): boolean {
  if (typeof schema === "boolean") return schema;
  try {
    return compileCheck({ ...moveReferences(schema), $defs: { root: moveReferences(root) } })(value).length === 0;
  } catch {
    return true;
  }
}

/** A copy of a schema whose local references lead to the same place below `#/$defs/root`. */
function moveReferences(schema: Members): Members {
  const copy = JSON.stringify(schema, (key, value: unknown) => {
    return key === "$ref" && typeof value === "string" ? value.replace(/^#/, "#/$defs/root") : value;
  });
  return JSON.parse(copy) as Members;
}

/** Whether some text could fit: then a misfit is a matter of its content, such as a pattern. */
function acceptsSomeText(schema: SchemaNode, root: Members, depth = 0): boolean {
  if (typeof schema === "boolean" || depth > MAX_DEPTH) return schema === true;
  const { $ref, type, enum: values } = schema;
  if (typeof $ref === "string") {
    const target = $ref.startsWith("#") ? valueAt(root, $ref) : undefined;
    if (isJsonObject(target) && acceptsSomeText(target, root, depth + 1)) return true;
  }
  if (Array.isArray(values)) return values.some((value) => typeof value === "string");
  if (type !== undefined) return type === "string" || (Array.isArray(type) && type.includes("string"));
  const alternatives = ["anyOf", "oneOf", "allOf"].flatMap((keyword) => {
    const list = schema[keyword];
    return Array.isArray(list) ? list.filter((one) => typeof one === "boolean" || isJsonObject(one)) : [];
  });
  return alternatives.some((one: SchemaNode) => acceptsSomeText(one, root, depth + 1));
}

function parseJsonText(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}
