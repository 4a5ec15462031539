/**
 * Turns of the microtask queue that a handler has after each result: it may begin its next step in them, before another one of its
 * branches gets a result.
 */
const TURNS = 32;

/**
 * The order in which a run gets the results of an earlier one: that in which they came.
 *
 * Two branches under `Promise.all` begin their next steps in the order in which their results come. A replay that answers at once would
 * change it. A result that the handler does not ask for holds back the others for some turns only, since the handler may have changed.
 */
export class ReplayOrder {
  readonly #positions: ReadonlyMap<string, number>;
  readonly #waiting = new Map<number, () => void>();
  readonly #taken = new Set<number>();
  #next = 0;
  #isPassing = false;

  /** @param names The results of the earlier run, in their order. */
  constructor(names: readonly string[]) {
    this.#positions = new Map(names.map((name, position) => [name, position]));
  }

  /** Resolves when it is the turn of a result, which each run takes once. */
  turnOf(name: string): Promise<void> {
    const position = this.#positions.get(name);
    if (position === undefined) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.set(position, resolve);
    if (!this.#isPassing) void this.#pass();
    return promise;
  }

  async #pass(): Promise<void> {
    this.#isPassing = true;
    while (this.#waiting.size > 0) {
      for (let turn = 0; turn < TURNS && !this.#waiting.has(this.#next); turn++) await undefined;
      const position = this.#waiting.has(this.#next) ? this.#next : Math.min(...this.#waiting.keys());
      this.#waiting.get(position)?.();
      this.#waiting.delete(position);
      this.#taken.add(position);
      for (this.#next = position + 1; this.#taken.has(this.#next); this.#next++);
      for (let turn = 0; turn < TURNS; turn++) await undefined;
    }
    this.#isPassing = false;
  }
}
