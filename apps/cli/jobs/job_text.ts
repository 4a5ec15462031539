/** Jobs as text: a line in a list, and one with its timeline. */
import type { JobDetail, JobSummary, StepView } from "../../../src/entries/jobs.ts";

/** One job as a line: id, tool, state or the code of its failure, time of creation, and tags. Foreign text. */
export function formatJob({ id, tool, state, outcome, createdAtMs, tags = {} }: JobSummary): string {
  const found = Object.entries(tags).map(([name, value]) => `${name}=${value}`);
  return [id, tool, outcome?.code ?? state, timeOf(createdAtMs), ...found].join("  ");
}

/** One job with what has happened to it, in the order of time. Foreign text. */
export function formatTimeline(job: JobDetail): readonly string[] {
  const { id, attempt, maxAttempts, epoch, owner, progress, outcome, waits, answers, questions = {} } = job;
  const events = [
    { atMs: job.createdAtMs, text: "created" },
    ...job.steps.flatMap((step) =>
      step.startedMs === undefined ? [] : [{ atMs: step.startedMs, text: stepText(step) }]
    ),
    ...job.failures.map(({ atMs, attempt, message }) => ({ atMs, text: `attempt ${attempt} failed: ${message}` })),
  ];
  const untimed = job.steps.filter(({ startedMs }) => startedMs === undefined);
  return [
    formatJob(job),
    `  id ${id}, attempt ${attempt} of ${maxAttempts}, run ${epoch}${owner === undefined ? "" : `, process ${owner}`}`,
    ...progress === undefined ? [] : [`  progress ${progress.done}/${progress.total ?? "?"} ${progress.message ?? ""}`],
    ...outcome?.message === undefined ? [] : [`  ${outcome.kind}: ${outcome.message}`],
    ...events.sort((one, other) => one.atMs - other.atMs).map(({ atMs, text }) => `  ${timeOf(atMs)}  ${text}`),
    ...untimed.map((step) => `  before the job: ${stepText(step)}`),
    ...waits.map(({ kind, key, until, done }) => {
      const end = until === undefined ? "" : ` until ${timeOf(until)}`;
      return `  ${kind === "sleep" ? "sleep" : "wait"} ${key}${end}: ${done ?? "open"}`;
    }),
    ...answers.map(({ key, action }) => `  answer ${key}: ${action}`),
    ...Object.keys(questions).map((key) => `  question ${key}: open`),
  ];
}

function stepText({ key, startedMs, endedMs, epoch, failed, isUndo, value }: StepView): string {
  const tookMs = startedMs === undefined || endedMs === undefined ? "" : ` ${endedMs - startedMs} ms`;
  const run = epoch === undefined ? "" : `, run ${epoch}`;
  const result = value === undefined ? "" : ` → ${JSON.stringify(value)}`;
  const failure = failed === undefined ? "" : ` failed after ${failed.tries} tries: ${failed.message}`;
  return `${isUndo ? "undo" : "step"} ${key}${tookMs}${run}${failure}${result}`;
}

function timeOf(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
