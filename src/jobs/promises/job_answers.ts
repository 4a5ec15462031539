import { askedAgain, NO_ANSWER } from "../../core/call/outcome.ts";
import type { AskAnswer, Job } from "../../core/dispatch/engine.ts";

/** A job that asks, with answers of its caller: `queued` once all questions are answered. `undefined` if it asks none of them. */
export function withAnswers(job: Job, answers: ReadonlyMap<string, AskAnswer>): Job | undefined {
  // Answered before, by a process that may have died before it scheduled the job.
  if (job.state === "queued" && [...answers.keys()].some((key) => Object.hasOwn(job.memo.answers, key))) return job;
  if (job.state !== "asking") return undefined;
  const { requests = {}, ...rest } = job;
  const asked = [...answers].filter(([key]) => Object.hasOwn(requests, key));
  if (asked.length === 0) return undefined;
  const valid = asked.filter(([, { action }]) => action !== "malformed");
  const memo = { ...job.memo, answers: { ...job.memo.answers, ...Object.fromEntries(valid) } };
  const open = Object.entries(requests).filter(([key]) => !Object.hasOwn(memo.answers, key))
    // A malformed answer is detected without a run.
    .map(([key, one]) => [key, answers.has(key) ? askedAgain(key, one, NO_ANSWER) : one] as const);
  if (open.length > 0) return { ...job, memo, requests: Object.fromEntries(open) };
  // A run that asked does not count as an attempt.
  return { ...rest, state: "queued", memo, attempt: job.attempt - 1 };
}
