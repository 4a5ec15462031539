/** A value, or a promise of it: synchronous work stays synchronous. */
export type MaybePromise<Value> = Value | Promise<Value>;

/** Whether `value` can be awaited. May throw what a hostile `then` getter throws. */
export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
}
