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
