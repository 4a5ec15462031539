/** docs/guarantees.md, from what is defined and what was counted. */
import { COLUMNS, type Guarantee, testName } from "./guarantee.ts";

/** How many cases passed on a runtime, by the names of their tests; and why others did not run. */
export interface Counted {
  readonly runtime: string;
  readonly passed: ReadonlySet<string>;
}

const HEAD = `# Guarantees

What holds whatever callers, handlers and servers do. This page is written by its tests: \`npm run guarantees\` runs
\`tests/hostile\` on every runtime, and writes the table if all of it passes; a test of its own holds the page to what is
defined.

A number is the cases that passed over that wire, in process and over sockets, on each of`;

const FOOT =
  `Workerd opens no sockets: what has to be sent over one is not run there, and its number stands apart. Handlers' results
and what callers send are bounded by [limits](limits.md).`;

/** The whole page. */
export function renderPage(guarantees: readonly Guarantee[], counted: readonly Counted[]): string {
  const reasons = reasonsOf(guarantees);
  const rows = guarantees.map((guarantee) => {
    const cells = COLUMNS.map((column) => cellOf(guarantee, column, counted, reasons));
    return `| [${guarantee.name}](#${guarantee.name}) | ${cells.join(" | ")} |`;
  });
  const runtimes = counted.map(({ runtime }) => runtime).join(", ");
  return [
    `${HEAD}\n${runtimes}. A letter is why there are none.`,
    [`| guarantee | ${COLUMNS.join(" | ")} |`, `|---|${COLUMNS.map(() => "---:|").join("")}`, ...rows].join("\n"),
    [...reasons].map(([reason, letter]) => `- ${letter}: ${reason}`).join("\n"),
    FOOT,
    ...guarantees.map(sectionOf),
  ].join("\n\n") + "\n";
}

function sectionOf({ name, says, also = [] }: Guarantee): string {
  const files = also.map((file) => `\`${file}\``).join(", ");
  return `## ${name}\n\n${says}${files === "" ? "" : `\n\nFurther tests, not counted: ${files}.`}`;
}

/** Why cells are empty, each with its letter. */
function reasonsOf(guarantees: readonly Guarantee[]): ReadonlyMap<string, string> {
  const reasons = new Set(guarantees.flatMap(({ none = {} }) => COLUMNS.flatMap((column) => none[column] ?? [])));
  return new Map([...reasons].map((reason, at) => [reason, String.fromCharCode(97 + at)]));
}

function cellOf(
  guarantee: Guarantee,
  column: string,
  counted: readonly Counted[],
  reasons: ReadonlyMap<string, string>,
): string {
  const tests = guarantee.tests.filter((one) => one.column === column);
  if (tests.length === 0) {
    const reason = guarantee.none?.[column];
    if (reason === undefined) throw new Error(`${guarantee.name} has nothing for ${column}, and no reason`);
    return reasons.get(reason) as string;
  }
  const numbers = counted.map(({ runtime, passed }) => {
    const cases = tests.filter((one) => passed.has(testName(guarantee, one))).map(({ count }) => count);
    return [runtime, cases.reduce((sum, count) => sum + count, 0)] as const;
  });
  const all = casesOf(guarantee, column);
  const fewer = numbers.filter(([, count]) => count !== all).map(([runtime, count]) => `${runtime} ${count}`);
  return fewer.length === 0 ? String(all) : `${all} (${fewer.join(", ")})`;
}

/** How many cases a guarantee has over a wire. */
export function casesOf({ tests }: Guarantee, column: string): number {
  return tests.filter((one) => one.column === column).reduce((sum, { count }) => sum + count, 0);
}
