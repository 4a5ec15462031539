/** Answers of the console about jobs: what `./jobs` has for operators. */
import type { AskAnswer, JobState } from "../../../engine/engine.ts";
import { ToolError } from "../../../core/errors/tool_error.ts";
import { type JobsHost, jobsOf, type ServerJobs } from "../../../core/jobs/server_jobs.ts";
import { asObject, type Members } from "../../../internal/json.ts";
import type { Reply, WireHost } from "../../wire.ts";
import { ok, refusal } from "./replies.ts";

type JobQuery = (jobs: ServerJobs, input: Members, hasValues: boolean) => Promise<unknown>;

const QUERIES: Readonly<Record<string, JobQuery>> = {
  "jobs": (jobs, { states, tool, principal, cursor }) =>
    jobs.list({
      state: states as readonly JobState[] | undefined,
      tool: textOf(tool),
      principal: textOf(principal),
      cursor: textOf(cursor),
    }),
  "jobs/inspect": (jobs, { id }, values) => jobs.inspect(String(id), { values }),
  "jobs/retry": (jobs, { id }) => jobs.retry(String(id)),
  "jobs/rerun": (jobs, { id }) => jobs.rerun(String(id)),
  "jobs/cancel": (jobs, { id }) => jobs.cancel(String(id)),
  "jobs/answer": (jobs, { id, answers }) => jobs.answer(String(id), asObject(answers) as Record<string, AskAnswer>),
};

/**
 * The answers, by the path below `api/`.
 *
 * @param hasValues Whether arguments and results are shown.
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
        return ok({ owner, ...await query(jobsOf(server), input, hasValues) as object });
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

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
