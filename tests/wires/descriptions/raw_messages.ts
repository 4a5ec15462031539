/** Messages as bytes, written and read without our clients, which would not send invalid ones. */
import { joinChunks } from "../../../src/internal/chunks.ts";
import { textOf } from "../grpc/frames.ts";
import type { CallEnd, Dialect, RawResponse } from "./description.ts";

/** A value to send: an object may have members twice, a text may be bytes that are not UTF-8. */
export type Raw = number | string | Uint8Array | RawObject;

/** Members, in the order in which they are sent. */
export class RawObject {
  readonly members: readonly (readonly [name: string | Uint8Array, value: Raw])[];

  constructor(members: RawObject["members"]) {
    this.members = members;
  }
}

/** `{"a":{"a":…1}}`, too deep for recursion: it is kept as bytes. */
export class RawNest extends RawObject {
  readonly json: Uint8Array;
  readonly struct: Uint8Array;

  constructor(depth: number) {
    super([]);
    this.json = encoder.encode(`${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`);
    let struct = new Uint8Array();
    let value = valueOf(1);
    for (let level = 0; level < depth; level++) {
      struct = memberOf("a", value);
      value = field(5, struct);
    }
    this.struct = struct;
  }
}

const encoder = new TextEncoder();

/** Text as a string of JSON. */
const quoted = (text: string | Uint8Array): Uint8Array =>
  typeof text === "string"
    ? encoder.encode(JSON.stringify(text))
    : joinChunks([encoder.encode('"'), text, encoder.encode('"')]);

/** As JSON. */
export function jsonOf(value: Raw): Uint8Array {
  if (typeof value === "number") return encoder.encode(String(value));
  if (value instanceof RawNest) return value.json;
  if (!(value instanceof RawObject)) return quoted(value);
  const members = value.members.map(([name, member], at) =>
    joinChunks([encoder.encode(at === 0 ? "" : ","), quoted(name), encoder.encode(":"), jsonOf(member)])
  );
  return joinChunks([encoder.encode("{"), ...members, encoder.encode("}")]);
}

/** As a `google.protobuf.Struct`. */
export function structOf(value: RawObject): Uint8Array {
  if (value instanceof RawNest) return value.struct;
  return joinChunks(value.members.map(([name, member]) => memberOf(name, valueOf(member))));
}

const memberOf = (name: string | Uint8Array, value: Uint8Array): Uint8Array<ArrayBuffer> =>
  field(1, joinChunks([field(1, bytesOf(name)), field(2, value)]));

function valueOf(value: Raw): Uint8Array<ArrayBuffer> {
  if (value instanceof RawObject) return field(5, structOf(value));
  if (typeof value !== "number") return field(3, bytesOf(value));
  const double = new Uint8Array(9);
  double[0] = (2 << 3) | 1;
  new DataView(double.buffer).setFloat64(1, value, true);
  return double;
}

/** UTF-8 of a text. */
export const encodeText = (text: string): Uint8Array => encoder.encode(text);

const bytesOf = (text: string | Uint8Array): Uint8Array => typeof text === "string" ? encoder.encode(text) : text;

/** A field of protobuf with its length. */
export function field(number: number, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const length: number[] = [];
  for (let rest = bytes.length;; rest >>>= 7) {
    length.push(rest > 127 ? (rest & 127) | 128 : rest);
    if (rest <= 127) break;
  }
  return joinChunks([Uint8Array.from([(number << 3) | 2, ...length]), bytes]);
}

// deno-lint-ignore no-explicit-any -- what a test asserts is the shape
export type Json = any;

/** A call that ended in an error. */
export const errorEnd = (code: unknown, message: unknown, data?: unknown): CallEnd => ({
  kind: "error",
  code: String(code),
  message: String(message),
  data,
});

/** A dialect of JSON bodies, in which `"ARGUMENTS"` is the place of the arguments. */
export function jsonDialect(
  path: string,
  headersOf: (tool: string) => Readonly<Record<string, string>>,
  bodyOf: (tool: string) => unknown,
  read: (json: Json, response: RawResponse) => CallEnd,
): Dialect {
  const post = (body: string, tool = "echo") => ({
    path,
    headers: { "content-type": "application/json", ...headersOf(tool) },
    body: encoder.encode(body),
  });
  return {
    post,
    call(tool, args) {
      const [before = "", after = ""] = JSON.stringify(bodyOf(tool)).split('"ARGUMENTS"');
      const body = joinChunks([encoder.encode(before), jsonOf(args), encoder.encode(after)]);
      return { ...post("", tool), body };
    },
    read: (response) => read(JSON.parse(textOf(response.body)), response),
  };
}

/** `_meta` of requests of MCP 2026-07-28. */
export const MCP_META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** A call in JSON-RPC. */
export const rpcCall = (name: string, more: object = {}): object => ({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name, arguments: "ARGUMENTS", ...more },
});

/** How a call of MCP-lite ended. */
export const readRpc = ({ result, error }: Json): CallEnd =>
  error === undefined
    ? { kind: "answer", value: result.content }
    : errorEnd(error.data?.code, error.message, error.data);

/** How a call of MCP ended. */
export function readMcp({ result, error }: Json): CallEnd {
  if (error !== undefined) return errorEnd(error.data?.code ?? error.code, error.message, error.data);
  const text: string = result.content?.[0]?.text ?? "";
  const meta = result._meta ?? {};
  if (result.isError === true) {
    const isFailure = meta["toolwire/response-type"] === "failure";
    return { kind: isFailure ? "failure" : "error", code: meta["toolwire/code"], message: text };
  }
  const isText = meta["toolwire/shape"] === "text" || (result.content?.length === 1 && text !== "");
  const { structuredContent: value = isText ? text : undefined } = result;
  return { kind: "answer", value: meta["toolwire/wrapped"] === true ? value.result : value };
}
