/**
 * Messages of JSON-RPC 2.0 as MCP uses them: types, decoding on both sides, and encoding.
 *
 * Decoding never throws. A server rejects malformed messages with an error; a client ignores them, except those that are nested too
 * deeply: an answer may be among them.
 * Source: {@link https://www.jsonrpc.org/specification | JSON-RPC 2.0}; MCP, revisions 2024-11-05 to 2026-07-28, "Base protocol".
 */
import { isTooDeep } from "../../../core/call/parse_answer.ts";
import { asObject, isJsonObject, type Members, readOutline, typedOr } from "../../../internal/json.ts";
import { isRequestId, type RequestId } from "../../framing/json_rpc/decode.ts";

/** A request of JSON-RPC whose members were checked. */
export interface RpcRequest {
  /** Repeated in the response. */
  readonly id: RequestId;
  readonly method: string;
  /** Parameters; empty if absent. */
  readonly params: Members;
}

/** A message that is a request, as opposed to a notification or a response. */
export interface RequestMessage extends RpcRequest {
  readonly kind: "request";
}

/** A notification; it has no response. */
export interface NotificationMessage {
  readonly kind: "notification";
  readonly method: string;
  /** Parameters; empty if absent. */
  readonly params: Members;
}

/** A client's response to a request of the server. */
export interface ResponseMessage {
  readonly kind: "response";
  readonly id: RequestId;
  /** The result, if there is one. */
  readonly result: unknown;
  /** The error, if there is one. */
  readonly error: unknown;
}

/** A message of a client that is not valid JSON-RPC. */
export interface MalformedMessage {
  readonly kind: "malformed";
  /** `null` if it could not be read. */
  readonly id: RequestId | null;
  /** Description of the problem. */
  readonly message: string;
}

/** Any valid message that a client sends. */
export type Message = RequestMessage | NotificationMessage | ResponseMessage;

/** The member `error` of a response of JSON-RPC. */
export interface RpcError {
  /** JSON-RPC error number. */
  readonly code: number;
  /** Description, for people. */
  readonly message: string;
  readonly data?: unknown;
}

/** Result or error of a request. */
export type RpcOutcome = { readonly result: Members } | { readonly error: RpcError };

/** A server's response to a request of the client. */
interface ReplyMessage {
  readonly kind: "reply";
  /** Id of the request; `undefined` if the server could not read it. */
  readonly id: RequestId | undefined;
  /** Result or error. */
  readonly reply: RpcOutcome;
}

/** A message that is nested too deeply to be parsed. */
interface DeepMessage {
  readonly kind: "too deep";
  /** Id of the request that it replies to; `undefined` if it is not a reply, or its id could not be read. */
  readonly id: RequestId | undefined;
}

/** Any message of a server, as a client decodes it: a request, a notification, or the reply to a request of the client. */
export type ServerMessage = RequestMessage | NotificationMessage | ReplyMessage | DeepMessage;

/** A message without a response: a notification, or the response to a request of the server. */
export type OneWayMessage =
  | { readonly method: string; readonly params: Members }
  | { readonly id: RequestId } & RpcOutcome;

const NO_PARAMS: Members = {};

/** Decodes a message of a client from parsed JSON. An invalid one becomes a {@link MalformedMessage}. */
export function decodeMessage(json: unknown): Message | MalformedMessage {
  if (!isJsonObject(json)) return malformed(null, "A message must be a JSON object");
  const { jsonrpc, id, method, params = NO_PARAMS } = json;
  const hasId = isRequestId(id);
  if (id !== undefined && !hasId) return malformed(null, "An id must be a string, or an integer within ±(2^53 - 1)");
  const known = hasId ? id : null;
  if (jsonrpc !== "2.0") return malformed(known, 'A message needs "jsonrpc": "2.0"');
  if (typeof method !== "string") return decodeResponse(json, known);
  if (!isJsonObject(params)) return malformed(known, "The params must be an object");
  return hasId ? { kind: "request", id, method, params } : { kind: "notification", method, params };
}

/** The id at the start of a request that is too large to be read; `null` if it is elsewhere, or the message is not a request. */
export function requestIdIn(start: string = ""): RequestId | null {
  const [, id] = /^\s*\{\s*"jsonrpc"\s*:\s*"2\.0"\s*,\s*"id"\s*:\s*("[^"\\]*"|-?\d+)\s*,\s*"method"\s*:/.exec(start) ??
    [];
  const value: unknown = id === undefined ? undefined : JSON.parse(id);
  return isRequestId(value) ? value : null;
}

function decodeResponse(json: Members, id: RequestId | null): ResponseMessage | MalformedMessage {
  const { result, error } = json;
  if (id === null || (result === undefined) === (error === undefined)) {
    return malformed(id, "A message needs a method, or an id with a result or an error");
  }
  return { kind: "response", id, result, error };
}

function malformed(id: RequestId | null, message: string): MalformedMessage {
  return { kind: "malformed", id, message };
}

/** Decodes messages of a server from JSON text: one or a batch. Malformed messages are skipped. Invalid JSON results in an empty array. */
export function parseMessages(text: string): ServerMessage[] {
  if (isTooDeep(text)) return [{ kind: "too deep", id: findReplyId(text) }];
  try {
    const json: unknown = JSON.parse(text);
    return (Array.isArray(json) ? json : [json]).flatMap((one) => decodeServerMessage(one) ?? []);
  } catch {
    return [];
  }
}

/** Id of a reply whose text is nested too deeply to be parsed. */
function findReplyId(text: string): RequestId | undefined {
  const { id, method } = readOutline(text, 1);
  return method === undefined && isRequestId(id) ? id : undefined;
}

function decodeServerMessage(json: unknown): ServerMessage | undefined {
  const { id, method, params, result, error } = asObject(json);
  if (typeof method === "string") {
    const members = asObject(params);
    return isRequestId(id)
      ? { kind: "request", id, method, params: members }
      : { kind: "notification", method, params: members };
  }
  const reply = decodeOutcome(result, error);
  return reply && { kind: "reply", id: isRequestId(id) ? id : undefined, reply };
}

/** Decodes the outcome of a request. An error takes precedence; `undefined` if neither is an object. Adds missing members of an error. */
export function decodeOutcome(result: unknown, error: unknown): RpcOutcome | undefined {
  if (!isJsonObject(error)) return isJsonObject(result) ? { result } : undefined;
  const { code, message, data } = error;
  return { error: { code: typedOr(code, 0), message: typedOr(message, ""), data } };
}

/** Encodes a request, notification or response as JSON text, with `jsonrpc: "2.0"`. */
export function encodeMessage(message: RpcRequest | OneWayMessage): string {
  return JSON.stringify({ jsonrpc: "2.0", ...message });
}

/**
 * Prefix of the keys of questions that ask for more of a resource. MCP has no such question: it is sent as a form with one
 * boolean field, `granted`.
 */
export const RESOURCE_KEY_PREFIX = "resource/";

/** Whether the schema of a form has one field only, the boolean `granted`: the form asks for more of a resource. */
export function isGrantForm(schema: unknown): boolean {
  const [[name, field] = [], ...others] = Object.entries(asObject(asObject(schema)["properties"]));
  return name === "granted" && others.length === 0 && asObject(field)["type"] === "boolean";
}

/** A request of a server to its client, without an id: elicitation, sampling or roots. */
export interface InputRequest {
  /** The method, such as `elicitation/create`. */
  readonly method: string;
  /** Parameters of the method. */
  readonly params: Members;
}

/** Whether a response looks like the result of `roots/list` (array `roots`) or `sampling/createMessage` (text `model`), not of a form. */
export function isModelOrRootsResult(response: unknown): boolean {
  return isJsonObject(response) && (Array.isArray(response["roots"]) || typeof response["model"] === "string");
}
