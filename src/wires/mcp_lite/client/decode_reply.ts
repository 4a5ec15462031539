/**
 * Reads what a server answers: results, errors and the events of a stream.
 *
 * Total.
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

/** Reads the answer to the call that was sent with this id; `undefined` if it is none. */
export function decodeAnswer(json: unknown, sentId: number): CallResult | UnknownOutcome | undefined {
  const answer = asObject(json);
  const { jsonrpc, id, error } = answer;
  // What says that it is JSON-RPC is held to it. Where a server could not read the id of a request, its error has none.
  if (jsonrpc !== undefined && sentId !== (error === undefined ? id : id ?? sentId)) return wrongIdError();
  return "result" in answer ? decodeResult(asObject(answer["result"])) : undefined;
}

/** Reads a list of tools, in either of its shapes; `undefined` if it is none. */
export function decodeList(json: unknown): readonly ListedTool[] | undefined {
  const { tools = json } = asObject(json);
  return Array.isArray(tools) ? tools as ListedTool[] : undefined;
}

/** Reads why there is no answer: from an error, or, if there is none either, from the status. */
export function decodeRefusal(json: unknown, status: number, text: string): ErrorResult {
  const { error } = asObject(json);
  return isJsonObject(error) ? decodeError(error, status) : decodeStatus(status, text, "MCP-lite");
}

/** Reads one event of a stream: the end is returned, what is told on the way goes to the sink, which may have to be waited for. */
export function readEvent(
  { event, data }: SseEvent,
  sink: Sink,
): MaybePromise<CallResult | UnknownOutcome | void> {
  // Of what it does not know, a client thinks nothing.
  if (!/^(message|done|error)$/.test(event)) return undefined;
  let members: Members;
  try {
    members = asObject(JSON.parse(data));
  } catch {
    return errorResult("parse_error", "An event is not JSON");
  }
  if (event === "done") return decodeResult(members);
  if (event === "error") return decodeError(members);
  const told = decodeEvent(members);
  return told && sink.push(told);
}
