import { Listeners } from "../../internal/async.ts";
import type { SqliteStore } from "./store.ts";

/** A look takes at most one part in so many of the time, however many jobs are watched. */
const LOOK_SHARE = 10;

/** Longest time between looks, in milliseconds: one slow look is not to make it deaf for long. */
const MAX_PAUSE_MS = 1_000;

interface Watched {
  /** The version that listeners know; `undefined` if there is no such job. */
  version: number | undefined;
  readonly listeners: Listeners;
}

/** Who wants to know of changes: told at once of those made here, and of those made elsewhere when {@link look} finds them. */
export class SqliteSubscriptions {
  readonly #store: SqliteStore;
  readonly #watched = new Map<string, Watched>();
  #dataVersion = Number.NaN;
  #lookAtMs = 0;

  constructor(store: SqliteStore) {
    this.#store = store;
  }

  /** Whether nobody wants to know anything. */
  get isEmpty(): boolean {
    return this.#watched.size === 0;
  }

  add(id: string, onChange: () => void): () => void {
    let watched = this.#watched.get(id);
    if (watched === undefined) {
      watched = { version: this.#store.version(id), listeners: new Listeners(() => this.#watched.delete(id)) };
      this.#watched.set(id, watched);
    }
    return watched.listeners.add(onChange);
  }

  /** This process has changed the job. */
  tell(id: string, version: number | undefined): void {
    const watched = this.#watched.get(id);
    if (watched === undefined) return;
    watched.version = version;
    watched.listeners.notify();
  }

  /** Looks for changes by other processes. Costs a few microseconds while there are none. */
  look(): void {
    const startMs = performance.now();
    if (this.isEmpty || startMs < this.#lookAtMs) return;
    const dataVersion = this.#store.dataVersion();
    if (dataVersion === this.#dataVersion) return;
    const known = new Map([...this.#watched].map(([id, { version = null }]) => [id, version]));
    const changed = this.#store.changed(known);
    // What fails before this is looked for again.
    this.#dataVersion = dataVersion;
    const lookedMs = performance.now();
    this.#lookAtMs = lookedMs + Math.min(MAX_PAUSE_MS, LOOK_SHARE * (lookedMs - startMs));
    for (const [id, version] of changed) this.tell(id, version);
  }
}
