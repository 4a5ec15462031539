import type { FailureOutcome } from "../../call/outcome.ts";
import type { LedgerEntry, Memo } from "../engine.ts";
import { DIVERGED } from "./stops.ts";

/** Turns of the microtask queue that a handler has to begin a recorded step after a new one. */
const BRANCH_TURNS = 100;

const ADVICE =
  '. Keep the old definition beside the new one, .revision("2").before(old), or run what is new if ctx.patched("name")';

/**
 * Compares the steps, sleeps and waits of a run with those of the run before it, which stopped at a question or a wait.
 *
 * A handler that was changed meanwhile could otherwise repeat an effect whose step has another name, or wait for a value that goes to
 * the wait of the old name. A step that is new comes after all that earlier runs have recorded, so that one with another name is refused
 * before its effect; `patched()` is for what is new on purpose. The order is compared only if no two of them ever ran at once.
 */
export class ReplayCheck {
  /** Names that earlier runs have recorded: those of the run before, and of steps that ended since. */
  readonly #recorded: ReadonlySet<string>;
  readonly #tool: string;
  /** Names of the run before, in order; empty if there is nothing to compare. */
  readonly #expected: readonly string[];
  readonly #used = new Set<string>();
  #next = 0;
  #active = 0;
  #isUnordered: boolean;
  #hasFailed = false;
  #divergence: FailureOutcome | undefined = undefined;

  constructor(tool: string, memo: Memo | undefined, ledger: readonly LedgerEntry[]) {
    this.#tool = tool;
    this.#expected = memo?.trail ?? [];
    const ended = ledger.filter(({ failure }, at) => failure === undefined || at >= (memo?.retriedAt ?? 0));
    this.#recorded = new Set([...this.#expected, ...ended.map(({ name }) => name)]);
    this.#isUnordered = memo?.isUnordered ?? ledger.some(({ isBeside }) => isBeside);
  }

  /** The failure `replay_diverged` of a run that differs from those before it; `undefined` for other runs. */
  get divergence(): FailureOutcome | undefined {
    return this.#divergence;
  }

  /** What the next run is compared with. */
  get trail(): Pick<Memo, "trail" | "isUnordered"> {
    return {
      trail: this.#hasFailed ? undefined : [...this.#used],
      isUnordered: this.#isUnordered || undefined,
    };
  }

  /**
   * Notes the start of a step, a sleep or a wait.
   *
   * @throws {Error} If another one comes first, by the run before.
   */
  begin(name: string): void {
    if (this.#active++ > 0) this.#isUnordered = true;
    this.#used.add(name);
    const isKnown = !this.#isUnordered && this.#expected.includes(name);
    const expected = this.#expected[this.#next];
    if (!isKnown || expected === undefined) return;
    if (expected !== name) {
      this.#diverge(expected, `${name} comes before it`);
      throw DIVERGED;
    }
    this.#next++;
  }

  /** Whether the run has come to all that earlier runs have recorded. */
  get hasCaughtUp(): boolean {
    return this.#missing === undefined;
  }

  get #missing(): string | undefined {
    if (this.#used.size === 0 && this.#recorded.size === 0) return undefined;
    for (const name of this.#recorded) if (!this.#used.has(name)) return name;
    return undefined;
  }

  /**
   * Checks that a step without an outcome, whose work is about to run, leaves out no recorded one.
   *
   * @throws {Error} If it does.
   */
  async assertNew(name: string): Promise<void> {
    if (this.#isUnordered || this.#recorded.has(name)) return;
    // Branches of Promise.all begin in the same turn, or in one of the next.
    for (let turn = 0; turn < BRANCH_TURNS && this.#missing !== undefined; turn++) await undefined;
    const missing = this.#missing;
    if (missing === undefined || this.#isUnordered) return;
    this.#diverge(missing, `${name}, which is new, comes before it`);
    throw DIVERGED;
  }

  /** Notes the end of a step, a sleep or a wait. Not called for a wait that is open. */
  end(hasFailed: boolean): void {
    this.#active--;
    if (hasFailed) this.#hasFailed = true;
  }

  /** Compares a run that has ended with an answer, or has stopped: it diverges if it did not come to a step of the run before. */
  finish(): void {
    const missing = this.#expected.find((name) => !this.#used.has(name));
    if (missing !== undefined) this.#diverge(missing, "it is not reached any more");
  }

  #diverge(name: string, problem: string): void {
    const message =
      `The handler of ${this.#tool} has changed since the work began: ${name} was done, and now ${problem}` + ADVICE;
    const key = name.slice(name.indexOf(" ") + 1);
    this.#divergence ??= { kind: "failure", code: "replay_diverged", message, data: { key } };
  }
}
