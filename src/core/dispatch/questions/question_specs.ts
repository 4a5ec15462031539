/** The kinds of questions: what is sent to the caller, and what an answer has to be. */
import { mistake } from "../../errors/mistake.ts";
import { NO_ANSWER, type Question } from "../../call/outcome.ts";
import type { AskAnswer } from "../engine.ts";
import { Failure } from "../../errors/failure.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../internal/json.ts";
import type { MaybePromise } from "../../../internal/async.ts";
import type { SchemaAdapter } from "../../schema/adapter.ts";
import { compileSchema } from "../../schema/compile.ts";
import { assertReferences } from "../../schema/references.ts";
import { formatIssues } from "../../schema/issues.ts";
import type { ElicitRequest, PlainElicitRequest, QuestionSpec } from "../../handler/questions.ts";

/**
 * Default of `attempts`: the number of times that a question is asked if no answer fits, after which the call fails with `unanswered`. The
 * handler runs again each time, with its effects.
 */
export const DEFAULT_ATTEMPTS = 3;

/** The failure of a call whose caller gives no answer that fits. */
export function noFittingAnswer(key: string, times: number, reason: string): Failure {
  const message = `The question "${key}" was asked ${
    times === 1 ? "once" : `${times} times`
  }, and no answer fits: ${reason}`;
  return new Failure("unanswered", message, { question: key, reason });
}

/** Validates the content of an answer. Returns it as the schema converts it, or the reason why it does not fit. */
type Check = (content: Json | undefined) => MaybePromise<{ readonly value: Json | undefined } | string>;

/** A question of a run: what is sent to the caller, and the check of its answer. */
export interface PendingQuestion {
  readonly request: Question;
  /** Number of times that it is asked, if no answer fits. */
  readonly attempts?: number | undefined;
  /** `undefined` if any answer fits. */
  readonly check: Check | undefined;
}

/** Whether a value is one of the kinds of questions: other values would be sent to the caller's model unchecked. */
function isQuestionSpec(asked: QuestionSpec | undefined): boolean {
  const { message, schema, url, more, messages, roots }: Readonly<Record<string, unknown>> = { ...asked };
  if (schema || url) return typeof message === "string" && message !== "";
  return Boolean(more || messages || roots);
}

/** A question with a form; its answer has to match the schema. */
function formQuestion(
  key: string,
  { message, schema, attempts }: ElicitRequest | PlainElicitRequest,
  adapters: readonly SchemaAdapter[],
): PendingQuestion {
  if (attempts !== undefined && !(Number.isInteger(attempts) && attempts > 0)) {
    throw mistake(
      new RangeError(`Cannot ask "${key}": attempts has to be a whole number from 1 on, not ${String(attempts)}`),
    );
  }
  const compiled = compileSchema(schema, { where: `Schema of question "${key}"`, adapters, check: assertReferences });
  return {
    request: { kind: "elicitation", message, schema: compiled.jsonSchema as JsonObject },
    attempts,
    async check(content) {
      const checked = await compiled.validate(content);
      if (checked.issues === undefined) return { value: checked.value as Json };
      const [{ path, message } = { path: [], message: "" }] = formatIssues(checked.issues, content);
      return `${["content", ...path].join(".")}: ${message}`;
    },
  };
}

/** A request for more, a page, a sample, or folders. */
function otherQuestion(asked: Exclude<QuestionSpec, ElicitRequest | PlainElicitRequest>): PendingQuestion {
  if ("more" in asked) {
    const { more, amount, reason } = asked;
    const params = { resource: more, ...(amount !== undefined && { amount }), ...(reason !== undefined && { reason }) };
    const message = reason ?? `More ${more} needed${amount === undefined ? "" : `: ${amount}`}`;
    return { request: { kind: "more", message, params }, check: undefined };
  }
  if ("url" in asked) {
    const { message, url } = asked;
    return { request: { kind: "elicitation", message, params: { url } }, check: undefined };
  }
  if ("roots" in asked) {
    const request = { kind: "roots", message: "The folders that you work in" } as const;
    return { request, check: (content) => hasList(content, "roots") ? { value: content } : "content has no roots" };
  }
  // Copied through JSON: it may hold values that JSON has not, and it is stored until it is answered.
  const params: JsonObject = JSON.parse(JSON.stringify(asked));
  const request = { kind: "sampling", message: "A question to your model", params } as const;
  return { request, check: (content) => isSample(content) ? { value: content } : "content has no model or content" };
}

function hasList(content: Json | undefined, member: string): boolean {
  return isJsonObject(content) && Array.isArray(content[member]);
}

function isSample(content: Json | undefined): boolean {
  return isJsonObject(content) && typeof content["content"] === "object" && typeof content["model"] === "string";
}

/** Returns the answer as the question's schema converts it, or the reason why it does not fit. */
export async function checkAnswer(answer: AskAnswer, check: Check | undefined): Promise<AskAnswer | string> {
  if (answer.action === "malformed") return NO_ANSWER;
  if (answer.action !== "accept" || check === undefined) return answer;
  const checked = await check(answer.content);
  if (typeof checked === "string") return checked;
  return { action: "accept", ...(checked.value !== undefined && { content: checked.value }) };
}

/** Response type of a result with these questions: `elicitation`, unless every question is a request for more (docs/spec.md 3.3). */
export function resultKindOf(
  requests: Readonly<Record<string, Question>>,
): "elicitation" | "request-for-more-resource" {
  const isAllMore = Object.values(requests).every(({ kind }) => kind === "more");
  return isAllMore ? "request-for-more-resource" : "elicitation";
}

/** @throws {TypeError} If it is not a question. */
export function toPendingQuestion(
  key: string,
  asked: QuestionSpec,
  adapters: readonly SchemaAdapter[],
): PendingQuestion {
  if (!isQuestionSpec(asked)) {
    throw mistake(
      new TypeError(`Cannot ask "${key}": give a message with a schema or url, more, messages, or roots`),
    );
  }
  return "schema" in asked ? formQuestion(key, asked, adapters) : otherQuestion(asked);
}

export function quoteKeys(keys: readonly string[]): string {
  return keys.map((key) => JSON.stringify(key)).join(", ");
}
