/**
 * The analysis of a table: what its numeric columns are like beyond the rows at hand, and which of them go together.
 *
 * Takes seconds on the larger tables, and says how far it is. Chance is seeded: the same table gives the same analysis.
 *
 * @module
 */
import { numberOf, typeOfColumn } from "./cells.ts";
import { writeFindings } from "./findings.ts";
import { createPause, type Pause } from "./pauses.ts";
import { createDraw } from "./random.ts";
import { correlate, type Correlation, type Estimate, estimateMiddle, type Trials } from "./resampling.ts";
import { numbersOf } from "./statistics.ts";
import { cellsOf, type Table } from "./tables.ts";

/** What can be asked for: estimates of each column, correlations of each pair of columns, or both. */
export type AnalysisType = "estimates" | "correlations" | "comprehensive";

/** A numeric column, and what its middle is likely to be. */
export interface ColumnEstimate {
  readonly column: string;
  /** Rows that have a number. */
  readonly count: number;
  readonly mean: Estimate;
  readonly median: Estimate;
}

/** Two numeric columns, and how closely they go together. */
export interface PairCorrelation extends Correlation {
  readonly columns: string[];
  /** Rows that have both numbers. */
  readonly count: number;
}

/** What was found; `estimates` and `correlations` are empty where they were not asked for. */
export interface Analysis {
  readonly estimates: ColumnEstimate[];
  /** Closest first. */
  readonly correlations: PairCorrelation[];
  /** The gist, in sentences. */
  readonly findings: string[];
}

/** Options and callbacks of an analysis. */
export interface AnalysisOptions {
  readonly type: AnalysisType;
  /** Aborts it. */
  readonly signal: AbortSignal;
  /** Called as each part starts, with the percentage done, and at the end. */
  readonly onProgress: (percent: number, message: string) => void;
}

/** How often each column is drawn again from itself, and each pair of columns shuffled. */
const resamples = 10_000;
const shuffles = 5000;

/** Fewer rows say too little about two columns. */
const fewestRows = 10;

type Finding = { readonly estimate: ColumnEstimate } | { readonly pair: PairCorrelation } | undefined;

interface Part {
  /** Progress message of the part. */
  readonly message: string;
  /** How much it is, in draws. */
  readonly draws: number;
  readonly run: () => Promise<Finding>;
}

/** Analyzes a table. */
export async function analyzeTable(table: Table, options: AnalysisOptions): Promise<Analysis> {
  const { type, signal, onProgress } = options;
  const pause = createPause(signal);
  const columns = table.columns.filter((column) => typeOfColumn(cellsOf(table.rows, column)) === "number");
  const parts = [
    ...(type === "correlations" ? [] : columns.map((column) => estimatePart(table, column, pause))),
    ...(type === "estimates" ? [] : pairsOf(columns).map((pair) => correlatePart(table, pair, pause))),
  ];
  const total = parts.reduce((sum, { draws }) => sum + draws, 0);
  const found: Finding[] = [];
  let done = 0;
  for (const { message, draws, run } of parts) {
    onProgress(Math.round((done / total) * 100), message);
    found.push(await run());
    done += draws;
  }
  onProgress(100, "Done");
  return summarize(table, found);
}

function estimatePart({ rows }: Table, column: string, pause: Pause): Part {
  const numbers = numbersOf(rows, column);
  const run = async () => {
    const { mean, median } = await estimateMiddle(numbers, trials(column, resamples, pause));
    return { estimate: { column, count: numbers.length, mean: roundEstimate(mean), median: roundEstimate(median) } };
  };
  return { message: `Resampling ${column}`, draws: numbers.length * resamples, run };
}

function correlatePart({ rows }: Table, [left, right]: readonly [string, string], pause: Pause): Part {
  const both = rows.flatMap((row) => {
    const pair = [numberOf(row, left), numberOf(row, right)] as const;
    return pair[0] === undefined || pair[1] === undefined ? [] : [[pair[0], pair[1]] as const];
  });
  const run = async () => {
    if (both.length < fewestRows) return undefined;
    const [lefts, rights] = [both.map(([number]) => number), both.map(([, number]) => number)];
    const correlation = await correlate(lefts, rights, trials(`${left}/${right}`, shuffles, pause));
    if (correlation === undefined) return undefined;
    const { coefficient, p_value } = correlation;
    const columns = [left, right];
    return { pair: { columns, count: both.length, coefficient: round(coefficient), p_value: round(p_value) } };
  };
  return { message: `Shuffling ${left} against ${right}`, draws: both.length * shuffles, run };
}

/** Each part has a separate seed, so that it finds the same whatever else is asked for. */
function trials(seed: string, count: number, pause: Pause): Trials {
  return { count, draw: createDraw(seed), pause };
}

function summarize(table: Table, found: readonly Finding[]): Analysis {
  const estimates = found.flatMap((
    finding,
  ) => (finding !== undefined && "estimate" in finding ? finding.estimate : []));
  const correlations = found
    .flatMap((finding) => (finding !== undefined && "pair" in finding ? finding.pair : []))
    .sort((left, right) => Math.abs(right.coefficient) - Math.abs(left.coefficient));
  return { estimates, correlations, findings: writeFindings(table, estimates, correlations) };
}

function pairsOf(columns: readonly string[]): (readonly [string, string])[] {
  return columns.flatMap((left, index) => columns.slice(index + 1).map((right) => [left, right] as const));
}

function roundEstimate({ value, low, high }: Estimate): Estimate {
  return { value: round(value), low: round(low), high: round(high) };
}

/** Five significant digits: what follows is an accident of the rows. */
function round(value: number): number {
  return Number(value.toPrecision(5));
}
