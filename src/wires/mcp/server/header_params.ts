/**
 * Arguments that a client repeats in headers, for whoever routes requests: `x-mcp-header` in a tool's schema.
 *
 * Source: MCP 2026-07-28, "Streamable HTTP", standard and custom headers.
 *
 * @module
 */
import type { Metadata } from "../../../core/call/call.ts";
import { isJsonObject } from "../../../internal/json.ts";
import { subschemasOf } from "../../../core/json_schema/subschemas.ts";
import type { JsonSchema } from "../../../core/schema/standard_schema.ts";
import { type ProtocolError, protocolError } from "./answer.ts";
import { HEADER_MISMATCH } from "../protocol/codes.ts";

/** One argument that is repeated in a header. */
export interface HeaderParam {
  /** Name of the header, in lower case. */
  readonly header: string;
  /** Where the argument is, from the root of the arguments. */
  readonly path: readonly string[];
}

const ANNOTATION = "x-mcp-header";

/** A field name of RFC 9110. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

const REPEATABLE: ReadonlySet<unknown> = new Set(["string", "integer", "boolean"]);

/**
 * Finds the annotated arguments of a tool.
 *
 * @param where Names the tool in errors.
 * @throws {TypeError} If an annotation breaks the rules: clients would drop the whole tool.
 */
export function compileHeaderParams(schema: JsonSchema, where: string): readonly HeaderParam[] {
  const params: HeaderParam[] = [];
  const fail = (problem: string): never => {
    throw new TypeError(`Cannot serve ${where} over MCP: ${ANNOTATION} ${problem}`);
  };
  const add = (node: JsonSchema, path: readonly string[] | undefined): void => {
    const name = node[ANNOTATION];
    if (typeof name !== "string" || !TOKEN.test(name)) return fail("must be a header name, such as Region");
    if (path === undefined || path.length === 0) return fail(`"${name}" must stand on a property of the arguments`);
    if (!REPEATABLE.has(node["type"])) return fail(`"${name}" must stand on a string, an integer or a boolean`);
    const header = `mcp-param-${name.toLowerCase()}`;
    if (params.some((one) => one.header === header)) return fail(`"${name}" comes twice`);
    params.push({ header, path });
  };
  // The path is known as long as nothing but properties leads there.
  const visit = (node: JsonSchema, path: readonly string[] | undefined): void => {
    if (Object.hasOwn(node, ANNOTATION)) add(node, path);
    for (const [part, property] of subschemasOf(node)) {
      visit(part, path !== undefined && property !== undefined ? [...path, property] : undefined);
    }
  };
  visit(schema, []);
  return params;
}

/** What is wrong with the headers that repeat arguments; `undefined` if nothing is. */
export function checkHeaderParams(
  params: readonly HeaderParam[],
  args: unknown,
  metadata: Metadata,
): ProtocolError | undefined {
  for (const { header, path } of params) {
    const sent = metadata.get(header);
    let value = args;
    for (const name of path) value = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
    if (value === undefined || value === null) {
      if (sent !== null) return mismatch(header, sent, null);
    } else if (sent === null) return mismatch(header, null, value);
    else if (!isSame(decodeHeaderValue(sent), value)) return mismatch(header, sent, value);
  }
  return undefined;
}

/** What a header says, which may be in base64; `undefined` if it is malformed. */
export function decodeHeaderValue(sent: string): string | undefined {
  const encoded = /^=\?base64\?(.*)\?=$/.exec(sent)?.[1];
  if (encoded === undefined) return sent;
  try {
    const binary = atob(encoded);
    // Decoders skip white space and ignore spare bits: only the one spelling counts.
    if (btoa(binary) !== encoded) return undefined;
    return new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(binary, (char) => char.charCodeAt(0)));
  } catch {
    return undefined;
  }
}

/** The error of a header that does not say what the body does. */
export function mismatch(header: string, sent: unknown, value: unknown): ProtocolError {
  const problem = sent === null ? "is missing" : "does not match the body";
  return protocolError(HEADER_MISMATCH, `The header ${header} ${problem}`, { mismatch: { header: sent, body: value } });
}

function isSame(said: string | undefined, value: unknown): boolean {
  if (said === undefined) return false;
  // As numbers: 42 is 42.0.
  if (typeof value === "number") return /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(said) && Number(said) === value;
  return said === String(value);
}
