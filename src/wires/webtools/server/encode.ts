/**
 * Encodes the envelope of Webtools. `JSON.stringify` may throw for the value of a tool.
 *
 * Source: Webtools 2025-06-30, "Response Examples".
 *
 * @module
 */
import type { ErrorResult, Outcome } from "../../../core/call/outcome.ts";
import { errorData, errorMessage, outcomeMeta, promiseToJson, questionsToJson } from "../../framing/result/encode.ts";
import type { Members } from "../../../internal/json.ts";
import type { Reply } from "../../wire.ts";
import { FAILURE_STATUS, webtoolErrorCodes } from "./codes.ts";

/** An envelope and its HTTP status. */
export type Envelope = Pick<Reply, "status"> & {
  /** JSON text. */
  readonly json: string;
};

/** Encodes an outcome. If it is not an answer, `_meta.response_type` has its kind, and its members are the data. */
export function encodeOutcome(outcome: Outcome): Envelope {
  switch (outcome.kind) {
    case "answer":
      return { status: 200, json: JSON.stringify({ status: "ok", data: outcome.value, _meta: outcomeMeta(outcome) }) };
    case "failure": {
      const { code, message, data } = outcome;
      const error = { code, message, data };
      return { status: FAILURE_STATUS, json: JSON.stringify({ status: "error", error, _meta: outcomeMeta(outcome) }) };
    }
    case "promise":
      return encodeData(promiseToJson(outcome), outcome.kind);
    default:
      return encodeData({ continuation: outcome.continuation, requests: questionsToJson(outcome) }, outcome.kind);
  }
}

/** Encodes an error. Its data has the Toolwire code. */
export function encodeError(result: ErrorResult): Envelope {
  const { code, status } = webtoolErrorCodes[result.code];
  const error = { code, message: errorMessage(result, true), data: errorData(result) };
  return { status, json: JSON.stringify({ status: "error", error }) };
}

function encodeData(data: Members, kind: Outcome["kind"]): Envelope {
  return { status: 200, json: JSON.stringify({ status: "ok", data, _meta: { response_type: kind } }) };
}
