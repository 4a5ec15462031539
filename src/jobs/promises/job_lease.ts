import { type CallResult, errorResult, type Progress } from "../../core/call/outcome.ts";
import type { Job, LedgerEntry, Memo, Wait } from "../../core/dispatch/engine.ts";
import { messageOf, withFailure } from "./job_failures.ts";
import type { Jobs, RunRest } from "./jobs.ts";
import type { MaybePromise } from "../../internal/async.ts";
import { ToolError } from "../../core/errors/tool_error.ts";
import { afterError, blockOf } from "./after_error.ts";
import { CLOCK_SKEW_MS } from "./promise_tokens.ts";
import { settleOrMask } from "../../core/dispatch/error_masking.ts";
import type { CallContext } from "../../core/dispatch/call_context.ts";
import type { LeasedJob } from "../../core/dispatch/services.ts";
import { UndoWindow } from "../../core/dispatch/undo_window.ts";
import { logBlocked, logRunEnd, logUndone } from "./run_log.ts";
import { KeptPieces } from "./kept_pieces.ts";
import { LedgerWriter } from "./ledger_writer.ts";

/** Shortest time between two writes of progress, in milliseconds. */
const PROGRESS_MS = 250;

/** Time of work below which its pace says nothing, in milliseconds. */
const MIN_PACE_MS = 250;

/** Delay before a failed write is repeated, in milliseconds; it doubles up to the maximum. */
const FIRST_WRITE_MS = 100;
const MAX_WRITE_MS = 2_000;

const CANCELLED = errorResult("cancelled", "The job was cancelled");

/** Options of a {@link JobLease}. */
export interface LeaseOptions {
  /** Whether the job is kept whatever the result, as that of a caller with a promise token. */
  readonly isPromised: boolean;
  /** Whether the call itself still waits for the result, without a promise token. Default: `false`. */
  readonly isAwaited?: boolean;
  /** When the run started, in milliseconds since the Unix epoch. */
  readonly startedMs: number;
  /** Number of entries that the ledger of the job has. Default: 0. */
  readonly entries?: number;
  /** Releases the engine's lease, if the run was started outside of a worker. */
  readonly release?: () => MaybePromise<void>;
}

/** Binds a run to its job: writes the run's progress, steps and result to the job, and ends the run if the job is cancelled. */
export class JobLease implements LeasedJob {
  job: Job;
  isPromised: boolean;
  isAwaited: boolean;
  readonly #jobs: Jobs;
  readonly #run: CallContext;
  readonly #startedMs: number;
  readonly #release: (() => MaybePromise<void>) | undefined;
  readonly #unsubscribe: () => void;
  readonly #pieces: KeptPieces;
  readonly #ledger: LedgerWriter;
  /** Whether earlier runs have done steps. */
  readonly #isContinued: boolean;
  #progress: Progress | undefined;
  #isWriting = false;
  #isOver = false;
  #isRequeued = false;
  /** What the job has ended with, if that is not the result of the run. */
  ending: CallResult | undefined = undefined;
  isSuperseded = false;
  undo: UndoWindow | undefined = undefined;
  /** Whether the handler of this run takes the cancellation, and not that of a later one. */
  #takesCancel = true;

  constructor(jobs: Jobs, job: Job, run: CallContext, options: LeaseOptions) {
    this.job = job;
    this.isPromised = options.isPromised;
    this.isAwaited = options.isAwaited ?? false;
    this.#jobs = jobs;
    this.#run = run;
    this.#startedMs = options.startedMs;
    this.#release = options.release;
    this.#pieces = new KeptPieces(job.pieces);
    if (job.undoUntilMs !== undefined) this.undo = this.#openUndo(job.undoUntilMs);
    const { id, epoch } = job;
    this.#isContinued = (options.entries ?? 0) > 0;
    // A step that has ended must not look failed because the engine does not answer.
    const append = (from: number, entries: readonly LedgerEntry[]) =>
      this.#untilStored(() => jobs.engine.appendLedger(id, epoch, from, entries));
    this.#ledger = new LedgerWriter(append, options.entries ?? 0);
    this.#unsubscribe = jobs.engine.subscribe(job.id, () => void this.#checkCurrent());
    run.services.trackPending();
    // The job may have been cancelled before the subscription.
    void this.#checkCurrent();
    if (run.lastProgress !== undefined) this.progress(run.lastProgress);
    this.keepPieces();
  }

  progress(progress: Progress): void {
    this.#progress = progress;
    if (!this.#isWriting) void this.#writeReports();
  }

  keepPieces(): void {
    if (this.isPromised && !this.#isWriting) void this.#writeReports();
  }

  async append(entry: LedgerEntry): Promise<void> {
    let isCurrent = false;
    try {
      isCurrent = await this.#ledger.add(entry);
    } catch (thrown) {
      // The next run does the step again: what the handler would begin now, such as to undo it, is not begun.
      this.#run.runState.end(errorResult("unavailable", "The outcome of a step cannot be stored"));
      throw thrown;
    }
    if (!isCurrent) throw this.#supersede();
  }

  /** Whether the job continues after the run, in which an awaiting call gets its promise. */
  get continues(): boolean {
    return this.isAwaited && (this.#isRequeued || this.isSuperseded);
  }

  async saveWait(name: string, wait: Wait): Promise<void> {
    const saved = await this.#jobs.saveWait(this.job, name, wait);
    if (saved === undefined) await this.#checkCurrent();
    if (this.isSuperseded) throw this.#supersede();
    this.job = saved ?? this.job;
  }

  get endsAtMs(): number {
    return this.job.expiresAtMs - CLOCK_SKEW_MS;
  }

  get isTakenOver(): boolean {
    return this.job.takenFrom !== undefined;
  }

  get processId(): string | undefined {
    return this.#jobs.engine.processId;
  }

  /**
   * Writes the result of the run to its job. Rejects if that fails permanently; then the job is run again.
   *
   * @param onTried Called after the first attempt to write.
   */
  async conclude(result: CallResult, onTried: () => void): Promise<void> {
    this.#isOver = true;
    this.#unsubscribe();
    const { logger, clock } = this.#run.services;
    if (this.isPromised) logRunEnd(logger, this.job, result, clock.now() - this.#startedMs);
    try {
      if (this.undo !== undefined) {
        onTried();
        await this.#untilUndone(this.undo, result);
      }
      await this.#untilStored(() => this.#write(result), onTried);
      await this.#release?.();
    } finally {
      onTried();
      this.#run.services.untrack();
    }
  }

  /** Repeats a write until it succeeds, so that what a run has done survives an outage of the engine. */
  async #untilStored<Written>(write: () => MaybePromise<Written>, onTried?: () => void): Promise<Written> {
    const { services } = this.#run;
    for (let waitMs = FIRST_WRITE_MS;; waitMs = Math.min(MAX_WRITE_MS, 2 * waitMs)) {
      try {
        return await write();
      } catch (thrown) {
        onTried?.();
        if (waitMs === FIRST_WRITE_MS) settleOrMask(services, thrown, { tool: this.job.tool, callId: this.job.id });
        if (services.isClosed || services.clock.now() >= this.job.expiresAtMs) throw thrown;
      }
      await this.#sleep(waitMs);
    }
  }

  /** Waits until the handler of a cancelled job has ended, or the time to undo what it did is over. */
  async #untilUndone(undo: UndoWindow, result: CallResult): Promise<void> {
    const { services: { deadlines, clock, logger }, handlerEnd } = this.#run;
    const expired = Promise.withResolvers<"expired">();
    const deadline = deadlines.add(Math.max(0, undo.untilMs - clock.now()), () => expired.resolve("expired"));
    const handler = Promise.resolve(handlerEnd).then(() => undefined, (thrown: unknown) => ({ thrown }));
    const ended = this.#takesCancel ? await Promise.race([handler, expired.promise]) : undefined;
    deadline.clear();
    undo.end();
    // The server is closed: another process does the rest.
    if (ended === "expired" && clock.now() < undo.untilMs) this.#takesCancel = false;
    else if (this.#takesCancel) logUndone(logger, this.job, { ended, result, isNotified: undo.isNotified });
  }

  async #endUndo(): Promise<void> {
    await this.#jobs.cancelAwaited(this.#run.questions?.memo ?? this.job.memo);
    if (this.#takesCancel) await this.#jobs.endUndo(this.job);
    // The next run notifies its handler, and undoes what is left.
    else await this.#jobs.engine.schedule(this.job.id, 0);
  }

  async #write(result: CallResult): Promise<void> {
    const { job } = this;
    if (this.undo !== undefined) return await this.#endUndo();
    const isQuestion = result.kind === "elicitation" || result.kind === "request-for-more-resource";
    // The next question of a call that continues: its continuation is the next idempotency key.
    if (isQuestion && !this.isPromised && this.#run.isContinued) {
      const { asked = [] } = this.#run.questions?.memo ?? {};
      // No answer was taken: all questions are asked again, and this continuation, too, may still bring their answers.
      const isAskedAgain = asked.every((key) => Object.hasOwn(result.requests, key));
      if (!isAskedAgain || !await this.#jobs.forget(job)) await this.#jobs.finish(job, result);
      return;
    }
    // An error or a question that was not promised is known to its caller only: the idempotency key may be used again.
    const isStored = this.isPromised ||
      !(isQuestion || (result.kind === "error" && result.code !== "result_too_large"));
    if (!isStored && await this.#jobs.forget(job)) return;
    const { questions, lastProgress: progress } = this.#run;
    const pieces = this.#takePieces();
    const stop = { memo: questions?.memo ?? job.memo, ...(progress && { progress }), ...pieces };
    const block = blockOf(this.#run, job, result);
    if (block !== undefined) {
      this.#isRequeued = true;
      logBlocked(this.#run.services.logger, job, block);
      return void await this.#jobs.block(job, block);
    }
    if (isQuestion) return void await this.#jobs.ask(job, result.requests, stop);
    if (result.kind === "promise" && questions?.waiting !== undefined) {
      return await this.#jobs.suspend(job, questions.waiting, stop);
    }
    if (result.kind !== "error") return await this.#finish(result, pieces);
    if (result.code === "cancelled" && (await this.#jobs.engine.get(job.id))?.state === "cancelled") {
      await this.#jobs.cancelAwaited(stop.memo);
    }
    if (result.code === "unavailable" && this.#run.services.isClosed) {
      this.#isRequeued = true;
      return await this.#jobs.handOver(job, 0);
    }
    const next = afterError(this.#run, job, result);
    const { lastThrown, services: { clock } } = this.#run;
    const rest = { ...pieces, ...withFailure(job, clock.now(), messageOf(lastThrown, result)) };
    if (typeof next === "number") {
      this.#isRequeued = true;
      return await this.#jobs.retry(job, next, rest);
    }
    this.ending = next;
    // A refusal before the first step leaves nothing that another call could do twice: its idempotency key may be used again.
    const isRefusal = this.isAwaited && next === result && this.#ledger.isEmpty;
    if (!isRefusal || !await this.#jobs.forget(job)) await this.#finish(next, rest, stop.memo.undos);
  }

  async #finish(result: CallResult, pieces: RunRest, undos?: Memo["undos"]): Promise<void> {
    const finished = await this.#jobs.finish(this.job, result, pieces, undos);
    // It was cancelled when its handler had ended.
    if (finished === undefined) await this.#jobs.endUndo(this.job);
  }

  async #checkCurrent(): Promise<void> {
    try {
      if (this.#isOver) return;
      const { state, epoch, undoUntilMs } = await this.#jobs.read(this.job.id) ?? {};
      if (epoch !== this.job.epoch) return void this.#supersede();
      if (state === "running") return;
      if (state !== "cancelled") return void this.#supersede();
      // The run may have been woken for that.
      if (this.undo === undefined) this.#cancel(undoUntilMs);
    } catch {
      // The engine does not answer; the next change of the job is checked again.
    }
  }

  #cancel(undoUntilMs: number | undefined): void {
    const { runState, questions, hasReadSignal } = this.#run;
    if (undoUntilMs === undefined) return runState.end(CANCELLED);
    this.undo = this.#openUndo(undoUntilMs);
    this.#takesCancel = questions?.cancel() ?? true;
    this.undo.begin();
    if (hasReadSignal) this.undo.markNotified();
  }

  #openUndo(untilMs: number): UndoWindow {
    return new UndoWindow(untilMs, () => this.#run.runState.end(CANCELLED));
  }

  /** Ends a run that is no longer the current one of its job. Returns what it throws to its handler. */
  #supersede(): ToolError {
    this.isSuperseded = true;
    const ended = errorResult("cancelled", "The job is run elsewhere, or is over");
    this.#run.runState.end(ended);
    return new ToolError(ended.code, ended.message);
  }

  /** The pieces of the run to store with its job; nothing without any, or if only the call itself has the answer. */
  #takePieces(): Pick<Job, "pieces"> {
    if (this.isPromised) this.#pieces.take(this.#run.collected);
    const { stored: pieces } = this.#pieces;
    return pieces === undefined ? {} : { pieces };
  }

  /** Writes progress and pieces until there are no new ones. */
  async #writeReports(): Promise<void> {
    this.#isWriting = true;
    while (!this.#isOver) {
      const progress = this.#progress;
      const hasPieces = this.isPromised && this.#pieces.take(this.#run.collected);
      if (progress === undefined && !hasPieces) break;
      this.#progress = undefined;
      const estimatedMs = progress && this.estimateEnd(progress);
      const report = {
        ...(progress && { progress }),
        ...(estimatedMs !== undefined && { estimatedMs }),
        ...(hasPieces && this.#takePieces()),
      };
      // A failed write is dropped: progress is optional, and the next write has the pieces.
      const written = this.#jobs.report(this.job, report).catch(() => undefined);
      this.job = await written ?? this.job;
      await this.#sleep(PROGRESS_MS);
    }
    this.#isWriting = false;
  }

  async #sleep(delayMs: number): Promise<void> {
    await new Promise<void>((resolve) => void this.#run.services.clock.after(delayMs, resolve));
  }

  estimateEnd({ done, total }: Progress): number | undefined {
    if (total === undefined || !(done > 0) || done > total) return undefined;
    const nowMs = this.#run.services.clock.now();
    const workedMs = nowMs - this.#startedMs;
    // A run that repeats what earlier ones did is at its place at once, and a wait has another pace.
    if (workedMs < MIN_PACE_MS || this.#isContinued || this.job.memo.waits !== undefined) return undefined;
    const endMs = Math.round(nowMs + workedMs * (total - done) / done);
    // An estimate after the expiry of the promise is useless, and may be no valid date.
    return endMs <= this.job.expiresAtMs ? endMs : undefined;
  }
}
