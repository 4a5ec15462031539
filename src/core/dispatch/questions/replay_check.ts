import type { FailureOutcome } from "../../call/outcome.ts";
import type { LedgerEntry, Memo } from "../engine.ts";
import type { ResumableRun } from "../services.ts";

/** Turns of the microtask queue that a handler has to begin a recorded step after a new one. */
const BRANCH_TURNS = 100;

/** Key under which the result of an item of `ctx.map` is kept, among those of steps. */
export function itemKey(list: string, id: string): string {
  return `map ${list} ${id}`;
}

function isItem(name: string): boolean {
  return name.startsWith("step map ");
}

/** Time that branches have to come to their recorded steps if some ran at once, in milliseconds: not all that they await is a step. */
const BRANCH_MS = 5_000;

const ADVICE =
  '. Keep the old definition beside the new one, .revision("2").before(old), or run what is new if ctx.patched("name")';

/**
 * Compares the steps, sleeps and waits of a run with those of the runs before it, which stopped at a question or a wait, or broke.
 *
 * A handler that was changed meanwhile could otherwise repeat an effect whose step has another name, or wait for a value that goes to
 * the wait of the old name. A step that is new comes after all that earlier runs have recorded, so that one with another name is refused
 * before its effect; `patched()` is for what is new on purpose. The order is compared only if no two of them ever ran at once. One that
 * began beside another may have been within that one, whose work is not run again, so it need not come again.
 */
export class ReplayCheck {
  /** Names that earlier runs have recorded: those of the run before, and of steps that ended. */
  readonly #recorded: ReadonlySet<string>;
  /** Those of them that this run has not come to. */
  readonly #left: Set<string>;
  /** Those of them that have to come before a new step. */
  readonly #required: Set<string>;
  readonly #run: ResumableRun;
  /** Names of the run before, in order; empty if there is nothing to compare. */
  readonly #expected: readonly string[];
  readonly #inOrder: ReadonlySet<string>;
  /** Names that began while another one was under way, in this run or an earlier one. */
  readonly #beside: Set<string>;
  readonly #used = new Set<string>();
  readonly #caughtUp = Promise.withResolvers<void>();
  #next = 0;
  #active = 0;
  #isUnordered: boolean;
  #hasFailed = false;
  #divergence: FailureOutcome | undefined = undefined;

  constructor(run: ResumableRun, memo: Memo | undefined, ledger: readonly LedgerEntry[]) {
    const { trail = [], steps = {}, failed = {}, retriedAt = 0, beside = [] } = memo ?? {};
    const lists = ledger.flatMap(({ list }) => (list === undefined ? [] : [`map ${list}`]));
    this.#run = run;
    this.#expected = trail;
    this.#inOrder = new Set(trail);
    this.#beside = new Set(beside);
    this.#isUnordered = memo?.isUnordered ??
      (beside.length > 0 || ledger.some(({ isBeside, name }) => isBeside && !isItem(name)));
    const ended = ledger.filter(({ failure }, at) => failure === undefined || at >= retriedAt);
    const inMemo = [...trail, ...[...Object.keys(steps), ...Object.keys(failed)].map((key) => `step ${key}`)];
    this.#recorded = new Set([...inMemo, ...lists, ...ended.map(({ name }) => name)]);
    this.#left = new Set(this.#recorded);
    // Jobs of earlier versions have no list of what was beside another.
    const isUnknown = memo?.isUnordered === true && memo.beside === undefined;
    const alone = ended.filter(({ isBeside }) => !isBeside).map(({ name }) => name);
    const required = [...(isUnknown ? [] : inMemo), ...alone, ...lists]
      .filter((name) => !this.#beside.has(name) && !isItem(name));
    this.#required = new Set(required);
  }

  /** The failure `replay_diverged` of a run that differs from those before it; `undefined` for other runs. */
  get divergence(): FailureOutcome | undefined {
    return this.#divergence;
  }

  /** What began beside another, for the next run. */
  get beside(): Pick<Memo, "beside"> {
    return this.#beside.size === 0 ? {} : { beside: [...this.#beside] };
  }

  /** What the next run is compared with. */
  get trail(): Pick<Memo, "trail" | "isUnordered"> {
    return {
      trail: this.#hasFailed ? undefined : [...this.#used],
      isUnordered: this.#isUnordered || undefined,
    };
  }

  /** Notes the start of a step, a sleep or a wait; `false` if another one comes first, by the run before. */
  begin(name: string): boolean {
    if (this.#active++ > 0) {
      this.#isUnordered = true;
      this.#beside.add(name);
    }
    this.#used.add(name);
    this.#left.delete(name);
    this.#required.delete(name);
    if (this.#required.size === 0) this.#caughtUp.resolve();
    const isKnown = !this.#isUnordered && this.#inOrder.has(name);
    const expected = this.#expected[this.#next];
    if (!isKnown || expected === undefined || this.#isUndoing) return true;
    this.#next++;
    return expected === name || this.#diverge(expected, `${name} comes before it`);
  }

  /** Whether the work of a new item may begin: that of a list which earlier runs have come to may, wherever it is. */
  async allowsItem(list: string, name: string): Promise<boolean> {
    return this.#recorded.has(`map ${list}`) || await this.allows(name);
  }

  /** Notes the start of an item of a list. */
  beginItem(name: string): void {
    this.#left.delete(name);
  }

  /** Notes the end of the list with a key. Items that it does not have any more need not come again. */
  endList(key: string, hasFailed: boolean): void {
    for (const name of this.#left) if (name.startsWith(`step ${itemKey(key, "")}`)) this.#left.delete(name);
    this.end(hasFailed);
  }

  /** Whether the run has come to all that earlier runs have recorded. */
  get hasCaughtUp(): boolean {
    return this.#left.size === 0;
  }

  /** Whether a step began while another one was under way. */
  isBeside(name: string): boolean {
    return this.#beside.has(name);
  }

  /** Whether a step without an outcome, whose work is about to run, leaves out no recorded one. */
  async allows(name: string): Promise<boolean> {
    if (this.#recorded.has(name) || this.#isUndoing) return true;
    // Branches of Promise.all begin in the same turn, or in one of the next.
    for (let turn = 0; turn < BRANCH_TURNS && this.#required.size > 0; turn++) await undefined;
    if (this.#required.size > 0 && this.#isUnordered) await this.#untilCaughtUp();
    const [missing] = this.#required;
    if (missing === undefined) return true;
    return this.#diverge(
      missing,
      `${name}, which is new, comes before it. If nothing was changed, a branch beside it awaits what is no step, and takes longer than before: make that a step`,
    );
  }

  /** Whether the job was cancelled: its handler has left the way that it took before. */
  get #isUndoing(): boolean {
    return this.#run.lease?.undo !== undefined;
  }

  async #untilCaughtUp(): Promise<void> {
    const cancel = this.#run.services.clock.after(BRANCH_MS, () => this.#caughtUp.resolve());
    await this.#caughtUp.promise;
    cancel();
  }

  /** Notes the end of a step, a sleep or a wait. Not called for a wait that is open. */
  end(hasFailed: boolean): void {
    this.#active--;
    if (hasFailed) this.#hasFailed = true;
  }

  /** Compares a run that has ended with an answer, or has stopped: it diverges if it did not come to a step of the run before. */
  finish(): void {
    const missing = this.#expected.find((name) => !this.#used.has(name) && !this.#beside.has(name));
    if (missing !== undefined) this.#diverge(missing, "it is not reached any more");
  }

  #diverge(name: string, problem: string): false {
    const message =
      `The handler of ${this.#run.definition.name} has changed since the work began: ${name} was done, and now ${problem}` +
      ADVICE;
    const key = name.slice(name.indexOf(" ") + 1);
    this.#divergence ??= { kind: "failure", code: "replay_diverged", message, data: { key } };
    return false;
  }
}
