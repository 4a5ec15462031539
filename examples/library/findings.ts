/**
 * The gist of an analysis in sentences, written from its numbers.
 *
 * @module
 */
import type { ColumnEstimate, PairCorrelation } from "./analysis.ts";
import { countNoun, formatDecimal } from "./format.ts";
import type { Table } from "./tables.ts";

/** Most sentences on columns, and on pairs of columns. */
const mostSentences = 3;

/**
 * Writes what is worth knowing first.
 *
 * @param correlations Closest first.
 */
export function writeFindings(
  table: Table,
  estimates: readonly ColumnEstimate[],
  correlations: readonly PairCorrelation[],
): string[] {
  // Among so many pairs some look close by chance: each has to be the less likely for it.
  const firm = correlations.filter(({ p_value }) => p_value * correlations.length <= 0.05);
  return [
    ...writeEstimates(table, estimates).slice(0, mostSentences),
    ...firm.slice(0, mostSentences).map((pair) => writeCorrelation(table, pair)),
  ];
}

/** `The mean IMDB rating is 6.3, likely between 6.2 and 6.3.` */
function writeEstimates({ measures }: Table, estimates: readonly ColumnEstimate[]): string[] {
  return measures.flatMap(({ column, name, format, unit = "" }) => {
    const mean = estimates.find((estimate) => estimate.column === column)?.mean;
    if (mean === undefined) return [];
    const { value, low, high } = mean;
    return [`The mean ${name} is ${format(value)}${unit}, likely between ${format(low)} and ${format(high)}${unit}.`];
  });
}

function writeCorrelation({ noun }: Table, { columns, count, coefficient }: PairCorrelation): string {
  const [left = "", right = ""] = columns;
  const direction = coefficient > 0 ? "rises" : "falls";
  const numbers = `${formatDecimal(coefficient)}, over ${countNoun(count, ...noun)}`;
  return `“${left}” ${direction} as “${right}” rises (${numbers}).`;
}
