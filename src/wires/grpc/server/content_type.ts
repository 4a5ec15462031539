/**
 * Answers to requests that are none of a protocol's: by an HTTP status, and in Connect's words for errors.
 *
 * @module
 */
import { errorToJson } from "@connectrpc/connect/protocol-connect";
import { errorResult } from "../../../core/call/outcome.ts";
import type { Reply } from "../../wire.ts";
import { encodeError } from "./encode_error.ts";

const WEB_TYPES = ["application/grpc-web+proto", "application/grpc-web+json", "application/grpc-web-text"];

/** What methods of one message each way take. */
export const UNARY_TYPES: readonly string[] = ["application/json", "application/proto", ...WEB_TYPES];

/** What methods that stream take. */
export const STREAM_TYPES: readonly string[] = ["application/connect+json", "application/connect+proto", ...WEB_TYPES];

/** What methods of gRPC's own services take: health and reflection. */
export const NATIVE_TYPES: readonly string[] = ["application/grpc", "application/grpc+proto"];

/** The answer to a request by another method than POST. */
export function methodNotAllowed(method: string): Reply {
  return errorReply(405, { allow: "POST" }, `${method} is not allowed here: use POST`);
}

/** The answer to a request of another media type than those that its method takes. */
export function unsupportedMediaType(contentType: string | null, types: readonly string[]): Reply {
  const taken = types.join(", ");
  return errorReply(
    415,
    { "accept-post": taken },
    `${contentType ?? "A request without Content-Type"} is not read here: use ${taken}`,
  );
}

function errorReply(status: number, headers: Readonly<Record<string, string>>, message: string): Reply {
  const error = errorToJson(encodeError(errorResult("invalid_request", message)), undefined);
  return { status, headers: { ...headers, "content-type": "application/json" }, body: JSON.stringify(error) };
}
