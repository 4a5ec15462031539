/**
 * Reads the request message of Connect and gRPC-Web: removes base64, envelope and compression, then decodes JSON or bytes.
 *
 * Connect's handlers do not read it: they answer malformed bytes with INTERNAL, and accept JSON of any depth.
 * Total: returns an error result for bad input.
 * Source: {@link https://connectrpc.com/docs/protocol | Connect}, and gRPC-Web over HTTP.
 */
import { base64Decode, base64Encode } from "@bufbuild/protobuf/wire";
import type { Metadata } from "../../../core/call/call.ts";
import { type ErrorResult, errorResult } from "../../../core/call/outcome.ts";
import { isJsonObject } from "../../../internal/json.ts";
import { parseJson } from "../../framing/json_rpc/decode.ts";
import type { Head, Limits, Reply } from "../../wire.ts";
import { decodeEmptyBytes, decodeToolRequestBytes, type ToolRequestMembers } from "../messages/binary.ts";
import { gunzip, openEnvelope } from "../messages/envelope.ts";
import { joinChunks } from "../../../internal/chunks.ts";
import { findNonFinite, numberError } from "../messages/json.ts";
import { errorToJson } from "@connectrpc/connect/protocol-connect";
import { encodeError } from "./encode_error.ts";

type Bytes = Uint8Array<ArrayBuffer>;

const decoder = new TextDecoder();
const strictDecoder = new TextDecoder("utf-8", { fatal: true });
const encoder = new TextEncoder();

/** Type of a request message: `Empty` is for methods without a request, and is read as a ToolRequest without members. */
export type RequestType = "mcplite.ToolRequest" | "mcplite.Empty";

export async function readRequest(
  type: RequestType,
  body: Bytes,
  encoding: RequestEncoding,
  metadata: Metadata,
  limits: Limits,
): Promise<ToolRequestMembers | ErrorResult> {
  const isGzip = metadata.get(compressionHeader(encoding)) === "gzip";
  const bytes = encoding.isText ? decodeBase64(body) : body;
  if ("kind" in bytes) return bytes;
  const opened = encoding.isEnveloped ? openEnvelope(bytes) : { message: bytes, isCompressed: isGzip };
  if ("kind" in opened) return opened;
  if (opened.isCompressed && !isGzip) {
    return errorResult("parse_error", "The envelope is marked as compressed, but no header names the compression");
  }
  const message = opened.isCompressed ? await gunzip(opened.message, limits.bodyBytes) : opened.message;
  if ("kind" in message) return message;
  if (encoding.isJson) return decodeJson(type, message, limits.depth);
  // The message itself is the first level of the limit, as it is in JSON.
  return type === "mcplite.Empty" ? decodeEmptyBytes(message) : decodeToolRequestBytes(message, limits.depth - 1);
}

/** Reads a message under the rules of protobuf's JSON format: unknown members are ignored, a member that is `null` is absent. */
function decodeJson(type: RequestType, bytes: Bytes, depth: number): ToolRequestMembers | ErrorResult {
  let text: string;
  try {
    text = strictDecoder.decode(bytes);
  } catch {
    return errorResult("parse_error", "The body is not valid UTF-8");
  }
  const parsed = parseJson(text === "" ? "{}" : text, depth);
  if ("error" in parsed) return parsed.error;
  if (!isJsonObject(parsed.value)) return malformed(type, "the body is not an object");
  return type === "mcplite.Empty" ? { name: "" } : toToolRequest(parsed.value);
}

function toToolRequest(members: Readonly<Record<string, unknown>>): ToolRequestMembers | ErrorResult {
  const name = members["name"] ?? "";
  const args = members["arguments"] ?? undefined;
  const meta = members["meta"] ?? undefined;
  if (typeof name !== "string" || !name.isWellFormed()) {
    return malformed("mcplite.ToolRequest", "name is not a Unicode string");
  }
  if (!isStruct(args)) return malformed("mcplite.ToolRequest", "arguments is not an object");
  if (!isStruct(meta)) return malformed("mcplite.ToolRequest", "meta is not an object");
  const number = findNonFinite(args) ?? findNonFinite(meta);
  return number === undefined ? { name, arguments: args, meta } : numberError(number);
}

function isStruct(value: unknown): value is ToolRequestMembers["arguments"] {
  return value === undefined || isJsonObject(value);
}

function malformed(type: RequestType, reason: string): ErrorResult {
  return errorResult("parse_error", `Not a ${type}: ${reason}`);
}

/** Decodes base64, the text form of gRPC-Web. Each piece that the client sent may have its own padding. */
function decodeBase64(bytes: Uint8Array): Bytes | ErrorResult {
  const pieces = decoder.decode(bytes).match(/[^=]+=*/g) ?? [];
  try {
    return joinChunks(pieces.map((piece) => base64Decode(piece)));
  } catch {
    return errorResult("parse_error", "The body is not base64");
  }
}

/** Encodes a piece of a response as base64, the text form of gRPC-Web. */
export function encodeBase64Text(bytes: Uint8Array): Bytes {
  return encoder.encode(base64Encode(bytes));
}

const WEB_TYPES = ["application/grpc-web+proto", "application/grpc-web+json", "application/grpc-web-text"];

/** Content types of unary methods by Connect and gRPC-Web. */
export const UNARY_TYPES: readonly string[] = ["application/json", "application/proto", ...WEB_TYPES];

/** Content types of streaming methods by Connect and gRPC-Web. */
export const STREAM_TYPES: readonly string[] = ["application/connect+json", "application/connect+proto", ...WEB_TYPES];

/** Content types of methods that are available by gRPC only: health and reflection. */
export const NATIVE_TYPES: readonly string[] = ["application/grpc", "application/grpc+proto"];

/** Whether a request uses gRPC, and neither gRPC-Web nor Connect. */
export function isNativeGrpc({ metadata }: Head): boolean {
  return /^application\/grpc(\+proto)?\s*(;|$)/i.test(metadata.get("content-type") ?? "");
}

/** Encoding of a request by Connect or gRPC-Web. */
export interface RequestEncoding {
  /** The `Content-Type`, without the suffix `-text`. */
  readonly contentType: string;
  /** Whether the message is JSON. Otherwise it is binary. */
  readonly isJson: boolean;
  readonly isEnveloped: boolean;
  /** Whether the body is base64, gRPC-Web's text form. */
  readonly isText: boolean;
}

/** Parses the `Content-Type` of a request by Connect or gRPC-Web. */
export function parseContentType(contentType: string): RequestEncoding {
  return {
    contentType: contentType.replace(/^(application\/grpc-web)-text/i, "$1"),
    isJson: /^application\/(\w[\w-]*\+)?json\b/i.test(contentType),
    isEnveloped: /^application\/(connect\+|grpc-web)/i.test(contentType),
    isText: /^application\/grpc-web-text/i.test(contentType),
  };
}

/** Name of the header that names the compression of a request's messages. */
export function compressionHeader({ contentType, isEnveloped }: RequestEncoding): string {
  if (!isEnveloped) return "content-encoding";
  return contentType.startsWith("application/connect") ? "connect-content-encoding" : "grpc-encoding";
}

/** The reply to a request by another HTTP method than POST: status 405, with the error in Connect's JSON format. */
export function methodNotAllowed(method: string): Reply {
  return errorReply(405, { allow: "POST" }, `${method} is not allowed here: use POST`);
}

/** The reply to a request whose content type its RPC does not accept: status 415, with the accepted ones. */
export function unsupportedMediaType(contentType: string | null, accepted: readonly string[]): Reply {
  const list = accepted.join(", ");
  return errorReply(
    415,
    { "accept-post": list },
    `${contentType ?? "A request without Content-Type"} is not read here: use ${list}`,
  );
}

/** An HTTP status, with the error in Connect's JSON format. */
function errorReply(status: number, headers: Readonly<Record<string, string>>, message: string): Reply {
  const error = errorToJson(encodeError(errorResult("invalid_request", message)), undefined);
  return { status, headers: { ...headers, "content-type": "application/json" }, body: JSON.stringify(error) };
}
