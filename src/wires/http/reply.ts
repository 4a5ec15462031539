import type { Refusal } from "../../call/outcome.ts";
import type { RequestId } from "../../codec/jsonrpc/decode.ts";
import { encodeError } from "../../codec/jsonrpc/encode.ts";
import { membersOf } from "../../codec/result/members.ts";
import type { Reply } from "../wire.ts";
import { httpErrorCodes } from "./codes.ts";
import { encodeRefusal } from "./encode.ts";

const JSON_HEADERS: Readonly<Record<string, string>> = { "content-type": "application/json" };

/** An answer that is JSON. */
export function jsonReply(status: number, body: string): Reply {
  return { status, headers: JSON_HEADERS, body };
}

/** The answer that refuses: a JSON-RPC error, with its status. */
export function refusalReply(
  id: RequestId | null,
  refusal: Refusal,
  status: number = httpErrorCodes[refusal.code].status,
  added?: Readonly<Record<string, string>>,
): Reply {
  const { retry_after_ms: retryAfterMs } = membersOf(refusal.data);
  const isLater = typeof retryAfterMs === "number" && (status === 429 || status === 503);
  const retry = isLater && { "retry-after": String(Math.ceil(retryAfterMs / 1000)) };
  return { status, headers: { ...JSON_HEADERS, ...retry, ...added }, body: encodeError(id, encodeRefusal(refusal)) };
}
