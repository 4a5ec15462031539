import type { Progress, Sink } from "../../../core/call/outcome.ts";

/** Gives progress to a sink, and while that is full keeps the latest alone: what is overtaken is news to nobody. */
export class ProgressFeed {
  readonly #sink: Sink;
  #latest: Progress | undefined = undefined;
  #isFull = false;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  push(progress: Progress): void {
    if (this.#isFull) {
      this.#latest = progress;
      return;
    }
    const room = this.#sink.push({ kind: "progress", progress });
    if (room === undefined) return;
    this.#isFull = true;
    room.then(() => this.#goOn());
  }

  #goOn(): void {
    const latest = this.#latest;
    this.#isFull = false;
    this.#latest = undefined;
    if (latest !== undefined) this.push(latest);
  }
}
