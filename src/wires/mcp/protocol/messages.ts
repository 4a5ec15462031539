/**
 * Reads the messages of JSON-RPC 2.0 as MCP uses them: requests, notifications, and responses to what the server asked.
 *
 * Total: what is no message is a value that says why.
 * Source: {@link https://www.jsonrpc.org/specification | JSON-RPC 2.0}; MCP, "Base protocol".
 *
 * @module
 */
import { isRequestId, type RequestId } from "../../framing/json_rpc/decode.ts";
import { isJsonObject } from "../../../internal/json.ts";

/** Named values, as they came. */
export type Members = Readonly<Record<string, unknown>>;

/** A request. */
export interface Request {
  /** Discriminant. */
  readonly kind: "request";
  /** Sent back with the answer. */
  readonly id: RequestId;
  /** The method's name. */
  readonly method: string;
  /** Its parameters; empty if there were none. */
  readonly params: Members;
}

/** Something that is not answered. */
export interface Notification {
  /** Discriminant. */
  readonly kind: "notification";
  /** The method's name. */
  readonly method: string;
  /** Its parameters; empty if there were none. */
  readonly params: Members;
}

/** The answer to something that the server asked. */
export interface Response {
  /** Discriminant. */
  readonly kind: "response";
  /** Id of what was asked. */
  readonly id: RequestId;
  /** The result, if there is one. */
  readonly result: unknown;
  /** The error, if there is one. */
  readonly error: unknown;
}

/** No message. */
export interface Malformed {
  /** Discriminant. */
  readonly kind: "malformed";
  /** `null` where it could not be read. */
  readonly id: RequestId | null;
  /** What is wrong. */
  readonly message: string;
}

/** What a peer may send. */
export type Message = Request | Notification | Response;

const NO_PARAMS: Members = {};

/** Reads one message from parsed JSON. */
export function decodeMessage(json: unknown): Message | Malformed {
  if (!isJsonObject(json)) return malformed(null, "A message is a JSON object");
  const { jsonrpc, id, method, params = NO_PARAMS } = json;
  const hasId = isRequestId(id);
  if (id !== undefined && !hasId) return malformed(null, "An id is a string, or an integer within ±(2^53 - 1)");
  const known = hasId ? id : null;
  if (jsonrpc !== "2.0") return malformed(known, 'A message says "jsonrpc": "2.0"');
  if (typeof method !== "string") return decodeResponse(json, known);
  if (!isJsonObject(params)) return malformed(known, "Parameters are an object");
  return hasId ? { kind: "request", id, method, params } : { kind: "notification", method, params };
}

function decodeResponse(json: Members, id: RequestId | null): Response | Malformed {
  const { result, error } = json;
  if (id === null || (result === undefined) === (error === undefined)) {
    return malformed(id, "A message has a method, or an id with a result or an error");
  }
  return { kind: "response", id, result, error };
}

function malformed(id: RequestId | null, message: string): Malformed {
  return { kind: "malformed", id, message };
}
