import type { SqliteStore } from "./sqlite_store.ts";

interface Watched {
  /** The version that listeners know; `undefined` if there is no such job. */
  version: number | undefined;
  readonly listeners: Set<() => void>;
}

/** Who wants to know of changes: told at once of those made here, and of those made elsewhere when {@link look} finds them. */
export class SqliteSubscriptions {
  readonly #store: SqliteStore;
  readonly #watched = new Map<string, Watched>();
  #dataVersion = Number.NaN;

  constructor(store: SqliteStore) {
    this.#store = store;
  }

  /** Whether nobody wants to know anything. */
  get isEmpty(): boolean {
    return this.#watched.size === 0;
  }

  add(id: string, onChange: () => void): () => void {
    // A function of its own for each: the same one may subscribe twice.
    const listener = (): void => onChange();
    let watched = this.#watched.get(id);
    if (watched === undefined) {
      watched = { version: this.#store.version(id), listeners: new Set() };
      this.#watched.set(id, watched);
    }
    const { listeners } = watched;
    listeners.add(listener);
    return () => {
      if (listeners.delete(listener) && listeners.size === 0) this.#watched.delete(id);
    };
  }

  /** This process has changed the job. */
  tell(id: string, version: number | undefined): void {
    const watched = this.#watched.get(id);
    if (watched === undefined) return;
    watched.version = version;
    for (const listener of [...watched.listeners]) listener();
  }

  /** Looks for changes by other processes. Costs a few microseconds while there are none. */
  look(): void {
    const dataVersion = this.#store.dataVersion();
    if (dataVersion === this.#dataVersion) return;
    this.#dataVersion = dataVersion;
    for (const [id, watched] of [...this.#watched]) {
      const version = this.#store.version(id);
      if (version !== watched.version) this.tell(id, version);
    }
  }
}
