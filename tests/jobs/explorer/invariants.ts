/** What has to be true of every world, and of every transition between two. */
import type { Job, LedgerEntry } from "../../../src/core/dispatch/engine.ts";
import { isFinal } from "../../../src/jobs/promises/job_ends.ts";
import { WAIT } from "./runs.ts";
import { jobOf, type Phase, type World } from "./world.ts";
import { type Scope, TIMES } from "./scopes.ts";

/** More runs than any scope has. */
const MAX_EPOCH = 12;

/** Phases of a worker in which it may write as the current run of its job. */
const WRITING: ReadonlySet<Phase> = new Set(["body", "append", "wait", "follow", "end"]);

/** What is wrong with a transition; `undefined` if nothing is. */
export function findFault(before: World, after: World, scope: Scope): string | undefined {
  for (const at of after.jobs.keys()) {
    const fault = faultOfRecord(before, after, at) ?? faultOfFacts(after, at, scope) ?? faultOfRuns(before, after, at);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function faultOfRecord(before: World, after: World, at: number): string | undefined {
  const earlier = before.jobs[at]!;
  const later = after.jobs[at]!;
  if (earlier.text === later.text && earlier.ledger === later.ledger) return undefined;
  const [was, is] = [jobOf(earlier.text), jobOf(later.text)];
  if (earlier.ledger.length > 0 && later.ledger[0] !== earlier.ledger[0]) return "a recorded step was replaced";
  if (isFinal(was)) {
    if (is.state !== was.state) return `a job that was ${was.state} became ${is.state}`;
    if (was.state === "done" && JSON.stringify(is.outcome) !== JSON.stringify(was.outcome)) {
      return "a result was replaced";
    }
  }
  // A cancelled job keeps what it has until its handler has undone what it did.
  const isUndoing = was.undoUntilMs !== undefined;
  if (isFinal(was) && !isUndoing && JSON.stringify(is.memo) !== JSON.stringify(was.memo)) {
    return "a job was changed after its end";
  }
  if (is.epoch > MAX_EPOCH) return "a job begins again and again";
  if (is.epoch > was.epoch && !isUndoing && is.attempt !== was.attempt + 1) {
    return "a run was not counted as an attempt";
  }
  if (is.epoch < was.epoch) return "the epoch was decreased";
  if (is.expiresAtMs > was.expiresAtMs) return "the deadline of a promise was moved";
  if (is.epoch > was.epoch && !isUndoing && (was.wakeAtMs ?? 0) > after.nowMs) return "a run began before its time";
  if (is.epoch > was.epoch && was.state === "asking") return "a run began while the job asks";
  return faultOfWaits(was, is) ?? faultOfAnswers(was, is) ??
    (isFinal(was) ? undefined : faultOfEnd(was, is, later.ledger));
}

/** The first end of a wait counts. */
function faultOfWaits(was: Job, is: Job): string | undefined {
  for (const [name, wait] of Object.entries(was.memo.waits ?? {})) {
    if (wait.done === undefined) continue;
    const now = is.memo.waits?.[name];
    if (isFinal(is) && wait.digest === undefined) continue;
    if (now?.done !== wait.done || now.digest !== wait.digest) return "the end of a wait was replaced, or lost";
  }
  return undefined;
}

function faultOfAnswers(was: Job, is: Job): string | undefined {
  const isLost = Object.keys(was.memo.answers).some((key) => !Object.hasOwn(is.memo.answers, key));
  return isLost && !isFinal(is) ? "an answer was lost" : undefined;
}

/** A result has the recorded step, and the value of the wait. */
function faultOfEnd(was: Job, is: Job, ledger: readonly string[]): string | undefined {
  if (is.state !== "done") return undefined;
  const { outcome } = is;
  if (outcome === undefined) return "a job is done without a result";
  if (outcome.kind !== "answer") return undefined;
  const [step, value] = String(outcome.value).split(" ");
  if (ledger.length === 0 || `${(JSON.parse(ledger[0]!) as LedgerEntry).value}` !== step) {
    return "a result has another step than the recorded one";
  }
  const wait = was.memo.waits?.[WAIT];
  const ended = wait?.done === "accept" ? wait.content : wait?.done;
  return wait !== undefined && ended !== value ? "a result has another value than the wait" : undefined;
}

/** What was reported to callers remains true. */
function faultOfFacts(
  world: World,
  at: number,
  { kills = 0, lapses = 0, errors = 0, isInline }: Scope,
): string | undefined {
  const job = jobOf(world.jobs[at]!.text);
  const { accepted, isCancelReported, isJoined, bodies } = world.facts[at]!;
  if (accepted?.includes(" and ")) return `two values were accepted: ${accepted}`;
  if (accepted !== undefined && job.memo.waits?.[WAIT]?.digest !== accepted) return "an accepted value was lost";
  if (isCancelReported && job.state !== "cancelled") return "a job was reported as cancelled, and is not";
  if (isJoined && job.expiresAtMs === 0) return "a job was deleted that another call waits for";
  // A call that is slow to acquire its lease is as one whose lease has lapsed.
  const lapsed = lapses - world.lapses + (isInline ? 1 : 0);
  const faults = kills - world.kills + 2 * lapsed + (errors - world.errors);
  if (bodies > 1 + faults) return "a step was done again without a fault";
  const isExhausted = job.outcome?.kind === "failure" && job.outcome.code === "attempts_exhausted";
  if (isExhausted && faults === 0) return "attempts were used up without a fault";
  if (job.state === "waiting" && job.attempt > faults) return "a run that waits was counted as an attempt";
  return undefined;
}

function faultOfRuns(before: World, after: World, at: number): string | undefined {
  const { epoch } = jobOf(after.jobs[at]!.text);
  const runs = after.workers.filter(({ phase, job, run }) => job === at && run !== "" && WRITING.has(phase));
  if (runs.filter(({ run }) => jobOf(run).epoch === epoch).length > 1) return "two runs have the same epoch";
  const isDone = after.facts[at]!.bodies > before.facts[at]!.bodies;
  if (isDone && before.jobs[at]!.ledger.length > 0) {
    const doer = before.workers.find((worker, one) => worker !== after.workers[one]);
    if (jobOf(doer!.run).epoch === epoch) return "a recorded step was done again";
  }
  return undefined;
}

/** Whether all work of a world has ended, and all ends are notified: what each world has to lead to without a further fault or call. */
export function isOver({ nowMs, jobs, facts, callers }: World, scope: Scope): boolean {
  return jobs.every(({ text, isDue }, at) => {
    const job = jobOf(text);
    // The end of time: it would be due later.
    if (nowMs === TIMES.at(-1) && isDue && (job.wakeAtMs ?? 0) > nowMs) return true;
    if (job.undoUntilMs !== undefined) return false;
    if (isFinal(job)) return job.isNotified !== true || job.expiresAtMs === 0 || facts[at]!.isNotified;
    if (scope.isTimely && job.state === "waiting") return !isEnded(job, jobs);
    // A job that asks waits for a call.
    const hasAnswer = scope.callers?.some(({ kind, job, repeats }, one) => {
      const { state } = callers[one]!;
      return kind === "answer" && job === at && (state === "under way" || (state === "ready" && repeats));
    });
    return job.state === "asking" && !hasAnswer;
  });
}

/** Whether what a waiting job waits for is there. */
function isEnded({ memo: { waits = {} } }: Job, jobs: World["jobs"]): boolean {
  return Object.values(waits).some(({ done, job }) => {
    return done !== undefined || jobs.some(({ text }) => jobOf(text).id === job && isFinal(jobOf(text)));
  });
}
