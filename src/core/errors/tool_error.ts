import type { ToolErrorCode } from "./code.ts";

/** What goes with a {@link ToolError}. */
export interface ToolErrorOptions {
  /** JSON-safe; sent to the caller. */
  readonly details?: unknown;
  /** Stays on this side of the wire. */
  readonly cause?: unknown;
}

/**
 * A refused call: the same value in a handler, in middleware and in the client.
 *
 * Thrown in a handler it reaches the caller with its code, message and details; only `internal` is masked.
 *
 * @example Refusing a call from a handler
 * ```ts
 * import { ToolError } from "jsr:@toolwire/toolwire";
 * import { strictEqual } from "node:assert/strict";
 *
 * const error = new ToolError("rate_limited", "Ask again in a minute", { details: { retry_after_ms: 60_000 } });
 * strictEqual(error.code, "rate_limited");
 * ```
 */
export class ToolError extends Error {
  /** Always `"ToolError"`. */
  override readonly name = "ToolError";
  /** Stable discriminant; switch on this, never on the message. */
  readonly code: ToolErrorCode;
  /** JSON-safe, sent to the caller; `undefined` if there are none. */
  readonly details: unknown;

  /**
   * @param code The stable code.
   * @param message For people and models: what is wrong, and what to do.
   * @param options The details for the caller, and the cause, which never leaves.
   */
  /** Makes a refusal to throw. */
  constructor(code: ToolErrorCode, message: string, options?: ToolErrorOptions) {
    super(message, options?.cause === undefined ? undefined : options);
    this.code = code;
    this.details = options?.details;
  }
}
