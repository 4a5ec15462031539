import {
  type CallResult,
  type ErrorResult,
  errorResult,
  type FailureOutcome,
  type Progress,
} from "../../call/outcome.ts";
import type { Job } from "../../../engine/engine.ts";
import type { Jobs } from "./jobs.ts";
import type { Json } from "../../../internal/json.ts";
import type { MaybePromise } from "../../../internal/async.ts";
import { CLOCK_SKEW_MS } from "./promise_tokens.ts";
import type { CallContext } from "../call_context.ts";

/** How often at most progress is written, in milliseconds. */
const PROGRESS_MS = 250;

/** How long to wait before what could not be written is written again, in milliseconds; it doubles up to the longest. */
const FIRST_WRITE_MS = 100;
const MAX_WRITE_MS = 2_000;

/** First wait before a job is begun again, in milliseconds; it doubles with each attempt, up to a minute. */
const BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 60_000;

/** What may be otherwise at the next attempt. */
const MAY_PASS: ReadonlySet<string> = new Set(["internal", "unavailable", "deadline_exceeded"]);

/** What becomes of a job that broke, or whose process died, as often as it may. */
export function attemptsExhausted(job: Job, last?: ErrorResult): FailureOutcome {
  const { maxAttempts: attempts } = job;
  const message = `Gave up after ${attempts} attempt${attempts === 1 ? "" : "s"}`;
  const data = { attempts, ...(last !== undefined && { reason: last.message }) };
  return { kind: "failure", code: "attempts_exhausted", message, data };
}

/** What is known of a job's run as it begins. */
export interface LeaseOptions {
  /** Whether somebody holds a promise of the job. */
  readonly isPromised: boolean;
  /** When the run began, in milliseconds since the Unix epoch. */
  readonly startedMs: number;
  /** Ends the engine's hold, if this process took the job by itself. */
  readonly letGo?: () => MaybePromise<void>;
}

/** What binds a run to its job: what the run says goes to the job, and a job that was cancelled ends its run. */
export class JobLease {
  /** The job, as the run last knew it. */
  job: Job;
  /** Whether somebody holds a promise of it. */
  isPromised: boolean;
  readonly #jobs: Jobs;
  readonly #run: CallContext;
  readonly #startedMs: number;
  readonly #letGo: (() => MaybePromise<void>) | undefined;
  readonly #unsubscribe: () => void;
  #progress: Progress | undefined = undefined;
  #isWriting = false;
  #isOver = false;

  constructor(jobs: Jobs, job: Job, run: CallContext, options: LeaseOptions) {
    this.job = job;
    this.isPromised = options.isPromised;
    this.#jobs = jobs;
    this.#run = run;
    this.#startedMs = options.startedMs;
    this.#letGo = options.letGo;
    this.#unsubscribe = jobs.engine.subscribe(job.id, () => void this.#look());
    run.services.trackPending();
    // A cancellation may have come before anyone listened.
    void this.#look();
    if (run.lastProgress !== undefined) this.progress(run.lastProgress);
  }

  /** Tells how far the work has come: the latest word, every now and then. */
  progress(progress: Progress): void {
    this.#progress = progress;
    if (!this.#isWriting) void this.#writeProgress();
  }

  /** Keeps the result of a step. */
  async saveStep(key: string, value: Json): Promise<void> {
    this.job = await this.#jobs.saveStep(this.job, key, value) ?? this.job;
  }

  /**
   * The run has settled: writes what becomes of the job. Rejects if that cannot be done; then the job is run again.
   *
   * @param onTried Called once it was written, or could not be at once.
   */
  async conclude(settled: CallResult, onTried: () => void): Promise<void> {
    this.#isOver = true;
    this.#unsubscribe();
    try {
      await this.#writeSurely(settled, onTried);
      await this.#letGo?.();
    } finally {
      onTried();
      this.#run.services.untrack();
    }
  }

  /** Writes until it is written: what was worked out is not lost because the engine was away for a while. */
  async #writeSurely(settled: CallResult, onTried: () => void): Promise<void> {
    const { services: host } = this.#run;
    for (let waitMs = FIRST_WRITE_MS;; waitMs = Math.min(MAX_WRITE_MS, 2 * waitMs)) {
      try {
        return await this.#write(settled);
      } catch (thrown) {
        onTried();
        if (waitMs === FIRST_WRITE_MS) host.settleThrown(thrown, { tool: this.job.tool, callId: this.job.id });
        if (host.isClosed || host.clock.now() >= this.job.expiresAtMs) throw thrown;
      }
      await this.#sleep(waitMs);
    }
  }

  async #write(settled: CallResult): Promise<void> {
    const { job } = this;
    const isAsk = settled.kind === "elicitation" || settled.kind === "request-for-more-resource";
    // What nobody was promised, and is no answer, only who was just told knows of; the key is free again.
    const isKept = this.isPromised || !(isAsk || (settled.kind === "error" && settled.code !== "result_too_large"));
    if (!isKept && await this.#jobs.forget(job)) return;
    if (isAsk) return void await this.#jobs.ask(job, settled.requests, this.#run.asking?.memo ?? job.memo);
    if (settled.kind !== "error") return void await this.#jobs.finish(job, settled);
    if (settled.code === "unavailable" && this.#run.services.isClosed) return await this.#jobs.handOver(job, 0);
    const isTooLate = this.#run.services.clock.now() >= job.expiresAtMs - CLOCK_SKEW_MS;
    if (isTooLate || !MAY_PASS.has(settled.code)) return void await this.#jobs.finish(job, settled);
    if (job.attempt >= job.maxAttempts) return void await this.#jobs.finish(job, attemptsExhausted(job, settled));
    await this.#jobs.retry(job, Math.min(MAX_BACKOFF_MS, BACKOFF_MS * 2 ** (job.attempt - 1)));
  }

  async #look(): Promise<void> {
    try {
      if (this.#isOver || await this.#jobs.isCurrent(this.job)) return;
      this.#run.runState.end(errorResult("cancelled", "The job was cancelled, or is run elsewhere"));
    } catch {
      // The engine cannot be asked; its next change is looked at again.
    }
  }

  async #writeProgress(): Promise<void> {
    this.#isWriting = true;
    while (this.#progress !== undefined && !this.#isOver) {
      const progress = this.#progress;
      this.#progress = undefined;
      // Progress is a courtesy: what cannot be written is dropped.
      const written = this.#jobs.progress(this.job, progress, this.estimateEnd(progress)).catch(() => undefined);
      this.job = await written ?? this.job;
      await this.#sleep(PROGRESS_MS);
    }
    this.#isWriting = false;
  }

  async #sleep(delayMs: number): Promise<void> {
    await new Promise<void>((resolve) => void this.#run.services.clock.after(delayMs, resolve));
  }

  /** When it may be done, if it goes on as it went so far, in milliseconds since the Unix epoch. */
  estimateEnd({ done, total }: Progress): number | undefined {
    if (total === undefined || !(done > 0) || done > total) return undefined;
    const nowMs = this.#run.services.clock.now();
    const endMs = Math.round(nowMs + (nowMs - this.#startedMs) * (total - done) / done);
    // By then the promise is over: as good as no estimate, and maybe no date.
    return endMs <= this.job.expiresAtMs ? endMs : undefined;
  }
}
