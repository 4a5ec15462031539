/**
 * The one way in which a tool is run: look up, validate, run, validate, settle.
 *
 * Total: outcomes and refusals are values, nothing is thrown, no promise rejects. Nothing is awaited where the handler is
 * synchronous. Knows no bytes, headers or statuses.
 *
 * @module
 */
import type { Call, CallMeta } from "../call/call.ts";
import {
  type FailureOutcome,
  type Refusal,
  refuse,
  refuseInput,
  type Settled,
  type Sink,
} from "../call/outcome.ts";
import type { Engine, EngineWorker } from "../engine/engine.ts";
import { Jobs } from "../engine/jobs.ts";
import type { Clock } from "../internal/clock.ts";
import { Deadlines } from "../internal/deadlines.ts";
import { isJsonObject } from "../internal/json.ts";
import { isPromiseLike, type MaybePromise } from "../internal/maybe_promise.ts";
import type { CompiledSchema } from "../schema/compile.ts";
import { formatIssues, formatPath, type InputIssue } from "../schema/issues.ts";
import type { SchemaResult } from "../schema/schema.ts";
import { joinPartials } from "../call/partials.ts";
import type { TokenKeys } from "../token/token.ts";
import type { Logger, Middleware } from "../tool/context.ts";
import { Pending } from "../tool/pending.ts";
import type { ToolRegistry } from "../tool/registry.ts";
import type { RedeemInput } from "../tool/system_tools.ts";
import type { ToolPlan } from "../tool/tool.ts";
import { type Asking, askKind } from "./asking.ts";
import { decodeContinuation, encodeContinuation } from "./continuation.ts";
import { Deferrals } from "./deferrals.ts";
import type { DispatchHost } from "./host.ts";
import { maskThrown, settleThrown } from "./mask.ts";
import { Promises } from "./promises.ts";
import { promiseAgain, Redeemer } from "./redeem.ts";
import { Run } from "./run.ts";
import { DEADLINE_SHARE, Waits } from "./waits.ts";

/** Runs calls. */
export interface Dispatch {
  /** Runs one call; events go into the sink, if there is one. Never throws, never rejects. */
  call(call: Call, sink?: Sink): MaybePromise<Settled>;
  /** Masks what broke outside of a tool, such as a result that cannot be encoded: the log has it, the caller an id. */
  mask(thrown: unknown, fields: Readonly<Record<string, unknown>>): Refusal;
}

/** What a dispatcher needs. */
export interface DispatchOptions {
  /** The tools. */
  readonly registry: ToolRegistry;
  /** Around every call; the first is the outermost. */
  readonly middleware: readonly Middleware[];
  /** How long a call may take when its tool says nothing, in milliseconds. */
  readonly timeoutMs: number;
  /** Where masked errors go. */
  readonly logger: Logger | undefined;
  /** Where time comes from. */
  readonly clock: Clock;
  /** What tokens are signed with. */
  readonly keys: TokenKeys;
  /** What runs deferred work. */
  readonly engine: Engine;
  /** How many jobs run at once in this process; 0 for none. */
  readonly concurrency: number;
  /** Largest outcome of a job, in UTF-16 code units of JSON. */
  readonly resultChars: number;
}

const TOO_LATE: Refusal = refuse("deadline_exceeded", "The call took longer than its deadline");

/** Runs the calls of one server. */
export class Dispatcher implements Dispatch, DispatchHost {
  readonly registry: ToolRegistry;
  readonly logger: Logger | undefined;
  readonly deadlines: Deadlines;
  readonly clock: Clock;
  readonly keys: TokenKeys;
  readonly #middleware: readonly Middleware[];
  readonly #timeoutMs: number;
  readonly #promises: Promises;
  readonly #waits: Waits;
  readonly #deferrals: Deferrals;
  readonly #redeemer: Redeemer;
  #running = 0;
  #closed: Refusal | undefined = undefined;
  #isAbandoned = false;
  #idle: PromiseWithResolvers<void> | undefined = undefined;

  constructor(options: DispatchOptions) {
    const { engine, concurrency, resultChars } = options;
    this.registry = options.registry;
    this.logger = options.logger;
    this.clock = options.clock;
    this.keys = options.keys;
    this.deadlines = new Deadlines(options.clock);
    this.#middleware = options.middleware;
    this.#timeoutMs = options.timeoutMs;
    const jobs = new Jobs(engine);
    const promises = this.#promises = new Promises(this, engine);
    const waits = this.#waits = new Waits(this, jobs, promises);
    this.#deferrals = new Deferrals(this, { jobs, promises, waits, concurrency, resultChars });
    this.#redeemer = new Redeemer(this, jobs, promises, waits);
  }

  call(call: Call, sink?: Sink): MaybePromise<Settled> {
    if (this.#closed !== undefined) return this.#closed;
    const plan = this.registry.get(call.tool);
    if (plan === undefined) return this.registry.notFound(call.tool);
    if (!isJsonObject(call.args)) return refuseInput("Arguments must be an object", [], "object", call.args);
    const run = new Run(plan, call, this, sink);
    const settled = this.#middleware.length === 0
      ? this.#begin(run)
      : this.#runChain(run, this.#middleware, () => this.#begin(run));
    return settled instanceof Promise ? this.#guard(run, settled) : run.settle(settled);
  }

  mask(thrown: unknown, fields: Readonly<Record<string, unknown>>): Refusal {
    return maskThrown(this.logger, thrown, fields);
  }

  settleThrown(thrown: unknown, fields: Readonly<Record<string, unknown>>): FailureOutcome | Refusal {
    return settleThrown(thrown) ?? this.mask(thrown, fields);
  }

  deadlineMs(run: Run): number {
    return Math.min(run.plan.timeoutMs ?? this.#timeoutMs, run.call.meta?.deadlineMs ?? Number.POSITIVE_INFINITY);
  }

  runTool(run: Run): MaybePromise<Settled> {
    const { middleware } = run.plan;
    if (middleware.length === 0) return this.#validateAndRun(run);
    return this.#runChain(run, middleware, () => this.#validateAndRun(run));
  }

  /** Takes jobs as they come due. */
  work(concurrency: number): EngineWorker {
    return this.#deferrals.work(concurrency);
  }

  /** Whether it takes no more calls. */
  get isClosed(): boolean {
    return this.#closed !== undefined;
  }

  /** Takes no more calls, waits until those under way have ended, and ends what is left after `graceMs`. */
  async close(graceMs: number): Promise<void> {
    this.#closed ??= refuse("unavailable", "The server is shutting down; try again, another replica may answer", {
      retry_after_ms: 1_000,
    });
    this.#waits.endAll();
    const stopped = this.#deferrals.stop();
    if (this.#running > 0) await this.#drainRuns(graceMs);
    await stopped;
  }

  enter(): void {
    this.#running++;
  }

  leave(): void {
    if (--this.#running === 0) this.#idle?.resolve();
  }

  overdue(): Refusal {
    return this.#isAbandoned && this.#closed !== undefined ? this.#closed : TOO_LATE;
  }

  async #drainRuns(graceMs: number): Promise<void> {
    this.#idle ??= Promise.withResolvers();
    const cancel = this.clock.after(graceMs, () => {
      this.#isAbandoned = true;
      this.deadlines.expireAll();
    });
    await this.#idle.promise;
    cancel();
  }

  #guard(run: Run, running: Promise<Settled>): Promise<Settled> {
    const { promise, timeoutMs } = run.plan;
    const deadlineMs = this.deadlineMs(run);
    if (promise !== undefined) {
      const budgetMs = Math.min(promise.budgetMs, DEADLINE_SHARE * deadlineMs);
      const onTotal = () => void this.#deferrals.adopt(run, budgetMs, deadlineMs);
      return run.live.guard(running, this, { totalMs: budgetMs, idleMs: undefined, onTotal });
    }
    // Without a word of its tool a stream may last as long as something happens on it; anything else is limited in all.
    const isIdleLimited = timeoutMs === undefined && run.sink !== undefined && !run.plan.isSystem;
    const totalMs = isIdleLimited ? run.call.meta?.deadlineMs : deadlineMs;
    return run.live.guard(running, this, { totalMs, idleMs: isIdleLimited ? this.#timeoutMs : undefined });
  }

  /** Runs the tool; or, if the caller said more than its arguments, what that means. */
  #begin(run: Run): MaybePromise<Settled> {
    const { meta } = run.call;
    if (meta === undefined) return this.runTool(run);
    try {
      const begun = this.#beginWith(run, meta);
      return begun instanceof Promise ? begun.catch((thrown) => this.#thrown(run, thrown)) : begun;
    } catch (thrown) {
      return this.#thrown(run, thrown);
    }
  }

  #beginWith(run: Run, meta: CallMeta): MaybePromise<Settled> {
    const { continuation, idempotencyKey, isPromiseWanted } = meta;
    const { plan } = run;
    // What is asked of them is said in their arguments.
    if (plan.isSystem) return this.runTool(run);
    if (isPromiseWanted && plan.promise === undefined && plan.external === undefined) {
      return refuse("invalid_request", `The tool ${plan.name} gives no promises: call it without _meta.promise`);
    }
    if (continuation?.startsWith("prom_")) return this.#redeemer.join(run, continuation);
    if (continuation !== undefined) {
      const continued = decodeContinuation(this.keys, run, continuation);
      if ("kind" in continued) return continued;
      run.resume(continued.callId, continued.memo);
      run.live.skippedPieces = run.sink === undefined ? 0 : continued.deliveredPieces;
    }
    if (idempotencyKey !== undefined) this.#deferrals.name(run, idempotencyKey);
    if (isPromiseWanted && plan.promise !== undefined) return this.#enqueue(run);
    return idempotencyKey === undefined ? this.runTool(run) : this.#deferrals.runKeyed(run);
  }

  /** Arguments are checked before their job is promised. */
  async #enqueue(run: Run): Promise<Settled> {
    const checked = await run.plan.input?.validate(run.call.args);
    if (checked?.issues !== undefined) return invalidInput(formatIssues(checked.issues, run.call.args));
    return await this.#deferrals.enqueue(run);
  }

  #runChain(run: Run, chain: readonly Middleware[], last: () => MaybePromise<Settled>): MaybePromise<Settled> {
    const runFrom = (index: number): MaybePromise<Settled> => {
      const middleware = chain[index];
      if (middleware === undefined) return last();
      try {
        const settled = middleware(run, () => runFrom(index + 1));
        if (!(settled instanceof Promise)) return assertSettled(settled);
        return settled.then(assertSettled).catch((thrown) => this.#thrown(run, thrown));
      } catch (thrown) {
        return this.#thrown(run, thrown);
      }
    };
    return runFrom(0);
  }

  #validateAndRun(run: Run): MaybePromise<Settled> {
    const { input } = run.plan;
    if (input === undefined) return this.#runHandler(run, run.call.args);
    try {
      const checked = input.validate(run.call.args);
      if (!(checked instanceof Promise)) return this.#runChecked(run, checked);
      return checked.then((later) => this.#runChecked(run, later)).catch((thrown) => this.#thrown(run, thrown));
    } catch (thrown) {
      return this.#thrown(run, thrown);
    }
  }

  #runChecked(run: Run, checked: SchemaResult): MaybePromise<Settled> {
    if (checked.issues === undefined) return this.#runHandler(run, checked.value);
    return invalidInput(formatIssues(checked.issues, run.call.args));
  }

  #runHandler(run: Run, input: unknown): MaybePromise<Settled> {
    if (run.plan.isSystem) return this.#runSystem(run, input as RedeemInput);
    try {
      const returned = run.plan.handler(input, run);
      return isPromiseLike(returned) ? this.#awaitAnswer(run, returned) : this.#settleReturned(run, returned);
    } catch (thrown) {
      return this.#thrown(run, thrown);
    }
  }

  #runSystem(run: Run, input: RedeemInput): Promise<Settled> {
    this.#deferrals.ensureWorker();
    const settled = run.plan.name === "redeem" ? this.#redeemer.redeem(run, input) : this.#redeemer.cancel(run, input);
    return settled.catch((thrown) => this.#thrown(run, thrown));
  }

  #awaitAnswer(run: Run, returned: PromiseLike<unknown>): Promise<Settled> {
    const native = returned instanceof Promise ? returned : Promise.resolve(returned);
    return native.then((value) => this.#settleReturned(run, value)).catch((thrown) => this.#thrown(run, thrown));
  }

  #settleReturned(run: Run, returned: unknown): MaybePromise<Settled> {
    return isAsyncGenerator(returned) ? this.#drain(run, returned) : this.#answer(run, returned);
  }

  /** Streams what a generator yields, or keeps it when nobody listens: the pieces joined are then the answer. */
  async #drain(run: Run, pieces: AsyncGenerator<unknown, unknown, unknown>): Promise<Settled> {
    const { live, plan } = run;
    const stop = () => void stopGenerator(pieces).catch(() => {});
    const kept: unknown[] | undefined = run.sink === undefined || run.mayBeJob ? [] : undefined;
    let hasYielded = false;
    live.onEnd = stop;
    try {
      while (live.ended === undefined) {
        const step = await pieces.next();
        if (step.done) return await this.#answerStream(run, step.value, hasYielded, kept);
        hasYielded = true;
        // JSON has no undefined.
        const value = step.value === undefined ? null : step.value;
        // Nothing is awaited that is not a promise: each await is a turn of the event loop, for each piece.
        let mismatch = this.#mismatch(run, plan.partial, value, "partial");
        if (mismatch instanceof Promise) mismatch = await mismatch;
        if (mismatch !== undefined) {
          stop();
          return mismatch;
        }
        kept?.push(value);
        const room = live.push({ kind: "partial", value });
        if (room !== undefined) await room;
      }
      return live.ended;
    } catch (thrown) {
      stop();
      return this.#thrown(run, thrown);
    }
  }

  /** A generator that returned nothing has said it all in its pieces: the answer is these, joined if anyone kept them. */
  #answerStream(run: Run, value: unknown, hasYielded: boolean, kept: unknown[] | undefined): MaybePromise<Settled> {
    if (value !== undefined) return this.#answer(run, value);
    if (!hasYielded) return this.#answer(run, joinNothing(run.plan));
    // Over a stream that is still there the caller has the pieces.
    const isWhole = kept !== undefined && (run.sink === undefined || run.lease !== undefined);
    return isWhole ? this.#answer(run, joinPartials(kept)) : this.#settle(run, answer(run, undefined));
  }

  #answer(run: Run, value: unknown): MaybePromise<Settled> {
    const { output, external } = run.plan;
    if (external !== undefined) {
      if (run.redeemed === undefined) return this.#promises.ofExternal(run, external.ttlMs, value);
      if (value instanceof Pending) return promiseAgain(run.redeemed, value, this.clock.now());
    }
    if (output === undefined) return this.#settle(run, answer(run, value));
    // What a handler says after it has asked counts for nothing.
    if (run.asking?.requests !== undefined) return this.#ask(run, run.asking);
    const mismatch = this.#mismatch(run, output, value, "output");
    if (mismatch instanceof Promise) {
      return mismatch.then((refusal) => refusal ?? this.#settle(run, answer(run, value)))
        .catch((thrown) => this.#thrown(run, thrown));
    }
    return mismatch ?? this.#settle(run, answer(run, value));
  }

  /** What the caller is told beside the outcome itself: what it is asked instead, and the state that it keeps. */
  #settle(run: Run, settled: Settled): Settled {
    if (run.asking?.requests !== undefined) return this.#ask(run, run.asking);
    if (run.signedContext === undefined || settled.kind === "error") return settled;
    try {
      const context = run.signedContext.encode(this.keys, this.clock.now());
      return context === undefined ? settled : { ...settled, context } as Settled;
    } catch (thrown) {
      return this.mask(thrown, { tool: run.plan.name });
    }
  }

  #ask(run: Run, asking: Asking): Settled {
    const { requests = {} } = asking;
    try {
      // Whoever asks for a job is answered by way of its promise.
      const continuation = run.lease === undefined
        ? encodeContinuation(this.keys, run, asking)
        : this.#promises.ofJob(run.lease.job).token;
      return { kind: askKind(requests), requests, continuation };
    } catch (thrown) {
      return this.mask(thrown, { tool: run.plan.name, questions: Object.keys(requests), steps: Object.keys(asking.memo.steps) });
    }
  }

  /** What the tool itself does not keep of its promises is the server's fault: masked, with the path in the log. */
  #mismatch(
    run: Run,
    schema: CompiledSchema | undefined,
    value: unknown,
    what: "output" | "partial",
  ): MaybePromise<Refusal | undefined> {
    const checked = schema?.validate(value);
    if (checked instanceof Promise) return checked.then((later) => this.#mismatchOf(run, later, value, what));
    return checked === undefined ? undefined : this.#mismatchOf(run, checked, value, what);
  }

  #mismatchOf(run: Run, checked: SchemaResult, value: unknown, what: string): Refusal | undefined {
    if (checked.issues === undefined) return undefined;
    const issues = formatIssues(checked.issues, value);
    const [first] = issues;
    const where = first === undefined ? "" : ` at "${formatPath(first.path)}": ${first.message}`;
    return this.mask(new TypeError(`The ${what} does not fit the declared schema${where}`), {
      tool: run.plan.name,
      issues,
    });
  }

  #thrown(run: Run, thrown: unknown): Settled {
    if (run.asking?.requests !== undefined) return this.#ask(run, run.asking);
    const settled = this.settleThrown(thrown, { tool: run.plan.name });
    if (settled.kind !== "failure") return settled;
    return this.#settle(run, run.addedMeta === undefined ? settled : { ...settled, meta: run.addedMeta });
  }
}

function assertSettled(settled: Settled | undefined): Settled {
  if (typeof settled?.kind === "string") return settled;
  throw new TypeError("Middleware must return how the call ended: end it with `return next()`");
}

function answer(run: Run, value: unknown): Settled {
  return { kind: "answer", value, meta: run.addedMeta };
}

function invalidInput(issues: readonly InputIssue[]): Refusal {
  const [first] = issues;
  const where = first === undefined || first.path.length === 0 ? "" : ` at "${formatPath(first.path)}"`;
  return refuse("invalid_input", `Invalid arguments${where}: ${first?.message}`, { issues });
}

/** No pieces, joined: what they would have been is known if it was declared. */
function joinNothing({ partial }: ToolPlan): unknown {
  if (partial === undefined) return undefined;
  return partial.jsonSchema["type"] === "string" ? "" : [];
}

async function stopGenerator(pieces: AsyncGenerator<unknown, unknown, unknown>): Promise<void> {
  await pieces.return(undefined);
}

function isAsyncGenerator(value: unknown): value is AsyncGenerator<unknown, unknown, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const { next, return: stop } = value as Partial<AsyncGenerator>;
  return Symbol.asyncIterator in value && typeof next === "function" && typeof stop === "function";
}
