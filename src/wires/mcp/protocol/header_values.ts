/**
 * Headers of a request of 2026-07-28 that repeat its body: version, method, name, and the arguments that a tool's schema marks
 * with `x-mcp-header`.
 *
 * Source: MCP 2026-07-28, "Transports", "Request metadata headers"; `io.modelcontextprotocol/tasks`, routing headers.
 */
import { subschemasOf } from "../../../core/json_schema/subschemas.ts";
import { encodeBase64 } from "../../../internal/encoding.ts";
import { asObject, isJsonObject, type Members } from "../../../internal/json.ts";

export const VERSION_HEADER = "mcp-protocol-version";
/** HTTP header of the session id that a server assigns, in revisions before 2026-07-28. */
export const SESSION_HEADER = "mcp-session-id";
export const METHOD_HEADER = "mcp-method";
/** HTTP header that repeats the name of a tool or prompt, the URI of a resource, or the id of a task. */
export const NAME_HEADER = "mcp-name";

/** The parameter that {@link NAME_HEADER} repeats, by method. Other methods do not have the header. */
export const NAMED_BY: ReadonlyMap<string, string> = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
  ["tasks/get", "taskId"],
  ["tasks/update", "taskId"],
  ["tasks/cancel", "taskId"],
]);

/** Encodes a header value: unchanged if it is printable ASCII without spaces at its ends, otherwise as base64 in `=?base64?…?=`. */
function encodeHeaderValue(value: string): string {
  const isSafe = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !/^=\?base64\?.*\?=$/.test(value);
  return isSafe ? value : `=?base64?${encodeBase64(new TextEncoder().encode(value))}?=`;
}

/** Reverses {@link encodeHeaderValue}; `undefined` if base64 or UTF-8 is invalid. Other text than `=?base64?…?=` stays unchanged. */
export function decodeHeaderValue(header: string): string | undefined {
  const encoded = /^=\?base64\?(.*)\?=$/.exec(header)?.[1];
  if (encoded === undefined) return header;
  try {
    const binary = atob(encoded);
    // Decoders skip white space and ignore spare bits. Only the canonical form is accepted.
    if (btoa(binary) !== encoded) return undefined;
    return new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(binary, (char) => char.charCodeAt(0)));
  } catch {
    return undefined;
  }
}

/** An argument of a tool that an HTTP header repeats, because the input schema marks it with `x-mcp-header`. */
export interface HeaderParam {
  /** Name of the header, in lower case. */
  readonly header: string;
  /** Path of the argument, from the root of the arguments. */
  readonly path: readonly string[];
}

const MARK = "x-mcp-header";

/** A field name of RFC 9110. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

const REPEATABLE: ReadonlySet<unknown> = new Set(["string", "integer", "boolean"]);

/** Finds the arguments that a schema marks with `x-mcp-header`. If a mark is invalid, returns the problem: clients ignore such a tool. */
export function findHeaderParams(inputSchema: unknown): readonly HeaderParam[] | string {
  const params: HeaderParam[] = [];
  return collectParams(asObject(inputSchema), [], params) ?? params;
}

/** `path` is defined as long as only `properties` were followed: below other keywords the argument may not exist. */
function collectParams(
  schema: Members,
  path: readonly string[] | undefined,
  params: HeaderParam[],
): string | undefined {
  if (Object.hasOwn(schema, MARK)) {
    const problem = addParam(schema, path, params);
    if (problem !== undefined) return `${MARK} ${problem}`;
  }
  for (const [part, property] of subschemasOf(schema)) {
    const problem = collectParams(part, path && property !== undefined ? [...path, property] : undefined, params);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function addParam(
  { [MARK]: name, type }: Members,
  path: readonly string[] | undefined,
  params: HeaderParam[],
): string | undefined {
  if (typeof name !== "string" || !TOKEN.test(name)) return "must be a header name, such as Region";
  if (path === undefined || path.length === 0) return `"${name}" must be on a property of the arguments`;
  if (!REPEATABLE.has(type)) return `"${name}" must be on a string, an integer or a boolean`;
  const header = `mcp-param-${name.toLowerCase()}`;
  if (params.some((one) => one.header === header)) return `"${name}" is used twice`;
  params.push({ header, path });
  return undefined;
}

/** The value at a path of member names, from the root of a call's arguments; `undefined` if it is absent. */
export function argumentAt(args: unknown, path: readonly string[]): unknown {
  let value = args;
  for (const name of path) value = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value;
}

/** HTTP headers that repeat a message's version and method, and its name if {@link NAMED_BY} has the method. Since 2026-07-28. */
export function requestHeaders(version: string, method: string, params: Members): Record<string, string> {
  const name = params[NAMED_BY.get(method) ?? ""];
  return {
    [VERSION_HEADER]: version,
    [METHOD_HEADER]: method,
    ...(typeof name === "string" && { [NAME_HEADER]: encodeHeaderValue(name) }),
  };
}

/** HTTP headers that repeat arguments of a call, as its tool declares. An argument that is absent or not a scalar has none. */
export function paramHeaders(params: readonly HeaderParam[], args: unknown): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { header, path } of params) {
    const value = argumentAt(args, path);
    if (["string", "number", "boolean"].includes(typeof value)) headers[header] = encodeHeaderValue(String(value));
  }
  return headers;
}
