/**
 * Airports of the United States and the flights between them in 2008, of the package `vega-datasets`, as tables of SQLite.
 *
 * @module
 */
import { readFile } from "node:fs/promises";

/** The part of SQLite that `bun:sqlite` and `node:sqlite` (Node and Deno) have in common. */
export interface Database {
  exec(sql: string): unknown;
  prepare(
    sql: string,
  ): { all(...values: (string | number)[]): unknown[]; run(...values: (string | number)[]): unknown };
  close(): void;
}

/** Opens a database in memory with the tables `airport` and `route`. */
export async function openAirports(): Promise<Database> {
  const database = await openMemory();
  database.exec(`
    CREATE TABLE airport (iata TEXT PRIMARY KEY, name TEXT, city TEXT, state TEXT, country TEXT, latitude REAL, longitude REAL);
    CREATE TABLE route (origin TEXT REFERENCES airport, destination TEXT REFERENCES airport, flights INTEGER);
    BEGIN`);
  const airport = database.prepare("INSERT INTO airport VALUES (?, ?, ?, ?, ?, ?, ?)");
  for (const cells of await readRows("airports.csv")) airport.run(...cells);
  const route = database.prepare("INSERT INTO route VALUES (?, ?, ?)");
  for (const cells of await readRows("flights-airport.csv")) route.run(...cells);
  database.exec("COMMIT; CREATE INDEX route_by_origin ON route (origin)");
  return database;
}

/** The rows of a CSV file of the package, without the header. */
export async function readRows(file: string): Promise<string[][]> {
  const text = await readFile(new URL(`../data/${file}`, import.meta.resolve("vega-datasets")), "utf8");
  const [, ...lines] = text.trim().split("\n");
  return lines.map((line) =>
    Array.from(
      line.trim().matchAll(/"((?:[^"]|"")*)"|[^,]+/g),
      ([cell, quoted]) => quoted?.replaceAll('""', '"') ?? cell,
    )
  );
}

async function openMemory(): Promise<Database> {
  if ("Bun" in globalThis) return new (await import("bun:sqlite")).Database(":memory:");
  return new (await import("node:sqlite")).DatabaseSync(":memory:");
}
