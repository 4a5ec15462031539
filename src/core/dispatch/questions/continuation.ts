/**
 * Continuations: tokens that carry the answers and steps of a call from one run of its handler to the next.
 *
 * Signed by the server and kept by the caller. Bound to tool, principal and arguments; valid for ten minutes. With an engine it is
 * also an idempotency key (job_of_run.ts): sent again, it gives the result of the first time, and with other answers `conflict`. Without
 * one, the handler runs again.
 */
import type { ErrorResult } from "../../call/outcome.ts";
import type { AskAnswer, Memo } from "../engine.ts";
import { isJsonObject, type Json } from "../../../internal/json.ts";
import { digestOfRun } from "../../token/digest.ts";
import type { TokenKeys } from "../../token/token.ts";
import { warnOfRefused } from "../token_refusal_log.ts";
import { callerKeyOf, INVALID_CONTINUATION, type ResumableRun, type RunQuestions } from "../services.ts";

/** Time for a caller to answer, in milliseconds. */
const LIFETIME_MS = 600_000;

/** Signed contents of a continuation: answers and steps so far, the questions that are open, and the call that it belongs to. */
interface ContinuationData extends Memo {
  readonly digest: string;
  readonly asked: readonly string[];
  readonly pieces: number;
  readonly revision?: string;
}

/**
 * Encodes answers, steps and open questions of a stopped run as a signed token, which the caller returns with its answers.
 *
 * @throws {RangeError} If it is longer than a token may be.
 */
export function encodeContinuation(keys: TokenKeys, run: ResumableRun, { memo, requests = {} }: RunQuestions): string {
  const { definition: { name, revision }, callId, runState, services } = run;
  const data: ContinuationData = {
    digest: digestOfRun(run),
    ...memo,
    asked: Object.keys(requests),
    pieces: runState.deliveredPieces,
    ...(revision !== undefined && { revision }),
  };
  const signing = run.request.peer.host?.isOfProcess === true ? keys["~ofProcess"] ?? keys : keys;
  return signing.sign("continuation", {
    id: callId,
    expSeconds: Math.ceil((services.clock.now() + LIFETIME_MS) / 1000),
    tool: name,
    principal: callerKeyOf(run),
    data: data as unknown as Json,
  });
}

/** Restores the earlier run of a continuation, with the new answers; answers to other questions are ignored. An error if it is not of this call. */
export function resumeContinuation(keys: TokenKeys, run: ResumableRun, continuation: string): ErrorResult | undefined {
  const { definition, request: call, services } = run;
  const verified = keys.verify("continuation", continuation, callerKeyOf(run), services.clock.now());
  if (typeof verified === "string") {
    return refuse(keys, run, continuation, verified === "expired" ? "it has expired" : undefined);
  }
  if (verified.tool !== definition.name) {
    return refuse(keys, run, continuation, `it is of the tool ${verified.tool}, not ${definition.name}`);
  }
  // The signature is valid, so the data has the shape that encodeContinuation() writes.
  const data = verified.data as unknown as ContinuationData;
  const { digest, asked, answers, steps, failed, undos, beside, pieces, revision, rounds = 0, misfits } = data;
  if (revision !== definition.revision) {
    return refuse(keys, run, continuation, `it is of another revision of the tool ${definition.name}`);
  }
  if (digest !== digestOfRun(run)) {
    return refuse(keys, run, continuation, "the call has other arguments than the one that it continues");
  }
  const received = [...readAnswers(call.meta?.responses)].filter(([key]) => asked.includes(key));
  run.resume(verified.id, {
    answers: { ...answers, ...Object.fromEntries(received) },
    steps,
    ...(failed !== undefined && { failed }),
    ...(undos !== undefined && { undos }),
    ...(beside !== undefined && { beside }),
    rounds: rounds + 1,
    asked,
    ...(misfits !== undefined && { misfits }),
  });
  run.runState.skippedPieces = run.sink === undefined ? 0 : pieces;
  return undefined;
}

function refuse(keys: TokenKeys, run: ResumableRun, token: string, reason: string | undefined): ErrorResult {
  warnOfRefused(run.services, keys, { kind: "continuation", token, principal: callerKeyOf(run), reason });
  return INVALID_CONTINUATION;
}

/** Parses the answers of a caller, by key. One without a known action becomes `malformed`, so that its question is repeated. */
export function readAnswers(responses: Readonly<Record<string, unknown>> | undefined): Map<string, AskAnswer> {
  const answers = new Map<string, AskAnswer>();
  for (const [key, response] of Object.entries(responses ?? {})) {
    const { action, content }: Readonly<Record<string, unknown>> = isJsonObject(response) ? response : {};
    if (action === "accept") answers.set(key, { action, ...(content !== undefined && { content: content as Json }) });
    else answers.set(key, { action: action === "decline" || action === "cancel" ? action : "malformed" });
  }
  return answers;
}
