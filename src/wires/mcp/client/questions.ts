/**
 * What a server asks its client, as questions of ours, and what is said to them, as results of the protocol.
 *
 * MCP has no word for more of a resource: our servers ask for it by a form with one field, `granted`, under a key that says so.
 *
 * @module
 */
import type { Question } from "../../../core/call/outcome.ts";
import { isRequestId, type RequestId } from "../../framing/json_rpc/decode.ts";
import { asObject, isJsonObject, type JsonObject, type Members, typedOr } from "../../../internal/json.ts";
import { type InputRequest, RESOURCE_KEY_PREFIX } from "../protocol/forms.ts";

/** A question, as the caller gets it, and what has to be remembered to answer it. */
export interface ServerQuestion {
  /** What the caller knows it by. */
  readonly key: string;
  /** The question. */
  readonly ask: Question;
  /** How the caller's answer is sent. */
  readonly form: AnswerForm;
}

/** How an answer is sent: under the server's own key, as its kind of question wants it. */
export interface AnswerForm {
  /** The key that the server knows the question by. */
  readonly key: string;
  /** Whether a grant is asked for, not content. */
  readonly isGrant?: true | undefined;
  /** What stands for fields that are left out. */
  readonly defaults?: Members | undefined;
}

/** Reads the `inputRequests` of a result. */
export function readInputRequests(requests: unknown): ReadonlyMap<string, InputRequest> {
  return new Map(
    Object.entries(asObject(requests)).map(([key, request]) => {
      const { method, params } = asObject(request);
      return [key, { method: typedOr(method, ""), params: asObject(params) }] as const;
    }),
  );
}

/** A question of the protocol as one of ours. */
export function toQuestion(key: string, { method, params }: InputRequest): ServerQuestion {
  const message = typedOr(params["message"], "");
  const { refused } = metaOf(params);
  const again = typeof refused === "string" && { refused };
  if (method !== "elicitation/create") {
    const kind = method === "roots/list" ? "roots" : "sampling";
    return { key, ask: { kind, message, params: { ...params as JsonObject, ...again } }, form: { key } };
  }
  if (key.startsWith(RESOURCE_KEY_PREFIX)) {
    const name = key.slice(RESOURCE_KEY_PREFIX.length);
    const said = asObject(metaOf(params)["resource"]) as JsonObject;
    const ask: Question = { kind: "more", message, params: { resource: name, ...said, ...again } };
    return { key: name, ask, form: { key, isGrant: true } };
  }
  const { url, requestedSchema: schema } = params;
  if (typeof url === "string") {
    return { key, ask: { kind: "elicitation", message, params: { url, ...again } }, form: { key } };
  }
  const ask: Question = {
    kind: "elicitation",
    message,
    schema: asObject(schema) as JsonObject,
    ...(again && { params: again }),
  };
  const defaults = defaultsOf(schema);
  return { key, ask, form: Object.keys(defaults).length === 0 ? { key } : { key, defaults } };
}

/** The key of a question that came as a request of its own: the one that a server of ours gave it, or one by its number. */
export function keyOf({ params }: InputRequest, number: number): string {
  const { resource, question } = metaOf(params);
  const key = typedOr(asObject(question)["key"], `question_${number}`);
  return isJsonObject(resource) || isGrant(params) ? RESOURCE_KEY_PREFIX + key : key;
}

/** Id of the request that a question belongs to, if the server says so. */
export function requestOf({ params }: InputRequest): RequestId | undefined {
  const { of: id } = asObject(metaOf(params)["question"]);
  return isRequestId(id) ? id : undefined;
}

function metaOf(params: Members): Members {
  return asObject(params["_meta"]);
}

function isGrant(params: Members): boolean {
  const { properties } = asObject(params["requestedSchema"]);
  const [[name, field] = [], ...others] = Object.entries(asObject(properties));
  return name === "granted" && others.length === 0 && asObject(field)["type"] === "boolean";
}

/** `request-for-more-resource` when nothing else is asked for. */
export function askKind(questions: readonly ServerQuestion[]): "elicitation" | "request-for-more-resource" {
  return questions.every(({ ask }) => ask.kind === "more") ? "request-for-more-resource" : "elicitation";
}

/** Whether something is said to a question at all. */
export function isAnswer(response: unknown): response is Members {
  return ["accept", "decline", "cancel"].includes(typedOr(asObject(response)["action"], ""));
}

/** What is said to a question, as the protocol has it. */
export function toElicitResult(response: Members, { isGrant, defaults }: Omit<AnswerForm, "key">): Members {
  const { action, content } = response;
  if (action !== "accept") return { action };
  if (isGrant) return { action, content: { granted: true } };
  if (defaults === undefined && content === undefined) return { action };
  return { action, content: isJsonObject(content) || content === undefined ? { ...defaults, ...content } : content };
}

function defaultsOf(schema: unknown): Members {
  const properties = Object.entries(asObject(asObject(schema)["properties"]));
  return Object.fromEntries(properties.flatMap(([name, property]) => {
    const { default: value } = asObject(property);
    return value === undefined ? [] : [[name, value] as const];
  }));
}
