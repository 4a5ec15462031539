/** Calls of other tools by a handler: their results are kept as those of steps, their questions are asked of the caller, and promised ones are awaited. */
import { type CallResult, type ErrorResult, errorResult, type Question, toToolError } from "../../call/outcome.ts";
import { mistake } from "../../errors/mistake.ts";
import type { CallMeta } from "../../call/call.ts";
import type { AskAnswer } from "../engine.ts";
import { digestOf, uuidOf } from "../../token/digest.ts";
import type { InnerCall, ResumableRun } from "../services.ts";
import type { CancelledWaits } from "./cancelled_waits.ts";
import type { KeptStep, KeptSteps } from "./kept_steps.ts";
import { restoreStepError, toStepFailure } from "./step_failure.ts";
import type { StepTracker } from "./steps.ts";
import type { MappedLists } from "./mapped_lists.ts";
import type { PendingQuestion } from "./question_specs.ts";
import { OPEN, type WaitTracker } from "./wait_tracker.ts";

/** Number of characters of a digest in the name of a call. */
const DIGEST_CHARS = 12;

/** Errors after which a call is tried again. */
const PASSING: ReadonlySet<string> = new Set([
  "internal",
  "unavailable",
  "deadline_exceeded",
  "rate_limited",
  "cancelled",
]);

/** What is kept of a call: its result, or where it stopped. */
interface KeptCall {
  /** Digest of the tool and the arguments. */
  readonly digest: string;
  readonly result?: CallResult;
  /** Continuation and questions of a call that asks. */
  readonly asked?: { readonly continuation: string; readonly requests: Readonly<Record<string, Question>> };
  /** Promise token of a call that is a job. */
  readonly promise?: string;
  /** Number of times that the run has waited for the job. */
  readonly round?: number;
}

/** What calls need of the questions, steps and waits of their run. */
export interface InnerCallHost {
  readonly steps: KeptSteps;
  readonly waits: WaitTracker;
  readonly cancelled: CancelledWaits;
  /** Further tries of a call that breaks. */
  readonly retries: Pick<StepTracker, "delayMs" | "pause">;
  /** The lists that the handler works on. */
  lists(): MappedLists;
  /** The answers; {@link OPEN} if one of them is missing. */
  answersTo(
    questions: readonly (readonly [string, PendingQuestion])[],
  ): Promise<Readonly<Record<string, AskAnswer>> | typeof OPEN>;
  /** Marks the key of a question as used. */
  useQuestion(key: string): void;
  /** Drops an answer that does not fit: its question is asked again. */
  dropAnswer(key: string): void;
}

/** The calls of one run. */
export class InnerCalls {
  readonly #run: ResumableRun;
  readonly #host: InnerCallHost;
  /** Names of calls that began while the job was not cancelled. */
  readonly #begunBeforeCancel = new Set<string>();
  readonly #counts = new Map<string, number>();
  /** Keys of the questions of the calls. */
  readonly #asked = new Set<string>();

  constructor(run: ResumableRun, host: InnerCallHost) {
    this.#run = run;
    this.#host = host;
  }

  /**
   * Name of a call in its run: the same in each run, also if the order of the calls differs. A call of the work of an item has the key of
   * the item in it, since a later run skips items that are done, so that equal calls cannot be counted.
   *
   * @throws {TypeError} If the call belongs to an item, and which one is not known.
   */
  nameOf({ key, tool: { name }, args }: InnerCall): string {
    if (key !== undefined) return key;
    const { item, isWorking } = this.#host.lists();
    if (item === undefined && isWorking && this.#run.definition.promise !== undefined) throw mistake(lateCall(name));
    const ofItem = item === undefined ? "" : ` of ${item}`;
    const base = `${name} ${digestOf(name, args).slice(0, DIGEST_CHARS)}${ofItem}`;
    const count = (this.#counts.get(base) ?? 0) + 1;
    this.#counts.set(base, count);
    return count === 1 ? base : `${base} ${count}`;
  }

  /** The result of a call; {@link OPEN} if it waits for an answer of the caller, or for the end of a job. */
  async resultOf(name: string, call: InnerCall): Promise<CallResult | typeof OPEN> {
    const digest = digestOf(call.tool.name, call.args);
    const { steps } = this.#host;
    if (!this.#host.cancelled.isCancelled) this.#begunBeforeCancel.add(name);
    const begun = { isBeside: true, isUndo: steps.isUndo, startedMs: steps.nowMs };
    const outcome = await steps.find(stepOf(name));
    if (outcome !== undefined && "failure" in outcome) throw restoreStepError(stepOf(name), outcome.failure);
    let kept = outcome?.value as unknown as KeptCall | undefined;
    if (kept !== undefined && kept.digest !== digest) return diverged(this.#run, name);
    if (kept === undefined) {
      if (this.#host.cancelled.isDue) return await this.#host.cancelled.reject();
      steps.assertRoom(stepOf(name));
      await steps.settleFailures();
    }
    while (kept?.result === undefined) {
      const result: CallResult | typeof OPEN = await this.#tried(name, call, kept, begun);
      if (result === OPEN) return OPEN;
      // A call that is over is not kept without a job: a continuation has little room.
      const isLeft = !this.#keepsErrors(call) && isPassing(result);
      if (isLeft || (isOver(result) && this.#run.definition.promise === undefined)) return result;
      kept = keptOf(digest, result, kept);
      const json = JSON.stringify(kept);
      steps.assertShort(stepOf(name), json);
      await this.#host.waits.storePatches();
      await steps.keep(stepOf(name), { ...begun, outcome: { value: JSON.parse(json) } });
    }
    return kept.result;
  }

  /**
   * The next result of a call. In a promised run, one that breaks for a passing reason is tried again like a step, and its last error is kept:
   * after `catch` has undone something, a later run must not find that the call succeeds.
   */
  async #tried(
    name: string,
    call: InnerCall,
    kept: KeptCall | undefined,
    begun: Omit<KeptStep, "outcome">,
  ): Promise<CallResult | typeof OPEN> {
    const { steps, retries, waits } = this.#host;
    const key = stepOf(name);
    const { undo } = this.#run.lease ?? {};
    let { tries, leftMs } = waits.delayOf(key);
    for (;;) {
      if (leftMs > 0 && await retries.pause(key, tries, leftMs) === OPEN) return OPEN;
      const result = await this.#next(name, call, kept);
      if (result === OPEN || this.#keepsErrors(call) || !isPassing(result)) return result;
      if (this.#run.definition.promise === undefined) return result;
      // The next run makes the call again.
      if (this.#run.ended !== undefined && undo?.isOver !== false) return result;
      tries++;
      const error = toToolError(result);
      const delayMs = await retries.delayMs(key, error, {}, tries);
      if (delayMs === undefined) {
        const failure = toStepFailure(error, tries);
        await steps.keep(key, { ...begun, outcome: { failure } });
        throw restoreStepError(key, failure, error);
      }
      leftMs = delayMs;
    }
  }

  /** Whether an error that may pass is kept like an answer: the program that made the call has caught it. */
  #keepsErrors(call: InnerCall): boolean {
    return call.keepsErrors === true && this.#run.ended === undefined;
  }

  async #next(name: string, call: InnerCall, kept: KeptCall | undefined): Promise<CallResult | typeof OPEN> {
    if (kept?.asked !== undefined) return await this.#continue(name, call, kept.asked);
    if (kept?.promise !== undefined) return await this.#await(name, kept.promise, kept.round ?? 1);
    return await call.send(...this.#identityOf(name, call));
  }

  /** The id of a call, the same in each run; a call that may be a job has it as its idempotency key, so that each run finds the job. */
  #identityOf(name: string, { tool }: InnerCall): [CallMeta | undefined, string] {
    const { callId, definition } = this.#run;
    const isFound = tool.promise !== undefined && definition.promise !== undefined;
    return [isFound ? { idempotencyKey: `${callId} ${name}` } : undefined, uuidOf(callId, name)];
  }

  /** Asks the caller what the called tool asks, and continues the call with the answers. */
  async #continue(
    name: string,
    call: InnerCall,
    { continuation, requests }: NonNullable<KeptCall["asked"]>,
  ): Promise<CallResult | typeof OPEN> {
    const keyOf = (key: string) => `${name}.${key}`;
    const questions = Object.entries(requests).map(([key, request]) =>
      [keyOf(key), { request, check: undefined }] as const
    );
    for (const [key] of questions) {
      // A question whose answer did not fit is asked again by the same call.
      if (!this.#asked.has(key)) this.#host.useQuestion(key);
      this.#asked.add(key);
    }
    const answers = await this.#host.answersTo(questions);
    if (answers === OPEN) return OPEN;
    const responses = Object.fromEntries(Object.keys(requests).map((key) => [key, answers[keyOf(key)]]));
    const [meta, callId] = this.#identityOf(name, call);
    const result = await call.send({ ...meta, continuation, responses }, callId);
    const isAsked = result.kind === "elicitation" || result.kind === "request-for-more-resource";
    for (const key of Object.keys(isAsked ? result.requests : {})) this.#host.dropAnswer(keyOf(key));
    return result;
  }

  /** Waits for the end of a job: without a worker if this run is a job itself, which the end of the other one wakes. */
  async #await(name: string, promise: string, round: number): Promise<CallResult | typeof OPEN> {
    const { definition, services: { deferral } } = this.#run;
    const { cancelled } = this.#host;
    if (cancelled.isDue || (cancelled.isCancelled && this.#begunBeforeCancel.has(name))) {
      return await this.#leave(promise);
    }
    // A call that undoes what a cancelled job did.
    if (cancelled.isCancelled) return (await deferral!.awaitJob(this.#run, promise)).result;
    // A run that was ended cancels the call.
    if (definition.promise === undefined || this.#run.ended !== undefined) {
      return (await deferral!.awaitJob(this.#run, promise)).result;
    }
    const wait = `call ${name}${round === 1 ? "" : ` ${round}`}`;
    const { job, endsAtMs } = await this.#host.waits.job();
    const { result, job: child } = await deferral!.awaitJob(this.#run, promise, { id: job.id, wait });
    if (cancelled.isCancelled) return await this.#leave(promise);
    if (this.#run.ended !== undefined) return (await deferral!.awaitJob(this.#run, promise)).result;
    // It was woken for something that is over, such as a question that an operator has answered.
    if (result.kind !== "promise" || this.#host.waits.hasEnded(wait)) return result;
    return await this.#host.waits.suspendAt(wait, { until: endsAtMs, job: child });
  }

  /** Cancels the work of a call, as the job of this run was cancelled; its result if it has ended before. */
  async #leave(promise: string): Promise<CallResult> {
    const result = await this.#run.services.deferral!.endJob(this.#run, promise);
    return result.kind === "promise" || isCancelled(result) ? await this.#host.cancelled.reject() : result;
  }
}

/** Key under which a call is kept, among the steps. */
export function stepOf(name: string): string {
  return `call ${name}`;
}

function isCancelled(result: CallResult): boolean {
  return result.kind === "failure" && result.code === "cancelled";
}

function isPassing(result: CallResult): result is ErrorResult {
  return result.kind === "error" && PASSING.has(result.code);
}

function isOver({ kind }: CallResult): boolean {
  return kind === "answer" || kind === "failure" || kind === "error";
}

function keptOf(digest: string, result: CallResult, before: KeptCall | undefined): KeptCall {
  if (result.kind === "promise") {
    const round = before?.promise === result.token ? (before.round ?? 1) + 1 : (before?.round ?? 0) + 1;
    return { digest, promise: result.token, round };
  }
  const { round } = before ?? {};
  const counted = round === undefined ? {} : { round };
  if (result.kind === "elicitation" || result.kind === "request-for-more-resource") {
    return { digest, asked: { continuation: result.continuation, requests: result.requests }, ...counted };
  }
  const { kind } = result;
  if (kind === "answer") return { digest, result: { kind, value: result.value ?? null } };
  if (kind === "error") return { digest, result: errorResult(result.code, result.message, result.data) };
  return { digest, result };
}

function lateCall(name: string): TypeError {
  return new TypeError(
    `ctx.call(${name}, …) after an await in the work of ctx.map needs a key, since equal calls of two items could be taken for each other. ` +
      `Write: ctx.call(${name}, input, { key: \`… \${item.id}\` })`,
  );
}

function diverged({ definition: { name: tool } }: ResumableRun, name: string): CallResult {
  const message = `The handler of ${tool} has changed since the work began: the call ${name} has other arguments`;
  return { kind: "failure", code: "replay_diverged", message, data: { key: name } };
}
