/** Waits of a handler for time, and for values of others. */

/** Options of `ctx.waitFor` and `ctx.resolver`. */
export interface WaitOptions {
  /**
   * Longest wait, in milliseconds, from the first run that comes to it. It must end before the promise of the call does. Default:
   * a minute less than the lifetime of the promise, or nine tenths of it if that is longer.
   */
  readonly timeoutMs?: number | undefined;
}

/**
 * Result of `ctx.waitFor`: a value that was accepted, a refusal, or the end of the time.
 *
 * @typeParam Value Output of the schema.
 */
export type WaitResult<Value> =
  | { readonly action: "accept"; readonly content: Value }
  | { readonly action: "decline"; readonly reason?: string }
  | { readonly action: "timeout" };

/** The right to resolve one wait of one call, made by `ctx.resolver`. */
export interface Resolver {
  /** Signed token for `server.resolve(token, value)`. Any holder may resolve the wait, and do nothing else. */
  readonly token: string;
  /** URL that takes the value by `POST`. `undefined` on a server without the option `resolver`. */
  readonly url: string | undefined;
  /** When the wait ends, in milliseconds since the Unix epoch. */
  readonly expiresAtMs: number;
}

/**
 * Result of `server.resolve` and `server.decline`.
 *
 * `repeated`: the same value was there already. Reasons of a refusal: `resolved` (another value was first), `refused` (this value did
 * not match the schema of the handler), `timeout` (the wait), `expired` (the token), `cancelled` (the call), `over` (the call has
 * ended), `lost` (the job was kept in another process).
 */
export type Resolution =
  | { readonly resolved: true; readonly repeated?: true }
  | {
    readonly resolved: false;
    readonly reason: "resolved" | "refused" | "timeout" | "expired" | "cancelled" | "over" | "lost";
  };
