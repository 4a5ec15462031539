/**
 * HTTP headers of wires whose requests and replies are JSON.
 *
 * @module
 */
import type { Metadata } from "../../core/call/call.ts";
import { type ErrorResult, errorResult } from "../../core/call/outcome.ts";
import { isJsonMediaType } from "../../internal/http.ts";
import { asObject } from "../../internal/json.ts";

/** Returns the error for a body that is not plain JSON in UTF-8, by its headers; status 415. */
export function mediaTypeError(headers: Metadata): ErrorResult | undefined {
  if (!isJsonMediaType(headers.get("content-type"))) {
    return errorResult("invalid_request", "Send the header content-type: application/json (UTF-8)");
  }
  if (headers.get("content-encoding") === null) return undefined;
  return errorResult("invalid_request", "Send the body as it is, without content-encoding");
}

/** Returns the header `Retry-After` for an error's data; `undefined` if the data has no delay. */
export function retryAfterHeader(data: unknown): { readonly "retry-after": string } | undefined {
  const { retry_after_ms: delayMs } = asObject(data);
  return typeof delayMs === "number" ? { "retry-after": String(Math.ceil(delayMs / 1000)) } : undefined;
}
