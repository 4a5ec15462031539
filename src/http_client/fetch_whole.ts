import { toToolError } from "../core/call/outcome.ts";
import { isTooDeep, tooDeepError } from "../core/call/parse_answer.ts";
import { monitorFromSignal, withTimeLimit } from "../core/call/time_limit.ts";
import { ToolError } from "../core/errors/tool_error.ts";
import { abortable } from "../internal/time.ts";
import { cancelBody, isRedirect, readText } from "./read.ts";
import { exchange } from "./send.ts";

/** Limits of {@link fetchWhole}. */
interface FetchLimits {
  /** Sends the request. Default: the global `fetch`. */
  readonly send?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** Maximum size of the response in bytes. */
  readonly maxBytes: number;
  /** Time limit for the whole response, in milliseconds. */
  readonly timeoutMs: number;
}

/**
 * Sends a request and reads the whole response, within limits of size and time.
 *
 * Redirects are not followed, because the request may contain secrets: an empty response with status 404 replaces them.
 *
 * @throws {ToolError} If there is no response within the limits.
 */
export function fetchWhole(url: URL, init: RequestInit, { send, maxBytes, timeoutMs }: FetchLimits): Promise<Response> {
  const { method = "GET", headers: sent = {}, body } = init;
  const { href, origin } = url;
  const unreachableMessage = `Cannot reach ${origin}`;
  return withTimeLimit(timeoutMs, async ({ signal }) => {
    const exchanged = exchange(
      { method, url: href, headers: new Headers(sent), body, returnsRedirect: true, unreachableMessage },
      { ...(send && { fetch: send }), maxResponseBytes: maxBytes },
      monitorFromSignal(signal),
      async (response, chunks) => {
        if (isRedirect(response)) {
          cancelBody(response);
          return new Response(null, { status: 404 });
        }
        const text = await readText(chunks);
        if (isTooDeep(text)) throw tooDeepError();
        const { status, headers } = response;
        return new Response(text === "" ? null : text, { status, headers });
      },
    );
    try {
      const result = await abortable(exchanged, signal);
      if (!("kind" in result)) return result;
      throw toToolError(result);
    } catch (cause) {
      if (!signal.aborted) throw cause;
      throw new ToolError("unavailable", `${origin} has not answered within ${timeoutMs} ms`, { cause });
    }
  });
}
