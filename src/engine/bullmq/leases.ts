import type { BullmqLease, Records } from "./backend.ts";

/** Number of renewals during the duration of one lease. */
const RENEWALS = 3;

/** The leases of this process, renewed until they are released. */
export class BullmqLeases {
  readonly #records: Records;
  readonly #leaseMs: number;
  readonly #onError: (error: unknown) => void;
  readonly #held = new Set<BullmqLease>();
  #isClosed = false;
  #timer: ReturnType<typeof setTimeout> | undefined = undefined;

  /** @param onError Called with errors of renewals. */
  constructor(records: Records, leaseMs: number, onError: (error: unknown) => void) {
    this.#records = records;
    this.#leaseMs = leaseMs;
    this.#onError = onError;
  }

  /** Renews a newly acquired lease until it is released. */
  keep(lease: BullmqLease): void {
    if (this.#isClosed) return;
    this.#held.add(lease);
    this.#startTimer();
  }

  /** Releases a lease. Does nothing if it is not held, such as after {@link abandonAll}. */
  async release(lease: BullmqLease): Promise<void> {
    // Not renewed any more even if the request fails: the lease then expires.
    if (!this.#held.delete(lease)) return;
    if (this.#held.size === 0) this.#stopTimer();
    await this.#records.release(lease);
  }

  /** Lets all leases expire, later ones too. */
  abandonAll(): void {
    this.#isClosed = true;
    this.#held.clear();
    this.#stopTimer();
  }

  #startTimer(): void {
    this.#timer ??= setTimeout(() => void this.#renew(), this.#leaseMs / RENEWALS);
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  async #renew(): Promise<void> {
    this.#timer = undefined;
    const leases = [...this.#held];
    // Before the request, so that the next renewal is on time even if the store is slow.
    this.#startTimer();
    try {
      await this.#records.renew(leases, this.#leaseMs);
    } catch (error) {
      this.#onError(error);
    }
  }
}
