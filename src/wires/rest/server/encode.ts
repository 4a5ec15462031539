/**
 * Encodes results as HTTP responses: answers as they are, promises as 202, everything else as problem documents.
 *
 * `JSON.stringify` may throw for the value of a tool.
 * Source: RFC 9457; RFC 9110, sections 10.2.2, 10.2.3 and 15.3.3.
 *
 * @module
 */
import type {
  AnswerOutcome,
  ErrorResult,
  FailureOutcome,
  PromiseOutcome,
  QuestionsResult,
} from "../../../core/call/outcome.ts";
import { asObject, type Members } from "../../../internal/json.ts";
import { retryAfterHeader } from "../../framing/http.ts";
import { jsonRpcErrorCodes } from "../../framing/json_rpc/reply.ts";
import { errorMessage, outcomeMeta, promiseToJson, questionsToJson } from "../../framing/result/encode.ts";
import type { Reply } from "../../wire.ts";
import { ENVELOPE_TYPE, PROBLEM_TYPE, type ProblemKind, problemType } from "../messages/problem.ts";
import { describeAnswer } from "./answer_help.ts";

/** Status of failures, whose codes the tools define, and of questions. */
export const UNPROCESSABLE = 422;

/** Results are private to their caller, so they are not cached. */
const RESULT_HEADERS: Readonly<Record<string, string>> = {
  "content-type": "application/json",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
};
const ENVELOPE_HEADERS: typeof RESULT_HEADERS = { ...RESULT_HEADERS, "content-type": ENVELOPE_TYPE };
const PROBLEM_HEADERS: typeof RESULT_HEADERS = { ...RESULT_HEADERS, "content-type": PROBLEM_TYPE };

/** Makes a reply of JSON text that caches do not store. */
export function resultReply(status: number, body: string): Reply {
  return { status, headers: RESULT_HEADERS, body };
}

/** Encodes an answer: the output alone, or 204 if the tool returned nothing. */
export function answerReply({ value }: AnswerOutcome): Reply {
  const json = JSON.stringify(value) as string | undefined;
  return json === undefined ? NO_CONTENT : resultReply(200, json);
}

const NO_CONTENT: Reply = { status: 204, headers: { "cache-control": "no-store" }, body: null };

/** Encodes an answer with its metadata: `{ content, _meta }`. */
export function envelopeReply(answer: AnswerOutcome): Reply {
  return { status: 200, headers: ENVELOPE_HEADERS, body: encodeEnvelope(answer) };
}

/** Encodes an answer with its metadata as JSON text, for a response or the last event of a stream. */
export function encodeEnvelope(answer: AnswerOutcome): string {
  return JSON.stringify({ content: answer.value, _meta: outcomeMeta(answer) });
}

/**
 * Encodes a promise as a reply with status 202 and `Retry-After`.
 *
 * @param location Path at which it is redeemed by GET and cancelled by DELETE; `undefined` if the tool is unknown.
 */
export function promiseReply(promise: PromiseOutcome, location: string | undefined): Reply {
  const headers = {
    ...RESULT_HEADERS,
    "retry-after": String(Math.ceil(promise.retryAfterMs / 1_000)),
    ...(location !== undefined && { location }),
  };
  return { status: 202, headers, body: JSON.stringify(promiseToJson(promise)) };
}

/** Makes the problem document of a failure, a question or an error. `instance` is the path of the request. */
export function problemOf(result: FailureOutcome | QuestionsResult | ErrorResult, instance: string): Members {
  if (result.kind === "error") return errorProblem(result, instance);
  if (result.kind === "failure") {
    const { code, message, data } = result;
    return { ...problem("failure", code, UNPROCESSABLE, message, instance), data, _meta: outcomeMeta(result) };
  }
  const { kind, continuation } = result;
  const requests = questionsToJson(result);
  return { ...problem("question", kind, UNPROCESSABLE, describeAnswer(result), instance), continuation, requests };
}

function errorProblem(error: ErrorResult, instance: string): Members {
  const { status } = jsonRpcErrorCodes[error.code];
  const { correlation_id: id } = asObject(error.data);
  const occurrence = typeof id === "string" ? `urn:uuid:${id}` : instance;
  return { ...problem("error", error.code, status, errorMessage(error, true), occurrence), data: error.data };
}

function problem(kind: ProblemKind, code: string, status: number, detail: string, instance: string) {
  const words = code.replaceAll(/[_-]+/g, " ");
  const title = words.charAt(0).toUpperCase() + words.slice(1);
  return { type: problemType(kind, code), title, status, detail, instance, code };
}

/** Makes the reply of a problem document. Status 429 and 503 get `Retry-After` if the data has a delay. */
export function problemReply(members: Members, added?: Readonly<Record<string, string>>): Reply {
  const status = Number(members["status"]);
  const retryAfter = (status === 429 || status === 503) && retryAfterHeader(members["data"]);
  const headers = retryAfter || added ? { ...PROBLEM_HEADERS, ...retryAfter, ...added } : PROBLEM_HEADERS;
  return { status, headers, body: JSON.stringify(members) };
}

/** Makes the reply of an error as a problem document (RFC 9457). `status` replaces that of its code, `added` are further headers. */
export function errorProblemReply(
  error: ErrorResult,
  instance: string,
  status?: number,
  added?: Readonly<Record<string, string>>,
): Reply {
  const members = problemOf(error, instance);
  return problemReply(status === undefined ? members : { ...members, status }, added);
}
