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
