/** The interface between a server and its schedules: the values of `./schedules` bring the code. */
import type { Job } from "./engine.ts";
import type { MaybePromise } from "../../internal/async.ts";
import type { Clock } from "../../internal/time.ts";
import type { Principal } from "../call/call.ts";
import type { ToolDefinition } from "../tool/definition.ts";

/** The times at which a schedule calls its tool: finds the next and the previous one, in milliseconds since the Unix epoch. */
export interface ScheduleTimes {
  /** The first time after a moment. */
  after(epochMs: number): number | undefined;
  /** The last time before a moment. */
  before(epochMs: number): number | undefined;
}

/** What a {@link Schedule} consists of: its times, the tool and arguments, and what happens to calls that were missed or overlap. */
interface ScheduleDefinition {
  readonly ticks: ScheduleTimes;
  /** Name of the tool. */
  readonly tool: string;
  readonly input: unknown;
  readonly principal: Principal | undefined;
  readonly overlap: "skip" | "all";
  readonly catchUpMs: number;
  /** Times as text, time zone and `overlap`. If one differs, calls stored under the same name are of another schedule, and not made. */
  readonly fingerprint: readonly string[];
}

/** A tool and the times at which it is called: made by `every` and `cron` of `./schedules`. */
export interface Schedule {
  /** Name, unique on a server. */
  readonly name: string;
  /**
   * Times, tool and arguments of the schedule, for the server.
   *
   * @internal
   */
  readonly "~definition": ScheduleDefinition;
  /**
   * Creates the scheduler of all schedules of a server.
   *
   * @internal
   */
  readonly "~scheduler": (schedules: readonly Schedule[], host: ScheduleHost) => Scheduler;
}

/** What a scheduler needs of its server: clock, tools, and the engine that stores the next calls as jobs. */
export interface ScheduleHost {
  readonly clock: Clock;
  /** A tool of the server whose calls can be jobs. */
  toolOf(name: string): ToolDefinition | undefined;
  /** Tolerated difference between the clocks of replicas, in milliseconds. */
  readonly skewMs: number;
  /** Stores a job unless there is one with its id, with a delivery after a delay. */
  insert(job: Job, dueInMs: number): MaybePromise<boolean>;
  get(id: string): MaybePromise<Job | undefined>;
  /** Writes an error of background work to the log. */
  report(thrown: unknown): void;
}

/** One call that a schedule makes, at one of its times; a job is created from it. */
export interface ScheduledCall {
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
  readonly principal: Principal | undefined;
  /** When the call is due, in milliseconds since the Unix epoch. */
  readonly atMs: number;
  readonly schedule: NonNullable<Job["schedule"]>;
}

/** Keeps the next call of each schedule of one server in the engine, and decides whether a due call is made. */
export interface Scheduler {
  /** Stores the next call of each schedule, now and after each time. Does nothing if it has started. */
  start(): void;
  /**
   * Decides whether a due call is made.
   *
   * @returns The id of the earlier call that has not ended, for which this one is left out. `undefined` if the server does not have
   * this schedule.
   */
  decide(job: Job): Promise<{ readonly blockedBy: string | undefined } | undefined>;
  stop(): void;
}
