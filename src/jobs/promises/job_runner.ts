/** Jobs: turns runs into jobs, and runs jobs that are due. */
import { CleanUp } from "../../internal/clean_up.ts";
import type { Call } from "../../core/call/call.ts";
import type { CallResult, ErrorResult, FailureOutcome, PromiseOutcome } from "../../core/call/outcome.ts";
import type { EngineWorker, Job, LedgerEntry } from "../../core/dispatch/engine.ts";
import type { Jobs } from "./jobs.ts";
import type { MaybePromise } from "../../internal/async.ts";
import { Future } from "../../internal/future.ts";
import { uuidOf } from "../../core/token/digest.ts";
import { toolOfJob } from "../../core/dispatch/attached_tools.ts";
import type { ToolDefinition } from "../../core/tool/definition.ts";
import { CallContext } from "../../core/dispatch/call_context.ts";
import type { DispatchServices, ResolvedDeferralOptions } from "../../core/dispatch/deferral.ts";
import { callerKeyOf, type LeasedJob, type RunQuestions } from "../../core/dispatch/services.ts";
import { ConfigEncryption } from "./config_encryption.ts";
import { attemptsExhausted } from "./after_error.ts";
import { refusalOf } from "./call_refusal.ts";
import { configLost, definitionOf, revisionChanged } from "./job_definition.ts";
import { JobLease, type LeaseOptions } from "./job_lease.ts";
import { type JobWaiters, joinedCallFailed } from "./job_waiters.ts";
import type { ScheduledJobs } from "./scheduled_jobs.ts";
import { jobRunState } from "./job_run_state.ts";
import { toWaiting } from "./job_waits.ts";
import { conflictOf, EMPTY_MEMO, jobOfRun } from "./job_of_run.ts";
import { JobPeer } from "./job_peer.ts";
import type { JobPromises } from "./job_promises.ts";
import { hasRecorded } from "./job_transitions.ts";
import { storableResult } from "./storable_result.ts";
import { logBlocked, logNotUndone, logPromised, logRunBegin } from "./run_log.ts";
import { undosOf } from "../../core/dispatch/questions/kept_steps.ts";
import { answerWithin, timesOf } from "./run_guard.ts";

/** Delay until a job without a lease is delivered to another process, in milliseconds. */
const RECOVERY_MS = 3_000;

/** Delay until a job of an unknown tool is delivered again, in milliseconds. */
const HAND_OVER_MS = 2_000;

/** State of a job that is written while its run is under way. */
const RUNNING = { state: "running", epoch: 1, attempt: 1 } as const;

/** Options of a {@link JobRunner}. */
export interface JobRunnerOptions extends ResolvedDeferralOptions {
  readonly jobs: Jobs;
  readonly promises: JobPromises;
  readonly waits: JobWaiters;
  readonly scheduled: ScheduledJobs;
}

/** Turns runs of one server into jobs with promises, and runs stored jobs that are due. */
export class JobRunner {
  readonly #services: DispatchServices;
  readonly #options: JobRunnerOptions;
  readonly #jobs: Jobs;
  readonly #configs: ConfigEncryption;
  readonly #workers = new Set<EngineWorker>();
  /** Runs that are being made jobs. */
  readonly #adoptions = new WeakMap<CallContext, Promise<void>>();

  constructor(services: DispatchServices, options: JobRunnerOptions) {
    this.#services = services;
    this.#options = options;
    this.#jobs = options.jobs;
    this.#configs = new ConfigEncryption(options.keys);
  }

  /** Makes a run a job before its budget is spent, because its handler waits. Does nothing without `.promise()`, or if it is promised. */
  makeJob(run: CallContext): Promise<void> {
    const { promise } = run.definition;
    if (promise === undefined || run.lease?.isPromised) return Promise.resolve();
    const { promiseMs, budgetMs } = timesOf(promise, this.#services.deadlineMs(run));
    const { clock } = this.#services;
    return this.adopt(run, clock.now(), clock.elapsed() + promiseMs - budgetMs);
  }

  /** The promise of a run that stopped at waits. */
  promiseOf(run: CallContext, { memo, waiting = [] }: RunQuestions): PromiseOutcome {
    // A run waits only after it was made a job.
    const { job } = run.lease!;
    const { lastProgress: progress = job.progress } = run;
    return this.#options.promises.ofJob({ ...toWaiting(job, memo, waiting), ...(progress && { progress }) });
  }

  /** Makes a run a job, unless it is being made one. Its caller gets the promise at once; a stream ends with it at `promiseAtMs` (elapsed). */
  adopt(run: CallContext, startedMs: number, promiseAtMs: number): Promise<void> {
    let adoption = this.#adoptions.get(run);
    if (adoption === undefined) {
      adoption = this.#becomeJob(run, startedMs, promiseAtMs);
      this.#adoptions.set(run, adoption);
      // Tried again by the next wait, or at the budget.
      adoption.catch(() => this.#adoptions.delete(run));
    }
    return adoption;
  }

  /** Turns a run into a job, and sends its caller the promise; a stream gets a `deferred` event first. */
  async #becomeJob(run: CallContext, startedMs: number, promiseAtMs: number): Promise<void> {
    const runState = jobRunState(run);
    const { clock } = this.#services;
    if (run.jobWritten === undefined) this.#write(run, { isPromised: true, startedMs });
    const isWritten = await run.jobWritten;
    // The continuation was sent twice which is not an idempotency key here, maybe with other answers, so this run gets a separate job.
    if (!isWritten && !run.isKeyed) await this.#write(run, { isPromised: true, startedMs }, crypto.randomUUID());
    this.ensureWorker();
    const { lease } = run;
    if (lease === undefined || runState.workResult !== undefined) return;
    // Signed before anything is promised: the stream of a call gets the token again at its end, when nothing may throw.
    const { token } = this.#options.promises.ofJob(lease.job);
    if (run.isKeyed) await this.#jobs.join(lease.job.id);
    lease.isPromised = true;
    lease.isAwaited = false;
    lease.keepPieces();
    logPromised(this.#services.logger, lease.job);
    const release = () => {
      runState.release(this.#promise(run, lease, token));
      runState.limit(this.#attemptMs(run));
      run.notifyPromised(runState.work);
    };
    const leftMs = promiseAtMs - clock.elapsed();
    if (run.sink === undefined || leftMs <= 0) return release();
    runState.limit(leftMs, release);
    await runState.push({ kind: "deferred", promise: this.#promise(run, lease, token) });
  }

  /**
   * Checks config and arguments, and inserts a job.
   *
   * @param waits Whether to return the result if it comes within the budget; otherwise the promise token comes at once.
   */
  async enqueue(run: CallContext, waits: boolean): Promise<CallResult> {
    const refused = await refusalOf(run);
    if (refused !== undefined) return refused;
    const job = await this.#withConfig(run, jobOfRun(run, { state: "queued", epoch: 0, attempt: 0 }));
    this.ensureWorker();
    const existing = await this.#jobs.engine.insert(job, 0) ? job : await this.#findSame(job);
    if ("kind" in existing) return existing;
    if (waits) return await this.#options.waits.untilJoinedEnd(run, existing);
    if (existing === job) return this.#options.promises.ofJob(job);
    const joined = await this.#jobs.join(job.id);
    return joined === undefined ? joinedCallFailed() : this.#options.promises.ofJob(joined);
  }

  /**
   * Derives the id of a call from its principal and idempotency key, so that repeated calls share a job; a continuation has set it. A
   * disconnect no longer ends the run.
   */
  bindKey(run: CallContext, key: string | undefined): void {
    if (key !== undefined) {
      const { memo = EMPTY_MEMO } = run.questions ?? {};
      run.resume(uuidOf(callerKeyOf(run), key, ...run.definition.part?.path ?? []), memo);
    }
    run.runState.ignoreDisconnect();
  }

  /** Runs a call with an idempotency key, whose result is stored as a job's; a repeated call waits for the result of the first. */
  async runKeyed(run: CallContext): Promise<CallResult> {
    this.ensureWorker();
    return await this.#runWritten(run, { isPromised: false, startedMs: this.#services.clock.now() });
  }

  /**
   * Runs a call whose job is stored before its handler begins, as one that is promised: its steps are kept, and work that breaks is tried
   * again. The call itself waits for the result within its budget; if the work continues without it, it gets the promise.
   */
  async runDurable(run: CallContext): Promise<CallResult> {
    const found = refusalOf(run);
    const refused = found instanceof Promise ? await found : found;
    if (refused !== undefined) return refused;
    this.ensureWorker();
    return await this.#runWritten(run, { isPromised: true, isAwaited: true, startedMs: this.#services.clock.now() });
  }

  /** Runs a call after its job is written; if the job exists already, waits for its result. */
  async #runWritten(run: CallContext, options: LeaseOptions): Promise<CallResult> {
    if (await this.#write(run, options)) {
      // The deadline may have expired meanwhile; then the key may be used again.
      return run.runState.workResult ?? await this.#services.runTool(run);
    }
    const existing = await this.#findSame(jobOfRun(run, RUNNING));
    return "kind" in existing ? existing : await this.#options.waits.untilJoinedEnd(run, existing);
  }

  /** Starts a worker that runs jobs as they come due. */
  work(concurrency: number): EngineWorker {
    this.#options.scheduled.start();
    const worker = this.#jobs.engine.work((id) => this.#runJob(id), { concurrency });
    this.#workers.add(worker);
    return {
      stop: async () => {
        this.#workers.delete(worker);
        await worker.stop();
      },
    };
  }

  /** Whether a worker runs. */
  get isWorking(): boolean {
    return this.#workers.size > 0;
  }

  /**
   * Starts the schedules, and a worker, unless there is one, the server is closed, or it runs no jobs. A worker that cannot start is
   * logged, and tried again by the next call that needs one.
   */
  ensureWorker(): void {
    if (this.#options.engine.startsElsewhere) return;
    if (!this.#services.isClosed) this.#options.scheduled.start();
    const { concurrency } = this.#options;
    if (concurrency === 0 || this.#workers.size > 0 || this.#services.isClosed) return;
    try {
      this.work(concurrency);
    } catch {
      // Logged where the engine failed.
    }
  }

  /** Stops the workers; resolves when their jobs have ended. */
  async stop(): Promise<void> {
    const stopping = new CleanUp();
    stopping.try(() => this.#options.scheduled.stop());
    await Promise.all(Array.from(this.#workers, (worker) => stopping.wait(() => worker.stop())));
    stopping.finish("Cannot stop the workers");
  }

  #promise(run: CallContext, lease: LeasedJob, token: string): PromiseOutcome {
    const { lastProgress: progress } = run;
    return {
      ...this.#options.promises.ofJob(lease.job, token),
      progress,
      estimatedMs: progress && lease.estimateEnd(progress),
    };
  }

  #write(run: CallContext, lease: LeaseOptions, id?: string): Promise<boolean> {
    const job = { ...jobOfRun(run, RUNNING, id), owner: this.#jobs.owner };
    const written = this.#insertRunning(run, job, lease);
    run.jobWritten = written;
    // The next attempt writes again.
    written.catch(() => {
      if (run.jobWritten === written) run.jobWritten = undefined;
    });
    return written;
  }

  async #withConfig({ definition, request: call }: CallContext, job: Job): Promise<Job> {
    const config = await this.#configs.encrypt(definition, call.config, job);
    return config === undefined ? job : { ...job, config };
  }

  /** Writes the job of a run that is under way, and binds the run to it. `false` if the job exists already. */
  async #insertRunning(run: CallContext, plain: Job, options: LeaseOptions): Promise<boolean> {
    const job = run.request.config === undefined ? plain : await this.#withConfig(run, plain);
    // If this process dies before it has the lease, another process runs the job.
    if (!await this.#jobs.engine.insert(job, this.#jobs.engine.processId === undefined ? RECOVERY_MS : undefined)) {
      return false;
    }
    const release = await this.#orDiscard(job, () => this.#jobs.engine.lease(job.id));
    const { workResult } = run.runState;
    // The run finished before its job was written. Delete the job unless another call has joined it.
    if (workResult !== undefined && await this.#jobs.forget(job)) {
      await release();
      return true;
    }
    const lease = await this.#orDiscard(
      job,
      () => new JobLease(this.#jobs, job, run, { ...options, release }),
      release,
    );
    if (workResult === undefined) {
      const concluded = this.#bind(run, lease).catch(() => {});
      run.request.peer.host?.waitUntil(concluded);
    } else await lease.conclude(this.#withinLimits(workResult, run, job), () => {});
    return true;
  }

  /** Leases or follows a job that was just written; if that fails, the job is deleted, so that it does not run elsewhere, too. */
  async #orDiscard<Held>(job: Job, hold: () => MaybePromise<Held>, release?: () => MaybePromise<void>): Promise<Held> {
    try {
      return await hold();
    } catch (thrown) {
      const discarding = new CleanUp();
      await discarding.wait(() => release?.());
      // An error of the removal is logged already; the first one is the caller's.
      await discarding.wait(() => this.#jobs.engine.remove(job.id));
      throw thrown;
    }
  }

  /** The job that has the id of this one, if it is of the same call with the same answers; an error if it is of another. */
  async #findSame(job: Job): Promise<Job | ErrorResult> {
    const existing = await this.#jobs.engine.get(job.id);
    return existing === undefined ? joinedCallFailed() : conflictOf(job, existing) ?? existing;
  }

  /** Writes the run's result to the job once there is one. Resolves when it is written. */
  #bind(run: CallContext, lease: JobLease): Promise<void> {
    const concluded = Promise.withResolvers<void>();
    run.lease = lease;
    // Store the result of a call with an idempotency key before returning it, so that a retry gets the same result.
    jobRunState(run).detach(async (result) => {
      await new Promise<void>((onTried) => {
        lease.conclude(this.#withinLimits(result, run, lease.job), onTried).then(concluded.resolve, concluded.reject);
      });
      return lease.continues ? this.#promise(run, lease, this.#options.promises.ofJob(lease.job).token) : lease.ending;
    });
    return concluded.promise;
  }

  /** Runs a job that is due. Rejects if the engine fails, which then delivers the job again. */
  async #runJob(id: string): Promise<void> {
    const job = await this.#jobs.claim(id);
    if (job === undefined || (job.undoUntilMs === undefined && !await this.#options.scheduled.mayRun(job))) return;
    const current = toolOfJob(this.#services.registry, job.tool);
    const definition = current && definitionOf(job, current);
    if (definition === undefined) {
      this.#services.logger?.warn("A job is due whose tool this server does not have: it is left to other servers", {
        tool: job.tool,
        callId: id,
      });
      return await this.#jobs.handOver(job, HAND_OVER_MS);
    }
    if (job.undoUntilMs !== undefined) return await this.#wake(job, definition);
    if (job.attempt > job.maxAttempts) return await this.#giveUp(job);
    if (definition.revision !== job.revision) return await this.#block(job, revisionChanged(job));
    const config = await this.#configs.decrypt(job, this.#services.clock.now());
    if (config === "lost") return void await this.#jobs.finish(job, configLost(job));
    // The first run of a job has nothing before it.
    const ledger = job.epoch === 1 ? [] : await this.#jobs.readLedger(id);
    await this.#begin(job, definition, config, ledger);
  }

  /** Runs the handler of a cancelled job, which undoes what it did, if it has done anything. */
  async #wake(job: Job, definition: ToolDefinition): Promise<void> {
    const config = await this.#configs.decrypt(job, this.#services.clock.now());
    const ledger = await this.#jobs.readLedger(job.id);
    if (!hasRecorded(job, ledger)) return await this.#jobs.endUndo(job);
    if (definition.revision === job.revision && config !== "lost") {
      return await this.#begin(job, definition, config, ledger);
    }
    logNotUndone(this.#services.logger, job, config === "lost" ? configLost(job) : revisionChanged(job));
    await this.#jobs.endUndo(job);
  }

  /** Runs a job on from where the run before it has left it, until its result is stored. */
  async #begin(
    job: Job,
    definition: ToolDefinition,
    config: Call["config"],
    ledger: readonly LedgerEntry[],
  ): Promise<void> {
    const { context, trace } = job;
    const meta = context === undefined && trace === undefined ? undefined : { context, trace };
    const inner = job.callers && { path: job.callers };
    const call = { tool: job.tool, args: job.args, meta, config, peer: new JobPeer(job, this.#jobs.engine.env), inner };
    const run = new CallContext(definition, call, this.#services, undefined);
    run.resume(job.callId ?? job.id, job.memo, ledger);
    logRunBegin(this.#services.logger, job);
    const concluded = this.#bind(
      run,
      new JobLease(this.#jobs, job, run, {
        isPromised: true,
        startedMs: this.#services.clock.now(),
        entries: ledger.length,
      }),
    );
    const { observer } = this.#services;
    const began = observer?.begin(run, job.attempt);
    const running = Future.of(Promise.resolve(this.#runWithMiddleware(run)));
    const ended = answerWithin(run, running, { totalMs: this.#attemptMs(run), idleMs: undefined }, this.#services);
    if (observer !== undefined) ended.into({ receive: (result) => observer.end(began, run, result), fail: () => {} });
    await concluded;
  }

  /** Ends a job whose process has died in its last attempt. What that attempt has undone is in the ledger alone. */
  async #giveUp(job: Job): Promise<void> {
    const undos = undosOf(job.memo, await this.#jobs.readLedger(job.id));
    await this.#jobs.finish(job, attemptsExhausted(job), undefined, undos);
  }

  async #block(job: Job, outcome: FailureOutcome): Promise<void> {
    logBlocked(this.#services.logger, job, outcome);
    await this.#jobs.block(job, outcome);
  }

  #runWithMiddleware(run: CallContext): MaybePromise<CallResult> {
    const { jobMiddleware = [] } = run.definition.part ?? {};
    const middleware = [...this.#options.jobMiddleware, ...jobMiddleware];
    return this.#services.runWithin(run, middleware, () => this.#services.runTool(run));
  }

  /** Time limit of one attempt of a job, in milliseconds. */
  #attemptMs(run: CallContext): number {
    return run.definition.promise?.jobTimeoutMs ?? this.#services.deadlineMs(run);
  }

  #withinLimits(result: CallResult, run: CallContext, job: Job): CallResult {
    return storableResult(result, run, job, this.#services, this.#options.limits.resultChars);
  }
}
