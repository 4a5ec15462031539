/**
 * Reads JSON-RPC 2.0 requests.
 *
 * Stricter than the standard where agents' tools need it: an id is a string or a safe integer, there are no batches and no
 * notifications. Total: bad input is a value.
 * Source: {@link https://www.jsonrpc.org/specification | JSON-RPC 2.0}.
 *
 * @module
 */
import { type ErrorResult, errorResult } from "../../../core/call/outcome.ts";
import { isJsonObject, nestsDeeperThan } from "../../../internal/json.ts";

/** An id that a request may have. */
export type RequestId = string | number;

/** A well-formed request. */
export interface JsonRpcRequest {
  /** Sent back with the answer. */
  readonly id: RequestId;
  /** The method's name. */
  readonly method: string;
  /** Whatever was sent as `params`. */
  readonly params: unknown;
}

/** Why there is no request, with the id if it could be read. */
export interface RejectedRequest {
  /** `null` where the id could not be read. */
  readonly id: RequestId | null;
  /** What to answer. */
  readonly refusal: ErrorResult;
}

/** Parses JSON that came from outside, not nested deeper than `maxDepth`. */
export function parseJson(
  text: string,
  maxDepth: number,
): { readonly value: unknown } | { readonly refusal: ErrorResult } {
  if (nestsDeeperThan(text, maxDepth)) {
    return { refusal: errorResult("invalid_request", `The body is nested deeper than ${maxDepth} levels`) };
  }
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { refusal: errorResult("parse_error", "The body is not JSON") };
  }
}

/** Reads a request from a parsed body. */
export function decodeRequest(body: unknown): JsonRpcRequest | RejectedRequest {
  if (!isJsonObject(body)) {
    return rejected(
      null,
      Array.isArray(body) ? "Batches are not supported: send one request" : "The body is not an object",
    );
  }
  const { jsonrpc, id, method, params } = body;
  if (!isRequestId(id)) return rejected(null, "A request needs an id: a string, or an integer within ±(2^53 - 1)");
  if (jsonrpc !== "2.0") return rejected(id, 'A request needs "jsonrpc": "2.0"');
  if (typeof method !== "string") return rejected(id, "A request needs a method, as a string");
  return { id, method, params };
}

/** Whether a value can be a request's id. */
export function isRequestId(id: unknown): id is RequestId {
  return typeof id === "string" || Number.isSafeInteger(id);
}

function rejected(id: RequestId | null, message: string): RejectedRequest {
  return { id, refusal: errorResult("invalid_request", message) };
}
