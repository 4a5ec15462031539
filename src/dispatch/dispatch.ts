/**
 * The one way in which a tool is run: look up, validate, run, validate, settle.
 *
 * Total: outcomes and refusals are values, nothing is thrown, no promise rejects. Nothing is awaited where the handler is
 * synchronous. Knows no bytes, headers or statuses.
 *
 * @module
 */
import type { Call } from "../call/call.ts";
import { type Refusal, refuse, refuseInput, type Settled, type Sink } from "../call/outcome.ts";
import type { Clock } from "../internal/clock.ts";
import { Deadlines } from "../internal/deadlines.ts";
import { isJsonObject } from "../internal/json.ts";
import { isPromiseLike, type MaybePromise } from "../internal/maybe_promise.ts";
import type { CompiledSchema } from "../schema/compile.ts";
import { formatIssues, formatPath, type InputIssue } from "../schema/issues.ts";
import type { SchemaResult } from "../schema/schema.ts";
import type { Logger, Middleware } from "../tool/context.ts";
import type { ToolRegistry } from "../tool/registry.ts";
import type { ToolPlan } from "../tool/tool.ts";
import type { DispatchHost } from "./host.ts";
import { maskThrown, settleThrown } from "./mask.ts";
import { joinPartials } from "../call/partials.ts";
import { Run } from "./run.ts";

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
}

const TOO_LATE: Refusal = refuse("deadline_exceeded", "The call took longer than its deadline");

/** Runs the calls of one server. */
export class Dispatcher implements Dispatch, DispatchHost {
  readonly logger: Logger | undefined;
  readonly deadlines: Deadlines;
  readonly #registry: ToolRegistry;
  readonly #middleware: readonly Middleware[];
  readonly #timeoutMs: number;
  readonly #clock: Clock;
  #running = 0;
  #closed: Refusal | undefined = undefined;
  #isAbandoned = false;
  #idle: PromiseWithResolvers<void> | undefined = undefined;

  constructor(options: DispatchOptions) {
    this.logger = options.logger;
    this.#clock = options.clock;
    this.deadlines = new Deadlines(options.clock);
    this.#registry = options.registry;
    this.#middleware = options.middleware;
    this.#timeoutMs = options.timeoutMs;
  }

  call(call: Call, sink?: Sink): MaybePromise<Settled> {
    if (this.#closed !== undefined) return this.#closed;
    const plan = this.#registry.get(call.tool);
    if (plan === undefined) return this.#registry.notFound(call.tool);
    if (!isJsonObject(call.args)) return refuseInput("Arguments must be an object", [], "object", call.args);
    const run = new Run(plan, call, this, sink);
    const middleware = plan.middleware.length + this.#middleware.length;
    const settled = middleware === 0 ? this.#validateAndRun(run) : this.#runMiddleware(run);
    return settled instanceof Promise ? this.#guard(run, settled) : run.settle(settled);
  }

  mask(thrown: unknown, fields: Readonly<Record<string, unknown>>): Refusal {
    return maskThrown(this.logger, thrown, fields);
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
    if (this.#running === 0) return;
    this.#idle ??= Promise.withResolvers();
    const cancel = this.#clock.after(graceMs, () => {
      this.#isAbandoned = true;
      this.deadlines.expireAll();
    });
    await this.#idle.promise;
    cancel();
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

  #guard(run: Run, running: Promise<Settled>): Promise<Settled> {
    const toolMs = run.plan.timeoutMs;
    const callerMs = run.call.meta?.deadlineMs;
    // Without a word of its tool a stream may last as long as something happens on it; anything else is limited in all.
    const isIdleLimited = toolMs === undefined && run.sink !== undefined;
    const totalMs = isIdleLimited
      ? callerMs
      : Math.min(toolMs ?? this.#timeoutMs, callerMs ?? Number.POSITIVE_INFINITY);
    return run.live.guard(running, this, { totalMs, idleMs: isIdleLimited ? this.#timeoutMs : undefined });
  }

  #runMiddleware(run: Run): MaybePromise<Settled> {
    const chain = [...this.#middleware, ...run.plan.middleware];
    const runFrom = (index: number): MaybePromise<Settled> => {
      const middleware = chain[index];
      if (middleware === undefined) return this.#validateAndRun(run);
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
    try {
      const returned = run.plan.handler(input, run);
      return isPromiseLike(returned) ? this.#awaitAnswer(run, returned) : this.#settleReturned(run, returned);
    } catch (thrown) {
      return this.#thrown(run, thrown);
    }
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
    const kept: unknown[] | undefined = run.sink === undefined ? [] : undefined;
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
        const room = kept === undefined ? live.push({ kind: "partial", value }) : void kept.push(value);
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
    return kept === undefined ? answer(run, undefined) : this.#answer(run, joinPartials(kept));
  }

  #answer(run: Run, value: unknown): MaybePromise<Settled> {
    const { output } = run.plan;
    if (output === undefined) return answer(run, value);
    const mismatch = this.#mismatch(run, output, value, "output");
    if (mismatch instanceof Promise) {
      return mismatch.then((refusal) => refusal ?? answer(run, value)).catch((thrown) => this.#thrown(run, thrown));
    }
    return mismatch ?? answer(run, value);
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
    const settled = settleThrown(thrown) ?? this.mask(thrown, { tool: run.plan.name });
    return settled.kind === "failure" && run.addedMeta !== undefined ? { ...settled, meta: run.addedMeta } : settled;
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
