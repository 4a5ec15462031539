import type { BullmqLease, Records } from "./backend.ts";

/** They are renewed well before they lapse: this often in the length of one. */
const RENEWALS = 3;

/** Options of {@link BullmqLeases}. */
export interface BullmqLeasesOptions {
  /** How long a process is taken to live after its last sign, in milliseconds. */
  readonly leaseMs: number;
  /** Told of errors. */
  readonly onError: (error: unknown) => void;
}

/** What this process runs and holds: it has to say again and again that it lives. */
export class BullmqLeases {
  readonly #records: Records;
  readonly #options: BullmqLeasesOptions;
  readonly #held = new Set<BullmqLease>();
  #isOver = false;
  #timer: ReturnType<typeof setTimeout> | undefined = undefined;

  constructor(records: Records, options: BullmqLeasesOptions) {
    this.#records = records;
    this.#options = options;
  }

  /** Renews a lease that was taken just now, until it is released. */
  keep(lease: BullmqLease): void {
    if (this.#isOver) return;
    this.#held.add(lease);
    this.#arm();
  }

  /** Gives one back. Again, or after {@link forget}, it does nothing. */
  async release(lease: BullmqLease): Promise<void> {
    // Not held any more, whatever the store says: what cannot be given back lapses.
    if (!this.#held.delete(lease)) return;
    if (this.#held.size === 0) this.#disarm();
    await this.#records.release(lease);
  }

  /** Lets all of them lapse, and those that are still to come. */
  forget(): void {
    this.#isOver = true;
    this.#held.clear();
    this.#disarm();
  }

  #arm(): void {
    this.#timer ??= setTimeout(() => void this.#renew(), this.#options.leaseMs / RENEWALS);
  }

  #disarm(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  async #renew(): Promise<void> {
    this.#timer = undefined;
    const leases = [...this.#held];
    // Not awaited: the next one comes on time, even if the store is slow to answer this one.
    this.#arm();
    try {
      await this.#records.renew(leases, this.#options.leaseMs);
    } catch (error) {
      this.#options.onError(error);
    }
  }
}
