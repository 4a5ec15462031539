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
 * The value of `work`, if it comes in time. What comes later is dropped, a rejection too.
 *
 * @throws {Error} If it does not.
 */
export async function within<Value>(timeoutMs: number, work: Promise<Value>): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No answer within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

/** A pause that can be cut short. */
export class Pause {
  readonly #ended = Promise.withResolvers<void>();

  /** Waits so long, or until {@link end}. */
  async wait(delayMs: number): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const passed = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, delayMs);
    });
    await Promise.race([passed, this.#ended.promise]);
    clearTimeout(timer);
  }

  /** Ends all waits, now and later. */
  end(): void {
    this.#ended.resolve();
  }
}
