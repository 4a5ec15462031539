/** The errors of a server that cannot be reached, and of a connection that is lost later. The latter has a mark: no code reads its message. */
import { type ErrorResult, errorResult, errorResultWithCause, toErrorResult } from "../core/call/outcome.ts";
import { ToolError } from "../core/errors/tool_error.ts";
import { NO_PAGE } from "../internal/http.ts";

const RELATIVE = 'The URL is relative, and there is no page here: pass one that begins with "http://" or "https://"';

/**
 * Converts an exception of `fetch` or of reading a body to the error result `unavailable`, with `message`. Its cause has the reason.
 *
 * A `ToolError` keeps its code and message: an injected `fetch` throws it, for example because it cannot get a token.
 */
export function connectionError(
  thrown: unknown,
  request: string,
  message: string = "Cannot reach the server",
): ErrorResult {
  if (thrown instanceof ToolError) return toErrorResult(thrown);
  const reason = (thrown as Error | undefined)?.message ?? thrown;
  if (request.includes(NO_PAGE)) return errorResultWithCause("invalid_request", RELATIVE, request, { cause: thrown });
  return errorResultWithCause("unavailable", message, `${request}: ${reason}`, { cause: thrown });
}

/** Message of the error of a lost connection. The client adds how much of the answer has arrived. */
const CONNECTION_LOST = "Connection lost";

/** Key of the mark. A symbol is not sent; one of the registry is the same for several copies of this package. */
const LOST = Symbol.for("toolwire.lost");

/** An error with the mark: why the connection was lost, empty if that is unknown. */
interface LostError extends ErrorResult {
  readonly [LOST]?: string;
}

/**
 * Creates the error `unavailable` of a lost connection.
 *
 * @param why Why it was lost, for people. It must name no address. Default: unknown.
 * @param particulars Reason for logs.
 */
export function lostConnection(why: string = "", particulars?: string, options?: ErrorOptions): ErrorResult {
  const message = why === "" ? CONNECTION_LOST : `${CONNECTION_LOST}: ${why}`;
  const error = particulars === undefined
    ? errorResult("unavailable", message)
    : errorResultWithCause("unavailable", message, particulars, options);
  return { ...error, [LOST]: why } as LostError;
}

/** Converts an exception of reading a response, as `connectionError()` does for that of sending the request. */
export function brokenConnection(thrown: unknown, request: string): ErrorResult {
  const error = connectionError(thrown, request, CONNECTION_LOST);
  return thrown instanceof ToolError ? error : { ...error, [LOST]: "" } as LostError;
}

/** Adds to the error of a lost connection how many pieces of the answer had arrived. `undefined` for other errors. */
export function lostAfter(error: ErrorResult, pieces: number): ErrorResult | undefined {
  const why = (error as LostError)[LOST];
  if (why === undefined) return undefined;
  const reason = why === "" ? "" : `: ${why}`;
  if (pieces === 0) return { ...error, message: `${CONNECTION_LOST} before the answer was complete${reason}` };
  const after = `${CONNECTION_LOST} after ${pieces === 1 ? "1 piece" : `${pieces} pieces`}`;
  const advice = "call again; a tool with .promise() keeps its pieces, so that its stream continues by itself";
  return { ...error, message: why === "" ? `${after}: ${advice}` : `${after}${reason}; ${advice}` };
}
