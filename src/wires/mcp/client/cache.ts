/** Keeps results for as long as the server says that they hold. A transport speaks for one principal, so what is private is kept, too. */
export class TtlCache {
  readonly #entries = new Map<string, { readonly value: unknown; readonly untilMs: number }>();

  /** What was kept, while it holds. */
  get(key: string): unknown {
    const entry = this.#entries.get(key);
    if (entry !== undefined && performance.now() < entry.untilMs) return entry.value;
    this.#entries.delete(key);
    return undefined;
  }

  /** Keeps a value for `ttlMs`; not at all if that is no time. */
  set(key: string, value: unknown, ttlMs: unknown): void {
    if (typeof ttlMs !== "number" || !(ttlMs > 0)) return;
    this.#entries.set(key, { value, untilMs: performance.now() + ttlMs });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > MAX_ENTRIES && oldest !== undefined) this.#entries.delete(oldest);
  }

  /** Forgets what starts with `prefix`. */
  deletePrefix(prefix: string): void {
    for (const key of this.#entries.keys()) if (key.startsWith(prefix)) this.#entries.delete(key);
  }
}

const MAX_ENTRIES = 256;
