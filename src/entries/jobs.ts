/**
 * Jobs for operators: lists, inspects, retries, cancels and purges the deferred work of a server, and the same as tools. Operators of a
 * server with promises need it, to see what waits and to repair what failed.
 *
 * @example Which jobs a server has
 * ```ts
 * import { createClient, createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { jobsOf } from "jsr:@toolwire/toolwire/jobs";
 *
 * const report = defineTool("report").describe("Write a report").promise().handle(() => "done");
 * const server = createServer({ tools: [report] });
 * const work = await createClient(server).report.start();
 * console.log(await work.result()); // → done
 *
 * const jobs = jobsOf(server);
 * const [job] = (await jobs.list({ tool: "report" })).jobs;
 * console.log(job?.state); // → done
 * console.log((await jobs.purge({ all: true })).purged); // → 1
 * ```
 *
 * @module
 */
export {
  type AnswerJobInput,
  type InspectJobInput,
  type JobIdInput,
  type JobTool,
  type JobTools,
  jobTools,
  type JobToolsOptions,
  type ResolveJobInput,
} from "../jobs/operators/job_tools.ts";
export type { JobDetail, JobSummary, StepView, WaitView } from "../jobs/operators/job_views.ts";
export { jobsOf } from "../jobs/operators/server_jobs.ts";
export type { JobList, JobsHost, PurgedJobs, ServerJobs } from "../jobs/operators/server_jobs.ts";
export type { ListedJobs, ListJobsOptions, PurgeJobsOptions } from "../jobs/operators/job_conditions.ts";
export type { AskAnswer, JobFailure, JobState } from "../core/dispatch/engine.ts";
