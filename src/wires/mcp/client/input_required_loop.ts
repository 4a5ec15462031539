import { errorResult, type QuestionsResult } from "../../../core/call/outcome.ts";
import type { Members } from "../../../internal/json.ts";
import { decodeInputRequests, questionsKind, type ServerQuestion, toQuestion } from "./questions.ts";
import { encodeContinuation, toInputParams } from "./continuation.ts";
import type { RequestHandlers } from "./request_handlers.ts";
import type { RpcReply } from "./message_transport.ts";

/** How often a server may ask before it has asked too often. */
const MAX_ROUNDS = 32;

/** What a request has come to: its end, or questions to whoever made it. */
export type LoopResult = { readonly reply: RpcReply } | { readonly outcome: QuestionsResult };

/**
 * Makes a request of 2026-07-28 as often as it takes: what the handlers know is answered without the caller.
 *
 * @param send Makes the request, with these parameters beside its own.
 * @param first The parameters of its first round.
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
      return { outcome: toQuestionsResult(questions, encodeContinuation(state, questions, answered)) };
    }
    inputs = toInputParams({ state, forms: {}, answered }, undefined);
  }
  return { reply: { refusal: errorResult("invalid_request", `The server asked more than ${MAX_ROUNDS} times`) } };
}

/** What the handlers say to what is asked, and what is left for the caller. */
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

/** Questions as the outcome of a call. */
export function toQuestionsResult(questions: readonly ServerQuestion[], continuation: string): QuestionsResult {
  const requests = Object.fromEntries(questions.map(({ key, question: ask }) => [key, ask]));
  return { kind: questionsKind(questions), requests, continuation };
}
