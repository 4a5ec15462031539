/**
 * Converts requests of the server to questions, and answers to results of MCP.
 *
 * MCP has no request for more of a resource. Toolwire servers send a form with one field, `granted`, under a key with a prefix.
 */
import type { Question } from "../../../core/call/outcome.ts";
import { asObject, isJsonObject, type JsonObject, type Members, typedOr } from "../../../internal/json.ts";
import { isRequestId, type RequestId } from "../../framing/json_rpc/decode.ts";
import {
  type InputRequest,
  isGrantForm,
  isModelOrRootsResult,
  RESOURCE_KEY_PREFIX,
  type RpcError,
  type RpcOutcome,
} from "../protocol/messages.ts";
import type { MaybePromise } from "../../../internal/async.ts";
import type { McpElicitation, McpElicitationResult, McpRoot, McpSampling, McpSamplingResult } from "./types.ts";

/** A question of the server for the caller, with what is needed to send the answer. */
export interface ServerQuestion {
  readonly key: string;
  readonly question: Question;
  /** How the answer is sent. */
  readonly encoding: AnswerEncoding;
}

/** How the answer to a question is sent: under which key of the server, and whether it is a grant or needs default values. */
export interface AnswerEncoding {
  readonly key: string;
  /** Whether the question asks for a grant instead of content. */
  readonly isGrant?: true | undefined;
  /** Values of fields that the answer leaves out. */
  readonly defaults?: Members | undefined;
}

/** Decodes the `inputRequests` of a result, by key. Malformed members become empty. */
export function decodeInputRequests(requests: unknown): ReadonlyMap<string, InputRequest> {
  return new Map(
    Object.entries(asObject(requests)).map(([key, request]) => {
      const { method, params } = asObject(request);
      return [key, { method: typedOr(method, ""), params: asObject(params) }] as const;
    }),
  );
}

/** Converts a request of the server to a question for the caller: elicitation, sampling, roots, or a request for more of a resource. */
export function toQuestion(key: string, { method, params }: InputRequest): ServerQuestion {
  const message = typedOr(params["message"], "");
  const { refused, resource } = metaOf(params);
  const repeated = typeof refused === "string" && { refused };
  if (method !== "elicitation/create") {
    const kind = method === "roots/list" ? "roots" : "sampling";
    return { key, question: { kind, message, params: { ...params as JsonObject, ...repeated } }, encoding: { key } };
  }
  if (key.startsWith(RESOURCE_KEY_PREFIX)) {
    const name = key.slice(RESOURCE_KEY_PREFIX.length);
    const grant = { resource: name, ...asObject(resource) as JsonObject, ...repeated };
    return { key: name, question: { kind: "more", message, params: grant }, encoding: { key, isGrant: true } };
  }
  const { url, requestedSchema: schema } = params;
  if (typeof url === "string") {
    return { key, question: { kind: "elicitation", message, params: { url, ...repeated } }, encoding: { key } };
  }
  const question: Question = {
    kind: "elicitation",
    message,
    schema: asObject(schema) as JsonObject,
    ...(repeated && { params: repeated }),
  };
  const defaults = defaultsOf(schema);
  return { key, question, encoding: Object.keys(defaults).length === 0 ? { key } : { key, defaults } };
}

/** The key of a question that was sent as a request: assigned by a Toolwire server, otherwise `question_` with `number`. */
export function questionKey({ params }: InputRequest, number: number): string {
  const { resource, question } = metaOf(params);
  const key = typedOr(asObject(question)["key"], `question_${number}`);
  return isJsonObject(resource) || isGrantForm(params["requestedSchema"]) ? RESOURCE_KEY_PREFIX + key : key;
}

/** Id of the request that a question belongs to, if the server specifies it. */
export function relatedRequestId({ params }: InputRequest): RequestId | undefined {
  const { of: id } = asObject(metaOf(params)["question"]);
  return isRequestId(id) ? id : undefined;
}

function metaOf(params: Members): Members {
  return asObject(params["_meta"]);
}

export function questionsKind(questions: readonly ServerQuestion[]): "elicitation" | "request-for-more-resource" {
  return questions.every(({ question }) => question.kind === "more") ? "request-for-more-resource" : "elicitation";
}

export function isAnswer(response: unknown): response is Members {
  return ["accept", "decline", "cancel"].includes(typedOr(asObject(response)["action"], ""));
}

/** Converts an answer to the response of a question that was a separate request; `undefined` if it does not fit the request. */
export function toOutcome({ question: { kind }, encoding }: ServerQuestion, response: Members): RpcOutcome | undefined {
  if (kind !== "sampling" && kind !== "roots") return { result: toElicitResult(response, encoding) };
  const { action, content } = response;
  if (action !== "accept") return { error: REJECTED };
  return isModelOrRootsResult(content) ? { result: content as Members } : undefined;
}

/** Error of a caller that does not want to answer. Source: MCP 2025-11-25, "Sampling", "Error Handling". */
const REJECTED: RpcError = { code: -1, message: "The user has rejected the request" };

/** Converts an answer to the result of `elicitation/create`. A grant has `granted: true`; missing fields of a form get their defaults. */
export function toElicitResult(response: Members, { isGrant, defaults }: Omit<AnswerEncoding, "key">): Members {
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

/** Handlers that the user of a transport has set for requests of the server, and the client's capabilities that follow from them. */
export class RequestHandlers {
  /** Handler of `elicitation/create`. */
  elicitation: ((question: McpElicitation) => MaybePromise<McpElicitationResult>) | undefined = undefined;
  /** Handler of `sampling/createMessage`. */
  sampling: ((request: McpSampling) => MaybePromise<McpSamplingResult>) | undefined = undefined;
  /** Handler of `roots/list`. */
  roots: (() => MaybePromise<readonly McpRoot[]>) | undefined = undefined;

  /** Whether questions of all kinds are passed on to the caller if they have no handler. */
  isRelay = false;
  /** Whether the calls that questions are relayed to are all of one user. */
  isOfOneUser = false;

  /** Answers `roots/list` in place of the callers of a relay, if it has no handler. */
  relayRoots: RequestHandlers["roots"];

  /** Settings of declared extensions, by identifier. */
  extensions: Members | undefined = undefined;

  /** Capabilities that the client declares. Elicitation needs no handler: the question is then the outcome of the call. */
  get capabilities(): Members {
    return {
      elicitation: { form: {}, url: {} },
      ...(this.sampling !== undefined ? { sampling: {} } : this.isRelay && { sampling: { tools: {} } }),
      ...((this.roots !== undefined || this.isRelay) && { roots: {} }),
      ...(this.extensions !== undefined && { extensions: this.extensions }),
    };
  }

  /** Whether a request without a handler can be the outcome of the call that it belongs to. */
  isPassedOn({ method }: InputRequest): boolean {
    if (method === "elicitation/create") return true;
    return this.isRelay && (method === "sampling/createMessage" || method === "roots/list");
  }

  /** The result for a request of the server; `undefined` if it has no handler. Rejects with what the handler throws. */
  answer(request: InputRequest): Promise<Members> | undefined {
    const { elicitation, sampling, roots = this.relayRoots } = this;
    const { method, params } = request;
    if (method === "elicitation/create" && elicitation !== undefined) return elicit(elicitation, request);
    if (method === "sampling/createMessage" && sampling !== undefined) return sample(sampling, params);
    return method === "roots/list" && roots !== undefined ? listRoots(roots) : undefined;
  }
}

async function elicit(handler: NonNullable<RequestHandlers["elicitation"]>, request: InputRequest): Promise<Members> {
  const response = await handler(request.params as unknown as McpElicitation);
  return toElicitResult(asObject(response), toQuestion("", request).encoding);
}

async function sample(handler: NonNullable<RequestHandlers["sampling"]>, params: Members): Promise<Members> {
  return asObject(await handler(params as unknown as McpSampling));
}

async function listRoots(handler: NonNullable<RequestHandlers["roots"]>): Promise<Members> {
  return { roots: await handler() };
}
