/** Connect, gRPC-Web and gRPC: three protocols of one wire, with one service. */
import { fromBinary } from "@bufbuild/protobuf";
import { type Any, anyUnpack } from "@bufbuild/protobuf/wkt";
import { joinChunks } from "../../../src/internal/chunks.ts";
import { ErrorInfoSchema } from "../../../src/wires/grpc/messages/gen/google/rpc/error_details_pb.ts";
import { StatusSchema } from "../../../src/wires/grpc/messages/gen/google/rpc/status_pb.ts";
import { ToolResponseSchema } from "../../../src/wires/grpc/messages/gen/mcplite_pb.ts";
import { connectTransport, grpc as grpcWire, grpcTransport, grpcWebTransport } from "../../../src/entries/grpc.ts";
import { frame, framesOf, textOf } from "../grpc/frames.ts";
import type { CallEnd, Dialect, ExpectedCodes, RawRequest, WireDescription } from "./description.ts";
import { encodeText, errorEnd, field, type Json, jsonDialect, type RawObject, structOf } from "./raw_messages.ts";

/** The status of gRPC for each code. */
export const GRPC_CODES: ExpectedCodes<number> = {
  parse_error: 3,
  invalid_request: 3,
  method_not_found: 12,
  tool_not_found: 5,
  resource_not_found: 5,
  prompt_not_found: 5,
  invalid_input: 3,
  invalid_config: 3,
  invalid_promise: 3,
  expired_promise: 3,
  invalid_continuation: 3,
  promise_lost: 5,
  conflict: 6,
  deadline_exceeded: 4,
  cancelled: 1,
  unauthenticated: 16,
  permission_denied: 7,
  rate_limited: 8,
  unavailable: 14,
  payload_too_large: 8,
  result_too_large: 8,
  internal: 13,
};

const CALL_PATH = "/mcplite.MCPLite/CallTool";
const STREAM_PATH = "/mcplite.MCPLite/CallToolStream";

/** A `ToolRequest`. */
const toolRequest = (tool: string, args: RawObject): Uint8Array =>
  joinChunks([field(1, encodeText(tool)), field(2, structOf(args))]);

function request(path: string, type: string, body: Uint8Array): RawRequest {
  return { path, headers: { "content-type": type }, body };
}

function readAnswer(bytes: Uint8Array): CallEnd {
  return { kind: "answer", value: (fromBinary(ToolResponseSchema, bytes).result as Json)?.content };
}

const fromBase64 = (text: string): Uint8Array => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));

function reasonOf(details: readonly Any[]): string | undefined {
  return details.map((detail) => anyUnpack(detail, ErrorInfoSchema)).find((info) => info !== undefined)?.reason;
}

/** The error of headers or trailers of gRPC. */
function readStatus(get: (name: string) => string | null): CallEnd {
  const details = get("grpc-status-details-bin");
  const status = details === null ? undefined : fromBinary(StatusSchema, fromBase64(details));
  return errorEnd(reasonOf(status?.details ?? []) ?? get("grpc-status"), decodeURIComponent(get("grpc-message") ?? ""));
}

/** The error of a JSON body of Connect. */
function readConnectError({ code, message, details = [] }: Json): CallEnd {
  const info = details.find(({ type }: Json) => type === "google.rpc.ErrorInfo");
  return errorEnd(info === undefined ? code : fromBinary(ErrorInfoSchema, fromBase64(info.value)).reason, message);
}

const connectJson: Dialect = jsonDialect(
  CALL_PATH,
  () => ({}),
  (name) => ({ name, arguments: "ARGUMENTS" }),
  (json, { status }) => status === 200 ? { kind: "answer", value: json.result?.content } : readConnectError(json),
);

const NO_IDS = "its requests have no ids";

/** Connect, in JSON and in bytes. */
export const connect: WireDescription = {
  name: "Connect",
  clients: [
    {
      name: "connect (JSON)",
      path: "",
      open: connectTransport,
      responseTypes: ["application/json", "application/connect+json"],
      dialect: {
        ...connectJson,
        unknownTool: "named",
        stream: (tool, args) =>
          request(STREAM_PATH, "application/connect+json", frame(connectJson.call(tool, args).body)),
      },
    },
    {
      name: "connect (binary)",
      path: "",
      open: (url, options) => connectTransport(url, { ...options, format: "binary" }),
      responseTypes: ["application/proto", "application/connect+proto"],
      dialect: {
        call: (tool, args) => request(CALL_PATH, "application/proto", toolRequest(tool, args)),
        stream: (tool, args) => request(STREAM_PATH, "application/connect+proto", frame(toolRequest(tool, args))),
        read: ({ status, body }) => status === 200 ? readAnswer(body) : readConnectError(JSON.parse(textOf(body))),
        unknownTool: "named",
      },
    },
  ],
  without: { ids: NO_IDS },
  invalidOptions: [
    [connectTransport, ["ftp://x.example"], /^Cannot reach a server by Connect: .*, not "ftp:\/\/x\.example"$/],
    [connectTransport, ["http://x", { format: "json5" }], /format must be "json" or "binary", not "json5"$/],
  ],
};

/** gRPC-Web. */
export const grpcWeb: WireDescription = {
  name: "gRPC-Web",
  clients: [{
    name: "gRPC-Web",
    path: "",
    open: grpcWebTransport,
    responseTypes: ["application/grpc-web+proto", "application/grpc-web+proto"],
    dialect: {
      call: (tool, args) => request(CALL_PATH, "application/grpc-web+proto", frame(toolRequest(tool, args))),
      stream: (tool, args) => request(STREAM_PATH, "application/grpc-web+proto", frame(toolRequest(tool, args))),
      read({ headers, body }) {
        const frames = framesOf(body);
        const lines = textOf(frames.find(({ flags }) => flags === 0x80)?.data ?? new Uint8Array()).split("\r\n");
        const trailers = new Headers(
          lines.filter((line) => line !== "")
            .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()]),
        );
        const message = frames.find(({ flags }) => flags === 0);
        if (trailers.get("grpc-status") === "0" && message !== undefined) return readAnswer(message.data);
        return readStatus((name) => trailers.get(name) ?? headers.get(name));
      },
      hasErrorsIn200: true,
      unknownTool: "named",
    },
  }],
  without: { ids: NO_IDS },
  invalidOptions: [
    [
      grpcWebTransport,
      [new URL("ftp://x.example")],
      /^Cannot reach a server by gRPC-Web: .*, not "ftp:\/\/x\.example\/?"$/,
    ],
    [grpcWebTransport, ["http://x", { fetch: 1 }], /fetch must be a function, not 1$/, "RangeError"],
  ],
};

/** gRPC: the same bytes over HTTP/2. */
export const grpc: WireDescription = {
  name: "gRPC",
  wire: grpcWire(),
  clients: [{
    name: "gRPC",
    path: "",
    isHttp2: true,
    open: grpcTransport,
    responseTypes: ["application/grpc", "application/grpc"],
    dialect: {
      call: (tool, args) => request(CALL_PATH, "application/grpc", frame(toolRequest(tool, args))),
      stream: (tool, args) => request(STREAM_PATH, "application/grpc", frame(toolRequest(tool, args))),
      read({ headers, body }) {
        const [message] = framesOf(body);
        return headers.get("grpc-status") === "0" && message !== undefined
          ? readAnswer(message.data)
          : readStatus((name) => headers.get(name));
      },
      hasErrorsIn200: true,
      unknownTool: "named",
    },
  }],
  without: { ids: NO_IDS },
  invalidOptions: [
    [grpcWire, [{ path: "/x#y" }], /^Cannot serve gRPC: path must be like/],
    [
      grpcTransport,
      [""],
      /^Cannot reach a server by gRPC: pass host and port, such as "127\.0\.0\.1:50051", or .*, not ""$/,
    ],
    [grpcTransport, [undefined], /, not undefined$/],
    [grpcTransport, ["a b:1"], /, not "a b:1"$/],
    [grpcTransport, ["unix:///x"], /, not "unix:\/\/\/x"$/],
  ],
};
