/** The runs of workers: the order in which `JobRunner` and `JobLease` call `Jobs`, with a handler that has one step. */
import type { CallResult } from "../../../src/core/call/outcome.ts";
import type { Job, LedgerEntry, Memo } from "../../../src/core/dispatch/engine.ts";
import { isFinal } from "../../../src/jobs/promises/job_ends.ts";
import type { Jobs } from "../../../src/jobs/promises/jobs.ts";
import { type End, Point, type Work } from "./points.ts";
import { type CallerPlan, idOf, MAX_ATTEMPTS, type Scope, UNTIL_MS } from "./scopes.ts";
import { IDLE, jobOf, type Phase, type Worker } from "./world.ts";

export const STEP = "step s";
export const WAIT = "value w";
const CALL = "call c";
const RETRY_MS = 1_000;

const CANCELLED: CallResult = {
  kind: "error",
  code: "cancelled",
  message: "The job is run elsewhere",
  data: undefined,
};
const EXHAUSTED: CallResult = { kind: "failure", code: "attempts_exhausted", message: "Gave up", data: undefined };
const DIVERGED: CallResult = { kind: "failure", code: "replay_diverged", message: "Other code", data: undefined };
const FAILED: CallResult = { kind: "error", code: "internal", message: "It failed", data: undefined };

/** A worker in an operation on its run. */
async function enter(worker: Worker, phase: Phase, nowMs: number, name: string, work: Work): Promise<Worker> {
  const point = await Point.of(`${phase} ${name} ${worker.job} ${worker.run} ${worker.ledger}`, work, nowMs);
  return { ...worker, phase, point };
}

/** A worker to which the engine delivers a job. */
export function take(job: number, nowMs: number): Promise<Worker> {
  const worker: Worker = { ...IDLE, job, hasLease: true };
  return enter(worker, "claim", nowMs, "", (jobs) => jobs.claim(idOf(job)));
}

/** A worker whose run has begun within a call, and that acquires the lease. */
export function acquire(worker: Worker, nowMs: number): Promise<Worker> {
  return enter(worker, "lease", nowMs, "", async (jobs) => void await jobs.engine.lease(idOf(worker.job)));
}

/** The call of another process. */
export function call({ kind, job, value }: CallerPlan, nowMs: number): Promise<Point> {
  const id = idOf(job);
  const works: Record<CallerPlan["kind"], Work> = {
    resolve: (jobs) => jobs.resolve(id, WAIT, { done: "accept", digest: value!, content: value! }),
    cancel: (jobs) => jobs.cancel(id),
    answer: (jobs) => jobs.answer(id, new Map([["q", { action: "accept", content: "yes" }]])),
    join: (jobs) => jobs.join(id),
  };
  return Point.of(`${kind} ${job} ${value}`, works[kind], nowMs);
}

/** The worker after an operation has ended: in its next one, or about to release its lease. */
export async function afterEnd(worker: Worker, end: End, nowMs: number, scope: Scope): Promise<Worker> {
  const value: unknown = "json" in end && end.json !== undefined ? JSON.parse(end.json) : undefined;
  const isError = "error" in end;
  switch (worker.phase) {
    case "claim":
      if (isError) return stop(worker, "give back");
      if (value === undefined) return stop(worker, "release");
      return await afterClaim({ ...worker, run: JSON.stringify(value) }, nowMs, scope);
    case "ledger":
      if (isError) return stop(worker, "give back");
      return await decide({ ...worker, ledger: JSON.stringify(value) }, nowMs, scope);
    case "lease":
      return await decide(worker, nowMs, scope);
    case "append":
      if (isError) return await append(worker, nowMs);
      return value === true
        ? await decide({ ...worker, ledger: entriesOf(worker) }, nowMs, scope)
        : await drop(worker, nowMs);
    case "wait":
      if (isError) return await retry(worker, nowMs);
      if (value === undefined) return await check(worker, nowMs);
      return await suspend({ ...worker, run: JSON.stringify(value) }, nowMs, WAIT, { until: UNTIL_MS, schema: {} });
    case "check":
      return await drop(worker, nowMs);
    case "follow":
      if (isError) return await retry(worker, nowMs);
      return await afterFollow(worker, value as Job, nowMs);
    case "end":
    case "drop":
      // The result is written again, until the engine answers.
      if (isError) return { ...worker, point: await worker.point!.again(nowMs) };
      return worker.phase === "end" ? await endUndo(worker, nowMs) : stop(worker, "release");
    default:
      throw new Error(`A worker in the phase ${worker.phase} has no operation`);
  }
}

/** A worker that has no operation: the next thing that it does is one of the exploration. */
function stop(worker: Worker, phase: Phase): Worker {
  return { ...worker, phase, point: undefined, run: "", ledger: "" };
}

async function afterClaim(worker: Worker, nowMs: number, scope: Scope): Promise<Worker> {
  const run = jobOf(worker.run);
  // The handler has nothing to undo.
  if (run.undoUntilMs !== undefined) return await endUndo(worker, nowMs);
  if (run.attempt > run.maxAttempts) return await finish(worker, nowMs, EXHAUSTED);
  if (run.epoch === 1) return await decide({ ...worker, ledger: "[]" }, nowMs, scope);
  return await enter(worker, "ledger", nowMs, "", (jobs) => jobs.readLedger(run.id));
}

/** What the handler does: its step, unless it is recorded, and then the rest. */
async function decide(worker: Worker, nowMs: number, scope: Scope): Promise<Worker> {
  if (worker.ledger === "[]") return { ...worker, phase: "body", point: undefined };
  const run = jobOf(worker.run);
  const [{ value: step }] = JSON.parse(worker.ledger) as [LedgerEntry];
  switch (scope.plans[worker.job]!) {
    case "return":
      return await finish(worker, nowMs, answer(`${step}`));
    case "wait":
      return await afterStep(worker, run, `${step}`, nowMs);
    case "ask": {
      const { q } = run.memo.answers;
      if (q !== undefined) return await finish(worker, nowMs, answer(`${step} ${q.content}`));
      const requests = { q: { kind: "elicitation", message: "Sure?" } } as unknown as Parameters<Jobs["ask"]>[1];
      return await enter(worker, "end", nowMs, "ask", (jobs) => jobs.ask(run, requests, { memo: run.memo }));
    }
    case "fail":
      return run.attempt === 1 ? await retry(worker, nowMs) : await finish(worker, nowMs, answer(`${step}`));
    case "block":
      if (run.epoch > 1) return await finish(worker, nowMs, answer(`${step}`));
      return await enter(worker, "end", nowMs, "block", (jobs) => jobs.block(run, DIVERGED));
    case "forget":
      return await enter(worker, "end", nowMs, "forget", async (jobs) => {
        if (!await jobs.forget(run)) await jobs.finish(run, FAILED);
      });
    case "call": {
      if (run.memo.waits?.[CALL]?.done === "timeout") return await finish(worker, nowMs, answer(`${step} timeout`));
      const follower = { id: run.id, wait: CALL };
      return await enter(worker, "follow", nowMs, "", (jobs) => jobs.follow(idOf(worker.job + 1), follower));
    }
  }
}

async function afterStep(worker: Worker, run: Job, step: string, nowMs: number): Promise<Worker> {
  const wait = run.memo.waits?.[WAIT];
  if (wait?.done !== undefined) {
    return await finish(worker, nowMs, answer(`${step} ${wait.done === "accept" ? wait.content : wait.done}`));
  }
  if (wait !== undefined) return await suspend(worker, nowMs, WAIT, { ...wait, until: UNTIL_MS, schema: {} });
  // The handler makes a resolver, whose token is given away.
  return await enter(worker, "wait", nowMs, "", (jobs) => jobs.saveWait(run, WAIT, { until: UNTIL_MS }));
}

async function afterFollow(worker: Worker, child: Job | undefined, nowMs: number): Promise<Worker> {
  const [{ value: step }] = JSON.parse(worker.ledger) as [LedgerEntry];
  if (child !== undefined && !isFinal(child)) {
    return await suspend(worker, nowMs, CALL, { until: UNTIL_MS, job: child.id });
  }
  const { outcome } = child ?? {};
  return await finish(worker, nowMs, answer(`${step} ${outcome?.kind === "answer" ? outcome.value : child?.state}`));
}

function suspend(
  worker: Worker,
  nowMs: number,
  name: string,
  wait: NonNullable<Memo["waits"]>[string],
): Promise<Worker> {
  const run = jobOf(worker.run);
  const memo = { ...run.memo, waits: { ...run.memo.waits, [name]: wait } };
  return enter(worker, "end", nowMs, "suspend", (jobs) => jobs.suspend(run, [name], { memo }));
}

function finish(worker: Worker, nowMs: number, outcome: CallResult): Promise<Worker> {
  const run = jobOf(worker.run);
  return enter(worker, "end", nowMs, `finish ${JSON.stringify(outcome)}`, (jobs) => jobs.finish(run, outcome));
}

/** The end of a run that has failed: another attempt, or the failure that its attempts are used up. */
function retry(worker: Worker, nowMs: number): Promise<Worker> {
  const run = jobOf(worker.run);
  if (run.attempt >= MAX_ATTEMPTS) return finish(worker, nowMs, EXHAUSTED);
  return enter(worker, "end", nowMs, "retry", (jobs) => jobs.retry(run, RETRY_MS));
}

function check(worker: Worker, nowMs: number): Promise<Worker> {
  return enter(worker, "check", nowMs, "", (jobs) => jobs.read(idOf(worker.job)));
}

/** The end of a run that is no longer the current one. */
function drop(worker: Worker, nowMs: number): Promise<Worker> {
  const run = jobOf(worker.run);
  return enter(worker, "drop", nowMs, "", async (jobs) => {
    if ((await jobs.engine.get(run.id))?.state === "cancelled") await jobs.cancelAwaited(run.memo);
    await jobs.finish(run, CANCELLED);
    await jobs.endUndo(run);
  });
}

/** The worker about to record what its step has ended with: the number of its run. */
export function append(worker: Worker, nowMs: number): Promise<Worker> {
  const { id, epoch } = jobOf(worker.run);
  const entries = JSON.parse(entriesOf(worker)) as LedgerEntry[];
  return enter(worker, "append", nowMs, "", async (jobs) => await jobs.engine.appendLedger(id, epoch, 0, entries));
}

function entriesOf({ run }: Worker): string {
  const { epoch } = jobOf(run);
  return JSON.stringify([{ name: STEP, value: epoch, startedMs: 0, endedMs: 0, epoch }]);
}

function answer(value: string): CallResult {
  return { kind: "answer", value };
}

/** The end of a cancelled job, whose handler has nothing to undo. Nothing happens to other jobs. */
function endUndo(worker: Worker, nowMs: number): Promise<Worker> {
  const run = jobOf(worker.run);
  return enter(worker, "drop", nowMs, "undo", (jobs) => jobs.endUndo(run));
}
