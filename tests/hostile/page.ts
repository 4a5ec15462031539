/** docs/guarantees.md, from what is defined and what was counted. */
import { renderDurable } from "./durable.ts";
import { renderSignIn } from "./sign_in.ts";
import { renderSockets } from "./sockets.ts";
import { COLUMNS, type Guarantee, testName } from "./guarantee.ts";

/** How many cases passed on a runtime, by the names of their tests; and why others did not run. */
export interface Counted {
  readonly runtime: string;
  readonly passed: ReadonlySet<string>;
}

const HEAD = `# Guarantees

Behaviour that holds for any caller, handler and server. Tests write this page: \`npm run guarantees\` runs the guarantees of
\`tests/hostile\` on every runtime, and writes the table if all of them pass; a test compares the page with their definitions.

A number is the cases that passed over that wire, in process and over sockets, on each of`;

const FOOT =
  `Workerd opens no sockets: cases that need one are not run there, and its number is separate. Results of handlers and
input of callers are bounded by [limits](limits.md).`;

/** The whole page. */
export function renderPage(guarantees: readonly Guarantee[], counted: readonly Counted[]): string {
  const reasons = reasonsOf(guarantees);
  const rows = guarantees.map((guarantee) => {
    const cells = COLUMNS.map((column) => cellOf(guarantee, column, counted, reasons));
    return `| [${guarantee.name}](#${guarantee.name}) | ${cells.join(" | ")} |`;
  });
  const runtimes = counted.map(({ runtime }) => runtime).join(", ");
  return [
    `${HEAD}\n${runtimes}. A letter is the reason for a missing number.`,
    [`| guarantee | ${COLUMNS.join(" | ")} |`, `|---|${COLUMNS.map(() => "---:|").join("")}`, ...rows].join("\n"),
    [...reasons].map(([reason, letter]) => `- ${letter}: ${reason}`).join("\n"),
    FOOT,
    renderDurable(),
    renderSignIn(),
    renderSockets(),
    ...guarantees.map(sectionOf),
  ].join("\n\n") + "\n";
}

function sectionOf({ name, statement, also = [] }: Guarantee): string {
  const files = also.map((file) => `\`${file}\``).join(", ");
  return `## ${name}\n\n${statement}${files === "" ? "" : `\n\nFurther tests, not counted: ${files}.`}`;
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
