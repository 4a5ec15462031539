/**
 * Statistics over rows: what a column holds, how groups differ, which rows lead. Pure functions.
 *
 * @module
 */
import type { Cell, ColumnType, Row } from "./cells.ts";
import { numberOf, textOf, typeOfColumn } from "./cells.ts";

/** One value and how many cells hold it. */
export interface ValueCount {
  readonly value: string;
  readonly count: number;
}

/** Range and middle of some numbers. */
export interface NumberSummary {
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  readonly median: number;
}

/** What one column holds; which of the optional parts are there follows from `type`. */
export interface ColumnSummary {
  readonly name: string;
  readonly type: ColumnType;
  /** Cells that say nothing. */
  readonly missing: number;
  /** Different values among the cells that say something. */
  readonly distinct: number;
  /** Smallest number, or earliest date. */
  readonly min?: number | string;
  /** Largest number, or latest date. */
  readonly max?: number | string;
  /** Numbers only. */
  readonly mean?: number;
  /** Numbers only. */
  readonly median?: number;
  /** Commonest values first; text and booleans only. */
  readonly top?: ValueCount[];
}

/** A group of rows, as far as one measure sees it. */
export interface GroupSummary {
  readonly value: string;
  /** Rows of the group that have the measure. */
  readonly count: number;
  readonly mean: number;
  readonly sum: number;
}

/** Summarizes one column; `topCount` limits the values listed for text. */
export function summarizeColumn(name: string, cells: readonly Cell[], topCount = 5): ColumnSummary {
  const present = cells.filter((cell) => cell !== null);
  const type = typeOfColumn(cells);
  const base = { name, type, missing: cells.length - present.length, distinct: new Set(present).size };
  if (type === "number") {
    const numbers = summarizeNumbers(present.filter((cell) => typeof cell === "number"));
    return numbers === undefined
      ? base
      : { ...base, ...numbers, mean: round(numbers.mean), median: round(numbers.median) };
  }
  if (type !== "date") return { ...base, top: countValues(cells).slice(0, topCount) };
  // ISO dates sort as text.
  const dates = present.map(String).sort();
  return { ...base, min: dates[0] ?? "", max: dates.at(-1) ?? "" };
}

/** Summarizes numbers; undefined without numbers. */
export function summarizeNumbers(numbers: readonly number[]): NumberSummary | undefined {
  const sorted = numbers.toSorted((left, right) => left - right);
  const min = sorted[0];
  const max = sorted.at(-1);
  if (min === undefined || max === undefined) return undefined;
  const middle = sorted.length / 2;
  const below = sorted[Math.ceil(middle) - 1] ?? min;
  const above = sorted[Math.floor(middle)] ?? max;
  return { min, max, mean: sumOf(sorted) / sorted.length, median: (below + above) / 2 };
}

/** Counts the values of a column, commonest first and equals by name; nulls are not counted. */
export function countValues(cells: readonly Cell[]): ValueCount[] {
  const counts = new Map<string, number>();
  for (const cell of cells) {
    if (cell !== null) counts.set(String(cell), (counts.get(String(cell)) ?? 0) + 1);
  }
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((left, right) => right.count - left.count || compareText(left.value, right.value));
}

/** Sums up a measure per group, highest first; groups with fewer than `fewestRows` rows are left out. */
export function summarizeGroups(
  rows: readonly Row[],
  { group, measure, by, fewestRows }: {
    readonly group: string;
    readonly measure: string;
    readonly by: "mean" | "sum";
    readonly fewestRows: number;
  },
): GroupSummary[] {
  const valuesByGroup = Map.groupBy(
    rows.filter((row) => numberOf(row, measure) !== undefined),
    (row) => textOf(row, group),
  );
  return [...valuesByGroup]
    .flatMap(([value, members]) => {
      if (value === undefined || members.length < fewestRows) return [];
      const sum = sumOf(numbersOf(members, measure));
      return [{ value, count: members.length, sum, mean: sum / members.length }];
    })
    .sort((left, right) => right[by] - left[by] || compareText(left.value, right.value));
}

/** Gives the numbers of a column, the missing ones left out. */
export function numbersOf(rows: readonly Row[], column: string): number[] {
  return rows.map((row) => numberOf(row, column)).filter((value) => value !== undefined);
}

/** Gives the rows that lead by a column; rows without a number are left out, equals keep their order. */
export function rankRows(rows: readonly Row[], column: string, order: "highest" | "lowest", count: number): Row[] {
  const sign = order === "highest" ? -1 : 1;
  return rows
    .filter((row) => numberOf(row, column) !== undefined)
    .sort((left, right) => sign * ((numberOf(left, column) ?? 0) - (numberOf(right, column) ?? 0)))
    .slice(0, count);
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, value) => sum + value, 0);
}

/** Four decimals, so that a mean of tenths does not end in `00000001`. */
function round(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}

/** By code unit and not by locale: the order is the same on every machine. */
function compareText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
