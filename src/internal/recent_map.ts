/** A map of limited size. When it is exceeded, the least recently used value is removed. */
export class RecentMap<Value> {
  /** In the order of use: the first is the least recently used. */
  readonly #values = new Map<string, Value>();
  readonly #maxSize: number;

  /** @param maxSize Maximum number of values. */
  constructor(maxSize: number) {
    this.#maxSize = maxSize;
  }

  /** Returns the value of a key, which counts as a use of it; `undefined` if it is missing. */
  get(key: string): Value | undefined {
    const value = this.#values.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }

  /** Returns the value of a key; `make` makes a missing one. */
  getOrMake(key: string, make: () => Value): Value {
    const value = this.#values.get(key) ?? make();
    this.set(key, value);
    return value;
  }

  set(key: string, value: Value): void {
    this.#values.delete(key);
    this.#values.set(key, value);
    const [oldest] = this.#values.keys();
    if (this.#values.size > this.#maxSize && oldest !== undefined) this.#values.delete(oldest);
  }

  delete(key: string): void {
    this.#values.delete(key);
  }

  /** Deletes the values whose key starts with `prefix`. */
  deletePrefix(prefix: string): void {
    for (const key of this.#values.keys()) if (key.startsWith(prefix)) this.#values.delete(key);
  }

  clear(): void {
    this.#values.clear();
  }
}
