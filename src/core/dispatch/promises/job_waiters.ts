import { type CallResult, type ErrorResult, errorResult } from "../../call/outcome.ts";
import type { Job } from "../../../engine/engine.ts";
import { isFinal, type Jobs } from "./jobs.ts";
import type { DispatchServices } from "../services.ts";
import type { PromiseTokens } from "./promise_tokens.ts";
import type { CallContext } from "../call_context.ts";

/** Share of a deadline after which a caller gets a promise: it has to arrive before the caller has gone. */
export const DEADLINE_SHARE = 0.8;

/** The refusal of a call that has joined one which ended without a word to keep. */
export function joinedCallFailed(): ErrorResult {
  return errorResult("unavailable", "The call that this one joined broke; try again", { retry_after_ms: 0 });
}

/** Callers that wait for jobs. */
export class JobWaiters {
  readonly #host: DispatchServices;
  readonly #jobs: Jobs;
  readonly #promises: PromiseTokens;
  readonly #over = new Set<() => void>();

  constructor(host: DispatchServices, jobs: Jobs, promises: PromiseTokens) {
    this.#host = host;
    this.#jobs = jobs;
    this.#promises = promises;
  }

  /** What becomes of a job within `waitMs`: the job as it then is; `undefined` if there is none. Tells progress on the way. */
  async untilOver(run: CallContext, id: string, waitMs: number): Promise<Job | undefined> {
    if (waitMs <= 0) return await this.#jobs.look(id);
    const pause = this.pause(run, waitMs);
    const isEnough = (job: Job) => isFinal(job) || job.state === "asking";
    try {
      return await this.#jobs.wait(id, isEnough, pause.over, ({ progress }) => {
        if (progress !== undefined) run.runState.progress(progress);
      });
    } finally {
      pause.end();
    }
  }

  /** What a call is told that has joined another, as long as that may take. */
  async untilJoinedSettled(run: CallContext, begun: Job): Promise<CallResult> {
    const { promise } = run.definition;
    const deadlineMs = this.#host.deadlineMs(run);
    const waitMs = Math.min(promise?.budgetMs ?? Number.POSITIVE_INFINITY, DEADLINE_SHARE * deadlineMs);
    let job = await this.untilOver(run, begun.id, promise === undefined ? deadlineMs : waitMs);
    if (job?.state === "queued" || job?.state === "running") {
      // What cannot be redeemed is not promised.
      if (promise === undefined) return this.#host.isClosed ? this.#host.shutdownError() : this.#host.deadlineError();
      job = await this.#jobs.join(begun.id);
    }
    if (job === undefined) return joinedCallFailed();
    const settled = this.#promises.settledOf(job);
    // Its context is the caller's next only if it is the caller's present one that it came from.
    if (!("context" in settled) || run.call.meta?.context === begun.context) return settled;
    const { context: _, ...rest } = settled;
    return rest;
  }

  /** Waits for `waitMs`, but not when the call is over, or the server closes. */
  pause(run: CallContext, waitMs: number): { readonly over: Promise<void>; readonly end: () => void } {
    const { promise: over, resolve } = Promise.withResolvers<void>();
    const deadline = this.#host.deadlines.add(waitMs, resolve);
    run.runState.onEnd = resolve;
    this.#over.add(resolve);
    if (this.#host.isClosed) resolve();
    const end = () => {
      deadline.clear();
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
