import type { ToolErrorCode } from "./code.ts";

/** Options of {@link ToolError}. */
export interface ToolErrorOptions {
  /** JSON data, sent to the caller. */
  readonly details?: unknown;
  /** Local cause, never sent. */
  readonly cause?: unknown;
  /** Delay after which the call may succeed, in milliseconds: part of the details, as `retry_after_ms`. Clients, steps and jobs wait for it. */
  readonly retryAfterMs?: number | undefined;
}

/**
 * An error result as an exception: the same class in handlers, middleware and the client.
 *
 * If a handler throws it, the caller receives its code, message and details. Only `internal` is masked.
 *
 * @example Rejecting a call in a handler
 * ```ts
 * import { ToolError } from "jsr:@toolwire/toolwire";
 *
 * const error = new ToolError("rate_limited", "Ask again in a minute", { retryAfterMs: 60_000 });
 * console.log(error.code); // → rate_limited
 * ```
 */
export class ToolError extends Error {
  /** Always `"ToolError"`. */
  override readonly name = "ToolError";
  /** Stable code. Use this in conditions, not the message. */
  declare readonly code: ToolErrorCode;
  /** JSON data, sent to the caller. `undefined` without details. */
  declare readonly details: unknown;

  /**
   * @param code Stable code.
   * @param message Message for people and models: what is wrong, and what to do.
   * @param options Details for the caller, and the local cause.
   */
  /** Creates an error. */
  constructor(code: ToolErrorCode, message: string, options?: ToolErrorOptions) {
    super(message, options?.cause === undefined ? undefined : options);
    this.code = code;
    const { details, retryAfterMs } = options ?? {};
    this.details = retryAfterMs === undefined ? details : { ...Object(details), retry_after_ms: retryAfterMs };
  }
}
