/** Questions of a call, as each wire has them, and the answers that the repeated call carries. */
import { asSchema, type Json, type Schema } from "./json_schema.ts";

/** A question of a tool to its caller. */
export interface PageQuestion {
  readonly key: string;
  /** What is asked for: values of a form, a visit of a web page, more of something, the answer of a model, or folders. */
  readonly kind: "form" | "url" | "more" | "sampling" | "roots";
  readonly message: string;
  /** Schema of the answer; `undefined` for other kinds than a form. */
  readonly schema?: Schema | undefined;
  /** The other members, such as `url`, `messages`, `amount` and `refused`. */
  readonly params: Readonly<Record<string, unknown>>;
}

/** Questions that a call ended with. */
export interface Asked {
  readonly continuation: string;
  readonly questions: readonly PageQuestion[];
}

/** Answer that the user of the page gives to a question. */
export interface QuestionAnswer {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: Json;
}

/** The questions of a call, with the answers. */
export interface Answered {
  readonly asked: Asked;
  readonly responses: Readonly<Record<string, QuestionAnswer>>;
}

/** Prefix of the keys of requests for more, over MCP. */
const MORE = "resource/";

/** Reads `_meta` of MCP-lite, and what REST and gRPC have of it. */
export function readAsked(meta: unknown): Asked {
  const { continuation, requests } = asSchema(meta);
  const questions = Object.entries(asSchema(requests)).map(([key, request]): PageQuestion => {
    const { kind, message, schema, ...params } = asSchema(request);
    const asked = kind === "resource" ? "more" : kind === "sampling" || kind === "roots" ? kind : undefined;
    return {
      key,
      kind: asked ?? (schema === undefined ? "url" : "form"),
      message: textOf(message),
      ...form(schema),
      params,
    };
  });
  return { continuation: textOf(continuation), questions };
}

/** Reads `inputRequests` of MCP 2026-07-28, and requests of the server of 2025-11-25 by the keys of their questions. */
export function readInputRequests(result: Readonly<Record<string, unknown>>): Asked {
  const questions = Object.entries(asSchema(result["inputRequests"])).map(([key, request]): PageQuestion => {
    const { method, params } = asSchema(request);
    const { message, requestedSchema: schema, _meta, ...rest } = asSchema(params);
    const { resource, refused } = asSchema(_meta);
    const others = { ...rest, ...asSchema(resource), ...(refused !== undefined && { refused }) };
    const kind = method === "sampling/createMessage" ? "sampling" : method === "roots/list" ? "roots" : undefined;
    const elicited = key.startsWith(MORE) || resource !== undefined ? "more" : schema === undefined ? "url" : "form";
    return { key, kind: kind ?? elicited, message: textOf(message), ...form(schema), params: others };
  });
  return { continuation: textOf(result["requestState"]), questions };
}

/** Member `_meta` of a repeated call, but for MCP. */
export function answersMeta(answered: Answered | undefined): Readonly<Record<string, unknown>> | undefined {
  return answered && { continuation: answered.asked.continuation, responses: answered.responses };
}

/** Members of the parameters of a repeated request of MCP 2026-07-28. */
export function inputResponses({ asked, responses }: Answered): Readonly<Record<string, unknown>> {
  const encoded = asked.questions.map(({ key, kind }) => [key, toInputResult(kind, responses[key])]);
  return { requestState: asked.continuation, inputResponses: Object.fromEntries(encoded) };
}

/** An answer as MCP has it: the result of a request of the server. */
export function toInputResult(kind: PageQuestion["kind"], answer: QuestionAnswer = { action: "cancel" }): unknown {
  const { action, content } = answer;
  if (action !== "accept") return { action };
  if (kind === "more") return { action, content: { granted: true } };
  // The results of sampling and of roots have no action.
  return kind === "sampling" || kind === "roots" ? content : { action, content };
}

function form(schema: unknown): { readonly schema?: Schema } {
  return schema === undefined ? {} : { schema: asSchema(schema) };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
