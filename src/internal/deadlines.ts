/**
 * Many deadlines with one timer: a lane (a linked list in order of expiry) for each distinct duration, and a heap of the lanes by
 * their next expiry. Setting and clearing a deadline costs a few dozen nanoseconds, since most have the duration of others; a timer
 * for each costs up to a microsecond, and callers choose durations.
 */
import type { Clock } from "./time.ts";

/**
 * Maximum time that the timer stays active after the last deadline. It limits the delay of a script's exit.
 */
const SWEEP_MS = 250;

/** Number of outdated entries of the heap that are kept, beside as many as there are deadlines. */
const MAX_OUTDATED = 64;

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
    if (this.lane === undefined) return;
    this.lane.schedule.pending--;
    this.lane.remove(this);
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

/** Sets deadlines on one clock. They share a timer. */
export class Deadlines {
  readonly #clock: Clock;
  readonly #shared: Schedule;
  /** Schedules with a timer for each deadline, on runtimes where a timer ends with the request that set it. */
  readonly #separate = new Set<Schedule>();

  /** @param clock Source of time. */
  constructor(clock: Clock) {
    this.#clock = clock;
    this.#shared = new Schedule(clock);
  }

  /** Calls `expire` once when `durationMs` have passed since `startedMs`, by default since now, unless cleared before. */
  add(durationMs: number, expire: () => void, startedMs: number = this.#clock.elapsed()): Deadline {
    const finiteMs = Math.min(durationMs, Number.MAX_VALUE);
    if (!this.#clock.isPerRequest) return this.#shared.add(finiteMs, startedMs + finiteMs, expire);
    const schedule: Schedule = new Schedule(this.#clock, () => this.#separate.delete(schedule));
    this.#separate.add(schedule);
    return schedule.add(finiteMs, startedMs + finiteMs, expire);
  }

  /** Expires all deadlines in no particular order, for a shutdown. */
  expireAll(): void {
    for (const schedule of [this.#shared, ...this.#separate]) schedule.expireUpTo(Infinity);
  }
}

/** A lane and the time for which it is in the heap. Outdated if the lane has another time. */
interface Entry {
  readonly lane: Lane;
  readonly dueMs: number;
}

/** Lanes with one timer. */
class Schedule {
  /** Number of deadlines that have neither expired nor been cleared. */
  pending = 0;
  readonly clock: Clock;
  readonly #onIdle: (() => void) | undefined;
  readonly #lanes = new Map<number, Lane>();
  /** A binary heap: no entry is due before its parent. */
  #heap: Entry[] = [];
  /** Cancels the timer; `undefined` if no timer is set. */
  #cancel: (() => void) | undefined;
  /** Time at which the timer fires, of the clock's elapsed time; `-Infinity` if it fires at once. */
  #firesMs = 0;

  constructor(clock: Clock, onIdle?: () => void) {
    this.clock = clock;
    this.#onIdle = onIdle;
  }

  add(durationMs: number, dueMs: number, expire: () => void): Deadline {
    let lane = this.#lanes.get(durationMs);
    if (lane === undefined) this.#lanes.set(durationMs, lane = new Lane(this, durationMs));
    const deadline = lane.append(dueMs, expire);
    this.pending++;
    // A deadline that is added late is due before those that started after it.
    if (dueMs < lane.scheduledMs) this.#schedule(lane, dueMs);
    if (this.#cancel === undefined || dueMs < this.#firesMs) this.#arm();
    return deadline;
  }

  /** Expires what is due. Lanes without deadlines are removed when their time comes. */
  expireUpTo(nowMs: number): void {
    for (let first = this.#heap[0]; first !== undefined && first.dueMs <= nowMs; first = this.#heap[0]) {
      this.#removeFirst();
      const { lane, dueMs } = first;
      if (dueMs !== lane.scheduledMs) continue;
      lane.scheduledMs = Infinity;
      try {
        lane.expireUpTo(nowMs);
      } finally {
        // An exception of one deadline does not hold back the others.
        const nextMs = lane.nextMs;
        if (nextMs < lane.scheduledMs) this.#schedule(lane, nextMs);
        else if (nextMs === Infinity) this.#lanes.delete(lane.durationMs);
      }
    }
  }

  #schedule(lane: Lane, dueMs: number): void {
    lane.scheduledMs = dueMs;
    const heap = this.#heap;
    const entry = { lane, dueMs };
    let at = heap.length;
    while (at > 0) {
      const parentAt = (at - 1) >> 1;
      const parent = heap[parentAt] as Entry;
      if (parent.dueMs <= dueMs) break;
      heap[at] = parent;
      at = parentAt;
    }
    heap[at] = entry;
  }

  #removeFirst(): void {
    const heap = this.#heap;
    const last = heap.pop();
    const { length } = heap;
    if (last === undefined || length === 0) return;
    let at = 0;
    for (let childAt = 1; childAt < length; childAt = 2 * at + 1) {
      let child = heap[childAt] as Entry;
      const right = heap[childAt + 1];
      if (right !== undefined && right.dueMs < child.dueMs) [child, childAt] = [right, childAt + 1];
      if (last.dueMs <= child.dueMs) break;
      heap[at] = child;
      at = childAt;
    }
    heap[at] = last;
  }

  #arm(): void {
    this.#cancel?.();
    const nowMs = this.clock.elapsed();
    const delayMs = Math.max(0, Math.min(SWEEP_MS, (this.#heap[0]?.dueMs ?? Infinity) - nowMs));
    this.#firesMs = delayMs === 0 ? -Infinity : nowMs + delayMs;
    this.#cancel = this.clock.after(delayMs, () => this.#sweep());
  }

  #sweep(): void {
    this.#cancel = undefined;
    try {
      this.expireUpTo(this.clock.elapsed());
    } finally {
      this.#rearm();
    }
  }

  #rearm(): void {
    if (this.pending === 0) this.#clear();
    else if (this.#heap.length > 2 * this.pending + MAX_OUTDATED) this.#compact();
    if (this.#cancel !== undefined) return;
    if (this.pending > 0) this.#arm();
    else this.#onIdle?.();
  }

  #clear(): void {
    this.#lanes.clear();
    this.#heap = [];
  }

  /** Removes lanes whose deadlines were all cleared: each duration that a caller has chosen has one. */
  #compact(): void {
    const lanes = [...this.#lanes.values()].filter(({ nextMs }) => nextMs !== Infinity);
    this.#clear();
    for (const lane of lanes) {
      this.#lanes.set(lane.durationMs, lane);
      this.#schedule(lane, lane.nextMs);
    }
  }
}

/** Deadlines of one duration, which are due in the order in which they were set. */
class Lane {
  readonly schedule: Schedule;
  readonly durationMs: number;
  /** Time for which the lane is in the heap: not after its first deadline. */
  scheduledMs: number = Infinity;
  #head: Deadline | undefined;
  #tail: Deadline | undefined;

  constructor(schedule: Schedule, durationMs: number) {
    this.schedule = schedule;
    this.durationMs = durationMs;
  }

  /** Expiry of the first deadline; `Infinity` without one. */
  get nextMs(): number {
    return this.#head?.queuedMs ?? Infinity;
  }

  append(dueMs: number, expire: () => void): Deadline {
    const deadline = new Deadline(this, dueMs, expire);
    this.#insert(deadline);
    return deadline;
  }

  now(): number {
    return this.schedule.clock.elapsed();
  }

  dueFromNow(): number {
    return this.now() + this.durationMs;
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
}
