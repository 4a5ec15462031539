/**
 * The weather webtool, in two versions, each with separate tools.
 *
 * @module
 */
import { defineTool, Failure } from "jsr:@toolwire/toolwire";
import * as v from "jsr:@toolwire/toolwire/schema";
import { type DayRecord, findRecords } from "./records.ts";
import { inUnits, weatherConfig } from "./units.ts";

const location = v.pipe(
  v.string(),
  v.minLength(1),
  v.description("Name of a city"),
  v.examples(["Seattle", "New York"]),
);
const date = v.pipe(v.string(), v.isoDate(), v.description("A day of 2012 to 2015; without it, the last of them"));

/** More than this, in millimetres a day, wants an umbrella. */
const UMBRELLA_MM = 1;

/** 1.0.0: one action, two facts. Callers that have pinned it still get it. */
export const weatherV1 = [
  defineTool("get_current")
    .describe("Get the current weather of a city")
    .config(weatherConfig)
    .input(v.object({ location }))
    .output(v.object({ temperature: v.number(), conditions: v.string() }))
    .annotate({ readOnlyHint: true })
    .handle(async ({ location }, ctx) => {
      const day = inUnits(await dayOf(location, undefined), ctx.config.units);
      return { temperature: day.highest, conditions: day.conditions };
    }),
] as const;

/** What later versions say of a day. */
const Day = v.object({
  date: v.string(),
  highest: v.number(),
  lowest: v.number(),
  precipitation: v.number(),
  wind: v.number(),
  conditions: v.string(),
  umbrella: v.pipe(v.boolean(), v.description("Whether to take one")),
});

/** 2.1.0: any day, several days, and an answer to the question that everyone asks. */
export const weatherV2 = [
  defineTool("get_current")
    .describe("Get the weather of a city on a day, and whether to take an umbrella")
    .config(weatherConfig)
    .input(v.object({ location, date: v.optional(date) }))
    .output(Day)
    .annotate({ readOnlyHint: true })
    .handle(async ({ location, date }, ctx) => {
      const day = await dayOf(location, date);
      return { ...inUnits(day, ctx.config.units), umbrella: day.precipitation > UMBRELLA_MM };
    }),
  defineTool("get_days")
    .describe("Get the weather of a city on several days in a row")
    .config(weatherConfig)
    .input(v.object({ location, date, days: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(14)) }))
    .output(v.array(Day))
    .annotate({ readOnlyHint: true })
    .handle(async ({ location, date, days }, ctx) => {
      const records = await recordsOf(location);
      const first = records.findIndex((day) => day.date >= date);
      return records.slice(first, first + days).map((day) => ({
        ...inUnits(day, ctx.config.units),
        umbrella: day.precipitation > UMBRELLA_MM,
      }));
    }),
] as const;

async function dayOf(location: string, date: string | undefined): Promise<DayRecord> {
  const records = await recordsOf(location);
  const day = date === undefined ? records.at(-1) : records.find((day) => day.date === date);
  if (day === undefined) {
    throw new Failure("NO_SUCH_DAY", `There is no record of ${date}: ask for a day of 2012 to 2015`);
  }
  return day;
}

async function recordsOf(location: string): Promise<readonly DayRecord[]> {
  const records = await findRecords(location);
  if (records === undefined) throw new Failure("NO_STATION", "There are stations in Seattle and New York only");
  return records;
}
