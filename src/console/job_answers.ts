/** Answers of the console about jobs: what `./jobs` has for operators. */
import type { AskAnswer, JobState } from "../core/dispatch/engine.ts";
import { ToolError } from "../core/errors/tool_error.ts";
import type { Progress, Question } from "../core/call/outcome.ts";
import type { JobDetail, JobSummary } from "../jobs/operators/job_views.ts";
import { type JobList, type JobsHost, jobsOf, type ServerJobs } from "../jobs/operators/server_jobs.ts";
import { asObject, type Members } from "../internal/json.ts";
import type { Reply, WireHost } from "../wires/wire.ts";
import { ok, refusal } from "./replies.ts";

/** A request of the screen of jobs. */
type JobQuery = (jobs: ServerJobs, input: Members, hasValues: boolean) => Promise<unknown>;

const QUERIES: Readonly<Record<string, JobQuery>> = {
  "jobs": (jobs, { states, tool, principal, tenant, cursor }) =>
    jobs.list({
      state: states as readonly JobState[] | undefined,
      tool: textOf(tool),
      principal: textOf(principal),
      tenant: textOf(tenant),
      cursor: textOf(cursor),
    }),
  "jobs/inspect": (jobs, { id }, values) => jobs.inspect(String(id), { values }),
  "jobs/retry": (jobs, { id }) => jobs.retry(String(id)),
  "jobs/rerun": (jobs, { id }) => jobs.rerun(String(id)),
  "jobs/cancel": (jobs, { id }) => jobs.cancel(String(id)),
  "jobs/answer": (jobs, { id, answers }) => jobs.answer(String(id), asObject(answers) as Record<string, AskAnswer>),
};

/**
 * The functions that answer requests about jobs, by the path below `api/`.
 *
 * @param hasValues Whether arguments, results, questions and messages of progress are shown.
 */
export function jobAnswers(
  host: WireHost,
  hasValues: boolean,
): Readonly<Record<string, (input: Members) => Promise<Reply>>> {
  const server: JobsHost = { "~server": { host } };
  const answers = Object.entries(QUERIES).map(([path, query]) => {
    const answer = async (input: Members): Promise<Reply> => {
      try {
        const { owner } = host.dispatch.deferral?.jobs ?? {};
        const found = await query(jobsOf(server), input, hasValues) as FoundJobs;
        return ok({ owner, ...hasValues ? found : withoutBodies(found) });
      } catch (error) {
        if (error instanceof TypeError) return refusal(404, "no_engine", error.message);
        if (!(error instanceof ToolError)) throw error;
        return refusal(error.code === "unavailable" ? 503 : 400, error.code, error.message);
      }
    };
    return [path, answer] as const;
  });
  return Object.fromEntries(answers);
}

/** A job, or a page of jobs. */
type FoundJobs = Partial<JobList & JobDetail>;

/** Without what callers and handlers have written: messages of progress and questions. What remains shows that a job asks. */
function withoutBodies({ jobs, progress, questions, ...others }: FoundJobs): FoundJobs {
  const { message: _, ...counts } = progress ?? {};
  return {
    ...others,
    ...(jobs && { jobs: jobs.map((job) => withoutBodies(job) as JobSummary) }),
    ...(progress && { progress: counts as Progress }),
    ...(questions && {
      questions: Object.fromEntries(
        Object.entries(questions).map(([key, { kind }]) => [key, { kind } as Question]),
      ),
    }),
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
