/**
 * A list of what is pending. It is notified by one timer for all of it, after {@link PENDING_MS}.
 *
 * Most work that waits ends within its turn of the event loop. What only longer waits need, such as timers, is therefore not set up
 * for each. A timer for each turn would cost a call over a socket 1.5 to 3 µs, because there a turn has few calls.
 */
import type { Clock } from "./time.ts";

/** An entry of a {@link PendingList}; the list sets the links. */
export interface PendingEntry {
  /** @internal */
  earlier: PendingEntry | undefined;
  /** @internal */
  later: PendingEntry | undefined;
  /** Called once if the entry is still in the list after {@link PENDING_MS}. It was removed before. */
  onStillPending(): void;
}

/** Time after which a {@link PendingList} notifies its entries, in milliseconds. */
export const PENDING_MS = 4;

/** A list of entries: those that are still in it after {@link PENDING_MS} are removed and notified, in the order of their addition. */
export class PendingList {
  readonly #clock: Clock;
  #first: PendingEntry | undefined;
  #last: PendingEntry | undefined;
  #isTimerSet = false;

  /** @param clock Source of time. */
  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Adds an entry, which is in no list. */
  add(entry: PendingEntry): void {
    entry.earlier = this.#last;
    if (this.#last === undefined) this.#first = entry;
    else this.#last.later = entry;
    this.#last = entry;
    // Timers that end with their request cannot serve the entries of others.
    if (this.#clock.isPerRequest) this.flush();
    else if (!this.#isTimerSet) this.#setTimer();
  }

  /** Removes an entry, if it is still in the list. */
  remove(entry: PendingEntry): void {
    const { earlier, later } = entry;
    if (earlier !== undefined) earlier.later = later;
    else if (this.#first === entry) this.#first = later;
    if (later !== undefined) later.earlier = earlier;
    else if (this.#last === entry) this.#last = earlier;
    entry.earlier = entry.later = undefined;
  }

  /** Notifies the entries up to `last` at once, by default all, in their order. */
  flush(last?: PendingEntry): void {
    for (let entry = this.#first; entry !== undefined; entry = entry === last ? undefined : this.#first) {
      this.remove(entry);
      entry.onStillPending();
    }
  }

  #setTimer(): void {
    this.#isTimerSet = true;
    this.#clock.after(PENDING_MS, () => {
      this.#isTimerSet = false;
      try {
        this.flush();
      } finally {
        // An exception of one entry does not hold back the others.
        if (this.#first !== undefined && !this.#isTimerSet) this.#setTimer();
      }
    });
  }
}
