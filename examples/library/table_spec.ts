/**
 * What the library needs to know of a table beside its rows: its words, and what a report on it should look at.
 *
 * @module
 */
import type { Row } from "./cells.ts";
import type { NumberFormat } from "./format.ts";

/** A numeric column worth a line in a report. */
export interface Measure {
  readonly column: string;
  /** What prose calls it: `worldwide gross`. */
  readonly name: string;
  /** Writes the number without its unit. */
  readonly format: NumberFormat;
  /** What follows the number, space included: ` km`. */
  readonly unit?: string;
}

/** A text column whose values divide the table. */
export interface Grouping {
  readonly column: string;
  /** What prose calls one value of it: `genre`. */
  readonly name: string;
}

/** A list of the rows that lead by one measure. */
export interface Ranking {
  /** The line's heading: `Highest worldwide gross`. */
  readonly name: string;
  readonly measure: Measure;
  readonly order: "highest" | "lowest";
  /** Rows that say less than this are left out, such as films that twelve people rated. */
  readonly atLeast?: { readonly column: string; readonly name: string; readonly value: number };
}

/** What sets one group against another. */
export interface Comparison {
  readonly grouping: Grouping;
  readonly measure: Measure;
  /** What is compared: each group's mean, or its sum. */
  readonly by: "mean" | "sum";
  /** Groups with fewer rows say too little to be compared. */
  readonly fewestRows: number;
}

/** One table of the library. */
export interface TableSpec {
  /** The name callers use; also the name of the file without its ending. */
  readonly id: string;
  readonly file: string;
  readonly title: string;
  /** A sentence or two on what the table is. */
  readonly about: string;
  /** What its rows are called: `["film", "films"]`. */
  readonly noun: readonly [one: string, many: string];
  /** Other names under which a topic may ask for it. */
  readonly aliases: readonly string[];
  /** Spellings of "nothing" in its file. */
  readonly missing?: readonly string[];
  /** Brings what the file's parser gave to plain records, and mends known faults. */
  readonly prepare?: (parsed: unknown) => Record<string, unknown>[];
  /** A row's title in a list of hits. */
  readonly titleOf: (row: Row) => string;
  /** A row in a sentence or two. */
  readonly excerptOf: (row: Row) => string;
  /** How much a row weighs in a search among equals: 1 is plain. */
  readonly weightOf?: (row: Row) => number;
  /** The column that places a row in time: a date or a year. */
  readonly span?: string;
  readonly measures: readonly Measure[];
  readonly groupings: readonly Grouping[];
  readonly comparison?: Comparison;
  readonly rankings: readonly Ranking[];
}
