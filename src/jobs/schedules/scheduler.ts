/**
 * Stores the calls of schedules as jobs. There is no leader: the id of a call follows from its schedule and its time, each replica
 * stores the next call at its start and after each time, and the engine keeps the first of them.
 */
import { callerKey } from "../../internal/caller_key.ts";
import type { Job } from "../../core/dispatch/engine.ts";
import { MAX_TIMER_MS } from "../../internal/time.ts";
import { digestOf, uuidOf } from "../../core/token/digest.ts";
import type { Schedule, ScheduleHost, Scheduler } from "../../core/dispatch/schedule_contract.ts";
import { createScheduledJob } from "./scheduled_job.ts";

/** Delay before a call is stored again after the engine has failed, in milliseconds. */
const RETRY_MS = 5_000;

/**
 * Creates the scheduler of a server, which stores the next call of each schedule as a job; `start` begins its work.
 *
 * @throws {TypeError} If two schedules have the same name, the server does not have the tool of one, or its arguments do not fit.
 */
export function createScheduler(schedules: readonly Schedule[], host: ScheduleHost): Scheduler {
  const runners = new Map<string, ScheduleRunner>();
  for (const schedule of schedules) {
    if (runners.has(schedule.name)) {
      throw new TypeError(`Cannot create server: two schedules are "${schedule.name}"; give one another name`);
    }
    runners.set(schedule.name, new ScheduleRunner(schedule, host));
  }
  return {
    start() {
      for (const runner of runners.values()) runner.start();
    },
    stop() {
      for (const runner of runners.values()) runner.stop();
    },
    async decide(job) {
      const { name = "", digest } = job.schedule ?? {};
      const runner = runners.get(name);
      return runner?.digest === digest ? await runner?.decide(job) : undefined;
    },
  };
}

/** Keeps the next call of one schedule in the engine, and decides whether a due call is made. */
class ScheduleRunner {
  readonly digest: string;
  readonly #schedule: Schedule;
  readonly #host: ScheduleHost;
  #cancel: (() => void) | undefined = undefined;
  #isStopped = false;

  constructor(schedule: Schedule, host: ScheduleHost) {
    const { tool, input, principal, fingerprint } = schedule["~definition"];
    this.#schedule = schedule;
    this.#host = host;
    this.digest = digestOf(tool, {
      fingerprint,
      input,
      principal: principal === undefined ? null : callerKey(principal),
    });
    // Checks the arguments where the server is created.
    this.#createJob(0);
  }

  start(): void {
    if (this.#cancel !== undefined || this.#isStopped) return;
    const { ticks, catchUpMs } = this.#schedule["~definition"];
    const nowMs = this.#host.clock.now();
    const missedMs = ticks.before(nowMs);
    const isMissed = missedMs !== undefined && missedMs >= nowMs - catchUpMs && catchUpMs > 0;
    this.#plan(isMissed ? missedMs : ticks.after(nowMs));
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
  }

  async decide(job: Job): ReturnType<Scheduler["decide"]> {
    const { overlap, ticks } = this.#schedule["~definition"];
    const earlierMs = overlap === "all" ? undefined : ticks.before(job.schedule?.atMs ?? 0);
    if (earlierMs === undefined) return { blockedBy: undefined };
    const earlier = await this.#host.get(this.#idOf(earlierMs));
    // A call that was left out itself names the one that it was left out for.
    const { blockedBy } = earlier?.schedule ?? {};
    const busy = blockedBy === undefined ? earlier : await this.#host.get(blockedBy);
    const isBusy = busy !== undefined && busy.state !== "done" && busy.state !== "cancelled";
    return { blockedBy: isBusy ? busy.id : undefined };
  }

  /** Stores the call of a time, and at that time the next one. */
  #plan(atMs: number | undefined): void {
    if (atMs === undefined) return;
    this.#cancel = () => {};
    void this.#store(atMs).then(() => this.#wait(atMs), (thrown) => {
      this.#host.report(thrown);
      this.#after(RETRY_MS, () => this.#plan(atMs));
    });
  }

  async #store(atMs: number): Promise<void> {
    await this.#host.insert(this.#createJob(atMs), Math.max(0, atMs - this.#host.clock.now()));
  }

  #wait(atMs: number): void {
    const leftMs = atMs - this.#host.clock.now();
    if (leftMs > 0) return this.#after(Math.min(leftMs, MAX_TIMER_MS), () => this.#wait(atMs));
    this.#plan(this.#nextOf(atMs));
  }

  /** The time after one, without those that have passed: the process may have been suspended. */
  #nextOf(atMs: number): number | undefined {
    return this.#schedule["~definition"].ticks.after(Math.max(atMs, this.#host.clock.now()));
  }

  #after(delayMs: number, callback: () => void): void {
    if (!this.#isStopped) this.#cancel = this.#host.clock.after(delayMs, callback);
  }

  #idOf(atMs: number): string {
    return uuidOf("schedule", this.#schedule.name, this.digest, `${atMs}`);
  }

  #createJob(atMs: number): Job {
    const { name, "~definition": { tool, input, principal } } = this.#schedule;
    const schedule = { name, digest: this.digest, atMs };
    return createScheduledJob(this.#host, { id: this.#idOf(atMs), tool, input, principal, atMs, schedule });
  }
}
