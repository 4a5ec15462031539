/**
 * Measures how long the event loop was blocked: the longest time between two of its turns, and at most the CPU time of this process,
 * since a busy machine delays turns, too.
 */
export class EventLoopLagMeter {
  #lastMs = 0;
  #longestMs = 0;
  #computedMs = 0;
  #isOn = false;
  #isTurning = false;

  /** Begins. */
  start(): void {
    this.#computedMs = computedMs();
    this.#lastMs = performance.now();
    this.#longestMs = 0;
    this.#isOn = true;
    if (!this.#isTurning) this.#next();
  }

  /** Ends. @returns The longest hold since the start, in milliseconds. */
  stop(): number {
    this.#look();
    this.#isOn = false;
    const computed = computedMs() - this.#computedMs;
    return Number.isNaN(computed) ? this.#longestMs : Math.min(this.#longestMs, computed);
  }

  #look(): void {
    const nowMs = performance.now();
    this.#longestMs = Math.max(this.#longestMs, nowMs - this.#lastMs);
    this.#lastMs = nowMs;
  }

  #next(): void {
    this.#isTurning = this.#isOn;
    if (!this.#isOn) return;
    setTimeout(() => {
      if (this.#isOn) this.#look();
      this.#next();
    });
  }
}

interface Computing {
  readonly process?: { cpuUsage?(): { readonly user: number; readonly system: number } };
}

/** CPU time of this process on all of its threads, in milliseconds; `NaN` where the runtime does not provide it. */
function computedMs(): number {
  const { user, system } = (globalThis as Computing).process?.cpuUsage?.() ?? { user: NaN, system: NaN };
  return (user + system) / 1000;
}
