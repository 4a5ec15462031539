/** docs/guarantees.md, from what is defined and what was counted. */
import { renderApps } from "./apps.ts";
import { renderDurable } from "./durable.ts";
import { renderSecondFailures } from "./second_failures.ts";
import { renderSignIn } from "./sign_in.ts";
import { renderSockets } from "./sockets.ts";
import { COLUMNS, type Guarantee, testName } from "./guarantee.ts";

/** How many cases passed on a runtime, by the names of their tests; and why others did not run. */
export interface Counted {
  readonly runtime: string;
  readonly passed: ReadonlySet<string>;
}

const HEAD = `# Guarantees

A server that others reach gets input that no honest client sends. This page says what holds then, for any caller, handler and server, and each line is a case
that is run. It is not about bounds, which [limits](limits.md) has, nor about trust, for which there is the [security model](security.md).
\`npm run guarantees\` writes the page if the cases of \`tests/hostile\` pass.

Cases of all wires, in process and over sockets, on each of`;

const FOOT =
  `Workerd opens no sockets: it runs the cases in process. \`tests/hostile\` has the reason why a wire has no cases.`;

/** The whole page. */
export function renderPage(guarantees: readonly Guarantee[], counted: readonly Counted[]): string {
  return [
    `${HEAD}\n${counted.map(({ runtime }) => runtime).join(", ")}.`,
    [
      "| guarantee | what holds | cases | not over |",
      "|---|---|---:|---|",
      ...guarantees.map((guarantee) => renderRow(guarantee, counted)),
    ].join("\n"),
    FOOT,
    renderDurable(),
    renderSignIn(),
    renderSockets(),
    renderApps(),
    renderSecondFailures(),
  ].join("\n\n") + "\n";
}

function renderRow(guarantee: Guarantee, counted: readonly Counted[]): string {
  const all = casesOf(guarantee);
  const fewer = counted.flatMap(({ runtime, passed }) => {
    const tests = guarantee.tests.filter((one) => passed.has(testName(guarantee, one)));
    const count = tests.reduce((sum, { count }) => sum + count, 0);
    return count === all || (runtime === "workerd" && count > 0) ? [] : [`${runtime} ${count}`];
  });
  return renderCells(guarantee, fewer.length === 0 ? String(all) : `${all} (${fewer.join(", ")})`);
}

/** The row of a guarantee; `cases` is how many there are, and on which runtimes fewer. */
export function renderCells(guarantee: Guarantee, cases: string): string {
  const { name, statement, tests, none = {} } = guarantee;
  const [with_, without] = [true, false].map((is) =>
    COLUMNS.filter((column) => tests.some((one) => one.column === column) === is)
  ) as [string[], string[]];
  const unexplained = without.filter((column) => none[column] === undefined);
  if (unexplained.length > 0) throw new Error(`${name} has nothing for ${unexplained.join(", ")}, and no reason`);
  const missing = with_.length === 1 ? `all but ${with_[0]}` : without.join(", ");
  return `| ${name} | ${statement} | ${cases} | ${missing} |`;
}

/** How many cases a guarantee has over all wires. */
export function casesOf({ tests }: Guarantee): number {
  return tests.reduce((sum, { count }) => sum + count, 0);
}
