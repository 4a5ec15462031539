/** Clean-up of several steps: each is tried, also after another one has failed, and the failures are reported together. */

/** Runs the steps of a clean-up, and gathers what they throw. */
export class CleanUp {
  readonly #errors: unknown[] = [];

  /** Runs a step. Never throws: what the step throws is gathered. */
  try(step: () => void): void {
    try {
      step();
    } catch (thrown) {
      this.#errors.push(thrown);
    }
  }

  /** Runs a step that may return a promise. Resolves when it has ended. Never rejects. */
  async wait(step: () => unknown): Promise<void> {
    try {
      await step();
    } catch (thrown) {
      this.#errors.push(thrown);
    }
  }

  /**
   * Ends the clean-up.
   *
   * @param problem What is not complete, for the error: `Cannot close the server completely`.
   * @throws The error of the step that failed. If several have failed, an `AggregateError` with all of them, in order.
   */
  finish(problem: string): void {
    const [first, ...others] = this.#errors;
    if (this.#errors.length === 0) return;
    if (others.length === 0) throw first;
    const reasons = this.#errors.map((error) => error instanceof Error ? error.message : String(error)).join("; ");
    throw new AggregateError(this.#errors, `${problem}: ${reasons}`, { cause: first });
  }
}

/**
 * The value of `work`, after `release` has run, also if the work has failed.
 *
 * @throws What the work throws: a failure of the release after it is mostly its consequence, and must not hide it. It is the member
 * `suppressed` of that error. If the release alone fails, its error.
 */
export async function releasing<Value>(
  work: () => Value | PromiseLike<Value>,
  release: () => unknown,
): Promise<Awaited<Value>> {
  let value: Awaited<Value>;
  try {
    value = await work();
  } catch (thrown) {
    try {
      await release();
    } catch (second) {
      suppress(thrown, second);
    }
    throw thrown;
  }
  await release();
  return value;
}

/** Runs work and releases its resource afterwards, as {@link releasing}, for work without promises. */
export function releasingSync<Value>(work: () => Value, release: () => unknown): Value {
  const value = undoing(work, release);
  release();
  return value;
}

/** The value of `work`. If that fails, `undo` runs. @throws What the work throws, with the failure of `undo` as `suppressed`. */
export function undoing<Value>(work: () => Value, undo: () => unknown): Value {
  try {
    return work();
  } catch (thrown) {
    try {
      undo();
    } catch (second) {
      suppress(thrown, second);
    }
    throw thrown;
  }
}

/** Maximum number of errors that are searched for the last one: foreign errors may be in a circle. */
const MAX_DEPTH = 16;

/** Adds the failure of a clean-up to the error before it. Nothing can be added to a value that is not an error, or is frozen. */
function suppress(first: unknown, second: unknown): void {
  let last = first;
  for (let depth = 0; depth < MAX_DEPTH && suppressedOf(last) !== undefined; depth++) last = suppressedOf(last);
  if (last instanceof Error) Reflect.set(last, "suppressed", second);
}

/** The failure of the clean-up after an error; `undefined` without one. */
export function suppressedOf(error: unknown): unknown {
  return error instanceof Error ? (error as { readonly suppressed?: unknown }).suppressed : undefined;
}
