/**
 * Guarantees, as they are counted in docs/guarantees.md: what is tested, over which wire, by how many cases.
 *
 * A file of guarantees defines them, and a file of tests registers them, so that the page can be compared with the definitions without
 * running it.
 */
import { test } from "node:test";
import { overlap } from "../overlap.ts";
import { isPart } from "../part.ts";
import { DESCRIPTIONS } from "../wires/descriptions/all.ts";
import type { Place } from "../wires/descriptions/description.ts";

/** The columns of the page. */
export const COLUMNS: readonly string[] = DESCRIPTIONS.map(({ name }) => name);

/** Cases that are tested together, over one way to reach a server. */
export interface GuaranteeTest {
  readonly column: string;
  /** Which of the column's ways. */
  readonly where: string;
  /** How many cases. */
  readonly count: number;
  /** Why it cannot run here; `false` if it can. */
  readonly skip: string | false;
  run(): Promise<void>;
}

/** One guarantee. */
export interface Guarantee {
  /** Its name on the page, and in the names of its tests. */
  readonly name: string;
  /** What is guaranteed, in a sentence. */
  readonly statement: string;
  readonly tests: readonly GuaranteeTest[];
  /** Whether tests may run at the same time: they mostly wait, and share nothing. Default: `false`. */
  readonly mayOverlap?: boolean;
  /** Why a column has no tests. */
  readonly none?: Readonly<Record<string, string>>;
  /** Further tests, which are not counted. */
  readonly also?: readonly string[];
}

/** What a test is called, which is how it is counted. */
export function testName({ name }: Pick<Guarantee, "name">, { column, where, count }: GuaranteeTest): string {
  return `guarantee(${name}) ${column} [${where}]: ${count} cases`;
}

/** Makes tests of guarantees. A part of the cases has each guarantee over each column by one of its ways, in turn. */
export function register(guarantees: readonly Guarantee[]): void {
  for (const [turn, guarantee] of guarantees.entries()) {
    const { mayOverlap = false } = guarantee;
    const tests = isPart ? guarantee.tests.filter((one) => isInTurn(one, guarantee.tests, turn)) : guarantee.tests;
    const runnable = tests.filter(({ skip }) => skip === false);
    const bodies = overlap(runnable.map((one) => () => one.run()), mayOverlap ? undefined : 1);
    for (const one of tests) {
      test(testName(guarantee, one), { skip: one.skip, timeout: 120_000 }, bodies[runnable.indexOf(one)] ?? (() => {}));
    }
  }
}

function isInTurn(one: GuaranteeTest, all: readonly GuaranteeTest[], turn: number): boolean {
  const ways = all.filter(({ column }) => column === one.column);
  return ways.indexOf(one) === turn % ways.length;
}

/** Named cases. */
export type Cases<Case> = Readonly<Record<string, Case>>;

/** A test of all cases at one place; a failure names its case. */
export function overCases<Opened, Case>(
  { column, where, skip = false, open }: Place<Opened>,
  cases: Cases<Case>,
  check: (opened: Opened, one: Case, name: string) => Promise<void> | void,
): GuaranteeTest {
  const all = Object.entries(cases);
  return {
    column,
    where,
    count: all.length,
    skip,
    async run() {
      await using opened = await open();
      for (const [name, one] of all) {
        try {
          await check(opened, one, name);
        } catch (cause) {
          const message = cause instanceof Error ? cause.message : String(cause);
          throw new Error(`${column} [${where}], ${name}: ${message}`, { cause });
        }
      }
    },
  };
}
