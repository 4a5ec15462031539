/**
 * Continuations: what lets a call go on after its caller was asked something, kept by the caller, signed by the server.
 *
 * Bound to tool, principal and arguments; good for ten minutes, and as often as it is sent.
 *
 * @module
 */
import { type ErrorResult, errorResult } from "../../call/outcome.ts";
import type { Memo } from "../../../engine/engine.ts";
import type { Json } from "../../../internal/json.ts";
import type { TokenKeys } from "../../token/token.ts";
import { type Asking, readAnswers } from "./asking.ts";
import type { CallContext } from "../call_context.ts";

/** How long a caller has to answer, in milliseconds. */
const LIFETIME_MS = 600_000;

/** What a run starts from that goes on. */
export interface Continued {
  /** The `callId` of all its runs. */
  readonly callId: string;
  /** Answers and steps so far. */
  readonly memo: Memo;
  /** How many pieces the caller has. */
  readonly deliveredPieces: number;
}

/** The refusal of what is no continuation of the call. Why not, is not told. */
export const INVALID_CONTINUATION: ErrorResult = errorResult(
  "invalid_continuation",
  "Not a continuation of this call, or no longer: repeat the call without it",
);

/**
 * Writes a continuation.
 *
 * @throws {RangeError} If there is more to keep than fits.
 */
export function encodeContinuation(keys: TokenKeys, run: CallContext, { memo, requests = {} }: Asking): string {
  const { definition: plan, callId, runState: live, services: host } = run;
  const kept: Kept = {
    digest: run.digest,
    asked: Object.keys(requests),
    ...memo,
    pieces: live.deliveredPieces,
    ...(plan.revision !== undefined && { revision: plan.revision }),
  };
  return keys.sign("continuation", {
    id: callId,
    expSeconds: Math.ceil((host.clock.now() + LIFETIME_MS) / 1000),
    tool: plan.name,
    principal: run.principalId,
    data: kept as unknown as Json,
  });
}

/** Reads a continuation, with the answers that came with it. Answers to what it did not ask are ignored. */
export function decodeContinuation(keys: TokenKeys, run: CallContext, continuation: string): Continued | ErrorResult {
  const { definition: plan, call, services: host } = run;
  const verified = keys.verify("continuation", continuation, run.principalId, host.clock.now());
  if (typeof verified === "string" || verified.tool !== plan.name) return INVALID_CONTINUATION;
  // It is ours, so it has what we write.
  const { digest, asked, answers, steps, pieces, revision } = verified.data as unknown as Kept;
  if (revision !== plan.revision || digest !== run.digest) return INVALID_CONTINUATION;
  const given = [...readAnswers(call.meta?.responses)].filter(([key]) => asked.includes(key));
  return {
    callId: verified.id,
    memo: { answers: { ...answers, ...Object.fromEntries(given) }, steps },
    deliveredPieces: pieces,
  };
}

interface Kept extends Memo {
  readonly digest: string;
  readonly asked: readonly string[];
  readonly pieces: number;
  readonly revision?: string;
}
