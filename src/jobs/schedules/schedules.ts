import { Cron } from "croner";
import { checkOptions, OBJECT, oneOf, rule, TEXT, wholeNumber } from "../../internal/options.ts";
import type { AnyTool, InferInput } from "../../core/tool/definition.ts";
import type { Principal } from "../../core/call/call.ts";
import { toPrincipal } from "../../core/call/principal.ts";
import type { Schedule, ScheduleTimes } from "../../core/dispatch/schedule_contract.ts";
import { createScheduler } from "./scheduler.ts";

/** Options of {@link every} and {@link cron}. */
export interface ScheduleOptions {
  /** Name, unique on the server. Default: the tool and the times, such as `report every 1h`. */
  readonly name?: string | undefined;
  /** Caller of the tool: `ctx.principal`. Default: none. */
  readonly principal?: Principal<object> | undefined;
  /**
   * What happens if the call of an earlier time is not over: `"skip"` leaves this one out, `"all"` makes it as well. A call that
   * sleeps or waits is not over. Default: `"skip"`.
   */
  readonly overlap?: "skip" | "all" | undefined;
  /**
   * How long ago the latest time before a server starts may be, in milliseconds, for its call to be made then, unless it was made. At
   * most the `ttlMs` of the tool. Default: 0, none.
   */
  readonly catchUpMs?: number | undefined;
}

/** Options of {@link cron}. */
export interface CronOptions extends ScheduleOptions {
  /** IANA time zone of the expression, such as `Europe/Berlin`. Default: `UTC`. */
  readonly timeZone?: string | undefined;
}

/** Parameters after the tool: its arguments may be left out if all of them are optional. */
export type ScheduleArguments<Input, Options> = Record<never, never> extends Input
  ? [input?: Input | undefined, options?: Options | undefined]
  : [input: Input, options?: Options | undefined];

/** Units of durations, in milliseconds. */
const UNITS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** Shortest period, in milliseconds. */
const MIN_PERIOD_MS = 1_000;

/**
 * Creates a schedule, for the option `schedules`, that calls a tool in equal intervals, counted from the Unix epoch: every replica has
 * the same times.
 *
 * @example A report each hour
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { every } from "jsr:@toolwire/toolwire/schedules";
 * import * as v from "jsr:@toolwire/toolwire/schema";
 *
 * const report = defineTool("report").describe("Write a report").promise()
 *   .input(v.object({ days: v.number() })).handle(({ days }) => `${days} days`);
 * const server = createServer({ tools: [report], schedules: [every("1h", report, { days: 1 })] });
 * await server.close();
 * ```
 * @param period Milliseconds, or text such as `"90s"`, `"15m"`, `"1h"`, `"1d"`, `"1w"`; at least a second.
 * @param tool A tool of the server, with `.promise()`.
 * @param rest Its arguments, which are left out if it needs none, and options.
 * @throws {RangeError} If the period is invalid, or below a second.
 * @throws {TypeError} If the tool has no `.promise()`, or an option is invalid or unknown.
 */
export function every<Tool extends AnyTool>(
  period: number | string,
  tool: Tool,
  ...[input = {}, options = {}]: ScheduleArguments<InferInput<Tool>, ScheduleOptions>
): Schedule {
  const periodMs = toPeriodMs(period);
  const ticks: ScheduleTimes = {
    after: (ms) => (Math.floor(ms / periodMs) + 1) * periodMs,
    before: (ms) => (Math.ceil(ms / periodMs) - 1) * periodMs,
  };
  return defineSchedule(`every ${period}`, ticks, tool, input, options, {});
}

/**
 * Creates a schedule that calls a tool at the times of a cron expression: minute, hour, day of the month, month, day of the week.
 *
 * Where clocks change, a time that does not exist runs right after the gap, and one that exists twice runs once.
 *
 * @example Mondays at seven in Berlin
 * ```ts
 * import { defineTool } from "jsr:@toolwire/toolwire";
 * import { cron } from "jsr:@toolwire/toolwire/schedules";
 *
 * const digest = defineTool("digest").describe("Send the digest").promise().handle(() => "sent");
 * export const weekly = cron("0 7 * * 1", digest, {}, { timeZone: "Europe/Berlin" });
 * ```
 * @param expression Parsed by croner: lists, ranges, steps, names, `L` and `#`, and `@daily` and the like.
 * @param tool A tool of the server, with `.promise()`.
 * @param rest Its arguments, which are left out if it needs none, and options.
 * @throws {TypeError} If the expression or the time zone is invalid, the expression has no time, the tool has no `.promise()`, or an option is
 * invalid or unknown.
 */
export function cron<Tool extends AnyTool>(
  expression: string,
  tool: Tool,
  ...[input = {}, options = {}]: ScheduleArguments<InferInput<Tool>, CronOptions>
): Schedule {
  const { timeZone = "UTC" } = options;
  const times = parseCron(expression, timeZone);
  const ticks: ScheduleTimes = {
    after: (ms) => times.nextRun(new Date(ms))?.getTime(),
    before: (ms) => times.previousRuns(1, new Date(ms))[0]?.getTime(),
  };
  return defineSchedule(`cron ${expression}`, ticks, tool, input, options, { timeZone: TEXT });
}

function parseCron(expression: string, timezone: string): Cron {
  try {
    const times = new Cron(expression, { paused: true, timezone, mode: "5-part" });
    if (times.nextRun() !== null) return times;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new TypeError(`Cannot schedule "${expression}" in ${timezone}: ${reason}`, { cause });
  }
  throw new TypeError(`Cannot schedule "${expression}": it has no time`);
}

function toPeriodMs(period: number | string): number {
  const [, count, unit = ""] = /^(\d+(?:\.\d+)?)\s*([smhdw])$/.exec(String(period)) ?? [];
  const periodMs = typeof period === "number" ? period : Number(count) * (UNITS[unit] ?? NaN);
  if (Number.isInteger(periodMs) && periodMs >= MIN_PERIOD_MS) return periodMs;
  throw new RangeError(
    `Cannot schedule every ${
      JSON.stringify(period)
    }: give milliseconds from ${MIN_PERIOD_MS}, or text such as "90s", "15m", "1h", "1d", "1w"`,
  );
}

function defineSchedule(
  times: string,
  ticks: ScheduleTimes,
  tool: AnyTool,
  input: unknown,
  options: CronOptions,
  more: Record<string, typeof TEXT>,
): Schedule {
  const definition = tool?.["~definition"];
  if (definition?.promise === undefined) {
    throw new TypeError(`Cannot schedule ${times}: the second argument must be a finished tool with .promise()`);
  }
  checkOptions<CronOptions>(`schedule ${definition.name} ${times}`, options, {
    name: TEXT,
    principal: OBJECT,
    overlap: oneOf("skip", "all"),
    catchUpMs: rule(`a whole number from 0 to ttlMs of the tool, ${definition.promise.ttlMs}`, (value) => {
      return wholeNumber(0).fits(value) && (value as number) <= (definition.promise?.ttlMs ?? 0);
    }),
    ...more as { timeZone: typeof TEXT },
  });
  const { name = `${definition.name} ${times}`, principal, overlap = "skip", catchUpMs = 0 } = options;
  return {
    name,
    "~definition": {
      ticks,
      tool: definition.name,
      input,
      principal: principal && toPrincipal(principal),
      overlap,
      catchUpMs,
      fingerprint: [times, options.timeZone ?? "", overlap],
    },
    "~scheduler": createScheduler,
  };
}
