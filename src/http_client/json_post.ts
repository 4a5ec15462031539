import { type Refusal, refuse } from "../core/call/outcome.ts";
import type { Metadata } from "../core/call/call.ts";
import { isJsonMediaType } from "../internal/media_type.ts";

/** Why a body is not read, by its headers: it is not plain JSON in UTF-8; status 415. */
export function refuseMediaType(headers: Metadata): Refusal | undefined {
  if (!isJsonMediaType(headers.get("content-type"))) {
    return refuse("invalid_request", "Send the header content-type: application/json (UTF-8)");
  }
  if (headers.get("content-encoding") === null) return undefined;
  return refuse("invalid_request", "Send the body as it is, without content-encoding");
}
