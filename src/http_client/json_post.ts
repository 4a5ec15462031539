import { type ErrorResult, errorResult } from "../core/call/outcome.ts";
import type { Metadata } from "../core/call/call.ts";
import { isJsonMediaType } from "../internal/http.ts";

/** Why a body is not read, by its headers: it is not plain JSON in UTF-8; status 415. */
export function refuseMediaType(headers: Metadata): ErrorResult | undefined {
  if (!isJsonMediaType(headers.get("content-type"))) {
    return errorResult("invalid_request", "Send the header content-type: application/json (UTF-8)");
  }
  if (headers.get("content-encoding") === null) return undefined;
  return errorResult("invalid_request", "Send the body as it is, without content-encoding");
}
