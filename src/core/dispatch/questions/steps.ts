/** Steps of one run: their work is run until it succeeds or has failed finally, and their outcomes are kept for later runs. */
import type { LedgerEntry, Memo } from "../engine.ts";
import { checkOptions, FUNCTION, OBJECT, type OptionRules, POSITIVE, wholeNumber } from "../../../internal/options.ts";
import { asObject, type Json } from "../../../internal/json.ts";
import { BACKOFF } from "../../tool/backoff_rules.ts";
import { isMistake, mistake } from "../../errors/mistake.ts";
import { ToolError } from "../../errors/tool_error.ts";
import { Failure } from "../../errors/failure.ts";
import type { StepOptions, StepTry, StepWork } from "../../handler/steps.ts";
import { backoffMs, retryPolicyOf, withDefaults } from "../../tool/retry_policy.ts";
import { writeLine } from "../error_masking.ts";
import type { ResumableRun } from "../services.ts";
import type { UndoWindow } from "../undo_window.ts";
import type { CancelledWaits } from "./cancelled_waits.ts";
import { type KeptStep, KeptSteps } from "./kept_steps.ts";
import { refuseLost } from "./json_losses.ts";
import type { ReplayCheck } from "./replay_check.ts";
import { restoreStepError, toStepFailure } from "./step_failure.ts";
import { isStop, SUSPENDED } from "./stops.ts";
import { OPEN, type WaitTracker } from "./wait_tracker.ts";

/** Codes of refusals after which another try may succeed. */
const RETRYABLE: ReadonlySet<string> = new Set(["internal", "unavailable", "deadline_exceeded"]);

const OPTIONS: OptionRules<StepOptions> = {
  retries: wholeNumber(0),
  backoff: OBJECT,
  timeoutMs: POSITIVE,
  retryIf: FUNCTION,
};

/** What steps share with the waits and questions of their run. */
interface StepContext {
  readonly waits: WaitTracker;
  readonly replay: ReplayCheck;
  readonly cancelled: CancelledWaits;
}

/** Keeps the outcomes of the steps of one run, and runs the work of those that have none. */
export class StepTracker {
  readonly #run: ResumableRun;
  readonly #waits: WaitTracker;
  readonly kept: KeptSteps;
  readonly #replay: ReplayCheck;
  readonly #cancelled: CancelledWaits;
  /** Steps without an outcome that have begun and are not over. */
  readonly #begun = new Set<{ isBeside: boolean }>();
  /** Number of steps whose work is running, or waits in place for its next try. */
  running = 0;
  /** Called when no work is running. */
  #onQuiet = new Set<() => void>();
  /** Tries whose work is running. */
  readonly #working = new Set<RunTry>();
  #starting: RunTry | undefined;

  constructor(
    run: ResumableRun,
    { waits, replay, cancelled }: StepContext,
    memo: Memo | undefined,
    ledger: readonly LedgerEntry[],
  ) {
    this.#replay = replay;
    this.#cancelled = cancelled;
    this.#run = run;
    this.#waits = waits;
    this.kept = new KeptSteps(run, memo, ledger);
  }

  /** The outcomes that are not in the ledger, for the next run. */
  get memo(): Pick<Memo, "steps" | "failed" | "undos"> {
    return this.kept.memo;
  }

  /** The result of a step, as JSON; {@link OPEN} if it is tried again by a later run. Throws its error once it has failed finally. */
  async take(key: string, work: StepWork<unknown>, options: StepOptions): Promise<Json | typeof OPEN> {
    this.running++;
    try {
      const outcome = await this.kept.find(key);
      if (outcome === undefined) return await this.#begin(key, work, options);
      if ("value" in outcome) return outcome.value;
      throw restoreStepError(key, outcome.failure);
    } finally {
      this.running--;
    }
  }

  /** The try whose work is running up to its first await; `undefined` at any other time. */
  get starting(): { suspend(): void } | undefined {
    return this.#starting;
  }

  /** Calls the work of a step, so that what it begins before its first await is known to be within it. */
  #start(work: StepWork<unknown>, one: RunTry, signal?: AbortSignal): unknown {
    const outer = this.#starting;
    this.#starting = one;
    try {
      return work(signal === undefined ? one : { signal, attempt: one.attempt });
    } finally {
      this.#starting = outer;
    }
  }

  async #begin(key: string, work: StepWork<unknown>, options: StepOptions): Promise<Json | typeof OPEN> {
    if (this.#cancelled.isDue) return await this.#cancelled.reject();
    this.#assertCurrent();
    await this.kept.settleFailures();
    this.kept.assertRoom(key);
    if (this.#run.definition.promise !== undefined) {
      if (!await this.#replay.allows(`step ${key}`)) return this.#stopDiverged();
      await this.#waits.storePatches();
    }
    const isBeside = this.#replay.isBeside(`step ${key}`);
    const kept = { isUndo: this.kept.isUndo, isBeside, startedMs: this.#run.services.clock.now() };
    this.#begun.add(kept);
    if (this.#begun.size > 1) { for (const one of this.#begun) one.isBeside = true; }
    try {
      return await this.#try(key, work, options, kept);
    } finally {
      this.#begun.delete(kept);
    }
  }

  /** Ends a run that differs from those before it: like one that waits, without an error that the handler could catch. */
  #stopDiverged(): typeof OPEN {
    // The work of another step may be what begins this one, and would wait for itself.
    if (this.#working.size > 0) throw SUSPENDED;
    return OPEN;
  }

  async #try(
    key: string,
    work: StepWork<unknown>,
    options: StepOptions,
    kept: Omit<KeptStep, "outcome">,
  ): Promise<Json | typeof OPEN> {
    const undo = this.#run.lease?.undo;
    let { tries, leftMs } = this.#waits.delayOf(key);
    for (;;) {
      if (leftMs > 0 && await this.pause(key, tries, leftMs) === OPEN) return OPEN;
      const attempt = ++tries;
      const working = new RunTry(this.#run, attempt);
      try {
        const json = await this.#work(key, work, options, working);
        if (working.isSuspended) throw SUSPENDED;
        await this.#keep(key, { ...kept, outcome: { value: JSON.parse(json) } });
        // The first run gets the same value as later runs: a copy through JSON, which has no undefined.
        return JSON.parse(json);
      } catch (thrown) {
        // What ends the run is not the outcome of the step: it begins again with the next run.
        if (thrown instanceof NotKept) throw thrown.reason;
        if (isStop(thrown)) throw thrown;
        if (this.#run.ended !== undefined && undo?.isOver !== false) {
          this.#cancelled.markNotified();
          throw thrown;
        }
        const delayMs = await this.delayMs(key, thrown, options, attempt);
        if (delayMs === undefined) {
          const failure = toStepFailure(thrown, attempt);
          await this.#keep(key, { ...kept, outcome: { failure } });
          throw restoreStepError(key, failure, thrown);
        }
        leftMs = delayMs;
        const fields = {
          tool: this.#run.definition.name,
          callId: this.#run.callId,
          step: key,
          attempt,
          delayMs,
          error: thrown,
        };
        writeLine(this.#run.services.logger, "warn", "A step failed, and is tried again", fields);
      }
    }
  }

  /** Runs the work once, and converts its result to JSON. */
  async #work(key: string, work: StepWork<unknown>, { timeoutMs }: StepOptions, one: RunTry): Promise<string> {
    this.#working.add(one);
    try {
      const value = timeoutMs === undefined
        ? await this.#start(work, one)
        : await this.#within(key, work, timeoutMs, one);
      const json = toJson(key, value);
      this.kept.assertShort(key, json);
      return json;
    } finally {
      this.#working.delete(one);
      if (this.#working.size === 0) { for (const notify of this.#onQuiet) notify(); }
    }
  }

  async #within(key: string, work: StepWork<unknown>, timeoutMs: number, one: RunTry): Promise<unknown> {
    const late = new AbortController();
    const expired = Promise.withResolvers<never>();
    const { clock } = this.#run.services;
    const cancel = clock.after(timeoutMs, () => {
      const error = new ToolError("deadline_exceeded", `The step "${key}" took longer than ${timeoutMs} ms`);
      expired.reject(error);
      late.abort(error);
    });
    try {
      const signal = AbortSignal.any([late.signal, one.signal]);
      const running = Promise.resolve(this.#start(work, one, signal));
      running.catch(() => {});
      return await Promise.race([running, expired.promise]);
    } finally {
      cancel();
    }
  }

  /** Delay before the next try, in milliseconds; `undefined` if there is no further one. */
  async delayMs(key: string, thrown: unknown, options: StepOptions, tries: number): Promise<number | undefined> {
    const { definition: { promise }, callId, services: { clock }, lease } = this.#run;
    const policy = retryPolicyOf(promise?.retries ?? 0);
    const { retries = policy.attempts - 1, backoff = {}, retryIf = isRetryable } = options;
    if (tries > retries || !await this.#mayRetry(key, retryIf, thrown)) return undefined;
    const delayMs = Math.max(retryAfterOf(thrown), backoffMs(withDefaults(backoff, policy), tries, `${callId} ${key}`));
    // A try after the end of the promise would be lost. Without a job, the promise would begin now.
    const untilMs = lease?.undo?.untilMs ?? lease?.endsAtMs;
    const leftMs = untilMs === undefined ? promise?.ttlMs ?? Infinity : untilMs - clock.now();
    return delayMs >= leftMs ? undefined : delayMs;
  }

  async #mayRetry(key: string, retryIf: NonNullable<StepOptions["retryIf"]>, thrown: unknown): Promise<boolean> {
    try {
      return await retryIf(thrown);
    } catch (error) {
      const { definition: { name: tool }, callId, services: { logger } } = this.#run;
      const line = "retryIf of a step has thrown: the step is not tried again";
      writeLine(logger, "error", line, { tool, callId, step: key, error });
      return false;
    }
  }

  /** Waits until the next try. A cancellation that comes before it rejects; a step that began after it is tried again in place. */
  async pause(key: string, tries: number, delayMs: number): Promise<void | typeof OPEN> {
    const pause = this.#cancelled.isCancelled
      ? this.#sleep(delayMs)
      : this.#cancelled.race(this.#wait(key, tries, delayMs));
    if (await pause === OPEN) return OPEN;
    const { ended, lease } = this.#run;
    if (ended !== undefined && lease?.undo?.isOver !== false) throw new ToolError(ended.code, ended.message);
  }

  /** Waits for the next try: in place, or {@link OPEN} for a later run. In place while work is running, which may await this step. */
  async #wait(key: string, tries: number, delayMs: number): Promise<void | typeof OPEN> {
    const { clock } = this.#run.services;
    if (await this.#waits.storeDelay(key, tries, delayMs)) {
      if (this.#working.size === 0) return this.#waits.openDelay(key);
      const untilMs = clock.now() + delayMs;
      const { promise, resolve } = Promise.withResolvers<void>();
      const cancel = clock.after(delayMs, resolve);
      this.#onQuiet.add(resolve);
      try {
        await promise;
      } finally {
        cancel();
        this.#onQuiet.delete(resolve);
      }
      if (clock.now() < untilMs) return this.#waits.openDelay(key);
    } else await this.#sleep(delayMs);
  }

  async #sleep(delayMs: number): Promise<void> {
    await new Promise<void>((resolve) => void this.#run.services.clock.after(delayMs, resolve));
  }

  /**
   * Refuses work of a run that was ended, as at its time limit: its next run does it. After a cancellation steps undo what was done, until
   * the time for that is over.
   *
   * @throws {ToolError} If the run was ended.
   */
  #assertCurrent(): void {
    const { ended, lease } = this.#run;
    const mayUndo = ended?.code === "cancelled" && lease?.isSuperseded !== true && lease?.undo?.isOver !== true;
    if (ended !== undefined && !mayUndo) throw new ToolError(ended.code, ended.message);
  }

  /** @throws {NotKept} If the store fails. */
  async #keep(key: string, kept: KeptStep): Promise<void> {
    this.#waits.dropDelay(key);
    try {
      await this.kept.keep(key, kept);
    } catch (reason) {
      throw new NotKept(reason);
    }
  }
}

/** Wraps an error that is not of the work of a step: its outcome cannot be kept. */
class NotKept {
  readonly reason: unknown;

  constructor(reason: unknown) {
    this.reason = reason;
  }
}

/** A try without a time limit: the signal of the run is watched only if the work uses it. */
class RunTry implements StepTry {
  readonly #run: ResumableRun;
  readonly #undo: UndoWindow | undefined;
  readonly attempt: number;
  #isSuspended = false;

  constructor(run: ResumableRun, attempt: number) {
    this.#run = run;
    this.#undo = run.lease?.undo;
    this.attempt = attempt;
  }

  /** Whether the run stops at a question or a wait within the work: what that returns all the same, as after `catch`, is not its outcome. */
  get isSuspended(): boolean {
    return this.#isSuspended;
  }

  suspend(): void {
    this.#isSuspended = true;
  }

  get signal(): AbortSignal {
    return this.#undo?.signal ?? this.#run.runState.signal();
  }
}

/** @throws {TypeError} If an option of a step is unknown or invalid. */
export function checkStep(key: string, work: unknown, options: StepOptions): void {
  if (typeof work !== "function") {
    throw mistake(
      new TypeError('Cannot run a step: it has a key first, such as ctx.step("charge", () => charge(card))'),
    );
  }
  try {
    checkOptions(`run step "${key}"`, options, OPTIONS);
    if (options.backoff !== undefined) checkOptions(`run step "${key}"`, options.backoff, BACKOFF);
  } catch (thrown) {
    throw mistake(thrown as Error);
  }
}

function toJson(key: string, value: unknown): string {
  try {
    return JSON.stringify(value, refuseLost) ?? "null";
  } catch (cause) {
    const { message } = cause as Error;
    throw mistake(new TypeError(`The result of the step "${key}" cannot be kept, because it is not JSON: ${message}`));
  }
}

/** Whether the same work may succeed later: not after a decision of the tool, a refusal, or a mistake. */
function isRetryable(thrown: unknown): boolean {
  if (thrown instanceof Failure || isMistake(thrown)) return false;
  return !(thrown instanceof ToolError) || RETRYABLE.has(thrown.code) || retryAfterOf(thrown) > 0;
}

/** Delay that a `ToolError` requests, in milliseconds. */
function retryAfterOf(thrown: unknown): number {
  const requestedMs = thrown instanceof ToolError ? asObject(thrown.details)["retry_after_ms"] : undefined;
  return typeof requestedMs === "number" && requestedMs > 0 ? requestedMs : 0;
}
