/** Lines of the log for the runs of jobs: each attempt, which may follow one of a process that has died, and its end. */
import type { CallResult, ErrorResult, FailureOutcome } from "../../core/call/outcome.ts";
import type { Job } from "../../core/dispatch/engine.ts";
import type { Logger } from "../../core/handler/context.ts";
import { writeLine } from "../../core/dispatch/error_masking.ts";
import { failedStepOf } from "../../core/dispatch/questions/step_failure.ts";
import { isMistake } from "../../core/errors/mistake.ts";

/** Logs that a run begins: the first one at level `info`, later attempts and runs that are taken over as warnings. */
export function logRunBegin(logger: Logger | undefined, job: Job): void {
  const { attempt, takenFrom } = job;
  const line = takenFrom === undefined ? "Run of a job began" : "Run of a job was taken over: its process has died";
  // A run that is taken over is a later attempt, too.
  writeLine(logger, attempt > 1 ? "warn" : "info", line, {
    ...fieldsOf(job),
    ...(takenFrom !== undefined && { takenFrom }),
  });
}

/** Logs that a call is promised, and its run continues as that of a job. */
export function logPromised(logger: Logger | undefined, job: Job): void {
  writeLine(logger, "info", "Call is promised: its run continues as that of a job", fieldsOf(job));
}

/** Logs the end of a run: an error, after which another attempt may follow, as a warning. */
export function logRunEnd(logger: Logger | undefined, job: Job, result: CallResult, tookMs: number): void {
  const { kind: outcome } = result;
  const code = "code" in result ? { code: result.code } : undefined;
  const level = outcome === "error" ? "warn" : "info";
  writeLine(logger, level, "Run of a job ended", { ...fieldsOf(job), outcome, ...code, tookMs });
}

function fieldsOf({ tool, id, callId = id, attempt }: Job) {
  return { tool, callId, attempt };
}

/** Logs that a job is parked, since the code of this server does not fit it. */
export function logBlocked(logger: Logger | undefined, { id, tool }: Job, outcome: FailureOutcome | ErrorResult): void {
  const { code, message } = outcome;
  const line =
    "A job is blocked: it keeps its steps, and is tried again until code that fits it is there, or an operator cancels it";
  writeLine(logger, "error", line, { tool, callId: id, code, reason: message });
}

/** What is known of the end of a handler that undoes what a cancelled job did. */
interface UndoEnd {
  /** What the handler threw; `expired` if it has not ended in time. */
  readonly ended: "expired" | { readonly thrown: unknown } | undefined;
  readonly result: CallResult;
  readonly isNotified: boolean;
}

/** Logs how the handler of a cancelled job has ended: an error unless it has undone what it did, as far as is known. */
export function logUndone(logger: Logger | undefined, job: Job, { ended, result, isNotified }: UndoEnd): void {
  const failed = "The handler of a cancelled job has failed, and may not have undone what it did";
  if (ended === "expired") {
    return writeLine(
      logger,
      "error",
      "The handler of a cancelled job had not ended when its time to undo was over",
      fieldsOf(job),
    );
  }
  const thrown = ended?.thrown;
  // Other work may throw because of the signal.
  if (failedStepOf(thrown) !== undefined || isMistake(thrown)) {
    return writeLine(logger, "error", failed, { ...fieldsOf(job), error: thrown });
  }
  if (result.kind === "error" && !isNotified && result.code !== "cancelled") {
    return writeLine(logger, "error", failed, { ...fieldsOf(job), code: result.code, reason: result.message });
  }
  writeLine(logger, "info", "Run of a job that was cancelled ended: its handler had time to undo", fieldsOf(job));
}

/** Logs that the handler of a cancelled job is not run, since the code of this server does not fit it. */
export function logNotUndone(logger: Logger | undefined, job: Job, { code, message }: FailureOutcome): void {
  const line = "A cancelled job could not undo what it did: the code of this server does not fit it";
  writeLine(logger, "error", line, { ...fieldsOf(job), code, reason: message });
}
