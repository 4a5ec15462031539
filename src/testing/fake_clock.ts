import type { Clock } from "../internal/time.ts";

interface Timer {
  readonly dueMs: number;
  readonly callback: () => void;
}

/**
 * A clock that moves when it is told to: deadlines pass in no time.
 *
 * @example A deadline, without waiting for it
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { FakeClock, testClient } from "jsr:@toolwire/toolwire/testing";
 * import { rejects } from "node:assert/strict";
 *
 * const clock = new FakeClock();
 * const hang = defineTool("hang").describe("Never answer").handle(() => new Promise<string>(() => {}));
 * const client = testClient(createServer({ tools: [hang], clock }));
 *
 * const answer = client.hang();
 * clock.tick(30_000);
 * await rejects(answer, { name: "ToolError", code: "deadline_exceeded" });
 * ```
 */
export class FakeClock implements Clock {
  #nowMs: number;
  readonly #timers = new Set<Timer>();

  /** @param startMs Where it begins, in milliseconds since the Unix epoch. Default: 2026-01-01. */
  /** Makes a clock that stands still. */
  constructor(startMs: number = Date.UTC(2026, 0, 1)) {
    this.#nowMs = startMs;
  }

  /** Milliseconds since the Unix epoch, on this clock. */
  now(): number {
    return this.#nowMs;
  }

  /** The same: nobody sets this clock forward or back. */
  elapsed(): number {
    return this.#nowMs;
  }

  /** Runs `callback` when the clock has moved by `delayMs`. */
  after(delayMs: number, callback: () => void): () => void {
    const timer: Timer = { dueMs: this.#nowMs + delayMs, callback };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /**
   * Moves the clock, and runs what has come due on the way, in order.
   *
   * @param byMs How far, in milliseconds.
   */
  tick(byMs: number): void {
    const untilMs = this.#nowMs + byMs;
    for (let next = this.#nextUpTo(untilMs); next !== undefined; next = this.#nextUpTo(untilMs)) {
      this.#timers.delete(next);
      this.#nowMs = Math.max(this.#nowMs, next.dueMs);
      next.callback();
    }
    this.#nowMs = untilMs;
  }

  #nextUpTo(untilMs: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.dueMs <= untilMs && (next === undefined || timer.dueMs < next.dueMs)) next = timer;
    }
    return next;
  }
}
