/** Says how a soak went. */
import type { SoakReport } from "./soak.ts";

/** How many lines of the processes' logs are shown. */
const MAX_LOG_LINES = 12;

/** What was off: what went wrong, and what does not add up. */
export function findFaults({ tally }: SoakReport): readonly string[] {
  const faults = [...tally.wrongs];
  if (tally.wrongCount > faults.length) faults.push(`… and ${tally.wrongCount - faults.length} more`);
  for (const [kind, { begun, ended, failed }] of tally.kinds) {
    if (ended + failed !== begun) faults.push(`${kind}: ${begun} begun, but ${ended} ended and ${failed} failed`);
  }
  const { promised, redeemed, cancelled } = tally;
  if (promised !== redeemed + cancelled) {
    faults.push(`${promised} promises, but ${redeemed} answers and ${cancelled} cancelled`);
  }
  return faults;
}

/** The report as lines to read. */
export function formatReport(report: SoakReport): string {
  const { tally, kills, stops, logs, seconds } = report;
  const kinds = [...tally.kinds].map(([kind, { begun, ended, failed }]) => [kind, `${begun}`, `${ended}`, `${failed}`]);
  const begun = [...tally.kinds.values()].reduce((sum, count) => sum + count.begun, 0);
  const figures: readonly (readonly [string, number])[] = [
    ["requests answered", tally.requests],
    ["requests refused by nginx or a replica that ends", tally.brokenRequests],
    ["calls that callers made again", tally.insisted],
    ["operations", begun],
    ["processes killed with -9", kills],
    ["processes stopped", stops],
    ["promises", tally.promised],
    ["  redeemed with the right answer", tally.redeemed],
    ["  of these, elsewhere than they began", tally.elsewhere],
    ["  cancelled, as they should be", tally.cancelled],
    ["  redeemed again, the same", tally.redeemedAgain],
    ["  refused once their key was dropped", tally.revoked],
    ["jobs run again, as their process died", tally.redelivered],
    ["jobs that slept and waited, resolved once", tally.resolved],
    ["answers of one key that are equal", tally.repeats],
  ];
  const lines = [...logs].sort(([, one], [, other]) => other - one).slice(0, MAX_LOG_LINES);
  const faults = findFaults(report);
  return [
    ...columns([["operation", "begun", "ended", "failed"], ...kinds]),
    "",
    ...columns(figures.map(([name, count]) => [name, `${count}`])),
    "",
    ...(lines.length === 0 ? [] : ["What the processes wrote:", ...lines.map(([line, n]) => `  ${n} × ${line}`), ""]),
    ...(faults.length === 0 ? [] : ["What is off:", ...faults.map((fault) => `  ${fault}`), ""]),
    `${faults.length === 0 ? "Nothing was lost" : "SOMETHING IS OFF"} (${seconds.toFixed(1)} s)`,
  ].join("\n");
}

function columns(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => {
    const cells = row.map((cell, column) => {
      const width = widths[column] ?? 0;
      return column === 0 ? cell.padEnd(width) : cell.padStart(width + 2);
    });
    return cells.join("");
  });
}
