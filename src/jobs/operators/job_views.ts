/** What operators see of a job: neither config nor caller state, and values only on request, without secrets. */
import type { CallResult, Progress, Question } from "../../core/call/outcome.ts";
import type {
  AskAnswer,
  Job,
  JobFailure,
  JobState,
  LedgerEntry,
  StepFailure,
  Wait,
} from "../../core/dispatch/engine.ts";
import { answerSchema } from "../../core/redaction/call_schemas.ts";
import type { Redactor } from "../../core/redaction/redact.ts";
import { withoutRejectedValues } from "../../core/redaction/rejected_input.ts";
import type { ToolDefinition } from "../../core/tool/definition.ts";

/** A job as lists show it: state, times, attempts and kind of the result, without arguments and values. */
export interface JobSummary {
  /** Id of the job. */
  readonly id: string;
  /** Name of the tool. */
  readonly tool: string;
  /** State of the job. */
  readonly state: JobState;
  /** Id of the caller; absent for an anonymous one. */
  readonly principal?: string;
  /** Tenant of the caller; absent for a caller without one. */
  readonly tenant?: string;
  /** When the job was created, in milliseconds since the Unix epoch. */
  readonly createdAtMs: number;
  /** When the job is deleted, in milliseconds since the Unix epoch. */
  readonly expiresAtMs: number;
  /** Number of runs that have started. A run that stopped at a question, a sleep or a wait does not count. */
  readonly attempt: number;
  /** Largest number of runs. */
  readonly maxAttempts: number;
  /** Id of the server that began the latest run. While the job is `running`, it has the lease. */
  readonly owner?: string;
  /** When the next run starts, in milliseconds since the Unix epoch, if that is known. */
  readonly wakeAtMs?: number;
  /** Latest progress. */
  readonly progress?: Progress;
  /** Until when the handler of a cancelled job may undo what it did, in milliseconds since the Unix epoch. Absent once it has. */
  readonly undoUntilMs?: number;
  /** Name of the schedule that created the job. */
  readonly schedule?: string;
  /** Values of the arguments by which operators find the job. */
  readonly tags?: Readonly<Record<string, string>>;
  /** Kind of the result, once the job is `done`, or why it is `blocked`; of a failure and an error with its code and message. */
  readonly outcome?: { readonly kind: CallResult["kind"]; readonly code?: string; readonly message?: string };
  /** Whether `retry` can begin it again: it is blocked, or its attempts are used up, its arguments are kept, and no step ran after one that failed. */
  readonly canRetry: boolean;
}

/** A step of a handler that has ended, as operators see it. */
export interface StepView extends Partial<Pick<LedgerEntry, "startedMs" | "endedMs" | "epoch">> {
  /** Key of the step. */
  readonly key: string;
  /** Size of its result, in UTF-16 code units of JSON; 0 for a step that has failed. */
  readonly chars: number;
  /** Result of the step; absent without `values`. */
  readonly value?: unknown;
  /** Why it has failed finally, and after how many tries. Absent for a step that succeeded. */
  readonly failed?: { readonly message: string; readonly code?: string; readonly tries: number };
  /** Whether it began after another step had failed, as one that undoes what was done before. Absent otherwise. */
  readonly isUndo?: true;
}

/** A sleep of a handler, or its wait for a value, as operators see it. */
export interface WaitView extends Pick<Wait, "until" | "done"> {
  /** Whether it ends with its time alone. */
  readonly kind: "sleep" | "value";
  /** Key of the sleep or wait. */
  readonly key: string;
  /** The accepted value; absent without `values`. */
  readonly value?: unknown;
}

/** A job with its steps, answers, waits and questions; arguments and result only if values are requested. */
export interface JobDetail extends JobSummary {
  /** The tool's revision when the job was created. */
  readonly revision?: string;
  /** Number of changes of the job. */
  readonly version: number;
  /** Number of runs that have started, those that stopped included. */
  readonly epoch: number;
  /** Estimated end of the work, in milliseconds since the Unix epoch. */
  readonly estimatedMs?: number;
  /** Why its latest attempts have failed: messages of handlers, which callers may not see. */
  readonly failures: readonly JobFailure[];
  /** Finished steps, in order. */
  readonly steps: readonly StepView[];
  /** Answers of the caller. */
  readonly answers: readonly { readonly key: string; readonly action: AskAnswer["action"]; readonly value?: unknown }[];
  /** Sleeps and waits. */
  readonly waits: readonly WaitView[];
  /** Open questions, while the job is `asking`. */
  readonly questions?: Readonly<Record<string, Question>>;
  /** The arguments; absent without `values`, and when the job has ended. */
  readonly args?: unknown;
  /** The result; absent without `values`. */
  readonly value?: unknown;
}

/** Makes the summary of a job. Its progress and the message of its result lose what looks like a secret. */
export function summaryOf(job: Job, redactor: Redactor): JobSummary {
  const { id, tool, state, principal, createdAtMs, expiresAtMs, attempt, maxAttempts, owner, wakeAtMs, schedule } = job;
  const isScheduled = wakeAtMs !== undefined && (state === "queued" || state === "waiting" || state === "blocked");
  return {
    ...{ id, tool, state, createdAtMs, expiresAtMs, attempt, maxAttempts },
    ...(principal !== undefined && { principal: principal.id }),
    ...(principal?.tenant !== undefined && { tenant: principal.tenant }),
    ...(owner !== undefined && { owner }),
    ...(isScheduled && { wakeAtMs }),
    ...(job.progress !== undefined && { progress: redactor.value(job.progress) as Progress }),
    ...(job.undoUntilMs !== undefined && { undoUntilMs: job.undoUntilMs }),
    ...(schedule !== undefined && { schedule: schedule.name }),
    ...(job.tags !== undefined && { tags: redactor.value(job.tags) as Record<string, string> }),
    ...(job.outcome !== undefined && { outcome: outcomeOf(job.outcome, redactor) }),
    canRetry: canRetry(job, job.outcome),
  };
}

/** Whether a job can begin again: it is `done` with a failure, its arguments were kept, and nothing that it did was undone. */
export function canRetry({ state, args, memo }: Job, outcome: CallResult | undefined): boolean {
  if (state === "blocked") return true;
  return state === "done" && args !== null && outcome?.kind === "failure" && memo.undos === undefined;
}

function outcomeOf(outcome: CallResult, redactor: Redactor): NonNullable<JobSummary["outcome"]> {
  const { kind } = outcome;
  if (outcome.kind !== "failure" && outcome.kind !== "error") return { kind };
  return { kind, code: outcome.code, message: String(redactor.value(withoutRejectedValues(outcome).message)) };
}

/** What a view is made with. */
export interface ViewParts {
  /** The tool of the job, whose schemas name secrets. */
  readonly tool: ToolDefinition | undefined;
  readonly redactor: Redactor;
  /** Whether arguments, results of steps and the result are part of it. */
  readonly hasValues: boolean;
}

/**
 * Makes the view of one job for operators. What looks like a secret, or is one by the tool's schemas, is replaced.
 *
 * @param ledger What its steps ended with.
 */
export function detailOf(
  job: Job,
  ledger: readonly LedgerEntry[],
  { tool, redactor, hasValues }: ViewParts,
): JobDetail {
  const { version, epoch, revision, estimatedMs, requests, args, memo } = job;
  const valueOf = (value: unknown, schema?: unknown) => hasValues && { value: redactor.value(value, schema) };
  return {
    ...summaryOf(job, redactor),
    ...{ version, epoch },
    ...(revision !== undefined && { revision }),
    ...(estimatedMs !== undefined && { estimatedMs }),
    failures: (job.failures ?? []).map((one) => ({ ...one, message: String(redactor.value(one.message)) })),
    steps: stepsOf(job, ledger, redactor, valueOf),
    answers: Object.entries(memo.answers).map(([key, { action, content }]) => {
      return { key, action, ...(content !== undefined && valueOf(content)) };
    }),
    waits: Object.entries(memo.waits ?? {}).filter(([name]) => !/^(?:retry|patch) /.test(name)).map(([name, wait]) =>
      waitOf(name, wait, valueOf)
    ),
    ...(requests !== undefined && { questions: questionsOf(requests, redactor) }),
    ...(hasValues && args !== null && { args: redactor.value(args, tool?.inputSchema) }),
    ...(job.outcome !== undefined && resultOf(job.outcome, tool, valueOf)),
  };
}

/** The steps of a job: those of the record began before the call had one. */
function stepsOf(
  { memo }: Job,
  ledger: readonly LedgerEntry[],
  redactor: Redactor,
  valueOf: (value: unknown) => object | false,
): StepView[] {
  const charsOf = (value: unknown) => JSON.stringify(value ?? null).length;
  const steps = new Map(
    Object.entries(memo.steps).map(([key, value]): [string, StepView] => {
      return [key, { key, chars: charsOf(value), ...valueOf(value) }];
    }),
  );
  for (const [key, failure] of Object.entries(memo.failed ?? {})) steps.set(key, failedStep(key, failure, redactor));
  for (const { name, value, failure, isUndo, startedMs, endedMs, epoch } of ledger) {
    const key = name.slice(name.indexOf(" ") + 1);
    steps.delete(key);
    const step = failure === undefined
      ? { key, chars: charsOf(value), ...valueOf(value) }
      : failedStep(key, failure, redactor);
    steps.set(key, { ...step, startedMs, endedMs, epoch, ...(isUndo && { isUndo }) });
  }
  return [...steps.values()];
}

function failedStep(key: string, { message, code, tries }: StepFailure, redactor: Redactor): StepView {
  const failed = { message: String(redactor.value(message)), ...(code !== undefined && { code }), tries };
  return { key, chars: 0, failed };
}

function waitOf(name: string, { until, done, content }: Wait, valueOf: (value: unknown) => object | false): WaitView {
  const at = name.indexOf(" ");
  return {
    kind: name.startsWith("sleep ") ? "sleep" : "value",
    key: name.slice(at + 1),
    ...(until !== undefined && { until }),
    ...(done !== undefined && { done }),
    ...(content !== undefined && valueOf(content)),
  };
}

/** Names of members remain in the schemas, so that the questions can be answered. */
function questionsOf(requests: NonNullable<Job["requests"]>, redactor: Redactor): Record<string, Question> {
  const entries = Object.entries(requests);
  const shown = redactor.tools(entries.map(([, question]) => question));
  return Object.fromEntries(entries.map(([key], index) => [key, shown[index]!]));
}

function resultOf(
  outcome: CallResult,
  tool: ToolDefinition | undefined,
  valueOf: (value: unknown, schema?: unknown) => object | false,
): object | false {
  if (outcome.kind === "answer") return valueOf(outcome.value, tool && answerSchema(tool));
  if (outcome.kind !== "failure" || outcome.data === undefined) return false;
  return valueOf(outcome.data, tool?.errors?.get(outcome.code)?.jsonSchema);
}
