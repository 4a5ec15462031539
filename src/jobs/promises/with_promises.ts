/**
 * Promises, jobs and idempotency keys, as an engine brings them to a server.
 *
 * Most of it is the code of jobs, in job_service.ts, which is loaded when a server is created that has a tool with `.promise()`, or else
 * when it is first needed, so that other servers start without it. How it works: docs/how-it-works/promises.md.
 */
import type { Complete, Optional } from "../../internal/json.ts";
import type { Call, CallMeta, Peer } from "../../core/call/call.ts";
import { type CallResult, type ErrorResult, errorResult, type Sink, toToolError } from "../../core/call/outcome.ts";
import type { Engine, EngineWorker, JobFollower, WorkOptions } from "../../core/dispatch/engine.ts";
import type { Future } from "../../internal/future.ts";
import { checkOptions, wholeNumber } from "../../internal/options.ts";
import { Pending } from "../../core/handler/context.ts";
import { randomKeys } from "../../core/keys/key_ring.ts";
import { hasPromises, toolOfJob } from "../../core/dispatch/attached_tools.ts";
import type { PromiseOptions, ToolDefinition } from "../../core/tool/definition.ts";
import { type RedeemInput, SYSTEM_TOOLS } from "../../core/tool/system_tools.ts";
import { canPromise } from "../../core/tool/registry.ts";
import { settleOrMask, writeLine } from "../../core/dispatch/error_masking.ts";
import type { CallContext } from "../../core/dispatch/call_context.ts";
import type {
  Deferral,
  DeferralFactory,
  DeferralOptions,
  DispatchServices,
  JobControl,
  OpenWait,
  PromiseEngine,
  PromiseTokenClaims,
  ResolvedDeferralOptions,
  WaitResolution,
} from "../../core/dispatch/deferral.ts";
import { assertConfigHidden, assertLedger, assertNoWork, isOfOneProcess } from "./engine_checks.ts";
import { withErrorReporting } from "./engine_errors.ts";
import type { Resolution } from "../../core/handler/waits.ts";
import type { Notifier } from "../../core/dispatch/job_notifier.ts";
import type { Scheduler } from "../../core/dispatch/schedule_contract.ts";
import type { AwaitedJob, RunQuestions } from "../../core/dispatch/services.ts";
import { JobRunState } from "./job_run_state.ts";
import type { JobService } from "./job_service.ts";
import { CLOCK_SKEW_MS, PromiseTokens } from "./promise_tokens.ts";
import { MissingWorkerWarning } from "./missing_worker_warning.ts";
import { answerWithin, timesOf } from "./run_guard.ts";

/**
 * Adds the code of promises, jobs and idempotency keys to a custom engine; the engines of Toolwire have it.
 *
 * @param engine Stores and delivers jobs; gets one more member.
 * @returns The same engine, for the option `engine` of a server.
 */
export function withPromises<Own extends Engine>(engine: Own): Own & PromiseEngine {
  return Object.assign(engine, { "~deferral": DEFERRAL_FACTORY });
}

const DEFERRAL_FACTORY: DeferralFactory = {
  systemTools: systemToolsFor,
  create: (services, options) => new EngineDeferral(services, options),
  randomKeys,
};

/** Middleware may ask questions around the system tools, too, so they need the schema adapters of the tools. */
function systemToolsFor(definitions: readonly ToolDefinition[]): readonly ToolDefinition[] {
  const promising = definitions.find(canPromise);
  return promising ? SYSTEM_TOOLS.map((definition) => ({ ...definition, adapters: promising.adapters })) : [];
}

/** The code of jobs, once it has been loaded. */
let jobModule: JobModule | undefined;

/** The module with the code of jobs, which is loaded when a server first needs it. */
export type JobModule = typeof import("./job_service.ts");

/** Provides the code of jobs to all servers of this process, so that none has to load it. For tests: virtual time does not wait for that. */
export function provideJobModule(provided: JobModule): void {
  jobModule = provided;
}

/** Line of the log for a server that is served with `work: false`. */
const NO_WORKER =
  "This server runs no jobs (work: false): due jobs and schedules wait for a process that serves without it, or calls server.work()";

/** Number of jobs that run at once in a process. */
const DEFAULT_CONCURRENCY = 10;

/** Deferred work by an engine: runs that are promised, jobs, tokens, and the system tools `redeem` and `cancel`. */
class EngineDeferral implements Deferral {
  readonly #services: DispatchServices;
  readonly #options: ResolvedDeferralOptions;
  readonly #tokens: PromiseTokens;
  readonly #control: JobControl;
  readonly #warning: MissingWorkerWarning;
  #isResumed = false;
  unusable: ErrorResult | undefined = undefined;
  #service: JobService | undefined;

  constructor(services: DispatchServices, options: DeferralOptions) {
    const { engine, keys, work } = options;
    assertLedger(engine);
    const concurrency = work === false ? 0 : concurrencyOf(work);
    const reporting = withErrorReporting(engine, (error) => void services.mask(error, { engine: engine.name }));
    let owner: string | undefined;
    // Made late: some hosts have no randomness while modules load.
    const ownerOf = () => (owner ??= crypto.randomUUID());
    this.#services = services;
    this.#tokens = new PromiseTokens(services, keys);
    const notifier = this.#createNotifier(options, reporting);
    const scheduler = this.#createScheduler(options, reporting);
    this.#options = { ...options, reporting, concurrency, notifier, scheduler, ownerOf };
    void prepare(engine).catch((thrown) => {
      services.mask(thrown, { engine: engine.name });
      this.unusable = errorResult("unavailable", "The job engine cannot work: its server lacks what the engine needs");
    });
    this.#warning = new MissingWorkerWarning(services, () => this.#mayHaveWork && !this.#service?.runner.isWorking);
    if (!this.startsElsewhere && (scheduler !== undefined || !isOfOneProcess(engine))) this.#warning.start();
    this.#control = {
      engine: reporting,
      clock: services.clock,
      get owner() {
        return ownerOf();
      },
      cancel: (id) => this.#withJobs(({ jobs }) => jobs.cancel(id)),
      answer: (id, answers) => this.#withJobs(({ jobs }) => jobs.answer(id, answers)),
      resolveWait: (...args) => this.#withJobs(({ waitResolver }) => waitResolver.resolveKey(...args)),
      readLedger: (id) => this.#withJobs(({ jobs }) => jobs.readLedger(id)),
      toolOf: (name) => toolOfJob(services.registry, name),
    };
  }

  assertServable(definitions: readonly ToolDefinition[]): void {
    const { engine, keys } = this.#options;
    assertConfigHidden(definitions, engine, keys);
    if (engine.endsWithRequest) assertNoWork(definitions, engine);
    // The next attempt reports an error.
    if (definitions.some(({ promise }) => promise)) this.#load().catch(() => {});
  }

  createRunState(call: Call, sink: Sink | undefined): JobRunState {
    return new JobRunState(call, sink);
  }

  guard(
    run: CallContext,
    running: Future<CallResult>,
    promise: Complete<PromiseOptions>,
    deadlineMs: number,
  ): Future<CallResult> {
    const { promiseMs, budgetMs } = timesOf(promise, deadlineMs);
    const onTotal = () => this.#spendBudget(run, budgetMs, promiseMs, deadlineMs);
    return answerWithin(run, running, { totalMs: budgetMs, idleMs: undefined, onTotal }, this.#services);
  }

  get startsElsewhere(): boolean {
    return this.#options.engine.startsElsewhere === true;
  }

  get joinsContinuations(): boolean {
    // Where work ends with its request, no other request can wait for it.
    return this.#options.engine.endsWithRequest !== true;
  }

  startAsJob(run: CallContext, { idempotencyKey, isPromiseWanted }: CallMeta): Promise<CallResult> | undefined {
    const { promise } = run.definition;
    const isEnqueued = promise !== undefined && (isPromiseWanted === true || this.startsElsewhere);
    const isDurable = promise?.durable === "start" || (promise !== undefined && idempotencyKey !== undefined);
    if (!run.isKeyed && !isEnqueued && !isDurable) return undefined;
    return this.#withJobs(({ runner }) => {
      if (run.isKeyed) runner.bindKey(run, idempotencyKey);
      if (isEnqueued) return runner.enqueue(run, isPromiseWanted !== true);
      return isDurable ? runner.runDurable(run) : runner.runKeyed(run);
    });
  }

  join(run: CallContext, token: string): Promise<CallResult> {
    return this.#withJobs(({ redeemer }) => redeemer.join(run, token));
  }

  runSystemTool(run: CallContext, input: RedeemInput): Promise<CallResult> {
    return this.#withJobs(({ runner, redeemer }) => {
      runner.ensureWorker();
      return run.definition.name === "redeem" ? redeemer.redeem(run, input) : redeemer.cancel(run, input);
    });
  }

  promiseExternal(run: CallContext, value: unknown): CallResult | undefined {
    const { redeemed, definition: { external } } = run;
    if (redeemed === undefined) return external && this.#tokens.ofExternal(run, external.ttlMs, value);
    // The code of jobs is what redeems.
    return value instanceof Pending && run.questions?.requests === undefined
      ? jobModule!.renewPromise(redeemed, value, this.#services.clock.now())
      : undefined;
  }

  makeJob(run: CallContext): Promise<void> {
    return this.#withJobs(({ runner }) => runner.makeJob(run));
  }

  promiseOf(run: CallContext, waits: RunQuestions): CallResult {
    // A run waits only after it was made a job.
    return this.#service!.runner.promiseOf(run, waits);
  }

  awaitJob(run: CallContext, token: string, follower?: JobFollower): Promise<AwaitedJob> {
    return this.#withJobs(({ redeemer }) => redeemer.awaitJob(run, token, follower));
  }

  endJob(run: CallContext, token: string): Promise<CallResult> {
    return this.#withJobs(({ redeemer }) => redeemer.endJob(run, token));
  }

  get jobs(): JobControl {
    this.#ensureWorker();
    return this.#control;
  }

  resolve(token: string, resolution: WaitResolution): Promise<Resolution | ErrorResult> {
    return this.#atWait(({ waitResolver }) => waitResolver.resolve(token, resolution));
  }

  async settleWait(token: string, resolution: WaitResolution): Promise<Resolution> {
    const result = await this.resolve(token, resolution);
    if ("kind" in result) throw toToolError(result);
    return result;
  }

  readWait(token: string): Promise<OpenWait | Resolution | ErrorResult> {
    return this.#atWait(({ waitResolver }) => waitResolver.read(token));
  }

  async #atWait<Result>(work: (service: JobService) => Promise<Result>): Promise<Result | ErrorResult> {
    try {
      return await this.#withJobs((service) => {
        service.runner.ensureWorker();
        return work(service);
      });
    } catch (thrown) {
      const result = settleOrMask(this.#services, thrown, { during: "resolve" });
      return result.kind === "error" ? result : errorResult("internal", result.message);
    }
  }

  tokenOf({ lease, externalToken }: CallContext): string | undefined {
    return lease?.isPromised ? this.#service!.promises.ofJob(lease.job).token : externalToken;
  }

  readPromise(token: string, peer: Peer): PromiseTokenClaims | ErrorResult {
    const opened = this.#tokens.open(token, peer);
    if ("kind" in opened) return opened;
    const { definition: { name, promise, external, remote }, expiresAtMs } = opened;
    const { ttlMs = remote?.ttlMs(opened) ?? 0 } = promise ?? external ?? {};
    // The expiry in the token was rounded up to a second.
    return { tool: name, createdAtMs: expiresAtMs - 1_000 - ttlMs, ttlMs };
  }

  work(options: Optional<WorkOptions> | undefined): EngineWorker {
    const concurrency = concurrencyOf(options);
    // Throws: the error of a loaded runner would only be logged.
    if (this.startsElsewhere) return this.#options.engine.work(() => Promise.resolve(), { concurrency });
    const service = this.#loaded;
    if (service !== undefined) return service.runner.work(concurrency);
    let isStopped = false;
    // The server may have been closed while the code was loaded.
    const started = this.#load().then(({ runner }) =>
      isStopped || this.#services.isClosed ? undefined : runner.work(concurrency)
    );
    this.#report(started);
    return {
      stop: async () => {
        isStopped = true;
        await (await started)?.stop();
      },
    };
  }

  resume(): void {
    if (this.#isResumed || this.#services.isClosed) return;
    this.#isResumed = true;
    this.#warning.cancel();
    const { concurrency, scheduler } = this.#options;
    const mayWork = scheduler !== undefined || hasPromises(this.#services.registry);
    if (concurrency === 0 && !this.startsElsewhere && mayWork) {
      writeLine(this.#services.logger, "info", NO_WORKER, { engine: this.#options.engine.name });
    }
    if (this.#mayHaveWork) this.#ensureWorker();
  }

  async stop(): Promise<void> {
    this.#warning.cancel();
    await this.#service?.stop();
  }

  /** Whether there may be work before the first call: jobs of an earlier process, or schedules. */
  get #mayHaveWork(): boolean {
    const { engine, scheduler } = this.#options;
    return scheduler !== undefined || !isOfOneProcess(engine) && hasPromises(this.#services.registry);
  }

  /** The jobs, if their code has been loaded. */
  get #loaded(): JobService | undefined {
    return (this.#service ??= jobModule && new jobModule.JobService(this.#services, this.#options));
  }

  async #load(): Promise<JobService> {
    jobModule ??= await import("./job_service.ts");
    return this.#loaded!;
  }

  /** Uses the jobs: at once, unless their code has to be loaded. */
  #withJobs<Result>(use: (service: JobService) => Promise<Result>): Promise<Result> {
    const service = this.#loaded;
    return service === undefined ? this.#load().then(use) : use(service);
  }

  #ensureWorker(): void {
    const service = this.#loaded;
    if (service === undefined) this.#report(this.#load().then(({ runner }) => runner.ensureWorker()));
    else service.runner.ensureWorker();
  }

  /** Logs the error of a worker that starts after its code was loaded. */
  #report(starting: Promise<unknown>): void {
    starting.catch((thrown) => this.#services.mask(thrown, { engine: this.#options.engine.name }));
  }

  /** Promises the result of a run, once its handler has started. */
  #spendBudget(run: CallContext, budgetMs: number, promiseMs: number, deadlineMs: number): void {
    const { clock, isGraceOver } = this.#services;
    if (isGraceOver) return run.runState.end(this.#services.deadlineError());
    const startedMs = clock.now() - budgetMs;
    const promiseAtMs = clock.elapsed() + promiseMs - budgetMs;
    // The caller's deadline counts until the promise is sent.
    run.runState.limit(deadlineMs - budgetMs);
    // Only the middleware around the finished work is pending.
    if (run.runState.workResult !== undefined) return;
    run.whenHandlerStarts(() => {
      this.#withJobs(({ runner }) => runner.adopt(run, startedMs, promiseAtMs)).catch((thrown) => {
        if (this.unusable !== undefined) return run.runState.end(this.unusable);
        // Without a promise the run continues until its deadline.
        settleOrMask(this.#services, thrown, { tool: run.definition.name, callId: run.callId });
      });
    });
  }

  #createNotifier({ onComplete = [] }: DeferralOptions, reporting: Engine): Notifier | undefined {
    const { clock, logger, registry } = this.#services;
    return onComplete[0]?.["~notifier"](onComplete, {
      clock,
      logger,
      attach: (definition) => void registry.attached.set(definition.name, definition),
      // A job has ended, so the code is loaded.
      tokenOf: (job) => toolOfJob(registry, job.tool)?.promise && this.#service!.promises.ofJob(job).token,
      insert: (job) => reporting.insert(job, 0),
    });
  }

  /** @throws {TypeError} If a schedule names a tool that the server does not have, or its arguments do not fit. */
  #createScheduler({ schedules = [] }: DeferralOptions, reporting: Engine): Scheduler | undefined {
    const { clock, registry } = this.#services;
    return schedules[0]?.["~scheduler"](schedules, {
      clock,
      toolOf: (name) => toolOfJob(registry, name),
      skewMs: CLOCK_SKEW_MS,
      insert: (job, dueInMs) => reporting.insert(job, dueInMs),
      get: (id) => reporting.get(id),
      report: (thrown) => void settleOrMask(this.#services, thrown, { during: "schedules" }),
    });
  }
}

/** @throws {RangeError} If `concurrency` is not a positive whole number. */
function concurrencyOf(options: Optional<WorkOptions> = {}): number {
  checkOptions("run deferred work", options, { concurrency: wholeNumber(1) });
  return options.concurrency ?? DEFAULT_CONCURRENCY;
}

async function prepare(engine: Engine): Promise<void> {
  await engine.prepare?.();
}
