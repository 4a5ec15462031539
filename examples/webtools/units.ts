/**
 * What callers configure, and what it does to numbers.
 *
 * @module
 */
import * as v from "jsr:@toolwire/toolwire/schema";
import type { DayRecord } from "./records.ts";

/** The config of every version: models never see it. */
export const weatherConfig = v.object({
  units: v.pipe(v.picklist(["metric", "imperial"]), v.description("Units of all numbers"), v.examples(["metric"])),
});

/** Units of measurement. */
export type Units = v.InferOutput<typeof weatherConfig>["units"];

/** The same day in the units that the caller wants, with one decimal at most. */
export function inUnits(day: DayRecord, units: Units): DayRecord {
  if (units === "metric") return day;
  return {
    ...day,
    precipitation: round(day.precipitation / 25.4),
    highest: round(day.highest * 1.8 + 32),
    lowest: round(day.lowest * 1.8 + 32),
    wind: round(day.wind * 2.236936),
  };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
