import type { Job } from "../../core/dispatch/engine.ts";
import type { DispatchServices } from "../../core/dispatch/deferral.ts";
import type { Scheduler } from "../../core/dispatch/schedule_contract.ts";
import type { Jobs } from "./jobs.ts";

/** Delay until the call of an unknown schedule is delivered to another process, in milliseconds. */
const ELSEWHERE_MS = 10_000;

/** Time for which a due call of an unknown schedule is left to other processes, in milliseconds: the length of a deployment. */
const DEPLOYMENT_MS = 300_000;

/** Starts the schedules of a server, and decides whether their due jobs run. Those of an unknown schedule are left to other processes first. */
export class ScheduledJobs {
  readonly #services: DispatchServices;
  readonly #jobs: Jobs;
  readonly #scheduler: Scheduler | undefined;

  constructor(services: DispatchServices, scheduler: Scheduler | undefined, jobs: Jobs) {
    this.#services = services;
    this.#jobs = jobs;
    this.#scheduler = scheduler;
  }

  start(): void {
    this.#scheduler?.start();
  }

  stop(): void {
    this.#scheduler?.stop();
  }

  /** Whether a claimed job is to run. If not, it is passed on or cancelled. A call that has begun runs, whatever its schedule is now. */
  async mayRun(job: Job): Promise<boolean> {
    if (job.schedule === undefined || hasBegun(job)) return true;
    const decision = await this.#decide(job);
    if (decision !== undefined && decision.blockedBy === undefined) return true;
    const isDeploying = this.#services.clock.now() < job.schedule.atMs + DEPLOYMENT_MS;
    if (decision === undefined && isDeploying) await this.#jobs.passOn(job, ELSEWHERE_MS);
    else await this.#jobs.leaveOut(job, decision?.blockedBy);
    return false;
  }

  async #decide(job: Job): ReturnType<Scheduler["decide"]> {
    try {
      return await this.#scheduler?.decide(job);
    } catch (thrown) {
      // Otherwise the claim would count as a run.
      await this.#jobs.passOn(job, 0);
      throw thrown;
    }
  }
}

/** Whether an earlier claim of the call was followed by a run: attempts do not count those that stopped at a wait or a shutdown. */
function hasBegun({ epoch, schedule }: Job): boolean {
  return epoch > (schedule?.passedEpoch ?? 0) + 1;
}
