import type { ErrorResult } from "../../../core/call/outcome.ts";
import { retryAfterHeader } from "../../framing/http.ts";
import type { RequestId } from "../../framing/json_rpc/decode.ts";
import { encodeError } from "../../framing/json_rpc/encode.ts";
import type { Reply } from "../../wire.ts";
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
  refusal: ErrorResult,
  status: number = httpErrorCodes[refusal.code].status,
  added?: Readonly<Record<string, string>>,
): Reply {
  const retry = (status === 429 || status === 503) && retryAfterHeader(refusal.data);
  return { status, headers: { ...JSON_HEADERS, ...retry, ...added }, body: encodeError(id, encodeRefusal(refusal)) };
}
