/** Sleeps and waits in the memo of a job: how they open, end and are resolved. Functions of the stored job alone. */
import type { Job, Memo, Wait } from "../../core/dispatch/engine.ts";
import type { Resolution } from "../../core/handler/waits.ts";
import { omitUndefined } from "../../internal/json.ts";

/** How a wait ends, as it is stored in the memo: with a value or a refusal, and the digest by which a repeat is known. */
export type StoredResolution = Required<Pick<Wait, "digest">> & Omit<Wait, "until" | "schema" | "refused">;

/**
 * The memo of a run that ends, joined with the stored one. What another process has resolved meanwhile is in the stored memo alone;
 * the first value counts, unless the run has refused just that.
 */
export function mergeMemo(stored: Memo, run: Memo): Memo {
  if (stored.waits === undefined) return { ...stored, ...run };
  const waits: Record<string, Wait> = { ...stored.waits };
  // Steps that have ended have no delay any more.
  for (const name of Object.keys(waits)) if (name.startsWith("retry ") && !run.waits?.[name]) delete waits[name];
  for (const [name, wait] of Object.entries(run.waits ?? {})) {
    const before = stored.waits[name];
    const isResolved = before?.done !== undefined && before.digest !== wait.refused;
    waits[name] = isResolved ? { ...wait, ...before } : wait;
  }
  return { ...stored, ...run, waits };
}

/**
 * The job of a run that stopped at these waits: `waiting`, or `queued` if one of them was resolved during the run. A run that waits
 * does not count as an attempt, and leaves no owner, since thousands of jobs may sleep in memory, and no estimate, which had no wait in it.
 */
export function toWaiting(
  { owner: _, estimatedMs: __, blockedSinceMs: ___, ...job }: Job,
  runMemo: Memo,
  names: readonly string[],
): Job {
  const memo = mergeMemo(job.memo, runMemo);
  const waits = names.map((name) => memo.waits?.[name] ?? {});
  const attempt = job.attempt - 1;
  if (waits.some(({ done }) => done !== undefined)) return { ...job, state: "queued", memo, attempt };
  const wakeAtMs = Math.min(...waits.map(({ until = Infinity }) => until));
  return { ...job, state: "waiting", memo, attempt, wakeAtMs };
}

/**
 * The memo at the start of a run: waits whose time is over have ended. Decided here and not by the handler's clock, since a value
 * could otherwise still be accepted while the handler continues without it.
 */
export function expireWaits(memo: Memo, nowMs: number): Memo {
  if (memo.waits === undefined) return memo;
  const waits = Object.entries(memo.waits).map(([name, wait]) => {
    const isOver = wait.done === undefined && wait.until !== undefined && wait.until <= nowMs;
    return [name, isOver ? { ...wait, done: "timeout" as const } : wait];
  });
  return { ...memo, waits: Object.fromEntries(waits) };
}

/**
 * The memo of a job that has ended, for operators: its steps, and what was answered, slept and waited for, without the contents of answers
 * and values. Their digests remain, so that a repeat is known as one.
 */
export function endedMemo({ answers, steps, failed, undos, waits = {} }: Memo): Memo {
  const answered = Object.entries(answers).map(([key, { action }]) => [key, { action }] as const);
  const waited = Object.entries(waits).filter(([name]) => !/^(?:retry|patch) /.test(name))
    .map(([name, { until, done, digest, job }]) => [name, omitUndefined({ until, done, digest, job })] as const);
  return {
    answers: Object.fromEntries(answered),
    steps,
    ...(failed !== undefined && { failed }),
    ...(undos !== undefined && { undos }),
    ...(waited.length > 0 && { waits: Object.fromEntries(waited) }),
  };
}

/** Resolves a wait: the first value counts. Returns the job to store, `undefined` for no change, and the result. */
export function resolveJobWait(
  job: Job,
  name: string,
  resolution: StoredResolution,
): readonly [Job | undefined, Resolution] {
  const wait = job.memo.waits?.[name] ?? {};
  if (wait.done !== undefined && wait.digest === resolution.digest) {
    // The process that stored the value may have died before it scheduled the job.
    return [job.state === "queued" ? job : undefined, { resolved: true, repeated: true }];
  }
  if (wait.done === "timeout") return refuse("timeout");
  if (wait.done !== undefined) return refuse("resolved");
  if (job.state === "cancelled") return refuse("cancelled");
  if (job.state === "done") return refuse("over");
  if (wait.refused === resolution.digest) return refuse("refused");
  const memo = { ...job.memo, waits: { ...job.memo.waits, [name]: { ...wait, ...resolution } } };
  if (job.state !== "waiting") return [{ ...job, memo }, { resolved: true }];
  const { wakeAtMs: _, ...rest } = job;
  return [{ ...rest, state: "queued", memo }, { resolved: true }];
}

function refuse(reason: (Resolution & { readonly resolved: false })["reason"]): readonly [undefined, Resolution] {
  return [undefined, { resolved: false, reason }];
}

/** Describes what a waiting job waits for, as a status message for its caller. Empty if the time of each wait is over. */
export function describeWaits({ memo: { waits = {} } }: Job, nowMs: number): string {
  // A short sleep has passed during the run, which does not mark it.
  const isLater = ([, { until = Infinity }]: readonly [string, Wait]) => until > nowMs;
  return Object.entries(waits).filter((wait) => isOpen(wait) && isLater(wait)).map(([name, { until }]) => {
    const [kind, key] = [name.slice(0, name.indexOf(" ")), name.slice(name.indexOf(" ") + 1)];
    const end = until === undefined ? "" : ` until ${toTime(until)}`;
    if (kind === "retry") return `Trying ${key} again${until === undefined ? "" : ` at ${toTime(until)}`}`;
    return kind === "sleep" ? `Sleeping${end} (${key})` : `Waiting for ${key}${end}`;
  }).join("; ");
}

/** Whether a run has come to a wait, which has not ended. */
function isOpen([name, { done, schema }]: readonly [string, Wait]): boolean {
  return done === undefined && (schema !== undefined || /^(sleep|retry|call) /.test(name));
}

function toTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** Whether a waiting job waits for a value, which may come at any time. */
export function awaitsValue({ memo: { waits = {} } }: Job): boolean {
  return Object.entries(waits).some((wait) => isOpen(wait) && wait[1].schema !== undefined);
}
