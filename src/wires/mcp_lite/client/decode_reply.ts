/**
 * Decodes the replies of a server: results, errors and the events of a stream. Never throws.
 *
 * Source: docs/spec.md 4.3 and A.2-A.5.
 *
 * @module
 */
import {
  type CallResult,
  type ErrorResult,
  errorResult,
  type Sink,
  type UnknownOutcome,
} from "../../../core/call/outcome.ts";
import type { ListedTool } from "../../../core/call/transport.ts";
import { decodeError, decodeStatus, wrongIdError } from "../../framing/json_rpc/decode_error.ts";
import { decodeEvent, decodeResult } from "../../framing/result/decode.ts";
import { asObject, isJsonObject, type Members } from "../../../internal/json.ts";
import type { SseEvent } from "../../../http_client/sse.ts";
import type { MaybePromise } from "../../../internal/async.ts";

/** Decodes the reply to the call with this id; `undefined` if it has no result. */
export function decodeAnswer(json: unknown, sentId: number): CallResult | UnknownOutcome | undefined {
  const reply = asObject(json);
  const { jsonrpc, id, error } = reply;
  // A reply of JSON-RPC needs the id of its request. An error has no id if the server could not decode it.
  if (jsonrpc !== undefined && sentId !== (error === undefined ? id : id ?? sentId)) return wrongIdError();
  return "result" in reply ? decodeResult(asObject(reply["result"])) : undefined;
}

/** Decodes a list of tools, which is an array or a member of an object; `undefined` for other values. */
export function decodeList(json: unknown): readonly ListedTool[] | undefined {
  const { tools = json } = asObject(json);
  return Array.isArray(tools) ? tools as ListedTool[] : undefined;
}

/** Decodes an error: from the `error` object, else from the status. */
export function decodeErrorReply(json: unknown, status: number, text: string): ErrorResult {
  const { error } = asObject(json);
  return isJsonObject(error) ? decodeError(error, status) : decodeStatus(status, text, "MCP-lite");
}

/** Decodes one event of a stream. Returns the result if it is the last event. Other events go to the sink; its promise is returned. */
export function readEvent(
  { event, data }: SseEvent,
  sink: Sink,
): MaybePromise<CallResult | UnknownOutcome | void> {
  // Unknown events are ignored.
  if (!/^(message|done|error)$/.test(event)) return undefined;
  let members: Members;
  try {
    members = asObject(JSON.parse(data));
  } catch {
    return errorResult("parse_error", "An event is not JSON");
  }
  if (event === "done") return decodeResult(members);
  if (event === "error") return decodeError(members);
  const callEvent = decodeEvent(members);
  return callEvent && sink.push(callEvent);
}
