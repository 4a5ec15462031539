import type { ErrorResult } from "../../../core/call/outcome.ts";
import { retryAfterHeader } from "../http.ts";
import type { RequestId } from "./decode.ts";
import type { Reply } from "../../wire.ts";
import { httpErrorCodes } from "./codes.ts";
import { encodeRefusal } from "../../mcp_lite/server/encode.ts";

const JSON_HEADERS: Readonly<Record<string, string>> = { "content-type": "application/json" };

/** An answer that is JSON. */
export function jsonReply(status: number, body: string): Reply {
  return { status, headers: JSON_HEADERS, body };
}

/** The answer that refuses: a JSON-RPC error, with its status. */
export function refusalReply(
  id: RequestId | null,
  refusal: ErrorResult,
  status: number = httpErrorCodes[refusal.code].status,
  added?: Readonly<Record<string, string>>,
): Reply {
  const retry = (status === 429 || status === 503) && retryAfterHeader(refusal.data);
  return { status, headers: { ...JSON_HEADERS, ...retry, ...added }, body: encodeError(id, encodeRefusal(refusal)) };
}

/** A response whose result is JSON text already: nothing is stringified twice. */
export function encodeResult(id: RequestId, resultJson: string): string {
  return `{"jsonrpc":"2.0","id":${encodeId(id)},"result":${resultJson}}`;
}

/** A response whose error is JSON text already. */
export function encodeError(id: RequestId | null, errorJson: string): string {
  return `{"jsonrpc":"2.0","id":${encodeId(id)},"error":${errorJson}}`;
}

function encodeId(id: RequestId | null): string {
  return typeof id === "number" ? String(id) : JSON.stringify(id);
}
