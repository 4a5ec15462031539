/** Requests and replies of JSON over HTTP. */
import type { Metadata } from "../../core/call/call.ts";
import { type ErrorResult, errorResult } from "../../core/call/outcome.ts";
import { isJsonMediaType } from "../../internal/http.ts";
import { asObject } from "../../internal/json.ts";

/** A reply whose body is JSON text. */
export interface JsonReply {
  readonly status: number;
  /** Headers, with lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body: string;
}

/** Headers of a reply whose body is JSON: no cache may store it, and no browser may interpret it as a page. */
export const JSON_HEADERS: Readonly<Record<string, string>> = {
  "content-type": "application/json",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
};

/**
 * Headers of the result of a call over POST. No cache keeps such a reply, since it declares no freshness (RFC 9111, section 3), and no
 * page can load it as a script, a style or an image. The two other headers would make a call up to 15 % slower.
 */
export const RESULT_HEADERS: Readonly<Record<string, string>> = { "content-type": "application/json" };

/** Makes a reply of JSON text with {@link JSON_HEADERS}. */
export function jsonReply(status: number, body: string): JsonReply {
  return { status, headers: JSON_HEADERS, body };
}

/** The error (for a reply 415) if the headers do not announce a body of JSON in UTF-8 without `content-encoding`; otherwise `undefined`. */
export function mediaTypeError(headers: Metadata): ErrorResult | undefined {
  if (!isJsonMediaType(headers.get("content-type"))) {
    return errorResult("invalid_request", "Send the header content-type: application/json (UTF-8)");
  }
  if (headers.get("content-encoding") === null) return undefined;
  return errorResult("invalid_request", "The body is compressed: send it without content-encoding");
}

/** Returns the header `Retry-After` in seconds for `retry_after_ms` of an error's data; `undefined` if the data does not have it. */
export function retryAfterHeader(data: unknown): { readonly "retry-after": string } | undefined {
  const { retry_after_ms: delayMs } = asObject(data);
  return typeof delayMs === "number" ? { "retry-after": String(Math.ceil(delayMs / 1000)) } : undefined;
}

/** A request target as it was sent, and the path that a wire sees of it. */
interface RequestPath {
  readonly target: string;
  readonly path: string;
}

/** Path of a request as its client sent it, without query: with the path of a mount, which `path` does not have. */
export function publicPath({ target, path }: RequestPath): string {
  const sent = target.replace(/^[a-z]+:\/\/[^/?#]*/i, "").replace(/[?#].*$/s, "").replace(/\/$/, "");
  return sent.endsWith(path) ? sent : path;
}

/** Path of the mount that a request was sent below; `""` for the root. */
export function mountPath(request: RequestPath): string {
  const { length } = request.path;
  const sent = publicPath(request);
  return sent.slice(0, sent.length - length);
}
