import * as jobModule from "../jobs/promises/job_service.ts";
import { provideJobModule } from "../jobs/promises/with_promises.ts";
import type { Clock } from "../internal/time.ts";

/** A callback that is due when the clock reaches its time. */
interface Timer {
  readonly dueMs: number;
  readonly callback: () => void;
}

/**
 * A clock that tests advance, so that deadlines expire without waiting.
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

  /**
   * Creates a clock that does not advance by itself.
   *
   * @param startMs Initial time, in milliseconds since the Unix epoch. Default: 2026-01-01.
   */
  constructor(startMs: number = Date.UTC(2026, 0, 1)) {
    provideJobModule(jobModule);
    this.#nowMs = startMs;
  }

  /** Current time of this clock, in milliseconds since the Unix epoch. */
  now(): number {
    return this.#nowMs;
  }

  /** The same value: this clock is never adjusted. */
  elapsed(): number {
    return this.#nowMs;
  }

  /** Calls `callback` when the clock has advanced by `delayMs`. Returns a function that cancels it. */
  after(delayMs: number, callback: () => void): () => void {
    const timer: Timer = { dueMs: this.#nowMs + delayMs, callback };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /**
   * Advances the clock and runs due callbacks in order. Code that awaits them continues afterwards, at the later time.
   *
   * @param byMs Duration, in milliseconds.
   */
  tick(byMs: number): void {
    const untilMs = this.#nowMs + byMs;
    while (this.#runNext(untilMs)) continue;
    this.#nowMs = untilMs;
  }

  /**
   * Advances the clock as `tick()` does. Code that awaits a callback continues at its time, such as a job with several sleeps.
   *
   * @param byMs Duration, in milliseconds.
   */
  async advance(byMs: number): Promise<void> {
    const untilMs = this.#nowMs + byMs;
    do await new Promise<void>((resolve) => void setTimeout(resolve, 0)); while (this.#runNext(untilMs));
    this.#nowMs = Math.max(this.#nowMs, untilMs);
  }

  /** Runs the next callback that is due by `untilMs`. `false` without one. */
  #runNext(untilMs: number): boolean {
    let next: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.dueMs <= untilMs && (next === undefined || timer.dueMs < next.dueMs)) next = timer;
    }
    if (next === undefined) return false;
    this.#timers.delete(next);
    this.#nowMs = Math.max(this.#nowMs, next.dueMs);
    next.callback();
    return true;
  }
}
