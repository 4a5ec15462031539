/** A value, or a promise of it: synchronous work stays synchronous. */
export type MaybePromise<Value> = Value | Promise<Value>;

/** Whether `value` can be awaited. May throw what a hostile `then` getter throws. */
export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
}

/** What `map` makes of a value: at once if it is there, else once it is. */
export function mapMaybe<Value, Mapped>(
  value: Value | PromiseLike<Value>,
  map: (value: Value) => Mapped,
): MaybePromise<Mapped> {
  return isPromiseLike(value) ? Promise.resolve(value).then(map) : map(value as Value);
}

/** Something that is opened when it is first needed. An opening that failed is forgotten: the next need tries again. */
export class Lazy<Value> {
  readonly #open: () => Promise<Value>;
  #value: Promise<Value> | undefined = undefined;

  /** @param open Opens it. */
  constructor(open: () => Promise<Value>) {
    this.#open = open;
  }

  /** It, opened now if it was not before. */
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

  /** It, if somebody has needed it; also while it is being opened. */
  get opened(): Promise<Value> | undefined {
    return this.#value;
  }
}

/**
 * Who wants to be told something.
 *
 * @typeParam News What they are told.
 */
export class Listeners<News = void> {
  readonly #listeners = new Set<(news: News) => void>();
  readonly #onEmpty: () => void;

  /** @param onEmpty Called when the last of them listens no more. */
  constructor(onEmpty: () => void = () => {}) {
    this.#onEmpty = onEmpty;
  }

  /** @returns Ends the listening. */
  add(listener: (news: News) => void): () => void {
    // A function of its own for each: the same one may listen twice.
    const own = (news: News): void => listener(news);
    this.#listeners.add(own);
    return () => {
      if (this.#listeners.delete(own) && this.#listeners.size === 0) this.#onEmpty();
    };
  }

  /** Tells those who listen now. */
  tell(news: News): void {
    for (const listener of [...this.#listeners]) listener(news);
  }

  /** Nobody is told anything any more, of those who listen now. */
  clear(): void {
    this.#listeners.clear();
  }
}
