import { errorResult, type QuestionsResult } from "../../../core/call/outcome.ts";
import type { Members } from "../../../internal/json.ts";
import { toContinuation, toInputParams } from "./continuation.ts";
import type { RpcReply } from "./message_transport.ts";
import { decodeInputRequests, questionsKind, type ServerQuestion, toQuestion } from "./questions.ts";
import type { RequestHandlers } from "./request_handlers.ts";

/** Maximum number of requests of a loop. */
const MAX_ROUNDS = 32;

/** The last reply, or questions for the caller. */
export type LoopResult = { readonly reply: RpcReply } | { readonly questions: QuestionsResult };

/**
 * Repeats a request of 2026-07-28 while its result is `input_required` and the handlers can answer all questions.
 *
 * @param send Sends the request with additional parameters.
 * @param first Additional parameters of the first request.
 */
export async function runInputRequiredLoop(
  handlers: RequestHandlers,
  send: (inputs: Members) => Promise<RpcReply>,
  first: Members,
): Promise<LoopResult> {
  let inputs = first;
  for (let rounds = 0; rounds < MAX_ROUNDS; rounds++) {
    const reply = await send(inputs);
    if (!("result" in reply) || reply.result["resultType"] !== "input_required") return { reply };
    const { inputRequests, requestState } = reply.result;
    const state = typeof requestState === "string" ? requestState : undefined;
    const { questions, answered } = await answerInputRequests(handlers, inputRequests);
    if (questions.length > 0) {
      return { questions: toQuestionsResult(questions, toContinuation(state, questions, answered)) };
    }
    inputs = toInputParams({ state, forms: {}, answered }, undefined);
  }
  const transportError = errorResult("invalid_request", `The server has asked questions more than ${MAX_ROUNDS} times`);
  return { reply: { transportError } };
}

/** Answers questions with the handlers. Questions without a handler are returned for the caller. */
export async function answerInputRequests(
  handlers: RequestHandlers,
  inputRequests: unknown,
): Promise<{ readonly questions: readonly ServerQuestion[]; readonly answered: Members }> {
  const questions: ServerQuestion[] = [];
  const answered: Record<string, unknown> = {};
  for (const [key, request] of decodeInputRequests(inputRequests)) {
    const answer = handlers.answer(request);
    if (answer === undefined) questions.push(toQuestion(key, request));
    else answered[key] = await answer;
  }
  return { questions, answered };
}

/** The outcome of a call with open questions. */
export function toQuestionsResult(questions: readonly ServerQuestion[], continuation: string): QuestionsResult {
  const requests = Object.fromEntries(questions.map(({ key, question }) => [key, question]));
  return { kind: questionsKind(questions), requests, continuation };
}
