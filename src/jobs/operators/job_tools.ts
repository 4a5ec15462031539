/** The operators' functions as tools, for callers with a scope. */
import { compileCheck, toValidate } from "../../core/json_schema/check.ts";
import type { CallContext } from "../../core/dispatch/call_context.ts";
import type { DispatchServices } from "../../core/dispatch/deferral.ts";
import type { AskAnswer } from "../../core/dispatch/engine.ts";
import type { JsonSchema, Schema } from "../../core/schema/standard_schema.ts";
import { defineCoreTool } from "../../core/tool/define_tool.ts";
import type { Tool } from "../../core/tool/definition.ts";
import { checkOptions, TEXT } from "../../internal/options.ts";
import type { JobDetail, JobSummary } from "./job_views.ts";
import { JOB_STATES, type ListJobsOptions, type PurgeJobsOptions } from "./job_conditions.ts";
import { type JobList, OperatedJobs, type PurgedJobs } from "./server_jobs.ts";

/** Options of {@link jobTools}. */
export interface JobToolsOptions {
  /** Scope that callers need. Default: `jobs`. */
  readonly scope?: string | undefined;
}

/** Arguments of `inspect_job`. */
export interface InspectJobInput {
  /** Id of the job. */
  readonly id: string;
  /** Whether arguments and results are part of the answer, without secrets. Default: `false`. */
  readonly values?: boolean;
}

/** Arguments of `retry_job` and `cancel_job`. */
export type JobIdInput = Pick<InspectJobInput, "id">;

/** Arguments of `answer_job`. */
export interface AnswerJobInput extends JobIdInput {
  /** Answers to the questions of the job, by key. */
  readonly answers: Readonly<Record<string, AskAnswer>>;
}

/** Arguments of `resolve_job`. */
export interface ResolveJobInput extends JobIdInput {
  /** Key of the wait. */
  readonly key: string;
  /** The value. Absent to decline. */
  readonly value?: unknown;
  /** Whether the wait is declined. Default: `false`. */
  readonly decline?: boolean | undefined;
  /** Why it is declined. */
  readonly reason?: string | undefined;
}

/** Type of a tool of {@link jobTools}: it does not stream and declares no failures. */
export type JobTool<Name extends string, Input, Output> = Tool<Name, Input, Output, never, Record<never, never>>;

/** Return type of {@link jobTools}: its tools, in this order. */
export type JobTools = readonly [
  JobTool<"list_jobs", ListJobsOptions, JobList>,
  JobTool<"inspect_job", InspectJobInput, JobDetail>,
  JobTool<"retry_job", JobIdInput, JobSummary>,
  JobTool<"cancel_job", JobIdInput, JobSummary>,
  JobTool<"purge_jobs", PurgeJobsOptions, PurgedJobs>,
  JobTool<"rerun_job", JobIdInput, JobSummary>,
  JobTool<"answer_job", AnswerJobInput, JobSummary>,
  JobTool<"resolve_job", ResolveJobInput, JobSummary>,
];

const ID: JsonSchema = { type: "string", description: "Id of the job" };
const AGE: JsonSchema = { type: "number", minimum: 0 };
const FILTER: Readonly<Record<string, JsonSchema>> = {
  state: {
    description: "One state, or several",
    anyOf: [{ enum: [...JOB_STATES] }, { type: "array", items: { enum: [...JOB_STATES] } }],
  },
  tool: { type: "string", description: "Name of the tool" },
  principal: { type: "string", description: "Id of the caller; empty for anonymous callers" },
  tenant: { type: "string", description: "Tenant of the caller; empty for callers without one" },
  minAgeMs: { ...AGE, description: "Only jobs that were created at least this long ago, in milliseconds" },
  maxAgeMs: { ...AGE, description: "Only jobs that were created at most this long ago, in milliseconds" },
};

const ANSWERS: JsonSchema = {
  type: "object",
  description: "Answers by the key of their question",
  additionalProperties: {
    type: "object",
    properties: { action: { enum: ["accept", "decline", "cancel"] }, content: {} },
    required: ["action"],
  },
};

const LIST_INPUT = objectOf({
  ...FILTER,
  tags: {
    type: "object",
    description: "Values of the arguments that the tool names as tags, such as the number of an order",
    additionalProperties: { type: "string" },
  },
  cursor: { type: "string", description: "Position for the next page, from the page before" },
  limit: { type: "integer", minimum: 1, maximum: 100, default: 50 },
});
const PURGE_INPUT = objectOf({
  ...FILTER,
  state: { enum: ["done", "cancelled"] },
  all: { type: "boolean", description: "Whether to delete all of them; needed if there is no condition" },
  cursor: { type: "string", description: "Position to continue at, from an incomplete purge" },
});
const RESOLVE_INPUT = objectOf(
  {
    id: ID,
    key: { type: "string", description: "Key of the wait" },
    value: { description: "The value" },
    decline: { type: "boolean", default: false, description: "Whether to decline in place of giving a value" },
    reason: { type: "string", description: "Why it is declined" },
  },
  "id",
  "key",
);

/**
 * Creates tools that list, inspect, retry, cancel and purge the jobs of the server that they are on: those of all callers,
 * or of the operator's tenant if the operator has one. Callers without the scope neither see nor call them. Config, caller state
 * and tokens are never part of an answer, and values are only on request, without secrets.
 *
 * @example An operator and a caller
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { jobTools } from "jsr:@toolwire/toolwire/jobs";
 *
 * const report = defineTool("report").describe("Write a report").promise().handle(() => "done");
 * const server = createServer({ tools: [report, ...jobTools()] });
 * console.log(server.toolsFor({ id: "ada", scopes: [] }).map(({ name }) => name));
 * // → ["redeem", "cancel", "report"]
 * console.log(server.toolsFor({ id: "ops", scopes: ["jobs"] }).length); // → 11
 * ```
 * @returns `list_jobs`, `inspect_job`, `retry_job`, `cancel_job`, `purge_jobs`, `rerun_job`, `answer_job` and `resolve_job`, for the option `tools` of a server.
 * @throws {TypeError} If an option is invalid or unknown.
 */
export function jobTools(options: JobToolsOptions = {}): JobTools {
  checkOptions<JobToolsOptions>("create tools for jobs", options, { scope: TEXT });
  const { scope = "jobs" } = options;
  const define = <Name extends string, Input>(name: Name, description: string, schema: JsonSchema) =>
    defineCoreTool(name).describe(description).input(argumentsOf<Input>(schema)).scopes(scope)
      .visibleTo((principal) => principal?.scopes?.includes(scope) === true);
  const byId = objectOf({ id: ID }, "id");
  return [
    define<"list_jobs", ListJobsOptions>(
      "list_jobs",
      "List deferred work of all callers, the latest first",
      LIST_INPUT,
    ).annotate({ readOnlyHint: true }).handle((input, ctx) => jobsIn(ctx).list(input)),
    define<"inspect_job", InspectJobInput>(
      "inspect_job",
      "Show one job: attempts, steps, waits, questions and progress",
      objectOf({
        id: ID,
        values: { type: "boolean", default: false, description: "Whether arguments and results are shown, too" },
      }, "id"),
    ).annotate({ readOnlyHint: true }).handle(({ id, values }, ctx) =>
      jobsIn(ctx).inspect(id, values === undefined ? {} : { values })
    ),
    define<"retry_job", JobIdInput>("retry_job", "Begin a job again whose attempts are used up", byId)
      .handle(({ id }, ctx) => jobsIn(ctx).retry(id)),
    define<"cancel_job", JobIdInput>("cancel_job", "Cancel a job that has not ended", byId)
      .annotate({ destructiveHint: true, idempotentHint: true }).handle(({ id }, ctx) => jobsIn(ctx).cancel(id)),
    define<"purge_jobs", PurgeJobsOptions>(
      "purge_jobs",
      "Delete jobs that are done or cancelled, but no calls of schedules; their promises are lost, and their idempotency keys are free",
      PURGE_INPUT,
    ).annotate({ destructiveHint: true, idempotentHint: true }).handle((input, ctx) => jobsIn(ctx).purge(input)),
    define<"rerun_job", JobIdInput>(
      "rerun_job",
      "Make a new job with the arguments and the caller of another one",
      byId,
    )
      .handle(({ id }, ctx) => jobsIn(ctx).rerun(id)),
    define<"answer_job", AnswerJobInput>(
      "answer_job",
      "Answer the questions of a job, in place of its caller",
      objectOf({ id: ID, answers: ANSWERS }, "id", "answers"),
    ).handle(({ id, answers }, ctx) => jobsIn(ctx).answer(id, answers)),
    define<"resolve_job", ResolveJobInput>(
      "resolve_job",
      "Give a job the value that it waits for, or decline it, in place of the person or service that should",
      RESOLVE_INPUT,
    ).handle(({ id, key, value, decline, reason }, ctx) => {
      return decline === true ? jobsIn(ctx).decline(id, key, reason) : jobsIn(ctx).resolve(id, key, value);
    }),
  ] as unknown as JobTools;
}

/** The jobs of the server that runs a call: those of the tenant, if the caller has one. */
function jobsIn(ctx: unknown): OperatedJobs {
  const { services, principal } = ctx as CallContext;
  return new OperatedJobs(() => (services as DispatchServices).deferral?.jobs, principal?.tenant);
}

function objectOf(properties: Readonly<Record<string, JsonSchema>>, ...required: readonly string[]): JsonSchema {
  return { type: "object", properties, required, additionalProperties: false };
}

function argumentsOf<Value>(schema: JsonSchema): Schema<Value> {
  const validate = toValidate(compileCheck(schema));
  const standard = { version: 1 as const, vendor: "json-schema", validate, jsonSchema: { input: () => schema } };
  return { "~standard": standard };
}
