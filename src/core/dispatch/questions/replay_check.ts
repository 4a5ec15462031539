import type { FailureOutcome } from "../../call/outcome.ts";
import type { Memo } from "../engine.ts";
import { DIVERGED } from "./stops.ts";

/**
 * Compares the steps, sleeps and waits of a run with those of the run before it, which stopped at a question or a wait.
 *
 * A handler that was changed meanwhile could otherwise repeat an effect whose step has another name, or wait for a value that goes to
 * the wait of the old name. Further steps are allowed anywhere. Runs with a step that failed are not compared: it is tried again, and
 * the handler may take another way. The order is compared only if no two of them ever ran at once.
 */
export class ReplayCheck {
  readonly #tool: string;
  /** Names of the run before, in order; empty if there is nothing to compare. */
  readonly #expected: readonly string[];
  readonly #used = new Set<string>();
  #next = 0;
  #active = 0;
  #isUnordered: boolean;
  #hasFailed = false;
  #divergence: FailureOutcome | undefined = undefined;

  constructor(tool: string, memo: Memo | undefined) {
    this.#tool = tool;
    this.#expected = memo?.trail ?? [];
    this.#isUnordered = memo?.isUnordered ?? false;
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
      `The handler of ${this.#tool} has changed since the work began: ${name} was done, and now ${problem}`;
    const key = name.slice(name.indexOf(" ") + 1);
    this.#divergence ??= { kind: "failure", code: "replay_diverged", message, data: { key } };
  }
}
