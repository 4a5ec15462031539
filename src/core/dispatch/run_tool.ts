/**
 * Runs one tool: validates what goes in, runs the handler, validates what comes out.
 *
 * Total: nothing is thrown, no promise rejects. Nothing is awaited where the handler is synchronous.
 *
 * @module
 */
import {
  type AnswerOutcome,
  type CallResult,
  type ErrorResult,
  errorResult,
  type FailureOutcome,
  joinPartials,
} from "../call/outcome.ts";
import { formatPath } from "../../internal/text.ts";
import { isPromiseLike, type MaybePromise } from "../../internal/async.ts";
import { estimateJsonSize } from "../../internal/json_size.ts";
import type { CompiledSchema } from "../schema/compile.ts";
import { formatIssues, type InputIssue } from "../schema/issues.ts";
import type { SchemaResult } from "../schema/standard_schema.ts";
import { Pending } from "../handler/context.ts";
import type { RedeemInput } from "../tool/system_tools.ts";
import type { ToolDefinition } from "../tool/definition.ts";
import { type Asking, askKind } from "./questions/asking.ts";
import { configure } from "./configure.ts";
import { encodeContinuation } from "./questions/continuation.ts";
import type { DispatchServices } from "./services.ts";
import { refuseOversize } from "./output_limits.ts";
import type { PromiseTokens } from "./promises/promise_tokens.ts";
import { promiseAgain } from "./promises/redeem.ts";
import type { CallContext } from "./call_context.ts";

/** How long a caller's answers are if they leave no room in a continuation, in UTF-16 code units of JSON. */
const MAX_ANSWERS = 12_000;

/** Runs a system tool. */
export type RunSystemTool = (run: CallContext, input: RedeemInput) => Promise<CallResult>;

/** Runs tools, without their middleware. */
export class ToolRunner {
  readonly #host: DispatchServices;
  readonly #promises: PromiseTokens;
  readonly #runSystem: RunSystemTool;

  constructor(host: DispatchServices, promises: PromiseTokens, runSystem: RunSystemTool) {
    this.#host = host;
    this.#promises = promises;
    this.#runSystem = runSystem;
  }

  /** Runs a tool. */
  run(run: CallContext): MaybePromise<CallResult> {
    const { config, isSystem } = run.definition;
    if ((config === undefined && run.call.config === undefined) || isSystem) return this.#runConfigured(run);
    try {
      const refused = configure(run);
      if (!(refused instanceof Promise)) return refused ?? this.#runConfigured(run);
      return refused.then((later) => later ?? this.#runConfigured(run)).catch((thrown) => this.thrown(run, thrown));
    } catch (thrown) {
      return this.thrown(run, thrown);
    }
  }

  #runConfigured(run: CallContext): MaybePromise<CallResult> {
    const { input, remote: relay } = run.definition;
    if (relay !== undefined) {
      return relay.call(run).then((later) => this.#settle(run, later)).catch((thrown) => this.thrown(run, thrown));
    }
    const { args } = run.call;
    if (input === undefined) return this.#runHandler(run, args);
    try {
      const { exact } = input;
      if (exact?.accepts(args)) return this.#runHandler(run, exact.copy(args));
      const checked = input.validate(args);
      if (!(checked instanceof Promise)) return this.#runChecked(run, checked);
      return checked.then((later) => this.#runChecked(run, later)).catch((thrown) => this.thrown(run, thrown));
    } catch (thrown) {
      return this.thrown(run, thrown);
    }
  }

  #runChecked(run: CallContext, checked: SchemaResult): MaybePromise<CallResult> {
    if (checked.issues === undefined) return this.#runHandler(run, checked.value);
    return invalidInput(formatIssues(checked.issues, run.call.args));
  }

  #runHandler(run: CallContext, input: unknown): MaybePromise<CallResult> {
    if (run.definition.isSystem) {
      return this.#runSystem(run, input as RedeemInput).catch((thrown) => this.thrown(run, thrown));
    }
    run.begin();
    try {
      const returned = run.definition.handler(input, run);
      return isPromiseLike(returned) ? this.#awaitAnswer(run, returned) : this.#settleReturned(run, returned);
    } catch (thrown) {
      return this.thrown(run, thrown);
    }
  }

  #awaitAnswer(run: CallContext, returned: PromiseLike<unknown>): Promise<CallResult> {
    const native = returned instanceof Promise ? returned : Promise.resolve(returned);
    return native.then((value) => this.#settleReturned(run, value)).catch((thrown) => this.thrown(run, thrown));
  }

  #settleReturned(run: CallContext, returned: unknown): MaybePromise<CallResult> {
    return isAsyncGenerator(returned) ? this.#drain(run, returned) : this.#answer(run, returned);
  }

  /** Streams what a generator yields, or keeps it when nobody listens: the pieces joined are then the answer. */
  async #drain(run: CallContext, pieces: AsyncGenerator<unknown, unknown, unknown>): Promise<CallResult> {
    const { live, definition: plan } = run;
    const stop = () => void stopGenerator(pieces).catch(() => {});
    const kept: unknown[] | undefined = run.sink === undefined || run.mayBeJob ? [] : undefined;
    let hasYielded = false;
    // Pieces that somebody joins count together, others each for itself.
    const areJoined = kept !== undefined || run.sink?.keepsPieces;
    const { answerLimits } = this.#host;
    let left = answerLimits.answerChars;
    live.onEnd = stop;
    try {
      while (live.ended === undefined) {
        const step = await pieces.next();
        if (step.done) return await this.#answerStream(run, step.value, hasYielded, kept);
        hasYielded = true;
        // JSON has no undefined.
        const value = step.value === undefined ? null : step.value;
        // Nothing is awaited that is not a promise: each await is a turn of the event loop, for each piece.
        left = estimateJsonSize(value, areJoined ? left : answerLimits.answerChars, answerLimits.depth);
        let mismatch = refuseOversize(left, answerLimits) ?? this.#mismatch(run, plan.partial, value, "partial");
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
      return this.thrown(run, thrown);
    }
  }

  /** A generator that returned nothing has said it all in its pieces: the answer is these, joined if anyone kept them. */
  #answerStream(
    run: CallContext,
    value: unknown,
    hasYielded: boolean,
    kept: unknown[] | undefined,
  ): MaybePromise<CallResult> {
    if (value !== undefined) return this.#answer(run, value);
    if (!hasYielded) return this.#answer(run, joinNothing(run.definition));
    // Over a stream that is still there the caller has the pieces.
    const isWhole = kept !== undefined && (run.sink === undefined || run.lease !== undefined);
    return isWhole ? this.#answer(run, joinPartials(kept)) : this.#settle(run, this.bounded(answer(run, undefined)));
  }

  #answer(run: CallContext, value: unknown): MaybePromise<CallResult> {
    // Whoever returns what ctx.fail() gives means to throw it; as an answer an error would be an object without its words.
    if (isError(value)) return this.thrown(run, value);
    const { output, external } = run.definition;
    if (external !== undefined) {
      if (run.redeemed === undefined) return this.#promises.ofExternal(run, external.ttlMs, value);
      if (value instanceof Pending) return promiseAgain(run.redeemed, value, this.#host.clock.now());
    }
    // What a handler says after it has asked counts for nothing.
    if (run.asking?.requests !== undefined) return this.#ask(run, run.asking);
    const settled = this.bounded(answer(run, value));
    if (settled.kind === "error" || output === undefined) return this.#settle(run, settled);
    const mismatch = this.#mismatch(run, output, value, "output");
    if (mismatch instanceof Promise) {
      return mismatch.then((refusal) => refusal ?? this.#settle(run, settled))
        .catch((thrown) => this.thrown(run, thrown));
    }
    return mismatch ?? this.#settle(run, settled);
  }

  /** What the caller is told beside the outcome itself: what it is asked instead, and the state that it keeps. */
  #settle(run: CallContext, settled: CallResult): CallResult {
    if (run.asking?.requests !== undefined) return this.#ask(run, run.asking);
    if (run.signedContext === undefined || settled.kind === "error") return settled;
    try {
      const context = run.signedContext.encode();
      return context === undefined ? settled : { ...settled, context } as CallResult;
    } catch (thrown) {
      return this.#host.mask(thrown, { tool: run.definition.name });
    }
  }

  #ask(run: CallContext, asking: Asking): CallResult {
    const { requests = {} } = asking;
    try {
      // What a promised job asks is answered by way of its promise.
      const continuation = run.lease?.isPromised
        ? this.#promises.ofJob(run.lease.job).token
        : encodeContinuation(this.#host.keys, run, asking);
      return { kind: askKind(requests), requests, continuation };
    } catch (thrown) {
      // Steps are the tool's own; answers are the caller's.
      if (JSON.stringify(asking.memo.answers).length > MAX_ANSWERS) {
        return errorResult("payload_too_large", "The answers are longer than a continuation can carry");
      }
      return this.#host.mask(thrown, {
        tool: run.definition.name,
        questions: Object.keys(requests),
        steps: Object.keys(asking.memo.steps),
      });
    }
  }

  /** What the tool itself does not keep of its promises is the server's fault: masked, with the path in the log. */
  #mismatch(
    run: CallContext,
    schema: CompiledSchema | undefined,
    value: unknown,
    what: "output" | "partial",
  ): MaybePromise<ErrorResult | undefined> {
    if (schema === undefined || schema.exact?.accepts(value)) return undefined;
    const checked = schema.validate(value);
    if (checked instanceof Promise) return checked.then((later) => this.#mismatchOf(run, later, value, what));
    return this.#mismatchOf(run, checked, value, what);
  }

  #mismatchOf(run: CallContext, checked: SchemaResult, value: unknown, what: string): ErrorResult | undefined {
    if (checked.issues === undefined) return undefined;
    const issues = formatIssues(checked.issues, value);
    const [first] = issues;
    const where = first === undefined ? "" : ` at "${formatPath(first.path)}": ${first.message}`;
    return this.#host.mask(new TypeError(`The ${what} does not fit the declared schema${where}`), {
      tool: run.definition.name,
      issues,
    });
  }

  /** How a run ends, if that may go out. */
  bounded(settled: CallResult): CallResult {
    const { value, message, data, meta } = settled as Partial<AnswerOutcome & FailureOutcome>;
    const { answerLimits } = this.#host;
    const { answerChars, depth } = answerLimits;
    // One in the other: a list costs each answer more.
    const left = estimateJsonSize(
      meta,
      estimateJsonSize(data, estimateJsonSize(message, estimateJsonSize(value, answerChars, depth), depth), depth),
      depth,
    );
    return refuseOversize(left, answerLimits) ?? settled;
  }

  /** How a run ends that threw. */
  thrown(run: CallContext, thrown: unknown): CallResult {
    if (run.asking?.requests !== undefined) return this.#ask(run, run.asking);
    // A handler that throws because its signal aborted has done as it was told.
    if (run.ended !== undefined) return run.ended;
    const settled = this.bounded(this.#host.settleRun(run, thrown));
    if (settled.kind !== "failure") return settled;
    return this.#settle(run, run.addedMeta === undefined ? settled : { ...settled, meta: run.addedMeta });
  }
}

function answer(run: CallContext, value: unknown): CallResult {
  const { addedMeta: meta, definition: plan } = run;
  return plan.render === undefined
    ? { kind: "answer", value, meta }
    : { kind: "answer", value, meta, renderedBy: plan.name };
}

/** The refusal of arguments that do not fit. */
export function invalidInput(issues: readonly InputIssue[]): ErrorResult {
  const [first] = issues;
  const where = first === undefined || first.path.length === 0 ? "" : ` at "${formatPath(first.path)}"`;
  return errorResult("invalid_input", `Invalid arguments${where}: ${first?.message}`, { issues });
}

/** A value may be a trap to whoever asks what it is. */
function isError(value: unknown): value is Error {
  try {
    return value instanceof Error;
  } catch {
    return false;
  }
}

/** No pieces, joined: what they would have been is known if it was declared. */
function joinNothing({ partial }: ToolDefinition): unknown {
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
