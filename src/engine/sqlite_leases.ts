import type { Lease, SqliteStore } from "./sqlite_store.ts";

/** They are renewed well before they lapse: this often in the length of one. */
const RENEWALS = 3;

/** What this process holds, runs included: it has to say again and again that it lives. */
export class SqliteLeases {
  readonly #store: SqliteStore;
  readonly #leaseMs: number;
  readonly #held = new Set<Lease>();
  #renewedMs = 0;

  constructor(store: SqliteStore, leaseMs: number) {
    this.#store = store;
    this.#leaseMs = leaseMs;
  }

  /** When they have to be renewed, in milliseconds from now; `Infinity` if there are none. */
  get renewInMs(): number {
    if (this.#held.size === 0) return Number.POSITIVE_INFINITY;
    return this.#renewedMs + this.#leaseMs / RENEWALS - performance.now();
  }

  /** Takes a job that nobody was told to run; `undefined` if there is no such job. */
  hold(id: string): Lease | undefined {
    return this.#keep(this.#store.lease(id, this.#leaseMs));
  }

  /** Takes what is due for the longest; `undefined` if nothing is. */
  claim(): Lease | undefined {
    return this.#keep(this.#store.claim(this.#leaseMs));
  }

  /** Renews them if it is time to. */
  renew(): void {
    if (this.renewInMs > 0) return;
    this.#store.together(() => {
      for (const lease of [...this.#held]) if (!this.#store.renew(lease, this.#leaseMs)) this.#held.delete(lease);
    });
    this.#renewedMs = performance.now();
  }

  /** Gives one back: its delivery is done. Again, or after the lease was abandoned, it does nothing. */
  release(lease: Lease): void {
    // Not held any more, whatever the database says: what cannot be given back lapses.
    if (this.#held.delete(lease)) this.#store.release(lease);
  }

  /** Lets one lapse: its delivery comes again. */
  abandon(lease: Lease): void {
    this.#held.delete(lease);
  }

  /** Lets all of them lapse. */
  abandonAll(): void {
    this.#held.clear();
  }

  #keep(lease: Lease | undefined): Lease | undefined {
    if (lease === undefined) return undefined;
    // The first one's time begins now; later ones are renewed with it, a little early.
    if (this.#held.size === 0) this.#renewedMs = performance.now();
    this.#held.add(lease);
    return lease;
  }
}
