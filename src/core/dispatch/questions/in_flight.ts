/** Work of a run that has begun and is not over: steps, and questions whose answers are being validated. */
export class InFlightWork {
  readonly #running = new Set<Promise<unknown>>();

  /** Whether any work is running. */
  get isAny(): boolean {
    return this.#running.size > 0;
  }

  /** Keeps a promise until it settles. The handler may not await it, and an unhandled rejection ends the process. */
  track<Value>(running: Promise<Value>): Promise<Value> {
    this.#running.add(running);
    running.catch(() => {}).finally(() => this.#running.delete(running));
    return running;
  }

  /** Waits until all work is over; a step may begin another step. */
  async untilOver(): Promise<void> {
    while (this.isAny) await Promise.allSettled(this.#running);
  }
}
