/**
 * Many deadlines with few timers: one lane (a linked list in order of expiry) and at most one active timer for each
 * distinct duration. Setting and clearing a deadline costs a few dozen nanoseconds; a timer for each costs up to a
 * microsecond.
 */
import type { Clock } from "./time.ts";

/**
 * Maximum time that a timer stays active after the last deadline of its lane. It limits the delay of a script's exit.
 */
const SWEEP_MS = 250;

/** A pending deadline, created by {@link Deadlines.add}. */
export class Deadline {
  /** @internal */
  declare previous: Deadline | undefined;
  /** @internal */
  declare next: Deadline | undefined;
  /** @internal Time of expiry. */
  declare dueMs: number;
  /** @internal Time of expiry without renewals, by which its lane is ordered. */
  declare queuedMs: number;
  /** @internal */
  declare lane: Lane | undefined;
  /** @internal */
  declare readonly expire: () => void;

  /** @internal */
  constructor(lane: Lane, dueMs: number, expire: () => void) {
    this.lane = lane;
    this.dueMs = this.queuedMs = dueMs;
    this.expire = expire;
  }

  /** Cancels the deadline. No effect after it has expired. */
  clear(): void {
    this.lane?.remove(this);
    this.lane = undefined;
  }

  /** Whether it has expired by the clock, though its timer has not fired yet: a blocked event loop delays timers. */
  get isOverdue(): boolean {
    return this.lane !== undefined && this.dueMs <= this.lane.now();
  }

  /** Restarts the duration. No effect after the deadline has expired or was cleared. */
  renew(): void {
    // Only stores the time: the lane moves it when its old time comes. Streams call this for each event.
    if (this.lane !== undefined) this.dueMs = this.lane.dueFromNow();
  }
}

/** Sets deadlines on one clock. Those of the same duration share a timer. */
export class Deadlines {
  readonly #clock: Clock;
  readonly #lanes = new Map<number | symbol, Lane>();

  /** @param clock Source of time. */
  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls `expire` once when `durationMs` have passed since `startedMs`, by default since now, unless cleared before. */
  add(durationMs: number, expire: () => void, startedMs: number = this.#clock.elapsed()): Deadline {
    // If timers end with their request, each deadline has its own lane and timer.
    const key = this.#clock.isPerRequest ? Symbol() : durationMs;
    let lane = this.#lanes.get(key);
    if (lane === undefined) {
      lane = new Lane(this.#clock, durationMs, () => this.#lanes.delete(key));
      this.#lanes.set(key, lane);
    }
    return lane.append(startedMs + durationMs, expire);
  }

  /** Expires all deadlines in no particular order, for a shutdown. */
  expireAll(): void {
    for (const lane of [...this.#lanes.values()]) lane.expireUpTo(Infinity);
  }
}

class Lane {
  readonly #clock: Clock;
  readonly #durationMs: number;
  readonly #retire: () => void;
  #head: Deadline | undefined;
  #tail: Deadline | undefined;
  /** Cancels the timer; `undefined` if no timer is set. */
  #cancel: (() => void) | undefined;
  /** When the timer fires; if that is at once, before everything. */
  #firesMs = 0;

  constructor(clock: Clock, durationMs: number, retire: () => void) {
    this.#clock = clock;
    this.#durationMs = durationMs;
    this.#retire = retire;
  }

  append(dueMs: number, expire: () => void): Deadline {
    const deadline = new Deadline(this, dueMs, expire);
    this.#insert(deadline);
    // A deadline that is added late is due before those that started after it.
    if (this.#cancel === undefined || dueMs < this.#firesMs) this.#arm();
    return deadline;
  }

  now(): number {
    return this.#clock.elapsed();
  }

  dueFromNow(): number {
    return this.now() + this.#durationMs;
  }

  remove(deadline: Deadline): void {
    const { previous, next } = deadline;
    if (previous === undefined) this.#head = next;
    else previous.next = next;
    if (next === undefined) this.#tail = previous;
    else next.previous = previous;
    deadline.previous = deadline.next = undefined;
  }

  expireUpTo(nowMs: number): void {
    for (let head = this.#head; head !== undefined && head.queuedMs <= nowMs; head = this.#head) {
      if (head.dueMs <= nowMs) {
        head.clear();
        head.expire();
      } else {
        this.remove(head);
        head.queuedMs = head.dueMs;
        this.#insert(head);
      }
    }
  }

  /** Inserts in order of expiry. Searches from the end, where almost all belong. */
  #insert(deadline: Deadline): void {
    let before = this.#tail;
    while (before !== undefined && before.queuedMs > deadline.queuedMs) before = before.previous;
    deadline.previous = before;
    deadline.next = before === undefined ? this.#head : before.next;
    if (deadline.next === undefined) this.#tail = deadline;
    else deadline.next.previous = deadline;
    if (before === undefined) this.#head = deadline;
    else before.next = deadline;
  }

  #arm(): void {
    this.#cancel?.();
    const nowMs = this.#clock.elapsed();
    const delayMs = Math.max(0, Math.min(SWEEP_MS, (this.#head?.queuedMs ?? 0) - nowMs));
    this.#firesMs = delayMs === 0 ? -Infinity : nowMs + delayMs;
    this.#cancel = this.#clock.after(delayMs, () => this.#sweep());
  }

  #sweep(): void {
    this.#cancel = undefined;
    this.expireUpTo(this.#clock.elapsed());
    if (this.#cancel !== undefined) return;
    if (this.#head !== undefined) this.#arm();
    else this.#retire();
  }
}
