/**
 * Decodes JSON-RPC 2.0 requests.
 *
 * Stricter than the standard: an id is a string or a safe integer, and batches and notifications are rejected. Never throws:
 * the error for invalid input is a return value.
 * Source: {@link https://www.jsonrpc.org/specification | JSON-RPC 2.0}.
 */
import { type ErrorResult, errorResult } from "../../../core/call/outcome.ts";
import { isJsonObject, nestsDeeperThan } from "../../../internal/json.ts";

export type RequestId = string | number;

/** A well-formed JSON-RPC 2.0 request; its `params` are not validated. */
export interface JsonRpcRequest {
  /** Id; the response has the same. */
  readonly id: RequestId;
  readonly method: string;
  /** Value of `params`, not validated. */
  readonly params: unknown;
}

/** Why a JSON-RPC request cannot be decoded, with the id for the response. */
export interface InvalidRequest {
  /** Id of the request; `null` if it cannot be decoded. */
  readonly id: RequestId | null;
  readonly error: ErrorResult;
}

/** Parses untrusted JSON. Returns an error for invalid JSON, or if it is nested deeper than `maxDepth` levels. */
export function parseJson(
  text: string,
  maxDepth: number,
): { readonly value: unknown } | { readonly error: ErrorResult } {
  if (nestsDeeperThan(text, maxDepth)) {
    return { error: errorResult("invalid_request", `The body is nested deeper than ${maxDepth} levels`) };
  }
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { error: errorResult("parse_error", "The body is not JSON") };
  }
}

/** Decodes a JSON-RPC 2.0 request from a parsed body. Batches and notifications are invalid. */
export function decodeRequest(body: unknown): JsonRpcRequest | InvalidRequest {
  if (!isJsonObject(body)) {
    return invalid(
      null,
      Array.isArray(body) ? "Batches are not supported: send one request" : "The body is not an object",
    );
  }
  const { jsonrpc, id, method, params } = body;
  if (!isRequestId(id)) return invalid(null, "A request needs an id: a string, or an integer within ±(2^53 - 1)");
  if (jsonrpc !== "2.0") return invalid(id, 'A request needs "jsonrpc": "2.0"');
  if (typeof method !== "string") return invalid(id, "A request needs a method, as a string");
  return { id, method, params };
}

/** Whether a value can be the id of a request. */
export function isRequestId(id: unknown): id is RequestId {
  return typeof id === "string" || Number.isSafeInteger(id);
}

function invalid(id: RequestId | null, message: string): InvalidRequest {
  return { id, error: errorResult("invalid_request", message) };
}
