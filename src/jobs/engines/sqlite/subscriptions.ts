import { Listeners } from "../../../internal/async.ts";
import { isLocked } from "./lock_waits.ts";
import type { SqliteStore } from "./store.ts";

/** Limits polls to one part in this many of the time, even with many watched jobs. */
const POLL_SHARE = 10;

/** Maximum pause between polls in milliseconds, so that one slow poll does not delay notifications for long. */
const MAX_PAUSE_MS = 1_000;

/** A job whose changes by other processes are looked for. */
interface WatchedJob {
  /** Version that the listeners know; `undefined` if there is no such job. */
  version: number | undefined;
  readonly listeners: Listeners;
}

/** Listeners of changes of jobs, by id. Changes by this process are notified at once, those by others in {@link poll}. */
export class SqliteSubscriptions {
  readonly #store: SqliteStore;
  readonly #watched = new Map<string, WatchedJob>();
  #dataVersion = NaN;
  #pollAtMs = 0;

  constructor(store: SqliteStore) {
    this.#store = store;
  }

  /** Whether there are no listeners. */
  get isEmpty(): boolean {
    return this.#watched.size === 0;
  }

  add(id: string, onChange: () => void): () => void {
    let watched = this.#watched.get(id);
    if (watched === undefined) {
      watched = { version: this.#versionOf(id), listeners: new Listeners(() => this.#watched.delete(id)) };
      this.#watched.set(id, watched);
    }
    return watched.listeners.add(onChange);
  }

  #versionOf(id: string): number | undefined {
    try {
      return this.#store.version(id);
    } catch (error) {
      if (!isLocked(error)) throw error;
      // The next poll reads it.
      this.#dataVersion = NaN;
      return undefined;
    }
  }

  /** Notifies the listeners of a job that this process changed. `version` is the new one; `undefined` if the job was removed. */
  notify(id: string, version: number | undefined): void {
    const watched = this.#watched.get(id);
    if (watched === undefined) return;
    watched.version = version;
    watched.listeners.notify();
  }

  /** Notifies listeners of changes by other processes. Takes a few microseconds without such changes. */
  poll(): void {
    const startMs = performance.now();
    if (this.isEmpty || startMs < this.#pollAtMs) return;
    const dataVersion = this.#store.dataVersion();
    if (dataVersion === this.#dataVersion) return;
    const known = new Map([...this.#watched].map(([id, { version = null }]) => [id, version]));
    const changed = this.#store.changed(known);
    // After the query, so that it is repeated if it fails.
    this.#dataVersion = dataVersion;
    const endMs = performance.now();
    this.#pollAtMs = endMs + Math.min(MAX_PAUSE_MS, POLL_SHARE * (endMs - startMs));
    for (const [id, version] of changed) this.notify(id, version);
  }
}
