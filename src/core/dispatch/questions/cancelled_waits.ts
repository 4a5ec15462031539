import type { ResumableRun } from "../services.ts";

/** What the handler of a run waits for, as a cancellation of its job rejects it. */
export class CancelledWaits {
  readonly #run: ResumableRun;
  readonly #gate = Promise.withResolvers<never>();
  #waiting = 0;

  constructor(run: ResumableRun) {
    this.#run = run;
    this.#gate.promise.catch(() => {});
  }

  /** Whether the job was cancelled. */
  get isCancelled(): boolean {
    return this.#run.lease?.undo !== undefined;
  }

  /** Whether the job was cancelled, and the handler has not been notified. */
  get isDue(): boolean {
    return this.#run.lease?.undo?.isNotified === false;
  }

  /** In place of a result that the run does not get. It settles at a cancellation only, so that neither `catch` nor `finally` run before. */
  never(): Promise<never> {
    this.#waiting++;
    return this.#gate.promise;
  }

  /** What settles first: the wait, or a cancellation. */
  async race<Value>(wait: Promise<Value>): Promise<Value> {
    this.#waiting++;
    try {
      return await Promise.race([wait, this.#gate.promise]);
    } finally {
      this.#waiting--;
    }
  }

  /** Rejects in place of a wait or a step of a cancelled job. */
  reject(): Promise<never> {
    return this.#run.lease!.undo!.reject();
  }

  /** Rejects what the handler waits for. */
  rejectAll(): void {
    if (this.#waiting > 0) this.reject().catch(this.#gate.reject);
  }

  /** Notes that the handler has got an error after the cancellation, by which it knows of that. */
  markNotified(): void {
    this.#run.lease?.undo?.markNotified();
  }
}
