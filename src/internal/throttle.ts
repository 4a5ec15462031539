import { type Clock, systemClock } from "./time.ts";

/** Length of the interval in which runs are counted, in milliseconds. */
const INTERVAL_MS = 1_000;

/** Runs a function for each request, at most `maxRuns` times a second: the requests above that result in one run at the end of the second. */
export class Throttle {
  readonly #run: () => void;
  readonly #maxRuns: number;
  readonly #clock: Clock;
  #startMs = -Infinity;
  #runs = 0;
  #cancel: (() => void) | undefined;

  constructor(run: () => void, maxRuns: number, clock: Clock = systemClock) {
    this.#run = run;
    this.#maxRuns = maxRuns;
    this.#clock = clock;
  }

  /** Runs the function now, or with the other requests that have to wait. */
  request(): void {
    if (this.#cancel !== undefined) return;
    const nowMs = this.#clock.elapsed();
    if (nowMs - this.#startMs >= INTERVAL_MS) {
      this.#startMs = nowMs;
      this.#runs = 0;
    }
    // A timer that ends with its request, as on Workers, could be lost.
    if (this.#runs < this.#maxRuns || this.#clock.isPerRequest === true) {
      this.#runs++;
      return this.#run();
    }
    this.#cancel = this.#clock.after(this.#startMs + INTERVAL_MS - nowMs, () => {
      this.#cancel = undefined;
      this.request();
    });
  }

  /** Drops the run that waits. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
