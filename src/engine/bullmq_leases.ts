import type { Lease, Records } from "./bullmq_backend.ts";

/** They are renewed well before they lapse: this often in the length of one. */
const RENEWALS = 3;

/** A lease of this process. */
interface Held {
  readonly lease: Lease;
  /** Whether the store has failed somebody who asked for the job: what had to be written of it may be missing. */
  hasFailed: boolean;
}

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
  readonly #held = new Map<string, Held>();
  #timer: ReturnType<typeof setTimeout> | undefined = undefined;

  constructor(records: Records, options: BullmqLeasesOptions) {
    this.#records = records;
    this.#options = options;
  }

  /** Renews a lease that was taken just now, until it is released. */
  keep(lease: Lease): void {
    this.#held.set(lease.claim, { lease, hasFailed: false });
    this.#arm();
  }

  /** The store has failed somebody who asked for this job. */
  noteFailure(job: string): void {
    for (const held of this.#held.values()) if (held.lease.job === job) held.hasFailed = true;
  }

  /**
   * Ends a lease. Again, or after {@link forget}, it does nothing.
   *
   * @returns `false` if the job has to be delivered again, since the store has failed who ran it: the lease is left to lapse.
   */
  async release(lease: Lease): Promise<boolean> {
    const held = this.#held.get(lease.claim);
    if (!this.#held.delete(lease.claim) || held === undefined) return true;
    if (this.#held.size === 0) this.#disarm();
    if (held.hasFailed) return false;
    await this.#records.release(lease);
    return true;
  }

  /** Lets all of them lapse. */
  forget(): void {
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
    const leases = [...this.#held.values()].map(({ lease }) => lease);
    // Not awaited: the next one comes on time, even if the store is slow to answer this one.
    this.#arm();
    try {
      await this.#records.renew(leases, this.#options.leaseMs);
    } catch (error) {
      this.#options.onError(error);
    }
  }
}
