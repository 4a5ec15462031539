/**
 * Schedules: calls of tools at times of the clock, once over all replicas.
 *
 * @module
 */
export type { Schedule } from "../core/dispatch/schedule.ts";
export {
  cron,
  type CronOptions,
  every,
  type ScheduleArguments,
  type ScheduleOptions,
} from "../jobs/schedules/schedules.ts";
