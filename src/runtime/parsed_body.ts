/** Bodies that a parser of the application has read before the handler: those of Express, and of hosts that parse each request. */
import { Buffer } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { type ErrorResult, errorResult } from "../core/call/outcome.ts";
import { estimateJsonSize, TOO_DEEP } from "../internal/json_size.ts";
import { UNREADABLE } from "../server/fetch_request.ts";

/** A request with what parsers leave on it. */
interface ParsedRequest extends Pick<IncomingMessage, "readableEnded" | "destroyed" | "complete" | "headers"> {
  /** Parsed by `express.json()`, `express.urlencoded()`, `express.raw()`, `express.text()` and similar. */
  readonly body?: unknown;
  /** The bytes, as hosts of functions and the option `verify` of body parsers keep them. */
  readonly rawBody?: unknown;
}

const FORM = /^application\/x-www-form-urlencoded(?=\s*(?:;|$))/i;

/** Whether the body of a request can no longer be read from its stream. */
export function isRead({ readableEnded, destroyed }: ParsedRequest): boolean {
  return readableEnded || destroyed;
}

/** Whether a parser has read the body of a request, and has kept it. */
export function isParsed(request: ParsedRequest): boolean {
  return isRead(request) && (request.body !== undefined || request.rawBody !== undefined);
}

/**
 * The bytes of a body that was read before: those that were kept, or those of the value that a parser made of it. An error if there is
 * neither.
 *
 * @param maxDepth Maximum depth of the value, which is checked before it is serialised.
 */
export function parsedBytes(request: ParsedRequest, maxDepth: number): Uint8Array<ArrayBuffer> | ErrorResult {
  const { body, rawBody, complete } = request;
  for (const kept of [rawBody, body]) {
    if (kept instanceof Uint8Array) return kept as Uint8Array<ArrayBuffer>;
    if (typeof kept === "string") return Buffer.from(kept);
  }
  if (body !== undefined) return serialise(body, request.headers["content-type"] ?? "", maxDepth);
  return complete
    ? errorResult(
      "invalid_request",
      "The body was read before, and is not in request.body: put toNodeHandler() before what reads it",
    )
    : UNREADABLE;
}

function serialise(body: unknown, type: string, maxDepth: number): Uint8Array<ArrayBuffer> | ErrorResult {
  if (estimateJsonSize(body, Infinity, maxDepth) === TOO_DEEP) {
    return errorResult("invalid_request", `The body is nested deeper than ${maxDepth} levels`);
  }
  return Buffer.from(FORM.test(type) ? encodeForm(body) : JSON.stringify(body) ?? "");
}

/** A form of texts. Parsers make an array of a field that is repeated. */
function encodeForm(fields: unknown): string {
  const pairs = Object.entries(Object(fields) as object).flatMap(([name, value]) =>
    [value].flat().map((one) => [name, String(one)])
  );
  return String(new URLSearchParams(pairs));
}
