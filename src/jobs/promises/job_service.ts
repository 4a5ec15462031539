/** The jobs of one server: the code that a deferral loads when its server first needs it. */
import type { DispatchServices, ResolvedDeferralOptions } from "../../core/dispatch/deferral.ts";
import { JobPromises } from "./job_promises.ts";
import { JobRunner } from "./job_runner.ts";
import { JobWaiters } from "./job_waiters.ts";
import { Jobs } from "./jobs.ts";
import { Redeemer } from "./redeem.ts";
import { ScheduledJobs } from "./scheduled_jobs.ts";
import { WaitResolver } from "./wait_resolver.ts";

export { renewPromise } from "./redeem.ts";

/** Creates and connects the parts of one server that work on its jobs: the runner, the system tools, and the resolver of waits. */
export class JobService {
  readonly jobs: Jobs;
  readonly promises: JobPromises;
  readonly runner: JobRunner;
  readonly redeemer: Redeemer;
  readonly waitResolver: WaitResolver;
  readonly #waits: JobWaiters;

  constructor(services: DispatchServices, parts: ResolvedDeferralOptions) {
    const { reporting, keys, notifier, scheduler, ownerOf } = parts;
    const jobs = this.jobs = new Jobs(reporting, services.clock, ownerOf);
    jobs.notifier = notifier;
    const promises = this.promises = new JobPromises(services, reporting, keys);
    const waits = this.#waits = new JobWaiters(services, jobs, promises);
    const scheduled = new ScheduledJobs(services, scheduler, jobs);
    this.runner = new JobRunner(services, { ...parts, jobs, promises, waits, scheduled });
    this.redeemer = new Redeemer(services, jobs, promises, waits);
    this.waitResolver = new WaitResolver(services, jobs, parts);
  }

  /** Ends the waits of calls for jobs, and stops schedules and workers; resolves when the jobs under way here have ended. */
  async stop(): Promise<void> {
    this.#waits.endAll();
    await this.runner.stop();
  }
}
