import { type CallResult, type ErrorResult, errorResult } from "../../core/call/outcome.ts";
import type { Job } from "../../core/dispatch/engine.ts";
import { isFinal } from "./job_ends.ts";
import type { Jobs } from "./jobs.ts";
import type { DispatchServices } from "../../core/dispatch/deferral.ts";
import { SHUTTING_DOWN } from "../../core/dispatch/services.ts";
import type { JobPromises } from "./job_promises.ts";
import type { CallContext } from "../../core/dispatch/call_context.ts";
import { PieceReader } from "./kept_pieces.ts";
import { DEADLINE_SHARE } from "./run_guard.ts";

/** The error `unavailable` for a call that waits for a job, such as one with its idempotency key, which was removed without a stored result. */
export function joinedCallFailed(): ErrorResult {
  return errorResult(
    "unavailable",
    "The first call with this idempotency key ended without a stored result; try again",
    { retry_after_ms: 0 },
  );
}

/** Lets calls wait for the end of a job, within their time limits: those that redeem its promise, and those that joined it. */
export class JobWaiters {
  readonly #services: DispatchServices;
  readonly #jobs: Jobs;
  readonly #promises: JobPromises;
  readonly #pauses = new Set<() => void>();

  constructor(services: DispatchServices, jobs: Jobs, promises: JobPromises) {
    this.#services = services;
    this.#jobs = jobs;
    this.#promises = promises;
  }

  /**
   * Waits up to `waitMs` for a job to end or to ask, and sends its progress, and the pieces that a reader has not read; resolves with
   * the job, `undefined` if it is missing.
   */
  async untilEnd(run: CallContext, id: string, waitMs: number, reader?: PieceReader): Promise<Job | undefined> {
    const job = waitMs <= 0 ? await this.#jobs.read(id) : await this.#waitFor(run, id, waitMs, reader);
    await sendPieces(run, job, reader);
    return job;
  }

  async #waitFor(
    run: CallContext,
    id: string,
    waitMs: number,
    reader: PieceReader | undefined,
  ): Promise<Job | undefined> {
    const pause = this.pause(run, waitMs);
    const isEnough = (job: Job) => isFinal(job) || job.state === "asking";
    try {
      return await this.#jobs.wait(id, isEnough, pause.over, (job) => {
        const progress = this.#promises.progressOf(job);
        if (progress !== undefined) run.runState.progress(progress);
        return reader && sendPieces(run, job, reader);
      });
    } finally {
      pause.end();
    }
  }

  /** The result of a call that joined a job, for which it waits within its budget or deadline; then the promise, or an error without `.promise()`. */
  async untilJoinedEnd(run: CallContext, joined: Job): Promise<CallResult> {
    const { promise } = run.definition;
    const deadlineMs = this.#services.deadlineMs(run);
    const promiseMs = DEADLINE_SHARE * deadlineMs;
    const waitMs = Math.min(promise?.budgetMs ?? Infinity, promiseMs);
    const reader = run.sink && new PieceReader(0);
    let job = await this.untilEnd(run, joined.id, promise === undefined ? deadlineMs : waitMs, reader);
    if (promise !== undefined && reader !== undefined && job !== undefined && isOpen(job) && waitMs < promiseMs) {
      await run.runState.push({ kind: "deferred", promise: this.#promises.ofJob(job) });
      job = await this.untilEnd(run, joined.id, promiseMs - waitMs, reader);
    }
    if (job !== undefined && isOpen(job)) {
      // A tool without .promise() has no promise to redeem.
      if (promise === undefined) {
        return this.#services.isClosed ? SHUTTING_DOWN : this.#services.deadlineError();
      }
      job = await this.#jobs.join(joined.id);
    }
    if (job === undefined) return joinedCallFailed();
    const result = this.#promises.resultOf(job);
    // Caller state of the job replaces the caller's own only if the job started from the same state.
    if (!("context" in result) || run.request.meta?.context === joined.context) return result;
    const { context: _, ...rest } = result;
    return rest;
  }

  /** Starts a pause: `over` resolves after `waitMs`, or when the call ends or the server closes. `end` ends it and has to be called. */
  pause(run: CallContext, waitMs: number): { readonly over: Promise<void>; readonly end: () => void } {
    const { promise: over, resolve } = Promise.withResolvers<void>();
    const deadline = this.#services.deadlines.add(waitMs, resolve);
    run.runState.onEnd = resolve;
    this.#pauses.add(resolve);
    if (this.#services.isClosed) resolve();
    const end = () => {
      deadline.clear();
      this.#pauses.delete(resolve);
      resolve();
    };
    return { over, end };
  }

  /** Ends all waits; callers get their promises at once. */
  endAll(): void {
    for (const resolve of this.#pauses) resolve();
  }
}

/** Whether a job neither has ended nor asks. */
function isOpen(job: Job): boolean {
  return !isFinal(job) && job.state !== "asking";
}

/** Sends the pieces of a job that its reader has not read, as fast as the caller takes them. */
async function sendPieces(run: CallContext, job: Job | undefined, reader: PieceReader | undefined): Promise<void> {
  for (const event of reader?.read(job?.pieces) ?? []) {
    if (run.runState.ended !== undefined) return;
    await run.runState.push(event);
  }
}
