/**
 * Content types of requests: the encoding that each one names, and the replies to requests that no protocol accepts.
 *
 * @module
 */
import { errorToJson } from "@connectrpc/connect/protocol-connect";
import { errorResult } from "../../../core/call/outcome.ts";
import type { Head, Reply } from "../../wire.ts";
import { encodeError } from "./encode_error.ts";

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
  /** Whether the message is in an envelope. */
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

/** The reply to a request by another method than POST. */
export function methodNotAllowed(method: string): Reply {
  return errorReply(405, { allow: "POST" }, `${method} is not allowed here: use POST`);
}

/** The reply to a request whose content type its RPC does not accept. */
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
