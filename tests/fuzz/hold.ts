/** Tells how long the event loop was held: how far apart its turns were, while something went on. */
export class HoldMeter {
  #lastMs = 0;
  #longestMs = 0;
  #isOn = false;
  #isTurning = false;

  /** Begins. */
  start(): void {
    this.#lastMs = performance.now();
    this.#longestMs = 0;
    this.#isOn = true;
    if (!this.#isTurning) this.#next();
  }

  /** Ends. @returns The longest hold since the start, in milliseconds. */
  stop(): number {
    this.#look();
    this.#isOn = false;
    return this.#longestMs;
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
