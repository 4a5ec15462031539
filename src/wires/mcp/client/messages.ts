/**
 * The messages of JSON-RPC as MCP uses them, both ways, and the words that its revisions have for things.
 *
 * Total: what is no message is none.
 * Source: MCP, revisions 2024-11-05 to 2026-07-28, "Base protocol".
 *
 * @module
 */
import type { ErrorResult } from "../../../core/call/outcome.ts";
import { isRequestId, type RequestId } from "../../framing/json_rpc/decode.ts";
import { asObject, isJsonObject, type Members, typedOr } from "../../../internal/json.ts";

/** The revision without sessions: each request says all that the server needs. */
export const MODERN_REVISION = "2026-07-28";

/** The revisions that begin with a handshake, newest first. */
export const LEGACY_REVISIONS: readonly string[] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/** Names of `_meta` that belong to the protocol start with this. */
export const META_PREFIX = "io.modelcontextprotocol/";

/** The extension by which a call can become a task. */
export const TASKS_EXTENSION = "io.modelcontextprotocol/tasks";

/** A request, as it is sent. */
export interface RpcRequest {
  /** Told apart by it, among all requests of a transport. */
  readonly id: RequestId;
  /** The method. */
  readonly method: string;
  /** Its parameters. */
  readonly params: Members;
}

/** Something that is not answered, as it is sent; or the answer to something that the server asked. */
export type RpcPost =
  | { readonly method: string; readonly params: Members }
  | { readonly id: RequestId; readonly result: Members }
  | { readonly id: RequestId; readonly error: RpcError };

/** An error of JSON-RPC. */
export interface RpcError {
  /** What is wrong, by number. */
  readonly code: number;
  /** For people. */
  readonly message: string;
  /** What belongs to it. */
  readonly data?: unknown;
}

/** What became of a request: a result, an error, or, where the server could not be asked, why. */
export type RpcReply =
  | { readonly result: Members }
  | {
    readonly error: RpcError;
    /** The HTTP status that it came with, if it was one of an error. */
    readonly status?: number | undefined;
    /** The headers that it came with then. */
    readonly headers?: Headers;
  }
  | {
    readonly refusal: ErrorResult;
    /** The HTTP status that is all there was. */
    readonly status?: number | undefined;
  };

/** A message that a server sent. */
export type Incoming =
  | { readonly kind: "reply"; readonly id: RequestId | undefined; readonly reply: RpcReply }
  | { readonly kind: "request"; readonly id: RequestId; readonly method: string; readonly params: Members }
  | { readonly kind: "notification"; readonly method: string; readonly params: Members };

/** The text of a message. */
export function encodeMessage(message: RpcRequest | RpcPost): string {
  return JSON.stringify({ jsonrpc: "2.0", ...message });
}

/** Reads what a server sent: one message, or, in older revisions, several. */
function decodeMessages(json: unknown): Incoming[] {
  return (Array.isArray(json) ? json : [json]).flatMap((one) => decodeMessage(one) ?? []);
}

/** Reads JSON text, as {@link decodeMessages}. */
export function parseMessages(text: string): Incoming[] {
  try {
    return decodeMessages(JSON.parse(text));
  } catch {
    return [];
  }
}

function decodeMessage(json: unknown): Incoming | undefined {
  const { id, method, params, result, error } = asObject(json);
  if (typeof method === "string") {
    const members = asObject(params);
    return isRequestId(id)
      ? { kind: "request", id, method, params: members }
      : { kind: "notification", method, params: members };
  }
  // Where the server could not read the id, there is none.
  const known = isRequestId(id) ? id : undefined;
  if (isJsonObject(error)) {
    const { code, message, data } = error;
    return {
      kind: "reply",
      id: known,
      reply: { error: { code: typedOr(code, 0), message: typedOr(message, ""), data } },
    };
  }
  return isJsonObject(result) ? { kind: "reply", id: known, reply: { result } } : undefined;
}
