/**
 * Many deadlines, few timers: one lane (a linked list in order of expiry) and at most one armed timer for each distinct
 * duration. Setting and clearing one costs a few dozen nanoseconds, where a timer of its own costs up to a microsecond.
 *
 * @module
 */
import type { Clock } from "./clock.ts";

/** How long an armed timer may outlive the last deadline of its lane: a script's exit waits no longer than this. */
const SWEEP_MS = 250;

/** One pending deadline; made by {@link Deadlines.add}. */
export class Deadline {
  /** @internal */
  previous: Deadline | undefined = undefined;
  /** @internal */
  next: Deadline | undefined = undefined;
  /** @internal */
  dueMs: number;
  /** @internal */
  lane: Lane | undefined;
  /** @internal */
  readonly expire: () => void;

  /** @internal */
  constructor(lane: Lane, dueMs: number, expire: () => void) {
    this.lane = lane;
    this.dueMs = dueMs;
    this.expire = expire;
  }

  /** Takes the deadline back; harmless when it has passed. */
  clear(): void {
    this.lane?.remove(this);
    this.lane = undefined;
  }

  /** Starts the duration anew from now; harmless when the deadline has passed or was cleared. */
  renew(): void {
    this.lane?.renew(this);
  }
}

/** A set of deadlines on one clock. */
export class Deadlines {
  readonly #clock: Clock;
  readonly #lanes = new Map<number, Lane>();

  /** @param clock Where time comes from. */
  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls `expire` once, `durationMs` from now, unless cleared before. */
  add(durationMs: number, expire: () => void): Deadline {
    let lane = this.#lanes.get(durationMs);
    if (lane === undefined) {
      lane = new Lane(this.#clock, durationMs, () => this.#lanes.delete(durationMs));
      this.#lanes.set(durationMs, lane);
    }
    return lane.append(expire);
  }

  /** Expires all of them at once, in no particular order: for a shutdown. */
  expireAll(): void {
    for (const lane of [...this.#lanes.values()]) lane.expireUpTo(Number.POSITIVE_INFINITY);
  }
}

class Lane {
  readonly #clock: Clock;
  readonly #durationMs: number;
  readonly #retire: () => void;
  #head: Deadline | undefined = undefined;
  #tail: Deadline | undefined = undefined;
  #isArmed = false;

  constructor(clock: Clock, durationMs: number, retire: () => void) {
    this.#clock = clock;
    this.#durationMs = durationMs;
    this.#retire = retire;
  }

  append(expire: () => void): Deadline {
    const deadline = new Deadline(this, this.#clock.now() + this.#durationMs, expire);
    this.#link(deadline);
    if (!this.#isArmed) this.#arm();
    return deadline;
  }

  renew(deadline: Deadline): void {
    this.remove(deadline);
    deadline.dueMs = this.#clock.now() + this.#durationMs;
    this.#link(deadline);
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
    for (let head = this.#head; head !== undefined && head.dueMs <= nowMs; head = this.#head) {
      head.clear();
      head.expire();
    }
  }

  #link(deadline: Deadline): void {
    deadline.previous = this.#tail;
    if (this.#tail === undefined) this.#head = deadline;
    else this.#tail.next = deadline;
    this.#tail = deadline;
  }

  #arm(): void {
    this.#isArmed = true;
    const untilHeadMs = (this.#head?.dueMs ?? 0) - this.#clock.now();
    this.#clock.after(Math.max(0, Math.min(SWEEP_MS, untilHeadMs)), () => this.#sweep());
  }

  #sweep(): void {
    this.expireUpTo(this.#clock.now());
    if (this.#head !== undefined) this.#arm();
    else {
      this.#isArmed = false;
      this.#retire();
    }
  }
}
