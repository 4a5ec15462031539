/** A value, or a promise of it: synchronous work stays synchronous. */
export type MaybePromise<Value> = Value | Promise<Value>;

/** Whether `value` can be awaited. May throw what a hostile `then` getter throws. */
export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
}

/** What `map` makes of a value: at once if it is there, else once it is. */
export function mapMaybe<Value, Mapped>(
  value: MaybePromise<Value>,
  map: (value: Value) => Mapped,
): MaybePromise<Mapped> {
  return value instanceof Promise ? value.then(map) : map(value);
}
