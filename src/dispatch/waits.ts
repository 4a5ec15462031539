import { type Refusal, refuse, type Settled } from "../call/outcome.ts";
import type { Job } from "../engine/engine.ts";
import { isFinal, type Jobs } from "../engine/jobs.ts";
import { readAnswers } from "./asking.ts";
import type { DispatchHost } from "./host.ts";
import type { Promises } from "./promises.ts";
import type { Run } from "./run.ts";

/** Share of a deadline after which a caller gets a promise: it has to arrive before the caller has gone. */
export const DEADLINE_SHARE = 0.8;

/** The refusal of a call that has joined one which ended without a word to keep. */
export function joinedBroke(): Refusal {
  return refuse("unavailable", "The call that this one joined broke; try again", { retry_after_ms: 0 });
}

/** Callers that wait for jobs. */
export class Waits {
  readonly #host: DispatchHost;
  readonly #jobs: Jobs;
  readonly #promises: Promises;
  readonly #over = new Set<() => void>();

  constructor(host: DispatchHost, jobs: Jobs, promises: Promises) {
    this.#host = host;
    this.#jobs = jobs;
    this.#promises = promises;
  }

  /** What becomes of a job within `waitMs`: how it ended, what it asks, or its promise. Tells progress on the way. */
  async untilSettled(run: Run, id: string, waitMs: number): Promise<Settled> {
    const { responses } = run.call.meta ?? {};
    if (responses !== undefined) await this.#jobs.answer(id, readAnswers(responses));
    const pause = this.pause(run, waitMs);
    const isEnough = (job: Job) => isFinal(job) || job.state === "asking" || waitMs <= 0;
    try {
      const job = await this.#jobs.wait(id, isEnough, pause.over, ({ progress }) => {
        if (progress !== undefined) run.live.progress(progress);
      });
      return job === undefined ? this.#promises.lost() : this.#promises.settledOf(job);
    } finally {
      pause.end();
    }
  }

  /** The same for a call that has joined another, as long as it may take. */
  async untilJoinedSettled(run: Run, id: string): Promise<Settled> {
    const deadlineMs = this.#host.deadlineMs(run);
    const { promise } = run.plan;
    // A tool that does not promise gives an answer, or the call ends at its deadline.
    const waitMs = promise === undefined ? deadlineMs : Math.min(promise.budgetMs, DEADLINE_SHARE * deadlineMs);
    const settled = await this.untilSettled(run, id, waitMs);
    return settled.kind === "error" && settled.code === "promise_lost" ? joinedBroke() : settled;
  }

  /** Waits for `waitMs`, but not when the call is over, or the server closes. */
  pause(run: Run, waitMs: number): { readonly over: Promise<void>; readonly end: () => void } {
    const { promise: over, resolve } = Promise.withResolvers<void>();
    const cancel = this.#host.clock.after(waitMs, resolve);
    run.live.onEnd = resolve;
    this.#over.add(resolve);
    if (this.#host.isClosed) resolve();
    const end = () => {
      cancel();
      this.#over.delete(resolve);
      resolve();
    };
    return { over, end };
  }

  /** Nobody waits any more: callers get the promise at once. */
  endAll(): void {
    for (const resolve of this.#over) resolve();
  }
}
