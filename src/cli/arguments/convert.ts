/** Converts the text of an argument to the value that its schema accepts. */
import { compileCheck } from "../../core/json_schema/check.ts";
import { isJsonObject, type Members } from "../../internal/json.ts";
import { CliError } from "../cli_error.ts";
import { EXIT } from "../exit_codes.ts";
import type { SchemaNode } from "./schema_at.ts";

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
  assertExact(text, json.value);
  return accepts(schema, json.value, root) || !acceptsSomeText(schema, root) ? json.value : text;
}

/** Parses JSON of `k:=json`. Numbers must be exact. */
export function parseExactJson(text: string, where: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    assertExact(text, value);
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
function acceptsSomeText(schema: SchemaNode, root: Members): boolean {
  if (typeof schema === "boolean") return schema;
  const { type, enum: values } = schema;
  if (Array.isArray(values)) return values.some((value) => typeof value === "string");
  if (type !== undefined) return type === "string" || (Array.isArray(type) && type.includes("string"));
  const alternatives = ["anyOf", "oneOf", "allOf"].flatMap((keyword) => {
    const list = schema[keyword];
    return Array.isArray(list) ? list.filter((one) => typeof one === "boolean" || isJsonObject(one)) : [];
  });
  return alternatives.some((one: SchemaNode) => acceptsSomeText(one, root));
}

function parseJsonText(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

/** Integers of more than 53 bits lose digits on every wire. */
function assertExact(text: string, value: unknown): void {
  if (typeof value !== "number" || Number.isSafeInteger(value) || !/^\s*-?\d+\s*$/.test(text)) return;
  if (BigInt(text.trim()) === BigInt(value)) return;
  throw new CliError(EXIT.usage, `The number ${text.trim()} would lose digits: JSON numbers are exact up to 2^53 - 1`, {
    hint: "Send it as text, if the tool accepts that",
  });
}
