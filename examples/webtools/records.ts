/**
 * Four years of daily weather in two cities, read from the `vega-datasets` package when first asked for.
 *
 * @module
 */
import { readFile } from "node:fs/promises";

/** What was measured on one day, in metric units. */
export interface DayRecord {
  /** ISO date. */
  readonly date: string;
  /** Rain and melted snow, in millimetres. */
  readonly precipitation: number;
  /** Highest temperature, in degrees Celsius. */
  readonly highest: number;
  /** Lowest temperature, in degrees Celsius. */
  readonly lowest: number;
  /** Wind speed, in metres a second. */
  readonly wind: number;
  /** `drizzle`, `fog`, `rain`, `snow` or `sun`. */
  readonly conditions: string;
}

const file = new URL("../data/weather.csv", import.meta.resolve("vega-datasets"));

let reading: Promise<ReadonlyMap<string, readonly DayRecord[]>> | undefined;

/** The days of a city in their order; `undefined` if it has no station. */
export async function findRecords(location: string): Promise<readonly DayRecord[] | undefined> {
  const byCity = await (reading ??= readRecords());
  return byCity.get(location.trim().toLowerCase());
}

async function readRecords(): Promise<ReadonlyMap<string, readonly DayRecord[]>> {
  const [, ...lines] = (await readFile(file, "utf8")).trim().split("\n");
  // No cell of this file is quoted.
  const rows = lines.map((line) => line.trim().split(",")).map(([city = "", ...cells]) => ({
    city,
    day: toDay(cells),
  }));
  const byCity = Map.groupBy(rows, ({ city }) => city.toLowerCase());
  return new Map([...byCity].map(([city, rows]) => [city, rows.map(({ day }) => day)]));
}

function toDay([date = "", precipitation, highest, lowest, wind, conditions = ""]: readonly string[]): DayRecord {
  return {
    date,
    precipitation: Number(precipitation),
    highest: Number(highest),
    lowest: Number(lowest),
    wind: Number(wind),
    conditions,
  };
}
