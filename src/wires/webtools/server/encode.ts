/**
 * Writes the envelope of Webtools.
 *
 * Functions that stringify a tool's value throw what `JSON.stringify` throws.
 * Source: Webtools 2025-06-30, "Response Examples".
 *
 * @module
 */
import type { AnswerOutcome, ErrorResult, FailureOutcome, Outcome } from "../../../core/call/outcome.ts";
import { errorData, errorMessage, handlerMeta, promiseToJson, questionsToJson } from "../../framing/result/encode.ts";
import type { Members } from "../../../internal/json.ts";
import type { Reply } from "../../wire.ts";
import { FAILURE_STATUS, webtoolErrorCodes } from "./codes.ts";

/** An envelope, with its HTTP status. */
export type Envelope = Pick<Reply, "status"> & {
  /** JSON text. */
  readonly json: string;
};

/** The envelope of an outcome. What is no answer says so in `_meta.response_type`, and carries its members as data. */
export function encodeOutcome(outcome: Outcome): Envelope {
  switch (outcome.kind) {
    case "answer":
      return { status: 200, json: JSON.stringify({ status: "ok", data: outcome.value, _meta: metaOf(outcome) }) };
    case "failure": {
      const { code, message, data } = outcome;
      const error = { code, message, data };
      return { status: FAILURE_STATUS, json: JSON.stringify({ status: "error", error, _meta: metaOf(outcome) }) };
    }
    case "promise":
      return encodeData(promiseToJson(outcome), outcome.kind);
    default:
      return encodeData({ continuation: outcome.continuation, requests: questionsToJson(outcome) }, outcome.kind);
  }
}

/** The envelope of a refusal; our own code stands in its data. */
export function encodeRefusal(refusal: ErrorResult): Envelope {
  const { code, status } = webtoolErrorCodes[refusal.code];
  const error = { code, message: errorMessage(refusal, true), data: errorData(refusal) };
  return { status, json: JSON.stringify({ status: "error", error }) };
}

function encodeData(data: Members, kind: Outcome["kind"]): Envelope {
  return { status: 200, json: JSON.stringify({ status: "ok", data, _meta: { response_type: kind } }) };
}

/** The handler's own members, and the caller's state; `undefined` if there are none. */
function metaOf(outcome: AnswerOutcome | FailureOutcome): Members | undefined {
  const { meta, context } = outcome;
  if (meta === undefined && context === undefined) return undefined;
  return { ...handlerMeta(outcome), ...(context !== undefined && { context }) };
}
