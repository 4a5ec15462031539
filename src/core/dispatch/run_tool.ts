/**
 * Runs one tool: validates the arguments, runs the handler, validates the output.
 *
 * Never throws and never rejects. Awaits nothing if the handler is synchronous.
 */
import { type AnswerOutcome, type CallResult, type ErrorResult, errorResult } from "../call/outcome.ts";
import { joinPartials } from "../call/outcome.ts";
import { formatPath } from "../../internal/text.ts";
import { isPromiseLike, stopGenerator } from "../../internal/async.ts";
import { chain, Future, settleInto } from "../../internal/future.ts";
import { estimateJsonSize } from "../../internal/json_size.ts";
import { LoopTurns } from "../../internal/turns.ts";
import type { CompiledSchema } from "../schema/compile.ts";
import { formatIssues, type InputIssue } from "../schema/issues.ts";
import type { SchemaResult } from "../schema/standard_schema.ts";
import { omitUndeclared } from "../schema/undeclared_members.ts";
import type { RedeemInput } from "../tool/system_tools.ts";
import type { ToolDefinition } from "../tool/definition.ts";
import type { CallContext } from "./call_context.ts";
import type { configure as Configure } from "./run_config.ts";
import type { DispatchServices } from "./deferral.ts";
import { writeLine } from "./error_masking.ts";
import { adviceOn, logErrorResult } from "./mcp_sdk_results.ts";
import { FutureResult } from "./pending_runs.ts";
import { RUN_STOPPED } from "./run_state.ts";
import type { Sendable } from "./convert_value.ts";
import { toSendable, withinLimits } from "./sendable.ts";
import { outputLimitError } from "./services.ts";

/** The error `invalid_request` for calls with an idempotency key, on a server without an engine, which cannot store their results. */
export const NO_ENGINE: ErrorResult = errorResult(
  "invalid_request",
  "The server has no engine: call without _meta.idempotency_key",
);

/** Validates config and arguments, calls the handler, and validates its output, without middleware. What is thrown becomes the result. */
export class ToolRunner {
  readonly #services: DispatchServices;

  constructor(services: DispatchServices) {
    this.#services = services;
  }

  /** Runs the tool of `run` as far as its result: invalid config or arguments give an error result, and the handler is not called. */
  run(run: CallContext): CallResult | Future<CallResult> {
    const { configure = run.request.config?.configure, isSystem } = run.definition;
    if (configure === undefined || isSystem) return this.#runConfigured(run);
    try {
      const error = (configure as typeof Configure)(run);
      if (!(error instanceof Promise)) return error ?? this.#runConfigured(run);
      return this.#await(run, error, this.#afterConfigure);
    } catch (thrown) {
      return this.thrown(run, thrown);
    }
  }

  /** A future with the result of a promise. If the promise rejects, its reason is converted by {@link ToolRunner.thrown}. */
  settle(run: CallContext, running: PromiseLike<CallResult>): Future<CallResult> {
    return this.#await(run, running, keepResult);
  }

  /**
   * The result of `step`, which gets the value of a promise. What either throws becomes the result. A step is a method, so that no
   * function is created for it.
   */
  #await<Value>(
    run: CallContext,
    promise: PromiseLike<Value>,
    step: (this: ToolRunner, run: CallContext, value: Value) => CallResult | Future<CallResult>,
  ): Future<CallResult> {
    const result = new FutureResult(run);
    promise.then(
      (value) => this.#receive(result, step, value),
      (thrown) => this.#receiveThrown(result, thrown),
    );
    return result;
  }

  #receive<Value>(
    result: FutureResult,
    step: (this: ToolRunner, run: CallContext, value: Value) => CallResult | Future<CallResult>,
    value: Value,
  ): void {
    const { run } = result;
    if (result.hasArrived) return this.#dropLate(run);
    const unsettled = run.questions?.unsettled;
    if (unsettled !== undefined) return void unsettled.then(() => this.#receive(result, step, value));
    try {
      const stepped = step.call(this, run, value);
      if (stepped instanceof Future) stepped.into(result);
      else result.receive(stepped);
    } catch (thrown) {
      settleInto(this.thrown(run, thrown), result);
    }
  }

  /** Logs what a handler has done after its run stopped: it happens again in the next run. */
  #dropLate({ questions, definition: { name: tool }, callId }: CallContext): void {
    if (questions?.isLeft !== true) return;
    const message =
      "The handler ended after its run had stopped at an open question or wait, so its result was dropped and it " +
      "runs again. Put what takes time, such as what follows Promise.race, into ctx.step";
    writeLine(this.#services.logger, "warn", message, { tool, callId });
  }

  #receiveThrown(result: FutureResult, thrown: unknown): void {
    if (result.hasArrived) return this.#dropLate(result.run);
    const receive = () => settleInto(this.thrown(result.run, thrown), result);
    void (result.run.questions?.unsettled?.then(receive) ?? receive());
  }

  #afterConfigure(run: CallContext, error: ErrorResult | undefined): CallResult | Future<CallResult> {
    return error ?? this.#runConfigured(run);
  }

  #runConfigured(run: CallContext): CallResult | Future<CallResult> {
    const { input, remote } = run.definition;
    if (remote !== undefined) {
      return this.#await(run, remote.call(run), this.#finish);
    }
    const { args } = run.request;
    if (input === undefined) return this.#runHandler(run, args);
    try {
      const { exact } = input;
      if (exact?.accepts(args)) return this.#runHandler(run, exact.copy(args));
      const checked = input.validate(args);
      if (!(checked instanceof Promise)) return this.#runChecked(run, checked);
      return this.#await(run, checked, this.#runChecked);
    } catch (thrown) {
      return this.thrown(run, thrown);
    }
  }

  #runChecked(run: CallContext, checked: SchemaResult): CallResult | Future<CallResult> {
    if (checked.issues === undefined) return this.#runHandler(run, checked.value);
    return invalidArguments(formatIssues(checked.issues, run.request.args));
  }

  #runHandler(run: CallContext, input: unknown): CallResult | Future<CallResult> {
    if (run.definition.isSystem) {
      // An engine brings the system tools.
      return this.settle(run, this.#services.deferral!.runSystemTool(run, input as RedeemInput));
    }
    run.markHandlerStarted();
    try {
      const returned = run.definition.handler(input, run);
      return isPromiseLike(returned) ? this.#awaitAnswer(run, returned) : this.#toResult(run, returned);
    } catch (thrown) {
      return this.thrown(run, thrown);
    }
  }

  #awaitAnswer(run: CallContext, returned: PromiseLike<unknown>): Future<CallResult> {
    const native = returned instanceof Promise ? returned : Promise.resolve(returned);
    if (run.mayBeJob) run.handlerEnd = native;
    return run.handlerResult = this.#await(run, native, this.#toResult);
  }

  #toResult(run: CallContext, returned: unknown): CallResult | Future<CallResult> {
    const pieces = piecesOf(returned);
    return pieces === undefined ? this.#answer(run, returned) : run.handlerResult = Future.of(this.#drain(run, pieces));
  }

  /** Streams the pieces of a generator or another stream, or collects them if the call is not streamed: joined, they are the answer. */
  async #drain(run: CallContext, pieces: AsyncIterator<unknown, unknown>): Promise<CallResult> {
    const { runState, definition } = run;
    const stop = () => void (run.handlerEnd = stopGenerator(pieces).catch(() => {}));
    const collected: unknown[] | undefined = run.sink === undefined || run.mayBeJob ? [] : undefined;
    run.collected = collected;
    let hasYielded = false;
    const { outputLimits } = this.#services;
    let left = outputLimits.answerChars;
    const turns = new LoopTurns();
    runState.onEnd = stop;
    try {
      while (runState.ended === undefined && run.questions?.isLeft !== true) {
        const step = await pieces.next();
        if (step.done && run.questions?.unsettled !== undefined) await run.questions.unsettled;
        if (step.done) return await this.#answerStream(run, step.value, hasYielded, collected);
        hasYielded = true;
        // JSON has no undefined.
        let value: unknown = step.value === undefined ? null : step.value;
        // Only promises are awaited: each await costs a turn of the microtask queue for each piece.
        // The limit counts for all pieces if they are joined later, otherwise for each.
        const areJoined = collected !== undefined || run.sink?.keepsPieces;
        const answerChars = areJoined ? left : outputLimits.answerChars;
        left = estimateJsonSize(value, answerChars, outputLimits.depth);
        if (Number.isNaN(left)) {
          ({ value, left } = await toSendable(value, "partial", { ...outputLimits, answerChars }));
        }
        const error = outputLimitError(left, outputLimits);
        let piece = error === undefined
          ? this.#toSchema(run, definition.partial, value, "partial")
          : new RejectedOutput(error);
        if (piece instanceof Promise) piece = await piece;
        if (piece instanceof RejectedOutput) {
          stop();
          return piece.error;
        }
        collected?.push(piece);
        run.lease?.keepPieces();
        const room = runState.push({ kind: "partial", value: piece });
        if (room !== undefined) await room;
        // A handler that waits for nothing must not keep other callers waiting.
        const turn = turns.next();
        if (turn !== undefined) await turn;
      }
      return runState.ended ?? RUN_STOPPED;
    } catch (thrown) {
      stop();
      await run.questions?.unsettled;
      return this.thrown(run, thrown);
    }
  }

  /** The result of a generator. If it returned nothing, the answer is its pieces: joined if they were collected. */
  #answerStream(
    run: CallContext,
    value: unknown,
    hasYielded: boolean,
    collected: unknown[] | undefined,
  ): CallResult | Future<CallResult> {
    if (value !== undefined) return this.#answer(run, value);
    if (!hasYielded) return this.#answer(run, joinNothing(run.definition));
    // The caller of an open stream has received the pieces. Its job keeps the whole.
    const hasPieces = run.sink !== undefined && (run.lease === undefined || run.isContinued && !run.lease.isPromised);
    const isWhole = collected !== undefined && !hasPieces;
    return isWhole
      ? this.#answer(run, joinPartials(collected))
      : chain(withinLimits(answer(run, undefined), run.definition.name, this.#services), (result) =>
        this.#finish(run, result));
  }

  #answer(run: CallContext, value: unknown): CallResult | Future<CallResult> {
    // A returned Error counts as thrown: serialised as an answer it would lose its message.
    if (isError(value)) return this.thrown(run, value);
    const { external } = run.definition;
    const promise = external && this.#services.deferral?.promiseExternal(run, value);
    if (promise !== undefined) return promise;
    // A value returned while a question is unanswered is ignored; the handler runs again with the answer.
    if (run.questions?.hasStopped("returned")) return run.questions.settle();
    const { outputLimits } = this.#services;
    const left = estimateJsonSize(value, outputLimits.answerChars, outputLimits.depth);
    if (!Number.isNaN(left)) {
      logErrorResult(run.definition, value, this.#services.logger);
      return this.#checkAnswer(run, answer(run, value), left);
    }
    const sendable = toSendable(value, "output", outputLimits);
    return sendable instanceof Promise
      ? this.#await(run, sendable, this.#answerSendable)
      : this.#answerSendable(run, sendable);
  }

  #answerSendable(run: CallContext, { value, left, hasFiles }: Sendable): CallResult | Future<CallResult> {
    const result = answer(run, value);
    return this.#checkAnswer(run, hasFiles ? { ...result, hasFiles } as AnswerOutcome : result, left);
  }

  /** Ends the run with an answer, of whose size so many characters are left for its `_meta`. */
  #checkAnswer(run: CallContext, result: AnswerOutcome, left: number): CallResult | Future<CallResult> {
    const { outputLimits } = this.#services;
    const { meta } = result;
    if (meta === undefined) return this.#checkSize(run, result, left);
    const all = estimateJsonSize(meta, left, outputLimits.depth);
    if (!Number.isNaN(all)) return this.#checkSize(run, result, all);
    const sendable = toSendable(meta, "_meta", { ...outputLimits, answerChars: left });
    return sendable instanceof Promise
      ? this.#await(run, sendable, (_, later) => this.#checkSize(run, withMeta(result, later), later.left))
      : this.#checkSize(run, withMeta(result, sendable), sendable.left);
  }

  #checkSize(run: CallContext, result: AnswerOutcome, left: number): CallResult | Future<CallResult> {
    const error = outputLimitError(left, this.#services.outputLimits);
    if (error !== undefined) return this.#finish(run, error);
    const { output } = run.definition;
    if (output === undefined) return this.#finish(run, result);
    const { value } = result;
    const sent = this.#toSchema(run, output, value, "output");
    if (sent instanceof Promise) return this.#await(run, sent, (_, later) => this.#finishAs(run, result, later));
    return sent === value ? this.#finish(run, result) : this.#finishAs(run, result, sent);
  }

  /** The result with the value to send in place of the returned one, or the error of a value that its schema refuses. */
  #finishAs(run: CallContext, result: CallResult, sent: unknown): CallResult {
    return sent instanceof RejectedOutput ? sent.error : this.#finish(run, { ...result, value: sent } as AnswerOutcome);
  }

  /** Adds changed caller state to a result, or replaces it by the questions of the run. */
  #finish(run: CallContext, result: CallResult): CallResult {
    if (run.questions?.hasStopped()) return run.questions.settle();
    if (run.openedCallerState === undefined || result.kind === "error") return result;
    try {
      const context = run.openedCallerState.encode();
      return context === undefined ? result : { ...result, context } as CallResult;
    } catch (thrown) {
      return this.#services.mask(thrown, { tool: run.definition.name });
    }
  }

  /**
   * The value to send: the returned one, without members that its schema leaves out. One that does not fit the tool's own schema is an
   * error of the server: masked, with the path in the log.
   */
  #toSchema(
    run: CallContext,
    schema: CompiledSchema | undefined,
    value: unknown,
    what: "output" | "partial",
  ): unknown {
    if (schema === undefined || schema.exact?.accepts(value)) return value;
    const checked = schema.validate(value);
    if (checked instanceof Promise) return checked.then((later) => this.#checked(run, schema, later, value, what));
    return this.#checked(run, schema, checked, value, what);
  }

  #checked(run: CallContext, schema: CompiledSchema, checked: SchemaResult, value: unknown, what: string): unknown {
    if (checked.issues === undefined) return omitUndeclared(value, checked.value, schema.jsonSchema);
    const issues = formatIssues(checked.issues, value);
    const [first] = issues;
    const where = (first === undefined ? "" : ` at "${formatPath(first.path)}": ${first.message}`) +
      (what === "output" ? adviceOn(value) : "");
    const mismatch = new TypeError(`The ${what} does not fit the declared schema${where}`);
    return new RejectedOutput(this.#services.mask(mismatch, { tool: run.definition.name, issues }));
  }

  /** The result of a run that threw: its questions if it has stopped, the error that ended it from outside, else the value, converted or masked. */
  thrown(run: CallContext, thrown: unknown): CallResult | Future<CallResult> {
    if (run.questions?.hasStopped("thrown")) return run.questions.settle();
    // An exception caused by the abort is expected; return the reason for the abort.
    if (run.ended !== undefined) return run.ended;
    const settled = withinLimits(this.#services.settleRun(run, thrown), run.definition.name, this.#services);
    return settled instanceof Future
      ? settled.map((later) => this.#finishThrown(run, later))
      : this.#finishThrown(run, settled);
  }

  #finishThrown(run: CallContext, result: CallResult): CallResult {
    if (result.kind !== "failure") return result;
    return this.#finish(run, run.addedMeta === undefined ? result : { ...result, meta: run.addedMeta });
  }
}

/** Stands for a value that must not be sent, such as one that does not fit its schema: has the error that the caller gets instead. */
class RejectedOutput {
  readonly error: ErrorResult;

  constructor(error: ErrorResult) {
    this.error = error;
  }
}

function keepResult(_run: CallContext, result: CallResult): CallResult {
  return result;
}

function answer(run: CallContext, value: unknown): AnswerOutcome {
  const { addedMeta: meta, definition } = run;
  return definition.render === undefined
    ? { kind: "answer", value, meta }
    : { kind: "answer", value, meta, renderedBy: definition.name };
}

function withMeta(result: AnswerOutcome, { value, hasFiles }: Sendable): AnswerOutcome {
  return hasFiles ? { ...result, meta: value as Record<string, unknown> } : result;
}

/** The error `invalid_input` for arguments that do not fit the tool's schema; the message describes the first issue, the data has all. */
export function invalidArguments(issues: readonly InputIssue[]): ErrorResult {
  const [first] = issues;
  const where = first === undefined || first.path.length === 0 ? "" : ` at "${formatPath(first.path)}"`;
  return errorResult("invalid_input", `Invalid arguments${where}: ${first?.message}`, { issues });
}

/** `instanceof` throws for some proxies. */
function isError(value: unknown): value is Error {
  try {
    return value instanceof Error;
  } catch {
    return false;
  }
}

/** The join of no pieces: text or a list, by the declared type of a piece. */
function joinNothing({ partial }: ToolDefinition): unknown {
  if (partial === undefined) return undefined;
  return partial.jsonSchema["type"] === "string" ? "" : [];
}

/** The pieces of a generator or another stream; `undefined` for any other value. */
function piecesOf(value: unknown): AsyncIterator<unknown, unknown> | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const iterable = value as Partial<AsyncIterable<unknown, unknown>>;
  return iterable[Symbol.asyncIterator]?.();
}
