/** Calls as bytes, as each protocol has them, and what is said in answer: without our clients, which would send nothing odd. */
import { fromBinary } from "@bufbuild/protobuf";
import { type Any, anyUnpack } from "@bufbuild/protobuf/wkt";
import { concatBytes } from "../../src/wires/grpc/messages/envelope.ts";
import { ErrorInfoSchema } from "../../src/wires/grpc/messages/gen/google/rpc/error_details_pb.ts";
import { StatusSchema } from "../../src/wires/grpc/messages/gen/google/rpc/status_pb.ts";
import { ToolResponseSchema } from "../../src/wires/grpc/messages/gen/mcplite_pb.ts";
import { frame, framesOf, textOf } from "../wires/grpc/frames.ts";
import { type Said, saidOfLine } from "./callers.ts";
import type { Column } from "./guarantee.ts";

/** A value as it is to be sent: an object may have members twice, a text may be bytes that are none. */
export type Raw = number | string | Uint8Array | RawObject;

/** Members, in the order in which they are sent. */
export class RawObject {
  readonly members: readonly (readonly [name: string | Uint8Array, value: Raw])[];

  constructor(members: RawObject["members"]) {
    this.members = members;
  }
}

/** `{"a":{"a":…1}}`, so deep that only bytes can be so without a stack. */
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

/** Text as the inside of a string of JSON. */
const quoted = (text: string | Uint8Array): Uint8Array =>
  typeof text === "string"
    ? encoder.encode(JSON.stringify(text))
    : concatBytes([encoder.encode('"'), text, encoder.encode('"')]);

/** As JSON. */
export function jsonOf(value: Raw): Uint8Array {
  if (typeof value === "number") return encoder.encode(String(value));
  if (value instanceof RawNest) return value.json;
  if (!(value instanceof RawObject)) return quoted(value);
  const members = value.members.map(([name, member], at) =>
    concatBytes([encoder.encode(at === 0 ? "" : ","), quoted(name), encoder.encode(":"), jsonOf(member)])
  );
  return concatBytes([encoder.encode("{"), ...members, encoder.encode("}")]);
}

/** As a `google.protobuf.Struct`. */
export function structOf(value: RawObject): Uint8Array {
  if (value instanceof RawNest) return value.struct;
  return concatBytes(value.members.map(([name, member]) => memberOf(name, valueOf(member))));
}

const memberOf = (name: string | Uint8Array, value: Uint8Array): Uint8Array<ArrayBuffer> =>
  field(1, concatBytes([field(1, bytesOf(name)), field(2, value)]));

function valueOf(value: Raw): Uint8Array<ArrayBuffer> {
  if (value instanceof RawObject) return field(5, structOf(value));
  if (typeof value !== "number") return field(3, bytesOf(value));
  const double = new Uint8Array(9);
  double[0] = (2 << 3) | 1;
  new DataView(double.buffer).setFloat64(1, value, true);
  return double;
}

const bytesOf = (text: string | Uint8Array): Uint8Array => typeof text === "string" ? encoder.encode(text) : text;

/** A field with its length. */
function field(number: number, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const length: number[] = [];
  for (let rest = bytes.length;; rest >>>= 7) {
    length.push(rest > 127 ? (rest & 127) | 128 : rest);
    if (rest <= 127) break;
  }
  return concatBytes([Uint8Array.from([(number << 3) | 2, ...length]), bytes]);
}

/** A request, before it is sent. */
export interface RawRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** What came back. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Pick<Headers, "get">;
  readonly body: Uint8Array;
}

/** A protocol. */
export interface Dialect {
  readonly column: Column;
  readonly name: string;
  /** A call of a tool. */
  call(tool: string, args: RawObject): RawRequest;
  /** How it ended. */
  read(answer: RawAnswer): Said;
  /** A request whose body is all its own; only where bodies are JSON. */
  post?(body: string, tool?: string): RawRequest;
}

const JSON_TYPE = { "content-type": "application/json" };

/** Bodies of JSON, in which the arguments stand in the place of a mark. */
function jsonDialect(
  column: Column,
  name: string,
  path: string,
  headersOf: (tool: string) => Readonly<Record<string, string>>,
  bodyOf: (tool: string) => unknown,
  read: (json: Json, answer: RawAnswer) => Said,
): Dialect {
  const post = (body: string, tool = "echo") => ({
    path,
    headers: { ...JSON_TYPE, ...headersOf(tool) },
    body: encoder.encode(body),
  });
  return {
    column,
    name,
    post,
    call(tool, args) {
      const [before = "", after = ""] = JSON.stringify(bodyOf(tool)).split('"ARGUMENTS"');
      const body = concatBytes([encoder.encode(before), jsonOf(args), encoder.encode(after)]);
      return { ...post("", tool), body };
    },
    read: (answer) => read(JSON.parse(textOf(answer.body)) as Json, answer),
  };
}

// deno-lint-ignore no-explicit-any -- what a test asserts is the shape
type Json = any;

const error = (code: unknown, message: unknown): Said => ({
  kind: "error",
  code: String(code),
  message: String(message),
});

const MCP_META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

const rpc = (name: string, more: object = {}) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name, arguments: "ARGUMENTS", ...more },
});

const readRpc = (json: Json): Said =>
  json.error === undefined
    ? { kind: "answer", value: json.result.content }
    : error(json.error.data?.code, json.error.message);

const readMcp = (json: Json): Said => {
  const said = saidOfLine(json);
  return said.kind === "answer" && json.result._meta?.wrapped === true
    ? { kind: "answer", value: (said.value as Json).result }
    : said;
};

const CALL_PATH = "/mcplite.MCPLite/CallTool";

/** A `ToolRequest`. */
const toolRequest = (tool: string, args: RawObject): Uint8Array =>
  concatBytes([field(1, encoder.encode(tool)), field(2, structOf(args))]);

function readResponse(bytes: Uint8Array): Said {
  return { kind: "answer", value: (fromBinary(ToolResponseSchema, bytes).result as Json)?.content };
}

function reasonOf(details: readonly Any[]): string | undefined {
  return details.map((detail) => anyUnpack(detail, ErrorInfoSchema)).find((info) => info !== undefined)?.reason;
}

/** Why a call was refused, as gRPC says it. */
export function readStatus(get: (name: string) => string | null): Said {
  const details = get("grpc-status-details-bin");
  const status = details === null ? undefined : fromBinary(StatusSchema, fromBase64(details));
  return error(reasonOf(status?.details ?? []) ?? get("grpc-status"), get("grpc-message"));
}

const fromBase64 = (text: string): Uint8Array => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));

function readConnectError({ code, message, details = [] }: Json): Said {
  const info = details.find(({ type }: Json) => type === "google.rpc.ErrorInfo");
  const reason = info === undefined ? code : fromBinary(ErrorInfoSchema, fromBase64(info.value)).reason;
  return error(reason, message);
}

/** Every protocol over HTTP that fetch can carry. */
export const DIALECTS: readonly Dialect[] = [
  jsonDialect("MCP-lite", "http", "/mcp-lite/v1/calltools", () => ({}), rpc, readRpc),
  jsonDialect(
    "Connect",
    "connect (JSON)",
    CALL_PATH,
    () => ({}),
    (name) => ({ name, arguments: "ARGUMENTS" }),
    (json, { status }) => status === 200 ? { kind: "answer", value: json.result?.content } : readConnectError(json),
  ),
  {
    column: "Connect",
    name: "connect (binary)",
    call: (tool, args) => ({
      path: CALL_PATH,
      headers: { "content-type": "application/proto" },
      body: toolRequest(tool, args),
    }),
    read: ({ status, body }) => status === 200 ? readResponse(body) : readConnectError(JSON.parse(textOf(body))),
  },
  {
    column: "gRPC-Web",
    name: "gRPC-Web",
    call: (tool, args) => ({
      path: CALL_PATH,
      headers: { "content-type": "application/grpc-web+proto" },
      body: frame(toolRequest(tool, args)),
    }),
    read({ headers, body }) {
      const frames = framesOf(body);
      const trailers = new Headers(
        textOf(frames.find(({ flags }) => flags === 0x80)?.data ?? new Uint8Array()).split("\r\n")
          .filter((line) => line !== "").map((
            line,
          ) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()]),
      );
      const message = frames.find(({ flags }) => flags === 0);
      if (trailers.get("grpc-status") === "0" && message !== undefined) return readResponse(message.data);
      return readStatus((name) => trailers.get(name) ?? headers.get(name));
    },
  },
  jsonDialect(
    "Webtools",
    "webtools",
    "/webtools/fixture",
    () => ({}),
    (action) => ({ action, request: "ARGUMENTS" }),
    (json) =>
      json.status === "ok" ? { kind: "answer", value: json.data } : error(json.error.data?.code, json.error.message),
  ),
  jsonDialect(
    "MCP",
    "mcp (2026-07-28)",
    "/mcp",
    (tool) => ({ "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": tool }),
    (tool) => rpc(tool, { _meta: MCP_META }),
    readMcp,
  ),
  jsonDialect("MCP", "mcp (2025-11-25)", "/mcp", () => ({ "mcp-protocol-version": "2025-11-25" }), rpc, readMcp),
];

/** gRPC itself: the same bytes, over HTTP/2. */
export const GRPC: Dialect = {
  column: "gRPC",
  name: "gRPC",
  call: (tool, args) => ({
    path: CALL_PATH,
    headers: { "content-type": "application/grpc" },
    body: frame(toolRequest(tool, args)),
  }),
  read({ headers, body }) {
    const message = framesOf(body)[0];
    return headers.get("grpc-status") === "0" && message !== undefined
      ? readResponse(message.data)
      : readStatus((name) => headers.get(name));
  },
};
