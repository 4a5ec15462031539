/**
 * Writes refusals: a status, a message, and details that programs can read.
 *
 * The details are a `google.rpc.ErrorInfo` whose reason is our code, a `google.rpc.BadRequest` where arguments are wrong, a
 * `google.rpc.RetryInfo` where it helps to wait, and the refusal's data as a `google.protobuf.Value`.
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
import { errorMessage } from "../../framing/result/encode.ts";
import { isJsonObject } from "../../../internal/json.ts";
import { grpcCodes } from "./codes.ts";
import { ERROR_DOMAIN } from "../messages/error_domain.ts";
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema } from "../messages/gen/google/rpc/error_details_pb.ts";

/** A detail as it is sent: to write it is part of encoding, since what goes wrong then is no reason to say nothing. */
type Detail = ConnectError["details"][number];

/** How much of a refusal's scalars goes into its `ErrorInfo`, in UTF-16 code units: this detail has to fit wherever it goes. */
const MAX_INFO_CHARS = 512;

/** Longer waits are no advice, and beyond some length no duration. A day, in milliseconds. */
const MAX_RETRY_MS = 86_400_000;

/**
 * The error that says a refusal.
 *
 * @param metadata Headers that go with it; by gRPC, trailers.
 * @throws What `JSON.stringify` throws of the refusal's data, or `RangeError` if that is nested deeper than the stack.
 */
export function encodeRefusal(refusal: ErrorResult, metadata?: Readonly<Record<string, string>>): ConnectError {
  const { code, data } = refusal;
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
  const error = new ConnectError(errorMessage(refusal, false), grpcCodes[code], metadata);
  error.details = details;
  return error;
}

function detail<Desc extends DescMessage>(desc: Desc, value: MessageInitShape<Desc>): Detail {
  const message = create(desc, value);
  // Connect's JSON has it once more, for people.
  return { type: desc.typeName, value: toBinary(desc, message), debug: toJson(desc, message) };
}

function scalarsOf(members: Readonly<Record<string, unknown>>): Record<string, string> {
  let left = MAX_INFO_CHARS;
  const scalars = Object.entries(members).filter(([name, value]) => {
    if (!/^(string|number|boolean)$/.test(typeof value)) return false;
    const length = name.length + String(value).length;
    if (length > left) return false;
    left -= length;
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
