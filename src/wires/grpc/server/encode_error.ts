/**
 * Encodes error results: a status, a message, and details for programs.
 *
 * The details are a `google.rpc.ErrorInfo` whose reason is the error code, a `google.rpc.BadRequest` if arguments are invalid, a
 * `google.rpc.RetryInfo` if there is a retry delay, and the error's data as a `google.protobuf.Value`.
 *
 * @module
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
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import { ConnectError } from "@connectrpc/connect";
import type { ErrorResult } from "../../../core/call/outcome.ts";
import { messageOf } from "../../framing/result/unknown_tool.ts";
import { isJsonObject } from "../../../internal/json.ts";
import { ERROR_DOMAIN, grpcCodes } from "../messages/codes.ts";
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema } from "../messages/gen/google/rpc/error_details_pb.ts";

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
    details.push(detail(ValueSchema, fromJson(ValueSchema, json, { recursionLimit: Number.POSITIVE_INFINITY })));
  }
  const error = new ConnectError(messageOf(result, false), grpcCodes[code], metadata);
  error.details = details;
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
