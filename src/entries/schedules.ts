/**
 * Schedules: calls of tools at times of the clock, once over all replicas. It is needed where a tool has to run every hour, or each Monday
 * at seven.
 *
 * @example A report each Monday
 * ```ts fragment report
 * import { createServer } from "jsr:@toolwire/toolwire";
 * import { cron, every } from "jsr:@toolwire/toolwire/schedules";
 *
 * const server = createServer({
 *   tools: [report],
 *   schedules: [every("1h", report, { days: 1 }), cron("0 7 * * 1", report, { days: 7 }, { timeZone: "Europe/Berlin" })],
 * });
 * console.log(server.tools.length);
 * ```
 *
 * @module
 */
export type { Schedule } from "../core/dispatch/schedule_contract.ts";
export {
  cron,
  type CronOptions,
  every,
  type ScheduleArguments,
  type ScheduleOptions,
} from "../jobs/schedules/schedules.ts";
