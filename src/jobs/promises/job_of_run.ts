/** The job of a run, as it is written first. */
import { retryPolicyOf } from "../../core/tool/retry_policy.ts";
import type { Job } from "../../core/dispatch/engine.ts";
import { type ErrorResult, errorResult } from "../../core/call/outcome.ts";
import { asObject, type Json } from "../../internal/json.ts";
import { digestOf, digestOfRun, uuidOf } from "../../core/token/digest.ts";
import type { CallContext } from "../../core/dispatch/call_context.ts";
import { CLOCK_SKEW_MS } from "./promise_tokens.ts";

/** Lifetime of jobs of tools without .promise(), in milliseconds, and their maximum number of attempts. */
const KEYED_TTL_MS = 3_600_000;
const KEYED_ATTEMPTS = 3;

/** Longest value of a tag, in UTF-16 code units. */
const MAX_TAG_CHARS = 256;

/** The memo of a call before its first run: no answers, no steps. */
export const EMPTY_MEMO: Job["memo"] = { answers: {}, steps: {} };

/**
 * Id of the job of a run, that of the call, and the digest of the answers with which the call continues. A continued call has an id for
 * each round, since its questions are answered once.
 */
function jobIdOf({ callId, call, questions, definition: { name } }: CallContext): Pick<Job, "id" | "answers"> {
  const { rounds, answers } = call.meta?.idempotencyKey === undefined && questions?.memo || EMPTY_MEMO;
  if (rounds === undefined) return { id: callId };
  return { id: uuidOf("continuation", callId, `${rounds}`), answers: digestOf(name, answers) };
}

/** The error of a call whose id is that of the job of another call, or of other answers; `undefined` if they are the same. */
export function conflictOf({ digest, answers }: Job, existing: Job): ErrorResult | undefined {
  if (existing.answers !== answers) return ANSWERED;
  if (existing.digest === digest) return undefined;
  return errorResult("conflict", "The idempotency key was used with another call; choose a new key for a new call");
}

const ANSWERED = errorResult(
  "conflict",
  "The questions of this continuation were answered already, with other answers, and the call has continued with those; to change " +
    "them, repeat the call without the continuation, and answer its new questions",
);

/** Creates the record of a run's job, from its call and tool, without storing it. */
export function jobOfRun(
  run: CallContext,
  state: Pick<Job, "state" | "epoch" | "attempt">,
  ownId?: string,
): Job {
  const { id, answers } = ownId === undefined ? jobIdOf(run) : { id: ownId };
  const { definition: { name, revision, promise, external }, call, principal, services, trace } = run;
  const { context } = call.meta ?? {};
  const { ttlMs = KEYED_TTL_MS } = promise ?? external ?? {};
  return {
    ...state,
    id,
    ...(id !== run.callId && { callId: run.callId }),
    version: 1,
    tool: name,
    ...(revision !== undefined && { revision }),
    args: call.args as Json,
    digest: digestOfRun(run),
    ...(answers !== undefined && { answers }),
    ...(principal !== undefined && { principal }),
    ...(context !== undefined && { context }),
    ...(trace !== undefined && { trace }),
    ...(call.inner !== undefined && { callers: call.inner.path }),
    createdAtMs: services.clock.now(),
    expiresAtMs: services.clock.now() + ttlMs + CLOCK_SKEW_MS,
    maxAttempts: promise === undefined ? KEYED_ATTEMPTS : retryPolicyOf(promise.retries).attempts,
    ...(promise?.keepFailed && { keepsFailed: true }),
    ...(promise !== undefined && { undoMs: promise.undoMs }),
    ...tagsOf(promise?.tags ?? [], call.args),
    memo: run.questions?.memo ?? EMPTY_MEMO,
  };
}

/** The arguments by whose values operators find a job: texts, numbers and booleans. */
function tagsOf(names: readonly string[], args: unknown): Pick<Job, "tags"> {
  const members = asObject(args);
  const tags = names.filter((name) => Object.hasOwn(members, name)).flatMap((name) => {
    const value = members[name];
    const isScalar = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
    return isScalar ? [[name, String(value).slice(0, MAX_TAG_CHARS)] as const] : [];
  });
  return tags.length === 0 ? {} : { tags: Object.fromEntries(tags) };
}
