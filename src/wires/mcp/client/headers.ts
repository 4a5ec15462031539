/**
 * What a request of 2026-07-28 says in headers beside its body: its method, what it names, and the arguments that the tool's
 * schema marks with `x-mcp-header`.
 *
 * Source: MCP, revision 2026-07-28, "Transports", "Request metadata headers".
 *
 * @module
 */
import { asObject, type Members } from "../../../internal/json.ts";
import { subschemasOf } from "../../../core/json_schema/subschemas.ts";

type Headers = Record<string, string>;

/** Which parameter a method is named by. */
const NAMED_BY: ReadonlyMap<string, string> = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
  ["tasks/get", "taskId"],
  ["tasks/update", "taskId"],
  ["tasks/cancel", "taskId"],
]);

/** The headers of a message. */
export function headersOf(revision: string, method: string, params: Members): Headers {
  const name = params[NAMED_BY.get(method) ?? ""];
  return {
    "mcp-protocol-version": revision,
    "mcp-method": method,
    ...(typeof name === "string" && { "mcp-name": encodeHeader(name) }),
  };
}

/** A value as a header can carry it: as it is where that is safe, else in base64. */
function encodeHeader(value: string): string {
  const isSafe = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !/^=\?base64\?.*\?=$/.test(value);
  if (isSafe) return value;
  const bytes = new TextEncoder().encode(value);
  return `=?base64?${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))}?=`;
}

/** An argument that travels in a header. */
export interface HeaderParam {
  /** Its name after `Mcp-Param-`. */
  readonly header: string;
  /** Where it is among the arguments. */
  readonly path: readonly string[];
}

/** The arguments that travel in headers, by a tool's schema; or, as text, what is wrong with the schema. */
export function headerParamsOf(inputSchema: unknown): readonly HeaderParam[] | string {
  const found: HeaderParam[] = [];
  const wrong = collect(inputSchema, [], found) ?? misplaced(inputSchema, found.length);
  if (wrong !== undefined) return wrong;
  const names = found.map(({ header }) => header.toLowerCase());
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return twice === undefined ? found : `x-mcp-header "${twice}" comes twice`;
}

/** The headers of a call's arguments. */
export function paramHeaders(params: readonly HeaderParam[], args: unknown): Headers {
  const headers: Headers = {};
  for (const { header, path } of params) {
    const value = path.reduce<unknown>((members, name) => ownMember(members, name), args);
    if (["string", "number", "boolean"].includes(typeof value)) {
      headers[`mcp-param-${header}`] = encodeHeader(String(value));
    }
  }
  return headers;
}

function ownMember(members: unknown, name: string): unknown {
  const own = asObject(members);
  return Object.hasOwn(own, name) ? own[name] : undefined;
}

/** Follows `properties` alone: nothing else leads to an argument for certain. */
function collect(schema: unknown, path: readonly string[], found: HeaderParam[]): string | undefined {
  for (const [name, property] of Object.entries(asObject(asObject(schema)["properties"]))) {
    const here = [...path, name];
    const { "x-mcp-header": header, type } = asObject(property);
    if (header !== undefined) {
      const wrong = checkParam(header, type, here.join("."));
      if (wrong !== undefined) return wrong;
      found.push({ header: header as string, path: here });
    }
    const within = collect(property, here, found);
    if (within !== undefined) return within;
  }
  return undefined;
}

function checkParam(header: unknown, type: unknown, at: string): string | undefined {
  if (typeof header !== "string" || !/^[!#$%&'*+\-.^_`|~\w]+$/.test(header)) {
    return `x-mcp-header of "${at}" is no token`;
  }
  if (type === "string" || type === "integer" || type === "boolean") return undefined;
  return `x-mcp-header of "${at}" is on ${JSON.stringify(type) ?? "no type"}, not on string, integer or boolean`;
}

/** Whether marks stand where no argument is for certain: then there are more of them than were found. */
function misplaced(schema: unknown, found: number): string | undefined {
  return countMarks(asObject(schema)) > found
    ? "x-mcp-header stands elsewhere than on a property of properties"
    : undefined;
}

/** Counts marks in whatever is a schema, wherever it stands; a property that has the mark's name is none. */
function countMarks(schema: Members): number {
  let marks = Object.hasOwn(schema, "x-mcp-header") ? 1 : 0;
  for (const [part] of subschemasOf(schema)) marks += countMarks(part);
  return marks;
}
