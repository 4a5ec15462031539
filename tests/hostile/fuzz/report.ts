/** What a run of the fuzzer has to say. */
import type { FuzzReport } from "./run.ts";

/** Longest that one case may hold the event loop, each time it is sent, in milliseconds. */
const MAX_HOLD_MS = 100;
/** How much the heap may grow, in bytes. */
const MAX_GROWTH = 24 * 2 ** 20;

/** The head of the table. */
export const HEADING =
  "| target | cases | faults | longest hold | of case | heap | seconds | answers |\n|---|---|---|---|---|---|---|---|";

/** A row of the table. */
export function formatRow(report: FuzzReport): string {
  const { target, cases, faultCount, longestHold, heapGrowth, seconds, kinds } = report;
  const reported = [...kinds].sort(([, one], [, two]) => two - one).map(([kind, count]) => `${kind} ${count}`);
  const shown = reported.length > 8 ? [...reported.slice(0, 8), `${reported.length - 8} more`] : reported;
  const heap = heapGrowth === undefined ? "-" : `${(heapGrowth / 2 ** 20).toFixed(1)} MiB`;
  const hold = `${longestHold.ms.toFixed(1)} ms | ${longestHold.number}`;
  return `| ${target} | ${cases} | ${faultCount} | ${hold} | ${heap} | ${seconds.toFixed(1)} | ${shown.join(", ")} |`;
}

/** All that is off, in words. */
export function findFaults({ target, faultCount, longestHold, heapGrowth = 0 }: FuzzReport): string[] {
  return [
    ...(faultCount > 0 ? [`${target}: ${faultCount} cases went wrong`] : []),
    ...(longestHold.ms > MAX_HOLD_MS
      ? [`${target}: case ${longestHold.number} holds the event loop for ${longestHold.ms} ms`]
      : []),
    ...(heapGrowth > MAX_GROWTH ? [`${target}: the heap grew by ${heapGrowth} bytes`] : []),
  ];
}

/** The faults, each with the command that repeats it. */
export function formatFaults({ target, faults }: FuzzReport, found: readonly string[], seed: number): string {
  const cases = faults.map(({ number, why, what }) =>
    `FAULT ${target}, case ${number}: ${why}\n    ${what}\n    again: npm run fuzz -- --seed ${seed} --target ${target} --case ${number}`
  );
  return [...cases, ...found].join("\n");
}
