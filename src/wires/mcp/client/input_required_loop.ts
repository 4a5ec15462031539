import { errorResult, type QuestionsResult } from "../../../core/call/outcome.ts";
import type { Members } from "../../../internal/json.ts";
import { askKind, readInputRequests, type ServerQuestion, toQuestion } from "./questions.ts";
import { encodeRound, inputsOf } from "./continuation.ts";
import type { Handlers } from "./handlers.ts";
import type { RpcReply } from "./message_transport.ts";

/** How often a server may ask before it has asked too often. */
const MAX_ROUNDS = 32;

/** What a request has come to: its end, or questions to whoever made it. */
export type Ended = { readonly reply: RpcReply } | { readonly outcome: QuestionsResult };

/**
 * Makes a request of 2026-07-28 as often as it takes: what the handlers know is answered without the caller.
 *
 * @param send Makes the request, with these parameters beside its own.
 * @param first The parameters of its first round.
 */
export async function goRounds(
  handlers: Handlers,
  send: (inputs: Members) => Promise<RpcReply>,
  first: Members,
): Promise<Ended> {
  let inputs = first;
  for (let rounds = 0; rounds < MAX_ROUNDS; rounds++) {
    const reply = await send(inputs);
    if (!("result" in reply) || reply.result["resultType"] !== "input_required") return { reply };
    const { inputRequests, requestState } = reply.result;
    const state = typeof requestState === "string" ? requestState : undefined;
    const { questions, answered } = await answerInputs(handlers, inputRequests);
    if (questions.length > 0) return { outcome: askOutcome(questions, encodeRound(state, questions, answered)) };
    inputs = inputsOf({ state, forms: {}, answered }, undefined);
  }
  return { reply: { refusal: errorResult("invalid_request", `The server asked more than ${MAX_ROUNDS} times`) } };
}

/** What the handlers say to what is asked, and what is left for the caller. */
export async function answerInputs(
  handlers: Handlers,
  inputRequests: unknown,
): Promise<{ readonly questions: readonly ServerQuestion[]; readonly answered: Members }> {
  const questions: ServerQuestion[] = [];
  const answered: Record<string, unknown> = {};
  for (const [key, request] of readInputRequests(inputRequests)) {
    const answer = handlers.answer(request);
    if (answer === undefined) questions.push(toQuestion(key, request));
    else answered[key] = await answer;
  }
  return { questions, answered };
}

/** Questions as the outcome of a call. */
export function askOutcome(questions: readonly ServerQuestion[], continuation: string): QuestionsResult {
  const requests = Object.fromEntries(questions.map(({ key, ask }) => [key, ask]));
  return { kind: askKind(questions), requests, continuation };
}
