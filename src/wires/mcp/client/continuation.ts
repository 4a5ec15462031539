/**
 * The continuation of a call with open questions: the server's state, and how the answers are sent.
 *
 * It is the server's state alone if nothing else is needed, so that Toolwire servers give the same continuation on every wire.
 * The client stores nothing, so that another process can continue the call.
 */
import { asObject, type Members } from "../../../internal/json.ts";
import { isModelOrRootsResult } from "../protocol/messages.ts";
import {
  type AnswerEncoding,
  decodeInputRequests,
  isAnswer,
  questionsKind,
  type RequestHandlers,
  type ServerQuestion,
  toElicitResult,
  toQuestion,
} from "./questions.ts";
import { errorResult, type QuestionsResult } from "../../../core/call/outcome.ts";
import type { RpcReply } from "./message_transport.ts";

/** What the client keeps between a question of a server and the answer. */
interface ContinuationState {
  /** The server's state, which is sent back unchanged; `undefined` if it has none. */
  readonly state: string | undefined;
  /** How answers are sent, by the caller's key. */
  readonly forms: Readonly<Record<string, AnswerEncoding>>;
  /** Results of the transport's own handlers, by the server's key. */
  readonly answered: Members;
}

const PREFIX = "mcp:";

/** Encodes the continuation of a call with open questions: the server's state alone, if no question needs more to be answered. */
export function toContinuation(
  state: string | undefined,
  questions: readonly ServerQuestion[],
  answered: Members,
): string {
  const special = questions.filter(({ key, encoding: { isGrant, defaults, key: serverKey } }) =>
    isGrant || defaults !== undefined || serverKey !== key
  );
  const isPlain = special.length === 0 && Object.keys(answered).length === 0;
  if (isPlain && state !== undefined && !state.startsWith(PREFIX)) return state;
  const forms = Object.fromEntries(special.map(({ key, encoding }) => [key, encoding]));
  return PREFIX + JSON.stringify({ state, forms, answered });
}

/** Decodes a continuation of `toContinuation`. Other text is the server's state. */
export function fromContinuation(continuation: string): ContinuationState {
  if (continuation.startsWith(PREFIX)) {
    try {
      const { state, forms, answered } = asObject(JSON.parse(continuation.slice(PREFIX.length)));
      return {
        state: typeof state === "string" ? state : undefined,
        forms: asObject(forms) as ContinuationState["forms"],
        answered: asObject(answered),
      };
    } catch {
      // The server's own state, which happens to have the prefix.
    }
  }
  return { state: continuation, forms: {}, answered: {} };
}

/** Parameters that continue a call: the server's state as `requestState`, and the answers by the server's keys as `inputResponses`. */
export function toInputParams({ state, forms, answered }: ContinuationState, responses: unknown): Members {
  const answers = Object.entries(asObject(responses)).map(([key, response]) => {
    const encoding = Object.hasOwn(forms, key) ? forms[key] : undefined;
    return [encoding?.key ?? key, encodeAnswer(response, encoding)] as const;
  });
  const inputResponses = { ...answered, ...Object.fromEntries(answers) };
  return {
    ...(Object.keys(inputResponses).length > 0 && { inputResponses }),
    ...(state !== undefined && { requestState: state }),
  };
}

/** Results of sampling and roots have no `action`. An invalid answer is sent unchanged, so that the server rejects it. */
function encodeAnswer(response: unknown, encoding: AnswerEncoding | undefined): unknown {
  if (!isAnswer(response)) return response;
  const { action, content } = response;
  const isResult = action === "accept" && encoding === undefined && isModelOrRootsResult(content);
  return isResult ? content : toElicitResult(response, encoding ?? {});
}

/** Maximum number of requests of a loop. */
const MAX_ROUNDS = 32;

/** The last reply, or questions for the caller. */
type LoopResult = { readonly reply: RpcReply } | { readonly questions: QuestionsResult };

/** Repeats a request of 2026-07-28, at most 32 times, while its result is `input_required` and the handlers answer all questions. */
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

/** Answers questions with the handlers, and returns those without a handler for the caller. Rejects with what a handler throws. */
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

/** The outcome of a call with open questions, for the caller, who continues the call with their answers. */
export function toQuestionsResult(questions: readonly ServerQuestion[], continuation: string): QuestionsResult {
  const requests = Object.fromEntries(questions.map(({ key, question }) => [key, question]));
  return { kind: questionsKind(questions), requests, continuation };
}
