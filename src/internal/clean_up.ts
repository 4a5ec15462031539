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
