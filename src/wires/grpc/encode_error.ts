/**
 * Writes refusals: a status, a message, and details that programs can read.
 *
 * The details are a `google.rpc.ErrorInfo` whose reason is our code, a `google.rpc.BadRequest` where arguments are wrong, a
 * `google.rpc.RetryInfo` where it helps to wait, and the refusal's data as a `google.protobuf.Value`.
 *
 * @module
 */
import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import { ConnectError } from "@connectrpc/connect";
import type { Refusal } from "../../call/outcome.ts";
import { isJsonObject } from "../../internal/json.ts";
import { grpcCodes } from "./codes.ts";
import { ERROR_DOMAIN } from "./error_domain.ts";
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema } from "./gen/google/rpc/error_details_pb.ts";

type Detail = Exclude<ConstructorParameters<typeof ConnectError>[3], undefined>[number];

/**
 * The error that says a refusal.
 *
 * @param metadata Headers that go with it; by gRPC, trailers.
 * @throws What `JSON.stringify` throws of the refusal's data.
 */
export function encodeRefusal(refusal: Refusal, metadata?: Readonly<Record<string, string>>): ConnectError {
  const { code, data } = refusal;
  const json = data === undefined ? undefined : JSON.parse(JSON.stringify(data)) as JsonValue;
  const members = isJsonObject(json) ? json : {};
  const details: Detail[] = [
    { desc: ErrorInfoSchema, value: { reason: code, domain: ERROR_DOMAIN, metadata: scalarsOf(members) } },
    ...badRequest(members["issues"]),
    ...retryInfo(members["retry_after_ms"]),
  ];
  if (json !== undefined) {
    details.push({
      desc: ValueSchema,
      value: fromJson(ValueSchema, json, { recursionLimit: Number.POSITIVE_INFINITY }),
    });
  }
  return new ConnectError(messageOf(refusal.message, code, members), grpcCodes[code], metadata, details);
}

/** As section A.5 has it: `Tool not found: nonexistent_tool`. */
function messageOf(
  message: string,
  code: string,
  { requested_tool: requested }: Readonly<Record<string, unknown>>,
): string {
  return code === "tool_not_found" && typeof requested === "string" ? `${message}: ${requested}` : message;
}

function scalarsOf(members: Readonly<Record<string, unknown>>): Record<string, string> {
  const scalars = Object.entries(members).filter(([, value]) => /^(string|number|boolean)$/.test(typeof value));
  return Object.fromEntries(scalars.map(([name, value]) => [name, String(value)]));
}

function badRequest(issues: unknown): Detail[] {
  if (!Array.isArray(issues)) return [];
  const fieldViolations = issues.filter(isJsonObject).map(({ path, message }) => ({
    field: Array.isArray(path) ? path.join(".") : "",
    description: String(message ?? ""),
  }));
  return [{ desc: BadRequestSchema, value: { fieldViolations } }];
}

function retryInfo(retryAfterMs: unknown): Detail[] {
  if (typeof retryAfterMs !== "number" || !(retryAfterMs >= 0)) return [];
  const seconds = Math.trunc(retryAfterMs / 1000);
  const nanos = Math.trunc((retryAfterMs % 1000) * 1e6);
  return [{ desc: RetryInfoSchema, value: { retryDelay: { seconds: BigInt(seconds), nanos } } }];
}
