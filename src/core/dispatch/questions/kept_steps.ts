/** Outcomes of the steps of one run: those of the runs before, and where the new ones are kept. */
import type { LedgerEntry, Memo, StepOutcome } from "../engine.ts";
import { mistake } from "../../errors/mistake.ts";
import { ToolError } from "../../errors/tool_error.ts";
import type { ResumableRun } from "../services.ts";
import { ReplayOrder } from "./replay_order.ts";

/** Longest result of a step that a job keeps, in UTF-16 code units of JSON. */
const MAX_STEP_CHARS = 262_144;

/** Limits on all steps of a job: a run that begins again reads all of them. */
const MAX_STEPS = 100_000;
const MAX_ALL_CHARS = 67_108_864;

/** Length of the results that the record of a job begins with. A run with more becomes a job before its budget is spent. */
const MAX_RECORD_CHARS = 65_536;

/** Longest key of a step, in UTF-16 code units. */
const MAX_KEY_CHARS = 512;

/** Name of a step in the ledger of a job. */
function nameOf(key: string): string {
  return `step ${key}`;
}

/** Keys of the steps that have begun after another one had failed, since an operator began the job again; `undefined` without any. */
export function undosOf({ undos = [], retriedAt = 0 }: Memo, ledger: readonly LedgerEntry[]): Memo["undos"] {
  const kept = ledger.slice(retriedAt).filter(({ isUndo }) => isUndo).map(({ name }) => name.slice("step ".length));
  const all = new Set([...undos, ...kept]);
  return all.size === 0 ? undefined : [...all];
}

/** How a step has ended, and whether it began after another one had failed. */
export interface KeptStep {
  readonly outcome: StepOutcome;
  readonly isUndo: boolean;
  /** Whether another step was running at the same time. */
  readonly isBeside: boolean;
  /** Key of the list that it is an item of, unless that ran beside others. */
  readonly list?: string | undefined;
  /** When it began, in milliseconds since the Unix epoch. */
  readonly startedMs: number;
}

/**
 * Keeps the outcomes of steps: in the ledger of the job, or, for a call that has no job yet, in the memo.
 *
 * Outcomes of earlier runs are returned in the order in which their steps ended, so that a handler with steps at once does again what it
 * did before.
 */
export class KeptSteps {
  readonly #run: ResumableRun;
  /** Outcomes that are not in a ledger: those of a call before it has a job. */
  readonly #recorded = new Map<string, StepOutcome>();
  readonly #ledger = new Map<string, StepOutcome>();
  readonly #order: ReplayOrder;
  /** Failures of items that are not kept. */
  readonly #noted = new Map<string, KeptStep>();
  readonly #undos: Set<string>;
  #recordedChars: number;
  #allChars: number;
  #hasFailed: boolean;

  constructor(run: ResumableRun, memo: Memo | undefined, ledger: readonly LedgerEntry[]) {
    const { steps = {}, failed = {}, retriedAt = 0 } = memo ?? {};
    this.#run = run;
    for (const [key, value] of Object.entries(steps)) this.#recorded.set(key, { value });
    for (const [key, failure] of Object.entries(failed)) this.#recorded.set(key, { failure });
    for (const [position, { name, value, failure }] of ledger.entries()) {
      this.#ledger.delete(name);
      if (failure === undefined) this.#ledger.set(name, { value });
      else if (position >= retriedAt) this.#ledger.set(name, { failure });
    }
    this.#undos = new Set(memo && undosOf(memo, ledger));
    this.#hasFailed = [...this.#recorded.values(), ...this.#ledger.values()].some((outcome) => "failure" in outcome);
    const before = [...this.#recorded.keys()].map(nameOf).filter((name) => !this.#ledger.has(name));
    this.#order = new ReplayOrder([...before, ...this.#ledger.keys()]);
    this.#recordedChars = this.#recorded.size === 0 ? 0 : JSON.stringify([steps, failed]).length;
    this.#allChars = this.#recordedChars + (ledger.length === 0 ? 0 : JSON.stringify(ledger).length);
  }

  /** Outcomes for the memo of the next run: those that are not in the ledger of the job, and the keys of all steps that undo. */
  get memo(): Pick<Memo, "steps" | "failed" | "undos"> {
    const recorded = [...this.#recorded];
    const failed = recorded.flatMap(([key, outcome]) => "failure" in outcome ? [[key, outcome.failure] as const] : []);
    return {
      steps: Object.fromEntries(recorded.flatMap(([key, outcome]) => "value" in outcome ? [[key, outcome.value]] : [])),
      ...(failed.length > 0 && { failed: Object.fromEntries(failed) }),
      ...(this.#undos.size > 0 && { undos: [...this.#undos] }),
    };
  }

  /** Names and outcomes of the results of earlier runs and of this one, in the order in which they came. */
  get all(): readonly (readonly [name: string, outcome: StepOutcome])[] {
    const recorded = [...this.#recorded].map(([key, outcome]) => [nameOf(key), outcome] as const);
    return [...recorded.filter(([name]) => !this.#ledger.has(name)), ...this.#ledger];
  }

  /** Whether what begins now may undo what was done before: a step has failed finally, or the job was cancelled. */
  get isUndo(): boolean {
    return this.#hasFailed || this.#run.lease?.undo !== undefined;
  }

  /** The time at which a step begins, in milliseconds since the Unix epoch. */
  get nowMs(): number {
    return this.#run.services.clock.now();
  }

  /** Waits until it is the turn of a step that an earlier run has done, and returns its outcome; `undefined` if none has. */
  async find(key: string): Promise<StepOutcome | undefined> {
    const name = nameOf(key);
    const outcome = this.#ledger.get(name) ?? this.#recorded.get(key);
    if (outcome === undefined) return undefined;
    await this.#order.turnOf(name);
    return structuredClone(outcome);
  }

  /** @throws {ToolError} If a job cannot keep the result of another step, which has not begun. */
  assertRoom(key: string): void {
    if (key.length > MAX_KEY_CHARS) {
      throw mistake(
        new TypeError(`The key of a step has ${key.length} characters; at most ${MAX_KEY_CHARS} are allowed`),
      );
    }
    if (this.#run.definition.promise === undefined) return;
    if (this.#ledger.size + this.#recorded.size >= MAX_STEPS) {
      throw new ToolError("result_too_large", `The step "${key}" is one too many: a job keeps ${MAX_STEPS} steps`);
    }
    if (this.#allChars >= MAX_ALL_CHARS) {
      const message = `There is no room for the step "${key}": a job keeps ${MAX_ALL_CHARS} characters of results`;
      throw new ToolError("result_too_large", message);
    }
  }

  /** @throws {ToolError} If the result of a step is longer than a job keeps. */
  assertShort(key: string, json: string): void {
    if (this.#run.definition.promise === undefined || json.length <= MAX_STEP_CHARS) return;
    throw new ToolError(
      "result_too_large",
      `The result of the step "${key}" has ${json.length} characters; a job keeps up to ${MAX_STEP_CHARS} of a step. ` +
        "Store it elsewhere, and return where it is",
    );
  }

  /** Notes an item that has failed, which is done again by a later run unless the handler begins something else. */
  noteFailure(key: string, kept: KeptStep): void {
    this.#noted.set(key, kept);
  }

  /** Whether an item has failed whose failure is not kept. */
  get hasFailures(): boolean {
    return this.#noted.size > 0;
  }

  /** Keeps the failures of items before something new begins, as in `catch`: what comes after a failure must not meet a success in a later run. */
  async settleFailures(): Promise<void> {
    for (const [key, kept] of this.#noted) {
      this.#noted.delete(key);
      await this.keep(key, kept);
    }
  }

  /** Keeps the outcome of a step that has ended. */
  async keep(key: string, { outcome, isUndo, isBeside, list, startedMs }: KeptStep): Promise<void> {
    const chars = JSON.stringify(outcome).length;
    const endedMs = this.#run.services.clock.now();
    this.#allChars += chars;
    if ("failure" in outcome) this.#hasFailed = true;
    if (isUndo) this.#undos.add(key);
    const isBeforeJob = this.#run.lease === undefined && this.#run.jobWritten === undefined;
    if (isBeforeJob) return await this.#record(key, outcome, chars);
    // The job may be in the middle of being written, without this step.
    const isWritten = this.#run.lease !== undefined || await this.#run.jobWritten?.then(() => true, () => false);
    // The step has ended although its call is not promised, as if the engine does not answer at the budget.
    if (isWritten === false) return await this.#record(key, outcome, chars);
    const { lease } = this.#run;
    // A continuation has the steps of a call that was not promised.
    if (lease?.isPromised !== true) setLast(this.#recorded, key, outcome);
    if (lease === undefined) return;
    const name = nameOf(key);
    setLast(this.#ledger, name, outcome);
    const ended = "value" in outcome ? outcome : { value: null, ...outcome };
    const marks = { ...(isUndo && { isUndo }), ...(isBeside && { isBeside }), ...(list !== undefined && { list }) };
    await lease.append({ name, ...ended, ...marks, startedMs, endedMs, epoch: lease.job.epoch });
  }

  /** Keeps an outcome in the memo. The record of a job has few of them, since each of its changes writes all: with more, the run becomes a job. */
  async #record(key: string, outcome: StepOutcome, chars: number): Promise<void> {
    setLast(this.#recorded, key, outcome);
    this.#recordedChars += key.length + chars;
    const { definition: { promise }, services: { deferral } } = this.#run;
    if (promise !== undefined && this.#recordedChars >= MAX_RECORD_CHARS) await deferral?.makeJob(this.#run);
  }
}

/** Sets a member as the last one: the order is that of the outcomes, and a call that has asked has another one once it ends. */
function setLast(outcomes: Map<string, StepOutcome>, name: string, outcome: StepOutcome): void {
  outcomes.delete(name);
  outcomes.set(name, outcome);
}
