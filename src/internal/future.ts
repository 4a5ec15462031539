/**
 * A value that arrives later, whose steps run at once when it arrives.
 *
 * A promise runs each step in a separate turn of the microtask queue. A call has five to ten steps between its handler and its
 * response, so on the hot path they are the steps of a future, and the handler's promise is the only one that is waited for.
 */

/** Consumer of a {@link Future}: takes its value or its exception. */
export interface Receiver<Value> {
  /** Takes the value. */
  receive(value: Value): void;
  /** Takes the exception of an earlier step. */
  fail(thrown: unknown): void;
}

/** A value, or a future or promise that it arrives by. */
export type MaybeFuture<Value> = Value | Future<Value> | Promise<Value>;

/** A value that arrives later. It has one consumer; `await` accepts it, any number of times. */
export class Future<Value> implements PromiseLike<Value>, Receiver<Value> {
  // Plain members that the constructor alone sets, as a call makes several futures: V8 makes private ones in four times the time, and
  // without `declare` each would be set twice.
  /** @internal */
  declare hasArrived: boolean;
  /** @internal */
  declare hasFailed: boolean;
  /** @internal The value, its future, or the exception, if it arrived before there was a consumer. */
  declare arrived: unknown;
  /** @internal */
  declare step: ((value: never) => unknown) | undefined;
  /** @internal */
  declare next: Receiver<unknown> | undefined;
  /** @internal The same as a promise, which several may wait for. */
  declare promise: unknown;

  /** Creates a future without a value. */
  constructor() {
    this.hasArrived = this.hasFailed = false;
    this.arrived =
      this.step =
      this.next =
      this.promise =
        undefined;
  }

  /** The future of a promise. */
  static of<Value>(promise: PromiseLike<Value>): Future<Value> {
    if (promise instanceof Future) return promise;
    const future = new Future<Value>();
    promise.then((value) => future.receive(value), (thrown) => future.fail(thrown));
    return future;
  }

  /** Sets the value. Only the first one counts. */
  receive(value: Value): void {
    if (this.hasArrived) return;
    this.hasArrived = true;
    const { step } = this;
    if (step === undefined) return pass(this as Future<unknown>, value);
    this.step = undefined;
    try {
      pass(this as Future<unknown>, toFuture(step(value as never)));
    } catch (thrown) {
      drop(this as Future<unknown>, thrown);
    }
  }

  fail(thrown: unknown): void {
    if (this.hasArrived) return;
    this.hasArrived = true;
    drop(this as Future<unknown>, thrown);
  }

  /**
   * The future of what `step` returns, or of what its future gives. It is this one, unless there is a step already: a call would
   * create another one for each of its steps.
   */
  map<Mapped>(step: (value: Value) => MaybeFuture<Mapped>): Future<Mapped> {
    const isFree = !this.hasArrived && this.step === undefined && this.next === undefined;
    const mapped = isFree ? this as Future<unknown> as Future<Mapped> : new Future<Mapped>();
    mapped.step = step;
    if (!isFree) this.into(mapped as Receiver<unknown>);
    return mapped;
  }

  /** Passes the value on, at once if it has arrived. */
  into(receiver: Receiver<Value>): void {
    this.next = receiver as Receiver<unknown>;
    if (!this.hasArrived) return;
    const { arrived } = this;
    if (this.hasFailed) receiver.fail(arrived);
    else if (arrived instanceof Future) arrived.into(receiver);
    else receiver.receive(arrived as Value);
  }

  /** Makes the future awaitable: `await` converts it to a promise. */
  then<Fulfilled = Value, Rejected = never>(
    onFulfilled?: ((value: Value) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((thrown: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    return this.toPromise().then(onFulfilled, onRejected);
  }

  /** Converts the future to a promise of the same value. */
  toPromise(): Promise<Value> {
    this.promise ??= new Promise<Value>((receive, fail) => this.into({ receive, fail }));
    return this.promise as Promise<Value>;
  }
}

// Functions and not private methods, which V8 adds to each future.

/** Passes a value to the consumer, or keeps it until there is one. */
function pass(future: Future<unknown>, value: unknown): void {
  if (future.next === undefined) future.arrived = value;
  else if (value instanceof Future) value.into(future.next);
  else future.next.receive(value);
}

function drop(future: Future<unknown>, thrown: unknown): void {
  future.hasFailed = true;
  if (future.next === undefined) future.arrived = thrown;
  else future.next.fail(thrown);
}

/** Runs `step` at once on a value, or when it arrives, and returns its result: the value if it is known, else a future. */
export function chain<Value, Mapped>(
  value: MaybeFuture<Value>,
  step: (value: Value) => MaybeFuture<Mapped>,
): Mapped | Future<Mapped> {
  return toFuture(isPending(value) ? Future.of<Value>(value).map(step) : step(value));
}

/** Passes a value or an exception to a receiver: at once if it is known. */
export function settleInto<Value>(value: MaybeFuture<Value>, receiver: Receiver<Value>): void {
  if (isPending(value)) Future.of<Value>(value).into(receiver);
  else receiver.receive(value);
}

/** Whether this is a future or a promise, also one whose value has arrived. Other thenables are values. */
export function isPending<Value>(value: MaybeFuture<Value>): value is Future<Value> | Promise<Value> {
  return value instanceof Future || value instanceof Promise;
}

/** Returns a promise as a future, and values and futures as they are. */
export function toFuture<Value>(value: MaybeFuture<Value>): Value | Future<Value> {
  return value instanceof Promise ? Future.of<Value>(value) : value;
}

/** Returns a future as a promise, and values and promises as they are: for code of users. */
export function toPromise<Value>(value: MaybeFuture<Value>): Value | Promise<Value> {
  return value instanceof Future ? value.toPromise() : value;
}
