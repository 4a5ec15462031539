/** Who wants to know of which job's changes. */
export class BullmqSubscriptions {
  readonly #listeners = new Map<string, Set<() => void>>();

  /** @returns Ends it. */
  add(id: string, onChange: () => void): () => void {
    // A function of its own for each: the same one may subscribe twice.
    const listener = (): void => onChange();
    const all = this.#listeners.get(id) ?? new Set();
    this.#listeners.set(id, all.add(listener));
    return () => {
      if (all.delete(listener) && all.size === 0) this.#listeners.delete(id);
    };
  }

  /** A job has changed; if `undefined`, any may have. */
  tell(id: string | undefined): void {
    const ids = id === undefined ? [...this.#listeners.keys()] : [id];
    for (const one of ids) for (const listener of [...this.#listeners.get(one) ?? []]) listener();
  }
}
