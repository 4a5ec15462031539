/** The job of a run, as it is written first. */
import type { Job } from "../../../engine/engine.ts";
import type { Json } from "../../../internal/json.ts";
import { digestOf, digestOfRun, uuidOf } from "../../token/digest.ts";
import type { CallContext } from "../call_context.ts";
import { CLOCK_SKEW_MS } from "./promise_tokens.ts";

/** Lifetime of jobs of tools without .promise(), in milliseconds, and their maximum number of attempts. */
const KEYED_TTL_MS = 3_600_000;
const KEYED_ATTEMPTS = 3;

/** The memo of a call before its first run: no answers, no steps. */
export const EMPTY_MEMO: Job["memo"] = { answers: {}, steps: {} };

/** Id of the job of a run: that of the call. A continued call has one for each round and its answers, which a repeat joins. */
function jobIdOf({ callId, call, asking, definition: { name } }: CallContext): string {
  const { rounds, answers } = call.meta?.idempotencyKey === undefined && asking?.memo || EMPTY_MEMO;
  return rounds === undefined ? callId : uuidOf("continuation", callId, `${rounds}`, digestOf(name, answers));
}

/** Creates the record of a run's job, from its call and tool, without storing it. */
export function jobOfRun(
  run: CallContext,
  state: Pick<Job, "state" | "epoch" | "attempt">,
  id: string = jobIdOf(run),
): Job {
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
    ...(principal !== undefined && { principal }),
    ...(context !== undefined && { context }),
    ...(trace !== undefined && { trace }),
    createdAtMs: services.clock.now(),
    expiresAtMs: services.clock.now() + ttlMs + CLOCK_SKEW_MS,
    maxAttempts: promise === undefined ? KEYED_ATTEMPTS : promise.retries + 1,
    ...(promise?.keepFailed && { keepsFailed: true }),
    memo: run.asking?.memo ?? EMPTY_MEMO,
  };
}
