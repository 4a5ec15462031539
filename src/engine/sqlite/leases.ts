import type { SqliteLease, SqliteStore } from "./store.ts";

/** They are renewed well before they lapse: this often in the length of one. */
const RENEWALS = 3;

/** What this process holds, runs included: it has to say again and again that it lives. */
export class SqliteLeases {
  readonly #store: SqliteStore;
  readonly #leaseMs: number;
  readonly #held = new Set<SqliteLease>();
  /** Those that are over, and not given back yet: a crash now only has their deliveries come again. */
  #ended: SqliteLease[] = [];
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
  hold(id: string): SqliteLease | undefined {
    const lease = this.#store.lease(id, this.#leaseMs);
    if (lease !== undefined) this.#keep(lease);
    return lease;
  }

  /** Gives back what was released, and takes what is due for the longest, up to `room` of it. */
  exchange(room: number): readonly SqliteLease[] {
    const taken = this.#store.exchange(this.#ended, room, this.#leaseMs);
    this.#ended = [];
    for (const lease of taken) this.#keep(lease);
    return taken;
  }

  /** Renews them if it is time to. */
  renew(): void {
    if (this.renewInMs > 0) return;
    this.#store.together(() => {
      for (const lease of [...this.#held]) if (!this.#store.renew(lease, this.#leaseMs)) this.#held.delete(lease);
    });
    this.#renewedMs = performance.now();
  }

  /** Ends one: its delivery is done. It is given back with the next {@link exchange}; again, or once abandoned, it is not. */
  release(lease: SqliteLease): void {
    if (this.#held.delete(lease)) this.#ended.push(lease);
  }

  /** Lets one lapse: its delivery comes again. */
  abandon(lease: SqliteLease): void {
    this.#held.delete(lease);
  }

  /** Lets all of them lapse. */
  abandonAll(): void {
    this.#held.clear();
  }

  #keep(lease: SqliteLease): void {
    // The first one's time begins now; later ones are renewed with it, a little early.
    if (this.#held.size === 0) this.#renewedMs = performance.now();
    this.#held.add(lease);
  }
}
