/**
 * Decodes the query of a URL to arguments, by the JSON Schema of the tool.
 *
 * Text is converted only to the types that the schema accepts. The tool's own validation follows, also of unknown names. Never throws: the error for
 * invalid input is a return value.
 *
 * @module
 */
import { type ErrorResult, errorResult } from "../../../core/call/outcome.ts";
import { isJsonObject } from "../../../internal/json.ts";
import { shorten } from "../../../internal/text.ts";
import { parseJson } from "../../framing/json_rpc/decode.ts";
import { itemSchema, propertySchema, type SchemaAt, typesOf } from "./schema_types.ts";

/** Maximum length of a name in an error message. */
const MAX_NAME = 64;

/**
 * Decodes the query of a request target to arguments, and converts texts to the types of the schema.
 *
 * @param inputSchema JSON Schema of the arguments.
 * @param maxDepth Maximum nesting of objects and arrays, which are sent as JSON text.
 */
export function decodeQuery(
  target: string,
  inputSchema: Readonly<Record<string, unknown>>,
  maxDepth: number,
): { readonly args: Readonly<Record<string, unknown>> } | ErrorResult {
  const parameters = splitQuery(/\?([^#]*)/s.exec(target)?.[1] ?? "");
  if (!(parameters instanceof Map)) return parameters;
  const root = { schema: inputSchema, root: inputSchema };
  const args: [string, unknown][] = [];
  for (const [name, texts] of parameters) {
    const property = propertySchema(root, name);
    const value = convert(texts, property, maxDepth);
    if (value === NOT_CONVERTIBLE) return invalidParameter(name, texts, typesOf(property));
    args.push([name, value]);
  }
  return { args: Object.fromEntries(args) };
}

/** Splits a query into the values of each name. */
function splitQuery(query: string): Map<string, string[]> | ErrorResult {
  const parameters = new Map<string, string[]>();
  for (const pair of query.split("&")) {
    if (pair === "") continue;
    const at = pair.includes("=") ? pair.indexOf("=") : pair.length;
    const [name, value] = [decodeText(pair.slice(0, at)), decodeText(pair.slice(at + 1))];
    if (name === undefined || value === undefined) {
      const message = `The query parameter ${quote(pair.slice(0, at))} is not percent-encoded UTF-8`;
      return errorResult("parse_error", message);
    }
    const values = parameters.get(name);
    if (values === undefined) parameters.set(name, [value]);
    else values.push(value);
  }
  return parameters;
}

function decodeText(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}

const NOT_CONVERTIBLE = Symbol("not convertible");

/** Converts the values of one parameter. An array is sent by repetition, so one value may be an array of one. */
function convert(texts: readonly string[], at: SchemaAt, maxDepth: number): unknown {
  const types = typesOf(at);
  const [only = ""] = texts;
  const single = texts.length === 1 ? convertText(only, types, maxDepth, !isListOnly(types)) : NOT_CONVERTIBLE;
  if (single !== NOT_CONVERTIBLE || !types.has("array")) return single;
  const items = texts.map((text, index) => convertText(text, typesOf(itemSchema(at, index)), maxDepth, true));
  return items.includes(NOT_CONVERTIBLE) ? NOT_CONVERTIBLE : items;
}

/** Whether a parameter is an array in any case; then each of its values is an item, whatever its text. */
function isListOnly(types: ReadonlySet<string>): boolean {
  return types.has("array") && types.size === 1;
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Converts text to the first of these types that it can be: null, boolean, number, object or array, string. */
function convertText(text: string, types: ReadonlySet<string>, maxDepth: number, takesArrays: boolean): unknown {
  if (text === "null" && types.has("null") && !types.has("string")) return null;
  if ((text === "true" || text === "false") && types.has("boolean")) return text === "true";
  if (types.has("number") && NUMBER.test(text) && Number.isFinite(Number(text))) return Number(text);
  if (/^\s*[{[]/.test(text)) {
    const parsed = parseJson(text, maxDepth);
    const value = "value" in parsed ? parsed.value : undefined;
    if (isJsonObject(value) && types.has("object")) return value;
    if (Array.isArray(value) && types.has("array") && takesArrays) return value;
  }
  return types.has("string") ? text : NOT_CONVERTIBLE;
}

function invalidParameter(name: string, texts: readonly string[], types: ReadonlySet<string>): ErrorResult {
  const expected = [...types].map((type) => TYPE_NAMES[type] ?? type).join(" or ");
  const received = texts.length === 1 ? quote(texts[0] ?? "") : `${texts.length} values`;
  const message = `Expected ${expected} but received ${received}`;
  const issue = { path: [name], expected, received, message };
  return errorResult("invalid_input", `Invalid arguments at "${shorten(name, MAX_NAME)}": ${message}`, {
    issues: [issue],
  });
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  boolean: "true or false",
  object: "an object as JSON",
  array: "an array, by one parameter for each item",
};

function quote(text: string): string {
  return JSON.stringify(shorten(text, MAX_NAME));
}
