/** The code of promises, jobs and idempotency keys, as an engine brings it to a server. */
import type { Call, CallMeta, Peer } from "../../call/call.ts";
import { type CallResult, type ErrorResult, errorResult, type Sink, toToolError } from "../../call/outcome.ts";
import type { Engine, EngineWorker, WorkOptions } from "../../../engine/engine.ts";
import type { Future } from "../../../internal/future.ts";
import { checkOptions, wholeNumber } from "../../../internal/options.ts";
import { Pending } from "../../handler/context.ts";
import { randomKeys } from "../../keys/key_ring.ts";
import type { TokenKeys } from "../../token/token.ts";
import { hasPromises, toolOfJob } from "../attached_tools.ts";
import type { PromiseOptions, ToolDefinition } from "../../tool/definition.ts";
import { type RedeemInput, SYSTEM_TOOLS } from "../../tool/system_tools.ts";
import { canPromise } from "../../tool/registry.ts";
import type { CallContext } from "../call_context.ts";
import type {
  Deferral,
  DeferralOptions,
  DeferralSupport,
  DispatchServices,
  JobAccess,
  OpenWait,
  PromiseEngine,
  PromiseTerms,
  ResolveWord,
} from "../deferral.ts";
import { assertConfigHidden } from "./config_encryption.ts";
import { withErrorReporting } from "./engine_errors.ts";
import type { Resolution } from "../../handler/waits.ts";
import type { RunQuestions } from "../services.ts";
import { JobRunner } from "./job_runner.ts";
import { JobRunState } from "./job_run_state.ts";
import { Jobs } from "./jobs.ts";
import { JobWaiters } from "./job_waiters.ts";
import { PromiseTokens } from "./promise_tokens.ts";
import { ScheduledJobs } from "./scheduled_jobs.ts";
import { WaitResolver } from "./wait_resolver.ts";
import { promiseAgain, Redeemer } from "./redeem.ts";

/**
 * Adds the code of promises, jobs and idempotency keys to a custom engine; the engines of Toolwire have it.
 *
 * @param engine Stores and delivers jobs; gets one more member.
 * @returns The same engine, for the option `engine` of a server.
 */
export function withPromises<Own extends Engine>(engine: Own): Own & PromiseEngine {
  return Object.assign(engine, { "~deferral": SUPPORT });
}

const SUPPORT: DeferralSupport = {
  systemTools: systemToolsFor,
  create: (services, options) => new EngineDeferral(services, options),
  randomKeys,
};

/** Middleware may ask questions around the system tools, too, so they need the schema adapters of the tools. */
function systemToolsFor(definitions: readonly ToolDefinition[]): readonly ToolDefinition[] {
  const promising = definitions.find(canPromise);
  return promising ? SYSTEM_TOOLS.map((definition) => ({ ...definition, adapters: promising.adapters })) : [];
}

/** Number of jobs that run at once in a process. */
const DEFAULT_CONCURRENCY = 10;

class EngineDeferral implements Deferral {
  readonly #services: DispatchServices;
  readonly #engine: Engine;
  readonly #keys: TokenKeys;
  readonly #promises: PromiseTokens;
  readonly #waits: JobWaiters;
  readonly #runner: JobRunner;
  readonly #redeemer: Redeemer;
  readonly #waitResolver: WaitResolver;
  readonly #scheduled: ScheduledJobs;
  readonly #access: JobAccess;

  constructor(services: DispatchServices, options: DeferralOptions) {
    const { engine, keys, work } = options;
    const concurrency = work === false ? 0 : concurrencyOf(work);
    const reporting = withErrorReporting(engine, (error) => void services.mask(error, { engine: engine.name }));
    const jobs = new Jobs(reporting, services.clock);
    this.#services = services;
    this.#engine = engine;
    this.#keys = keys;
    const promises = this.#promises = new PromiseTokens(services, reporting, keys);
    const { onComplete = [] } = options;
    jobs.notifier = onComplete[0]?.["~notifier"](onComplete, {
      clock: services.clock,
      logger: services.logger,
      attach: (definition) => void services.registry.attached.set(definition.name, definition),
      tokenOf: (job) => toolOfJob(services.registry, job.tool)?.promise && promises.ofJob(job).token,
      insert: (job) => reporting.insert(job, 0),
    });
    const waits = this.#waits = new JobWaiters(services, jobs, promises);
    const scheduled = this.#scheduled = new ScheduledJobs(services, options, jobs);
    this.#runner = new JobRunner(services, { ...options, jobs, promises, waits, scheduled, concurrency });
    this.#redeemer = new Redeemer(services, jobs, promises, waits);
    this.#access = {
      engine: reporting,
      clock: services.clock,
      get owner() {
        return jobs.owner;
      },
      cancel: (id) => jobs.cancel(id),
      answer: (id, answers) => jobs.answer(id, answers),
      toolOf: (name) => toolOfJob(services.registry, name),
    };
    this.#waitResolver = new WaitResolver(services, jobs, options);
  }

  assertServable(definitions: readonly ToolDefinition[]): void {
    assertConfigHidden(definitions, this.#engine, this.#keys);
    if (this.#engine.endsWithRequest) assertNoWork(definitions, this.#engine);
  }

  createRunState(call: Call, sink: Sink | undefined): JobRunState {
    return new JobRunState(call, sink);
  }

  guard(
    run: CallContext,
    running: Future<CallResult>,
    promise: Required<PromiseOptions>,
    deadlineMs: number,
  ): Future<CallResult> {
    return this.#runner.guard(run, running, promise, deadlineMs);
  }

  get startsElsewhere(): boolean {
    return this.#engine.startsElsewhere === true;
  }

  start(run: CallContext, { idempotencyKey, isPromiseWanted }: CallMeta): Promise<CallResult> | undefined {
    const canPromise = run.definition.promise !== undefined;
    const isEnqueued = isPromiseWanted === true && canPromise;
    const waits = !isEnqueued && this.startsElsewhere && canPromise;
    if (idempotencyKey === undefined && !isEnqueued && !waits) return undefined;
    if (idempotencyKey !== undefined) this.#runner.bindKey(run, idempotencyKey);
    return isEnqueued || waits ? this.#runner.enqueue(run, waits) : this.#runner.runKeyed(run);
  }

  join(run: CallContext, token: string): Promise<CallResult> {
    return this.#redeemer.join(run, token);
  }

  runSystemTool(run: CallContext, input: RedeemInput): Promise<CallResult> {
    this.#runner.ensureWorker();
    return run.definition.name === "redeem" ? this.#redeemer.redeem(run, input) : this.#redeemer.cancel(run, input);
  }

  promiseExternal(run: CallContext, value: unknown): CallResult | undefined {
    const { redeemed, definition: { external } } = run;
    if (redeemed === undefined) return external && this.#promises.ofExternal(run, external.ttlMs, value);
    return value instanceof Pending && run.asking?.requests === undefined
      ? promiseAgain(redeemed, value, this.#services.clock.now())
      : undefined;
  }

  makeJob(run: CallContext): Promise<void> {
    return this.#runner.makeJob(run);
  }

  promiseOf(run: CallContext, waits: RunQuestions): CallResult {
    return this.#runner.promiseOf(run, waits);
  }

  get jobs(): JobAccess {
    this.#runner.ensureWorker();
    return this.#access;
  }

  resolve(token: string, word: ResolveWord): Promise<Resolution | ErrorResult> {
    return this.#atWait(() => this.#waitResolver.resolve(token, word));
  }

  async settleWait(token: string, word: ResolveWord): Promise<Resolution> {
    const result = await this.resolve(token, word);
    if ("kind" in result) throw toToolError(result);
    return result;
  }

  readWait(token: string): Promise<OpenWait | Resolution | ErrorResult> {
    return this.#atWait(() => this.#waitResolver.read(token));
  }

  async #atWait<Result>(work: () => Promise<Result>): Promise<Result | ErrorResult> {
    try {
      this.#runner.ensureWorker();
      return await work();
    } catch (thrown) {
      const result = this.#services.settleThrown(thrown, { during: "resolve" });
      return result.kind === "error" ? result : errorResult("internal", result.message);
    }
  }

  tokenOf({ lease, asksThrough }: CallContext): string | undefined {
    return lease?.isPromised ? this.#promises.ofJob(lease.job).token : asksThrough;
  }

  readPromise(token: string, peer: Peer): PromiseTerms | ErrorResult {
    const opened = this.#promises.open(token, peer.principal);
    if ("kind" in opened) return opened;
    const { definition: { name, promise, external, remote }, expiresAtMs } = opened;
    const { ttlMs = remote?.ttlMs(opened) ?? 0 } = promise ?? external ?? {};
    // The expiry in the token was rounded up to a second.
    return { tool: name, createdAtMs: expiresAtMs - 1_000 - ttlMs, ttlMs };
  }

  work(options: Partial<WorkOptions> | undefined): EngineWorker {
    return this.#runner.work(concurrencyOf(options));
  }

  resume(): void {
    const mayHaveJobs = hasPromises(this.#services.registry) && this.#runner.outlivesProcess;
    if (mayHaveJobs || this.#scheduled.isUsed) this.#runner.ensureWorker();
  }

  async stop(): Promise<void> {
    this.#waits.endAll();
    await this.#runner.stop();
  }
}

/** @throws {RangeError} If `concurrency` is not a positive whole number. */
function concurrencyOf(options: Partial<WorkOptions> = {}): number {
  checkOptions("run deferred work", options, { concurrency: wholeNumber(1) });
  return options.concurrency ?? DEFAULT_CONCURRENCY;
}

/** @throws {TypeError} If a tool has work that would end with the request that began it. */
function assertNoWork(definitions: readonly ToolDefinition[], { name }: Engine): void {
  const promising = definitions.find(({ promise }) => promise !== undefined);
  if (promising === undefined) return;
  throw new TypeError(
    `Cannot create server: the tool "${promising.name}" has .promise(), and here the work of the engine "${name}" ends with the ` +
      "request that began it. Use .external(), with the work done elsewhere, or a custom engine that outlives requests, by " +
      "withPromises(engine). To accept that work is lost: memoryEngine({ workEndsWithRequest: true })",
  );
}
