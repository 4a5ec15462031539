/**
 * Tables: the catalogue's entries with their rows, read from the `vega-datasets` package when first asked for.
 *
 * @module
 */
import { readFile } from "node:fs/promises";
import { catalog } from "./catalog.ts";
import type { Cell, Row } from "./cells.ts";
import { toRows } from "./cells.ts";
import { parseCsv } from "./csv.ts";
import type { TableSpec } from "./table_spec.ts";

/** A table with its rows. */
export interface Table extends TableSpec {
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
}

/** The package's data files are not among its exports, so they are found beside its entry. */
const dataUrl = new URL("../data/", import.meta.resolve("vega-datasets"));

const loading = new Map<string, Promise<Table>>();

/** Names every table there is. */
export function listTableIds(): string[] {
  return catalog.map((table) => table.id);
}

/**
 * Loads a table, once per process.
 *
 * @returns The table, or undefined if there is none of that id.
 */
export function loadTable(id: string): Promise<Table | undefined> {
  const known = loading.get(id);
  if (known !== undefined) return known;
  const spec = catalog.find((table) => table.id === id);
  if (spec === undefined) return Promise.resolve(undefined);
  const started = readTable(spec);
  loading.set(id, started);
  // A failed read is not remembered: the next call tries again.
  started.catch(() => loading.delete(id));
  return started;
}

/** Loads every table, in the catalogue's order. */
export function loadAllTables(): Promise<Table[]> {
  return Promise.all(catalog.map(async (spec) => await loadTable(spec.id) as Table));
}

/** Reads the file that a table is made of, as it is. */
export function readSource({ file }: TableSpec): Promise<string> {
  return readFile(new URL(file, dataUrl), "utf8");
}

/** Gives one column of a table, a cell a row. */
export function cellsOf(rows: readonly Row[], column: string): Cell[] {
  return rows.map((row) => row[column] ?? null);
}

async function readTable(spec: TableSpec): Promise<Table> {
  const text = await readSource(spec);
  const parsed: unknown = spec.file.endsWith(".csv") ? parseCsv(text) : JSON.parse(text);
  const records = spec.prepare?.(parsed) ?? parsed;
  if (!Array.isArray(records)) throw new TypeError(`Cannot read table ${spec.id}: ${spec.file} holds no rows`);
  const rows = toRows(records, spec.missing);
  return { ...spec, columns: Object.keys(rows[0] ?? {}), rows };
}
