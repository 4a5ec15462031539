/**
 * Deferred work: how a run becomes a job, and how a job is run.
 *
 * @module
 */
import type { Peer } from "../../call/call.ts";
import { type CallResult, type ErrorResult, errorResult, type PromiseOutcome } from "../../call/outcome.ts";
import type { EngineWorker, Job } from "../../../engine/engine.ts";
import type { Jobs } from "./jobs.ts";
import type { Json } from "../../../internal/json.ts";
import type { MaybePromise } from "../../../internal/async.ts";
import { uuidOf } from "../../token/digest.ts";
import type { ToolDefinition } from "../../tool/definition.ts";
import type { DispatchServices } from "../services.ts";
import { attemptsExhausted, JobLease, type LeaseOptions } from "./job_lease.ts";
import { ConfigEncryption } from "./config_encryption.ts";
import { CLOCK_SKEW_MS, type PromiseTokens } from "./promise_tokens.ts";
import { CallContext } from "../call_context.ts";
import { type JobWaiters, joinedCallFailed } from "./job_waiters.ts";

/** How long jobs are kept of tools that do not promise, in milliseconds, and how often they may be begun. */
const KEYED_TTL_MS = 3_600_000;
const KEYED_ATTEMPTS = 3;

/** When another process begins a job that nobody came to hold, in milliseconds. */
const RECOVERY_MS = 3_000;

/** When a job is due again whose tool another server has to have, in milliseconds. */
const LEFT_MS = 2_000;

/** What a job is whose run is under way when it is written. */
const RUNNING = { state: "running", epoch: 1, attempt: 1 } as const;

const EMPTY_MEMO: Job["memo"] = { answers: {}, steps: {} };

/** What {@link JobRunner} needs. */
export interface DeferralOptions {
  /** Where jobs are kept. */
  readonly jobs: Jobs;
  /** What callers are given. */
  readonly promises: PromiseTokens;
  /** Callers that wait. */
  readonly waits: JobWaiters;
  /** Largest outcome that is kept, in UTF-16 code units of JSON. */
  readonly resultChars: number;
  /** How many jobs run at once here; 0 for none. */
  readonly concurrency: number;
}

/** The deferred work of one server. */
export class JobRunner {
  readonly #host: DispatchServices;
  readonly #options: DeferralOptions;
  readonly #jobs: Jobs;
  readonly #configs: ConfigEncryption;
  readonly #workers = new Set<EngineWorker>();

  constructor(host: DispatchServices, options: DeferralOptions) {
    this.#host = host;
    this.#options = options;
    this.#jobs = options.jobs;
    this.#configs = new ConfigEncryption(host.keys);
  }

  /** Whether other processes know the jobs of this one. */
  get outlivesProcess(): boolean {
    return this.#jobs.engine.processId === undefined;
  }

  /**
   * A run's budget is spent: it becomes a job, and its caller gets a promise; over a stream, first the news of it. What has not
   * come to its tool yet, because its middleware has not let it, is not promised before it has.
   */
  async adopt(run: CallContext, startedMs: number, promiseAtMs: number): Promise<void> {
    const { runState: live } = run;
    const { clock } = this.#host;
    if (run.written === undefined) this.#write(run, { isPromised: true, startedMs });
    const isWritten = await run.written;
    // Its continuation was sent again: what that began may be answered otherwise, so this one is a job of its own.
    if (!isWritten && !run.isKeyed) await this.#write(run, { isPromised: true, startedMs }, crypto.randomUUID());
    this.ensureWorker();
    const { lease } = run;
    if (lease === undefined || live.settled !== undefined) return;
    if (run.isKeyed) await this.#jobs.join(lease.job.id);
    lease.isPromised = true;
    const release = () => {
      live.release(this.#promise(run, lease));
      live.limit(this.#attemptMs(run));
    };
    const leftMs = promiseAtMs - clock.elapsed();
    if (run.sink === undefined || leftMs <= 0) return release();
    live.limit(leftMs, release);
    await live.push({ kind: "deferred", promise: this.#promise(run, lease) });
  }

  /** Has a job begun somewhere, and promises its result at once; of a key that was used, what it began. */
  async enqueue(run: CallContext): Promise<CallResult> {
    const job = await this.#withConfig(run, newJob(run, { state: "queued", epoch: 0, attempt: 0 }));
    this.ensureWorker();
    if (await this.#jobs.engine.insert(job, 0)) return this.#options.promises.ofJob(job);
    const begun = await this.#findSame(job);
    if ("kind" in begun) return begun;
    const joined = await this.#jobs.join(job.id);
    return joined === undefined ? joinedCallFailed() : this.#options.promises.ofJob(joined);
  }

  /** Names a call by its idempotency key: the same for each repeat. Its caller may leave. */
  bindKey(run: CallContext, key: string): void {
    run.resume(uuidOf(run.principalId, key, ...run.definition.part?.path ?? []), run.asking?.memo ?? EMPTY_MEMO);
    run.runState.keep();
  }

  /** Runs a call that was named by its key as a job from its first moment; a repeat joins it. */
  async runKeyed(run: CallContext): Promise<CallResult> {
    this.ensureWorker();
    if (await this.#write(run, { isPromised: false, startedMs: this.#host.clock.now() })) {
      // It may have come to its deadline meanwhile, and then its key is free.
      return run.runState.settled ?? await this.#host.runTool(run);
    }
    const begun = await this.#findSame(newJob(run, RUNNING));
    return "kind" in begun ? begun : await this.#options.waits.untilJoinedSettled(run, begun);
  }

  /** Takes jobs as they come due. */
  work(concurrency: number): EngineWorker {
    const worker = this.#jobs.engine.work((id) => this.#runJob(id), { concurrency });
    this.#workers.add(worker);
    return {
      stop: async () => {
        this.#workers.delete(worker);
        await worker.stop();
      },
    };
  }

  /** Takes jobs as they come due, if this server may. */
  ensureWorker(): void {
    const { concurrency } = this.#options;
    if (concurrency > 0 && this.#workers.size === 0 && !this.#host.isClosed) this.work(concurrency);
  }

  /** Takes no more jobs; resolves when those under way have ended. */
  async stop(): Promise<void> {
    await Promise.all([...this.#workers].map((worker) => worker.stop()));
  }

  #promise(run: CallContext, lease: JobLease): PromiseOutcome {
    const { lastProgress: progress } = run;
    return {
      ...this.#options.promises.ofJob(lease.job),
      progress,
      estimatedMs: progress && lease.estimateEnd(progress),
    };
  }

  #write(run: CallContext, lease: LeaseOptions, id?: string): Promise<boolean> {
    return (run.written = this.#insertRunning(run, newJob(run, RUNNING, id), lease));
  }

  async #withConfig({ definition: plan, call }: CallContext, job: Job): Promise<Job> {
    const config = await this.#configs.encrypt(plan, call.config, job);
    return config === undefined ? job : { ...job, config };
  }

  /** Writes the job of a run that is under way, and binds the two. `false` if there is such a job already. */
  async #insertRunning(run: CallContext, plain: Job, options: LeaseOptions): Promise<boolean> {
    const job = run.call.config === undefined ? plain : await this.#withConfig(run, plain);
    // Should this process die before it holds the job, another runs it.
    if (!await this.#jobs.engine.insert(job, this.outlivesProcess ? RECOVERY_MS : undefined)) return false;
    const letGo = await this.#hold(job);
    const { settled } = run.runState;
    // It was faster than the engine: unless others have joined the job meanwhile, nobody needs it.
    if (settled !== undefined && await this.#jobs.forget(job)) {
      await letGo();
      return true;
    }
    const lease = new JobLease(this.#jobs, job, run, { ...options, letGo });
    if (settled === undefined) this.#bind(run, lease).catch(() => {});
    else await lease.conclude(this.#bounded(settled, run, job), () => {});
    return true;
  }

  /** Holds a job that was written just now; what cannot be held must not be run elsewhere, too. */
  async #hold(job: Job): Promise<() => MaybePromise<void>> {
    try {
      return await this.#jobs.engine.lease(job.id);
    } catch (thrown) {
      await this.#jobs.engine.remove(job.id);
      throw thrown;
    }
  }

  /** The job that took the id of this one: the same call, or another, which is refused. */
  async #findSame({ id, digest }: Job): Promise<Job | ErrorResult> {
    const begun = await this.#jobs.engine.get(id);
    if (begun === undefined) return joinedCallFailed();
    if (begun.digest === digest) return begun;
    return errorResult("conflict", "The idempotency key was used with another call; choose a new key for a new call");
  }

  /** Has how the run settles become the job's outcome. Resolves when that is written. */
  #bind(run: CallContext, lease: JobLease): Promise<void> {
    const concluded = Promise.withResolvers<void>();
    run.lease = lease;
    // Whoever has the answer of a keyed call must not get another one for a repeat: it is written first.
    run.runState.detach((settled) => {
      return new Promise((onTried) => {
        lease.conclude(this.#bounded(settled, run, lease.job), onTried).then(concluded.resolve, concluded.reject);
      });
    });
    return concluded.promise;
  }

  /** Runs a job that is due. Rejects if the engine fails; it then delivers the job again. */
  async #runJob(id: string): Promise<void> {
    const job = await this.#jobs.claim(id);
    if (job === undefined) return;
    const plan = this.#host.registry.resolve(job.tool);
    if (plan === undefined) {
      this.#host.logger?.warn("A job is due of a tool that this server does not have: left to others", {
        tool: job.tool,
        callId: id,
      });
      return await this.#jobs.handOver(job, LEFT_MS);
    }
    const unfit = refuseRun(job, plan);
    if (unfit !== undefined) return void await this.#jobs.finish(job, unfit);
    const config = await this.#configs.decrypt(job, this.#host.clock.now());
    if (config === "lost") return void await this.#jobs.finish(job, configLost(job));
    const { context, trace } = job;
    const meta = context === undefined && trace === undefined ? undefined : { context, trace };
    const call = { tool: job.tool, args: job.args, meta, config, peer: new JobPeer(job) };
    const run = new CallContext(plan, call, this.#host, undefined);
    run.resume(job.callId ?? job.id, job.memo);
    const concluded = this.#bind(
      run,
      new JobLease(this.#jobs, job, run, { isPromised: true, startedMs: this.#host.clock.now() }),
    );
    const running = Promise.resolve(this.#host.runJob(run));
    void run.runState.guard(running, this.#host, { totalMs: this.#attemptMs(run), idleMs: undefined });
    await concluded;
  }

  /** How long one attempt may take when nobody waits for it, in milliseconds. */
  #attemptMs(run: CallContext): number {
    return run.definition.promise?.jobTimeoutMs ?? this.#host.deadlineMs(run);
  }

  /** What is kept of how a run ended: JSON, and not too much of it. */
  #bounded(settled: CallResult, { definition: { part } }: CallContext, { tool, id }: Job): CallResult {
    const resultChars = Math.min(this.#options.resultChars, part?.resultChars ?? Number.POSITIVE_INFINITY);
    try {
      const { length } = JSON.stringify(settled);
      if (length <= resultChars) return settled;
      if (settled.kind === "error") return errorResult(settled.code, settled.message.slice(0, resultChars));
      return errorResult("result_too_large", `The result has ${length} characters; at most ${resultChars} are kept`);
    } catch (cause) {
      const error = new TypeError("The result cannot be written as JSON", { cause });
      return this.#host.settleThrown(error, { tool, callId: id });
    }
  }
}

function newJob(run: CallContext, state: Pick<Job, "state" | "epoch" | "attempt">, id: string = run.callId): Job {
  const { definition: plan, call, principal, services: host, trace } = run;
  const { context } = call.meta ?? {};
  const { ttlMs = KEYED_TTL_MS } = plan.promise ?? plan.external ?? {};
  return {
    ...state,
    id,
    ...(id !== run.callId && { callId: run.callId }),
    version: 1,
    tool: plan.name,
    ...(plan.revision !== undefined && { revision: plan.revision }),
    args: call.args as Json,
    digest: run.digest,
    ...(principal !== undefined && { principal }),
    ...(context !== undefined && { context }),
    ...(trace !== undefined && { trace }),
    expiresAtMs: host.clock.now() + ttlMs + CLOCK_SKEW_MS,
    maxAttempts: plan.promise === undefined ? KEYED_ATTEMPTS : plan.promise.retries + 1,
    memo: run.asking?.memo ?? EMPTY_MEMO,
  };
}

/** Why a job is not run (again); `undefined` if it is. */
function refuseRun(job: Job, plan: ToolDefinition): CallResult | undefined {
  if (job.attempt > job.maxAttempts) return attemptsExhausted(job);
  if (plan.revision === job.revision) return undefined;
  const message = `The tool ${job.tool} has changed since the work began; call it again`;
  return { kind: "failure", code: "revision_changed", message, data: undefined };
}

function configLost({ tool }: Job): CallResult {
  const message = `What the work of ${tool} was configured with can no longer be read; call it again`;
  return { kind: "failure", code: "config_lost", message, data: undefined };
}

/** Who calls when a job is run: nobody is there any more, but it is known who was. */
class JobPeer implements Peer {
  readonly wire = "job";
  readonly principal: Peer["principal"];
  readonly signal = undefined;
  readonly metadata: Peer["metadata"] = { get: () => null };
  readonly requestId = undefined;
  readonly client = {};

  constructor(job: Job) {
    this.principal = job.principal;
  }
}
