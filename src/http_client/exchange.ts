/**
 * One request and its answer, as the clients of wires over HTTP make them: whatever goes wrong on the way is a refusal.
 *
 * Redirects are not followed, so that credentials stay with their own origin; what comes back is bounded in size.
 *
 * @module
 */
import { type ErrorResult, errorResult } from "../core/call/outcome.ts";
import type { ActivityMonitor } from "../core/call/transport.ts";
import { ToolError } from "../core/errors/tool_error.ts";
import { refuseBecause } from "../wires/framing/json_rpc/decode_error.ts";
import { discard, isRedirect, type Pieces, readPieces, readText } from "./read.ts";

/** How a transport over HTTP sends its requests. */
export interface HttpOptions {
  /** Headers of every request, such as `authorization`; or a function that gives them, called for each request. */
  readonly headers?: HeadersInit | (() => HeadersInit | Promise<HeadersInit>);
  /** Takes the place of the global `fetch`. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** Largest answer that is read, in bytes; of a stream, all of it. Default: 64 MiB. */
  readonly maxResponseBytes?: number;
}

/** One request. */
export interface HttpRequest {
  /** `GET`, `POST`, … */
  readonly method: string;
  /** Where it goes. */
  readonly url: string;
  /** Headers of just this request. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body, if it has one. */
  readonly body?: string | null;
}

/** Sends a request, and gives what `read` makes of its answer. */
export async function exchange<Result>(
  { method, url, headers: own, body = null }: HttpRequest,
  { headers: given, fetch: send = fetch, maxResponseBytes = 2 ** 26 }: HttpOptions,
  limit: ActivityMonitor,
  read: (response: Response, pieces: Pieces) => Promise<Result>,
): Promise<Result | ErrorResult> {
  const what = `${method} ${url}`;
  const shared = typeof given === "function" ? await given() : given;
  const headers = { ...(shared && Object.fromEntries(new Headers(shared))), ...own };
  try {
    const response = await send(url, { method, headers, body, signal: limit.signal, redirect: "manual" });
    limit.markActive();
    if (isRedirect(response)) {
      discard(response);
      const because = `${what} redirects to ${response.headers.get("location")}`;
      return refuseBecause("invalid_request", "Redirects are not followed: use the final URL", because);
    }
    return await read(response, readPieces(response, limit, maxResponseBytes));
  } catch (cause) {
    if (cause instanceof ToolError) {
      return { ...errorResult(cause.code, cause.message, cause.details), cause: cause.cause };
    }
    const because = `${what}: ${(cause as Error | undefined)?.message ?? cause}`;
    return refuseBecause("unavailable", "Cannot reach the server", because, { cause });
  }
}

/** The text of an answer, and what it is as JSON; `undefined` if it is none: then its status is all there is to go by. */
export async function readJsonText(pieces: Pieces): Promise<{ readonly text: string; readonly json: unknown }> {
  const text = await readText(pieces);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    // Its text is all there is.
  }
  return { text, json };
}
