/** Outcomes of the steps of one run: those of the runs before, and where the new ones are kept. */
import type { LedgerEntry, Memo } from "../engine.ts";
import { ToolError } from "../../errors/tool_error.ts";
import type { Json } from "../../../internal/json.ts";
import type { AskingRun } from "../services.ts";
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

/**
 * Keeps the results of steps: in the ledger of the job, or, for a call that has no job yet, in the memo.
 *
 * Results of earlier runs are returned in the order in which their steps ended, so that a handler with steps at once does again what it
 * did before.
 */
export class KeptSteps {
  readonly #run: AskingRun;
  /** Results that are not in a ledger: those of a call before it has a job. */
  readonly #recorded: Map<string, Json>;
  readonly #ledger = new Map<string, Json>();
  readonly #order: ReplayOrder;
  #recordedChars: number;
  #allChars: number;

  constructor(run: AskingRun, memo: Memo | undefined, ledger: readonly LedgerEntry[]) {
    this.#run = run;
    this.#recorded = new Map(Object.entries(memo?.steps ?? {}));
    for (const { name, value } of ledger) {
      this.#ledger.delete(name);
      this.#ledger.set(name, value);
    }
    const before = [...this.#recorded.keys()].map(nameOf).filter((name) => !this.#ledger.has(name));
    this.#order = new ReplayOrder([...before, ...this.#ledger.keys()]);
    this.#recordedChars = this.#recorded.size === 0 ? 0 : JSON.stringify(memo?.steps).length;
    this.#allChars = this.#recordedChars + (ledger.length === 0 ? 0 : JSON.stringify(ledger).length);
  }

  /** Results for the memo of the next run: those that are not in the ledger of the job. */
  get recorded(): Readonly<Record<string, Json>> {
    return Object.fromEntries(this.#recorded);
  }

  /** Waits until it is the turn of a step that an earlier run has done, and returns its result; `undefined` if none has. */
  async find(key: string): Promise<Json | undefined> {
    const name = nameOf(key);
    const value = this.#ledger.has(name) ? this.#ledger.get(name) : this.#recorded.get(key);
    if (value === undefined) return undefined;
    await this.#order.turnOf(name);
    return structuredClone(value);
  }

  /** @throws {ToolError} If a job cannot keep the result of another step, which has not begun. */
  assertRoom(key: string): void {
    if (key.length > MAX_KEY_CHARS) {
      throw new TypeError(`The key of a step has ${key.length} characters; at most ${MAX_KEY_CHARS} are allowed`);
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

  /**
   * Keeps the result of a step that has ended.
   *
   * @param json The result as JSON.
   * @throws {ToolError} If it is longer than a job keeps.
   */
  async keep(key: string, json: string, startedMs: number): Promise<void> {
    const { definition: { promise }, services: { clock } } = this.#run;
    if (promise !== undefined && json.length > MAX_STEP_CHARS) {
      throw new ToolError(
        "result_too_large",
        `The result of the step "${key}" has ${json.length} characters; a job keeps up to ${MAX_STEP_CHARS} of a step. ` +
          "Store it elsewhere, and return where it is",
      );
    }
    const value: Json = JSON.parse(json);
    const endedMs = clock.now();
    this.#allChars += json.length;
    const isBeforeJob = this.#run.lease === undefined && this.#run.jobWritten === undefined;
    if (isBeforeJob) return await this.#record(key, value, json.length);
    // The job may be in the middle of being written, without this step.
    if (this.#run.lease === undefined) await this.#run.jobWritten;
    const { lease } = this.#run;
    // A continuation has the steps of a call that was not promised.
    if (lease?.isPromised !== true) this.#recorded.set(key, value);
    if (lease === undefined) return;
    this.#ledger.set(nameOf(key), value);
    await lease.append({ name: nameOf(key), value, startedMs, endedMs, epoch: lease.job.epoch });
  }

  /** Keeps a result in the memo. The record of a job has few of them, since each of its changes writes all: with more, the run becomes a job. */
  async #record(key: string, value: Json, chars: number): Promise<void> {
    this.#recorded.set(key, value);
    this.#recordedChars += key.length + chars;
    const { definition: { promise }, services: { deferral } } = this.#run;
    if (promise !== undefined && this.#recordedChars >= MAX_RECORD_CHARS) await deferral?.makeJob(this.#run);
  }
}
