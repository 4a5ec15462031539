/** A value or a promise of it. Synchronous work stays synchronous. */
export type MaybePromise<Value> = Value | Promise<Value>;

/** Whether `value` is an object with a function `then`. May throw the exception of a `then` getter. */
export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
}

const ignore = (): void => {};

/** Calls a function whose exception or rejection has no place where it could be reported, such as that of a logger. */
export function attempt(call: () => unknown): void {
  try {
    const done = call();
    if (isPromiseLike(done)) done.then(ignore, ignore);
  } catch {
    // There is no other place to report it.
  }
}

/** What a function of others returns; `undefined` if it throws. `report` gets what it throws, or what its promise rejects with. */
export function callGuarded(call: () => unknown, report: (thrown: unknown) => void): unknown {
  try {
    const done = call();
    if (isPromiseLike(done)) done.then(ignore, report);
    return done;
  } catch (thrown) {
    report(thrown);
    return undefined;
  }
}

/**
 * The end of what a plug-in began, such as a subscription or a lease: it never throws and never rejects, so that the steps after it are
 * done, too. `report` gets its error.
 */
export function guardEnd(end: () => unknown, report: (thrown: unknown) => void): () => MaybePromise<void> {
  return () => {
    try {
      const ended = end();
      return isPromiseLike(ended) ? Promise.resolve(ended).then(ignore, report) : undefined;
    } catch (thrown) {
      report(thrown);
      return undefined;
    }
  };
}

/** Maps a value immediately, or a promise's value when it resolves. */
export function mapMaybe<Value, Mapped>(
  value: Value | PromiseLike<Value>,
  map: (value: Value) => Mapped,
): MaybePromise<Mapped> {
  return isPromiseLike(value) ? Promise.resolve(value).then(map) : map(value as Value);
}

/** A resource that is opened on first use, once for all users. If opening fails, the next use tries again. */
export class Lazy<Value> {
  readonly #open: () => Promise<Value>;
  #value: Promise<Value> | undefined;

  /** @param open Opens the resource. */
  constructor(open: () => Promise<Value>) {
    this.#open = open;
  }

  /** Returns the resource, opening it if needed. */
  get(): Promise<Value> {
    if (this.#value === undefined) {
      const value = this.#open();
      this.#value = value;
      value.catch(() => {
        if (this.#value === value) this.#value = undefined;
      });
    }
    return this.#value;
  }

  /** The resource if it was requested before, even if it is still opening. */
  get opened(): Promise<Value> | undefined {
    return this.#value;
  }
}

/**
 * A set of functions that are notified together. The same function can be added several times.
 *
 * @typeParam News Type of the notification.
 */
export class Listeners<News = void> {
  readonly #listeners = new Set<(news: News) => void>();
  readonly #onEmpty: () => void;

  /** @param onEmpty Called when the last listener is removed. */
  constructor(onEmpty: () => void = () => {}) {
    this.#onEmpty = onEmpty;
  }

  /** @returns Removes the listener. */
  add(listener: (news: News) => void): () => void {
    // The wrapper allows the same function to be added twice.
    const own = (news: News): void => listener(news);
    this.#listeners.add(own);
    return () => {
      if (this.#listeners.delete(own) && this.#listeners.size === 0) this.#onEmpty();
    };
  }

  /** Notifies all listeners. */
  notify(news: News): void {
    for (const listener of [...this.#listeners]) listener(news);
  }

  /** Removes all listeners. */
  clear(): void {
    this.#listeners.clear();
  }
}

/** Ends a generator. Rejects with what its `finally` throws, also at once. */
export async function stopGenerator(pieces: AsyncIterator<unknown, unknown>): Promise<void> {
  await pieces.return?.(undefined);
}
