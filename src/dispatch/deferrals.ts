/**
 * Deferred work: how a run becomes a job, and how a job is run.
 *
 * @module
 */
import type { Peer } from "../call/call.ts";
import { type PromiseOutcome, type Refusal, refuse, type Settled } from "../call/outcome.ts";
import type { EngineWorker, Job } from "../engine/engine.ts";
import type { Jobs } from "../engine/jobs.ts";
import type { Json } from "../internal/json.ts";
import { uuidOf } from "../token/digest.ts";
import type { ToolPlan } from "../tool/tool.ts";
import type { DispatchHost } from "./host.ts";
import { gaveUp, Lease, type LeaseOptions } from "./lease.ts";
import { CLOCK_SKEW_MS, type Promises } from "./promises.ts";
import { Run } from "./run.ts";
import { DEADLINE_SHARE, joinedBroke, type Waits } from "./waits.ts";

/** How long jobs are kept of tools that do not promise, in milliseconds, and how often they may be begun. */
const KEYED_TTL_MS = 3_600_000;
const KEYED_ATTEMPTS = 3;

/** When another process begins a job that nobody came to hold, in milliseconds. */
const RECOVERY_MS = 10_000;

/** When a job is due again whose tool another server has to have, in milliseconds. */
const LEFT_MS = 2_000;

/** What a job is whose run is under way when it is written. */
const RUNNING = { state: "running", epoch: 1, attempt: 1 } as const;

const EMPTY_MEMO: Job["memo"] = { answers: {}, steps: {} };

/** What {@link Deferrals} needs. */
export interface DeferralOptions {
  /** Where jobs are kept. */
  readonly jobs: Jobs;
  /** What callers are given. */
  readonly promises: Promises;
  /** Callers that wait. */
  readonly waits: Waits;
  /** Largest outcome that is kept, in UTF-16 code units of JSON. */
  readonly resultChars: number;
  /** How many jobs run at once here; 0 for none. */
  readonly concurrency: number;
}

/** The deferred work of one server. */
export class Deferrals {
  readonly #host: DispatchHost;
  readonly #options: DeferralOptions;
  readonly #jobs: Jobs;
  readonly #workers = new Set<EngineWorker>();

  constructor(host: DispatchHost, options: DeferralOptions) {
    this.#host = host;
    this.#options = options;
    this.#jobs = options.jobs;
  }

  /** Whether other processes know the jobs of this one. */
  get outlivesProcess(): boolean {
    return this.#jobs.engine.instance === undefined;
  }

  /** A run's budget is spent: it becomes a job, and its caller gets a promise; over a stream, first the news of it. */
  async adopt(run: Run, spentMs: number, deadlineMs: number): Promise<void> {
    const { live } = run;
    const { clock } = this.#host;
    const promiseAtMs = clock.elapsed() + DEADLINE_SHARE * deadlineMs - spentMs;
    // The caller's deadline holds until the job is written.
    live.limit(deadlineMs - spentMs);
    if (run.written === undefined) {
      // A keyed call that has not come to its tool has no job of its own yet.
      if (run.call.meta?.idempotencyKey !== undefined) return;
      this.#write(run, newJob(run, RUNNING), { isPromised: true, startedMs: clock.now() - spentMs });
    }
    const isWritten = await run.written;
    this.ensureWorker();
    const { lease } = run;
    if (live.isSettled) return;
    if (lease === undefined) return isWritten ? undefined : await this.#join(run);
    lease.isPromised = true;
    const release = () => {
      live.release(this.#promise(run, lease));
      live.limit(attemptMs(run.plan));
    };
    const leftMs = promiseAtMs - clock.elapsed();
    if (run.sink === undefined || leftMs <= 0) return release();
    void live.push({ kind: "deferred", promise: this.#promise(run, lease) });
    live.limit(leftMs, release);
  }

  /** Has a job begun somewhere, and promises its result at once; of a key that was used, what it began. */
  async enqueue(run: Run): Promise<Settled> {
    const job = newJob(run, { state: "queued", epoch: 0, attempt: 0 });
    this.ensureWorker();
    if (await this.#jobs.engine.insert(job, 0)) return this.#options.promises.ofJob(job);
    const begun = await this.#findSame(job);
    return "kind" in begun ? begun : this.#options.promises.ofJob(begun);
  }

  /** Names a call by its idempotency key: the same for each repeat. */
  name(run: Run, key: string): void {
    run.resume(uuidOf(run.principal?.id ?? "", key), run.asking?.memo ?? EMPTY_MEMO);
  }

  /** Runs a call that was named by its key as a job from its first moment; a repeat joins it. */
  async runKeyed(run: Run): Promise<Settled> {
    const job = newJob(run, RUNNING);
    this.ensureWorker();
    const isFirst = this.#write(run, job, { isPromised: false, startedMs: this.#host.clock.now() });
    if (await isFirst) return await this.#host.runTool(run);
    const begun = await this.#findSame(job);
    return "kind" in begun ? begun : await this.#options.waits.untilJoinedSettled(run, job.id);
  }

  /** Takes jobs as they come due. */
  work(concurrency: number): EngineWorker {
    const worker = this.#jobs.engine.work((id) => this.#runJob(id), { concurrency });
    this.#workers.add(worker);
    return worker;
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

  /** There is such a job already: of a key, whose promise is given elsewhere; or of a continuation that was sent again. */
  async #join(run: Run): Promise<void> {
    const begun = run.call.meta?.idempotencyKey === undefined ? await this.#jobs.engine.get(run.callId) : undefined;
    if (begun === undefined) return;
    run.live.release(this.#options.promises.ofJob(begun));
    run.live.end(refuse("cancelled", "The same call is under way already"));
  }

  #promise(run: Run, lease: Lease): PromiseOutcome {
    const { lastProgress: progress } = run;
    return {
      ...this.#options.promises.ofJob(lease.job),
      progress,
      estimatedMs: progress && lease.estimateEnd(progress),
    };
  }

  #write(run: Run, job: Job, lease: LeaseOptions): Promise<boolean> {
    return (run.written = this.#insertRunning(run, job, lease));
  }

  /** Writes the job of a run that is under way, and binds the two. `false` if there is such a job already. */
  async #insertRunning(run: Run, job: Job, lease: LeaseOptions): Promise<boolean> {
    const { engine } = this.#jobs;
    // Should this process die before it holds the job, another runs it.
    if (!await engine.insert(job, this.outlivesProcess ? RECOVERY_MS : undefined)) return false;
    try {
      const letGo = await engine.hold(job.id);
      if (!run.live.isSettled) {
        void this.#bind(run, new Lease(this.#jobs, job, run, { ...lease, letGo })).catch(() => {});
        return true;
      }
      await letGo();
    } catch (thrown) {
      await engine.remove(job.id);
      throw thrown;
    }
    // It was faster than the engine: nobody needs the job.
    await engine.remove(job.id);
    return true;
  }

  /** The job that took the id of this one: the same call, or another, which is refused. */
  async #findSame({ id, digest }: Job): Promise<Job | Refusal> {
    const begun = await this.#jobs.engine.get(id);
    if (begun === undefined) return joinedBroke();
    if (begun.digest === digest) return begun;
    return refuse("conflict", "The idempotency key was used with another call; choose a new key for a new call");
  }

  /** Has how the run settles become the job's outcome. Resolves when that is written. */
  #bind(run: Run, lease: Lease): Promise<void> {
    const settled = Promise.withResolvers<Settled>();
    run.lease = lease;
    run.live.detach(settled.resolve);
    return settled.promise.then((outcome) => lease.conclude(this.#bounded(outcome, lease.job)));
  }

  /** Runs a job that is due. Rejects if the engine fails; it then delivers the job again. */
  async #runJob(id: string): Promise<void> {
    const job = await this.#jobs.claim(id);
    if (job === undefined) return;
    const plan = this.#host.registry.get(job.tool);
    if (plan === undefined) {
      this.#host.logger?.warn("A job is due of a tool that this server does not have: left to others", {
        tool: job.tool,
        callId: id,
      });
      return await this.#jobs.handOver(job, LEFT_MS);
    }
    const unfit = refuseRun(job, plan);
    if (unfit !== undefined) return void await this.#jobs.finish(job, unfit);
    const call = { tool: job.tool, args: job.args, meta: undefined, peer: new JobPeer(job) };
    const run = new Run(plan, call, this.#host, undefined);
    run.resume(job.id, job.memo);
    const concluded = this.#bind(
      run,
      new Lease(this.#jobs, job, run, { isPromised: true, startedMs: this.#host.clock.now() }),
    );
    const running = Promise.resolve(this.#host.runTool(run));
    void run.live.guard(running, this.#host, { totalMs: attemptMs(plan), idleMs: undefined });
    await concluded;
  }

  /** What is kept of how a run ended: JSON, and not too much of it. */
  #bounded(settled: Settled, { tool, id }: Job): Settled {
    if (settled.kind !== "answer" && settled.kind !== "failure") return settled;
    const { resultChars } = this.#options;
    try {
      const { length } = JSON.stringify(settled);
      if (length <= resultChars) return settled;
      return refuse("result_too_large", `The result has ${length} characters; at most ${resultChars} are kept`);
    } catch (cause) {
      const error = new TypeError("The result cannot be written as JSON", { cause });
      return this.#host.settleThrown(error, { tool, callId: id });
    }
  }
}

/** How long one attempt may take when nobody waits for it, in milliseconds. */
function attemptMs({ promise }: ToolPlan): number {
  return promise?.jobTimeoutMs ?? KEYED_TTL_MS;
}

function newJob(run: Run, state: Pick<Job, "state" | "epoch" | "attempt">): Job {
  const { plan, call, principal, host } = run;
  const { ttlMs = KEYED_TTL_MS } = plan.promise ?? plan.external ?? {};
  return {
    ...state,
    id: run.callId,
    version: 1,
    tool: plan.name,
    ...(plan.revision !== undefined && { revision: plan.revision }),
    args: call.args as Json,
    digest: run.digest,
    ...(principal !== undefined && { principal }),
    expiresAtMs: host.clock.now() + ttlMs + CLOCK_SKEW_MS,
    maxAttempts: plan.promise === undefined ? KEYED_ATTEMPTS : plan.promise.retries + 1,
    memo: run.asking?.memo ?? EMPTY_MEMO,
  };
}

/** Why a job is not run (again); `undefined` if it is. */
function refuseRun(job: Job, plan: ToolPlan): Settled | undefined {
  if (job.attempt > job.maxAttempts) return gaveUp(job);
  if (plan.revision === job.revision) return undefined;
  const message = `The tool ${job.tool} has changed since the work began; call it again`;
  return { kind: "failure", code: "revision_changed", message, data: undefined };
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
