/**
 * Encodes error results: a status, a message, and details for programs. Native gRPC sends them as trailers.
 *
 * The details are a `google.rpc.ErrorInfo` whose reason is the error code, a `google.rpc.BadRequest` if arguments are invalid, a
 * `google.rpc.RetryInfo` if there is a retry delay, and the error's data as a `google.protobuf.Value`.
 */
import {
  create,
  type DescMessage,
  fromJson,
  type JsonValue,
  type MessageInitShape,
  toBinary,
  toJson,
} from "@bufbuild/protobuf";
import { type Any, AnySchema, ValueSchema } from "@bufbuild/protobuf/wkt";
import { base64Encode } from "@bufbuild/protobuf/wire";
import { Code, ConnectError } from "@connectrpc/connect";
import type { ErrorResult } from "../../../core/call/outcome.ts";
import { errorMessage } from "../../framing/result/encode.ts";
import { isJsonObject } from "../../../internal/json.ts";
import { ERROR_DOMAIN, grpcCodes } from "../messages/codes.ts";
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema } from "../messages/gen/google/rpc/error_details_pb.ts";
import { ResponseMetaSchema } from "../messages/gen/mcplite_pb.ts";
import { StatusSchema } from "../messages/gen/google/rpc/status_pb.ts";

/** A detail in its binary form. It is encoded here, so that an encoding error is thrown where it can still be answered. */
type Detail = ConnectError["details"][number];

/** Maximum size of the metadata of an `ErrorInfo`, in UTF-16 code units. This detail has to fit into gRPC's trailers. */
const MAX_INFO_CHARS = 512;

/** Maximum retry delay that is sent, in milliseconds: a day. A `google.protobuf.Duration` is limited as well. */
const MAX_RETRY_MS = 86_400_000;

/**
 * Encodes an error result as the error of Connect.
 *
 * @param metadata Headers of the response; by gRPC, trailers.
 * @throws What `JSON.stringify` throws for the error's data, or `RangeError` if its nesting exceeds the stack.
 */
export function encodeError(result: ErrorResult, metadata?: Readonly<Record<string, string>>): ConnectError {
  const { code, data } = result;
  const json = data === undefined ? undefined : JSON.parse(JSON.stringify(data)) as JsonValue;
  const members = isJsonObject(json) ? json : {};
  const details: Detail[] = [
    detail(ErrorInfoSchema, { reason: code, domain: ERROR_DOMAIN, metadata: scalarsOf(members) }),
    ...badRequest(members["issues"]),
    ...retryInfo(members["retry_after_ms"]),
  ];
  if (json !== undefined) {
    details.push(detail(ValueSchema, fromJson(ValueSchema, json, { recursionLimit: Infinity })));
  }
  const error = new ConnectError(errorMessage(result, false), grpcCodes[code], metadata);
  error.details = details;
  return error;
}

/** An outcome that the response of a typed method has no place for, such as a failure or a question. */
export interface UnrepresentableOutcome {
  /** Code of a failure, or kind of the outcome. */
  readonly reason: string;
  readonly message: string;
  /** Domain of the reason in `google.rpc.ErrorInfo`: the package of the typed service. */
  readonly domain: string;
  /** Data of a failure. */
  readonly data?: unknown;
  /** The `mcplite.ResponseMeta`, in its binary form. */
  readonly meta?: Uint8Array<ArrayBuffer>;
}

/**
 * Encodes an {@link UnrepresentableOutcome} outcome as an error: FAILED_PRECONDITION, with a `google.rpc.ErrorInfo`, and the data or the meta.
 *
 * @throws What `JSON.stringify` throws for the data.
 */
export function encodeUnanswered({ reason, message, domain, data, meta }: UnrepresentableOutcome): ConnectError {
  const error = new ConnectError(message, Code.FailedPrecondition);
  error.details = [detail(ErrorInfoSchema, { reason, domain })];
  if (meta !== undefined) error.details.push({ type: ResponseMetaSchema.typeName, value: meta });
  if (data !== undefined) {
    const json = JSON.parse(JSON.stringify(data)) as JsonValue;
    error.details.push(detail(ValueSchema, fromJson(ValueSchema, json, { recursionLimit: Infinity })));
  }
  return error;
}

function detail<Desc extends DescMessage>(desc: Desc, value: MessageInitShape<Desc>): Detail {
  const message = create(desc, value);
  // Connect's JSON format has a readable form as well.
  return { type: desc.typeName, value: toBinary(desc, message), debug: toJson(desc, message) };
}

function scalarsOf(members: Readonly<Record<string, unknown>>): Record<string, string> {
  let remaining = MAX_INFO_CHARS;
  const scalars = Object.entries(members).filter(([name, value]) => {
    if (!/^(string|number|boolean)$/.test(typeof value)) return false;
    const length = name.length + String(value).length;
    if (length > remaining) return false;
    remaining -= length;
    return true;
  });
  return Object.fromEntries(scalars.map(([name, value]) => [name, String(value)]));
}

function badRequest(issues: unknown): Detail[] {
  if (!Array.isArray(issues)) return [];
  const fieldViolations = issues.filter(isJsonObject).map(({ path, message }) => ({
    field: Array.isArray(path) ? path.join(".") : "",
    description: String(message ?? ""),
  }));
  return [detail(BadRequestSchema, { fieldViolations })];
}

function retryInfo(retryAfterMs: unknown): Detail[] {
  if (typeof retryAfterMs !== "number" || !(retryAfterMs >= 0 && retryAfterMs <= MAX_RETRY_MS)) return [];
  const seconds = Math.trunc(retryAfterMs / 1000);
  const nanos = Math.trunc((retryAfterMs % 1000) * 1e6);
  return [detail(RetryInfoSchema, { retryDelay: { seconds: BigInt(seconds), nanos } })];
}

/** Trailers of a response, with names in lower case. */
export type Trailers = Readonly<Record<string, string>>;

/** Trailers of a successful RPC. */
export const OK: Trailers = { "grpc-status": "0" };

/**
 * Maximum size of the encoded message, in bytes. Some clients reject a response with more than 8 kB of headers, and trailers are
 * headers. Message and details together take at most 7 kB.
 */
const MAX_MESSAGE_BYTES = 1_024;

/** Maximum size of all details, in bytes. Details that do not fit are omitted; the most useful ones are first. */
const MAX_DETAILS_BYTES = 3_072;

/** Encodes an error as trailers: `grpc-status`, `grpc-message` (cut at 1 kB), `grpc-status-details-bin` (with the details that fit into 3 kB). */
export function encodeStatus(error: ConnectError): Trailers {
  const { text, encoded } = truncateMessage(error.rawMessage);
  const details = detailsOf(error);
  const status = toBinary(StatusSchema, create(StatusSchema, { code: error.code, message: text, details }));
  return {
    "grpc-status": String(error.code),
    "grpc-message": encoded,
    "grpc-status-details-bin": base64Encode(status, "std_raw"),
  };
}

function detailsOf(error: ConnectError): Any[] {
  let remaining = MAX_DETAILS_BYTES;
  const details: Any[] = [];
  for (const detail of error.details) {
    if (!("type" in detail) || detail.value.length > remaining) continue;
    remaining -= detail.value.length;
    details.push(create(AnySchema, { typeUrl: `type.googleapis.com/${detail.type}`, value: detail.value }));
  }
  return details;
}

/** Truncates a message to the maximum size, and encodes it. */
function truncateMessage(message: string): { readonly text: string; readonly encoded: string } {
  const encoded = encodePercent(message);
  if (encoded.length <= MAX_MESSAGE_BYTES) return { text: message, encoded };
  let text = "";
  let bytes = 0;
  // By code points, so that none is split. A space is counted in its encoded form, as if it were at an end.
  for (const char of message) {
    bytes += encodePercent(char).length;
    if (bytes > MAX_MESSAGE_BYTES) break;
    text += char;
  }
  return { text, encoded: encodePercent(text) };
}

const encoder = new TextEncoder();

/**
 * Percent-encodes what is not printable ASCII, and the percent sign. Some clients decode nothing else. Spaces at both ends are
 * encoded as well, because clients drop a header that has them.
 */
function encodePercent(text: string): string {
  return text.replace(/[^\x20-\x24\x26-\x7e]+|^ +| +$/g, (match) => {
    const bytes = [...encoder.encode(match)];
    return bytes.map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("");
  });
}
