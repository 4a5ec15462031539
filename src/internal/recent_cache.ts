/** Remembers the values that were used last, by key. */
export class RecentCache<Value extends object> {
  /** In the order of use: the first is the least recently used. */
  readonly #values = new Map<string, Value>();
  readonly #maxSize: number;

  /** @param maxSize Maximum number of values. */
  constructor(maxSize: number) {
    this.#maxSize = maxSize;
  }

  /** Returns the value of a key; `make` makes a missing one. */
  get(key: string, make: () => Value): Value {
    const value = this.#values.get(key) ?? make();
    this.#values.delete(key);
    this.#values.set(key, value);
    const [oldest] = this.#values.keys();
    if (this.#values.size > this.#maxSize && oldest !== undefined) this.#values.delete(oldest);
    return value;
  }

  delete(key: string): void {
    this.#values.delete(key);
  }

  clear(): void {
    this.#values.clear();
  }
}
