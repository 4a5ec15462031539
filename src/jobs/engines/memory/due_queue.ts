import type { Clock } from "../../../internal/time.ts";

/** A value in a {@link DueQueue}, with the time when it is due. */
export interface DueEntry<Value> {
  readonly value: Value;
  /** Time at which the value is due, in milliseconds of the clock's elapsed time. */
  readonly dueMs: number;
  /** Position in the heap. */
  at: number;
  /** Cancels its separate timer; `undefined` without one. */
  readonly cancel: (() => void) | undefined;
}

/** Passes values on when they are due, by one timer for all: a binary heap. If timers end with a request, each value has its own. */
export class DueQueue<Value> {
  readonly #clock: Clock;
  readonly #onDue: (value: Value) => void;
  readonly #heap: DueEntry<Value>[] = [];
  #cancel: (() => void) | undefined = undefined;
  #firesMs = Infinity;

  /** @param onDue Called with each value when it is due. */
  constructor(clock: Clock, onDue: (value: Value) => void) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  /** Adds a value that is due after `delayMs`. Returns its entry, for {@link remove}. */
  add(value: Value, delayMs: number): DueEntry<Value> {
    const dueMs = this.#clock.elapsed() + delayMs;
    // A timer that ends with its request cannot be shared with other requests.
    const cancel = this.#clock.isPerRequest ? this.#clock.after(delayMs, () => this.#onDue(value)) : undefined;
    const due: DueEntry<Value> = { value, dueMs, at: -1, cancel };
    if (cancel !== undefined) return due;
    this.#put(due, this.#heap.length);
    this.#rise(due);
    this.#arm();
    return due;
  }

  /** Removes a value. Does nothing if it was due already. */
  remove(due: DueEntry<Value>): void {
    due.cancel?.();
    if (due.at < 0) return;
    this.#take(due);
    this.#arm();
  }

  #take(due: DueEntry<Value>): void {
    const { at } = due;
    due.at = -1;
    const last = this.#heap.pop();
    if (last === undefined || last === due) return;
    this.#put(last, at);
    this.#rise(last);
    this.#sink(last);
  }

  /** Sets the timer to the earliest value. */
  #arm(): void {
    const firesMs = this.#heap[0]?.dueMs ?? Infinity;
    if (firesMs === this.#firesMs) return;
    this.#cancel?.();
    this.#firesMs = firesMs;
    const delayMs = Math.max(0, firesMs - this.#clock.elapsed());
    this.#cancel = this.#heap.length === 0 ? undefined : this.#clock.after(delayMs, () => this.#fire());
  }

  #fire(): void {
    this.#firesMs = Infinity;
    this.#cancel = undefined;
    const nowMs = this.#clock.elapsed();
    try {
      // The timer may have ended early: delays of timers are limited.
      for (let first = this.#heap[0]; first !== undefined && first.dueMs <= nowMs; first = this.#heap[0]) {
        this.#take(first);
        this.#onDue(first.value);
      }
    } finally {
      // An exception for one value does not hold back the others.
      this.#arm();
    }
  }

  #put(due: DueEntry<Value>, at: number): void {
    this.#heap[at] = due;
    due.at = at;
  }

  #rise(due: DueEntry<Value>): void {
    for (let at = due.at; at > 0;) {
      const parent = this.#heap[(at - 1) >> 1];
      if (parent === undefined || parent.dueMs <= due.dueMs) return;
      const parentAt = parent.at;
      this.#put(parent, at);
      this.#put(due, at = parentAt);
    }
  }

  #sink(due: DueEntry<Value>): void {
    for (;;) {
      const { at } = due;
      const [left, right] = [this.#heap[2 * at + 1], this.#heap[2 * at + 2]];
      const child = right !== undefined && left !== undefined && right.dueMs < left.dueMs ? right : left;
      if (child === undefined || child.dueMs >= due.dueMs) return;
      const childAt = child.at;
      this.#put(child, at);
      this.#put(due, childAt);
    }
  }
}
