/**
 * Reads what a server answers: results, errors and the events of a stream.
 *
 * Total.
 * Source: MCP-lite specification, sections 4.3 and A.2-A.5.
 *
 * @module
 */
import { type Refusal, refuse, type Settled, type Sink, type UnknownOutcome } from "../../call/outcome.ts";
import type { RemoteTool } from "../../call/transport.ts";
import { decodeEvent, decodeResult, NO_REASON } from "../../codec/result/decode.ts";
import { type Members, membersOf, valueOr } from "../../codec/result/members.ts";
import type { SseEvent } from "../../codec/sse/decode.ts";
import type { ToolErrorCode } from "../../error/code.ts";
import { isJsonObject } from "../../internal/json.ts";

/** Reads the answer to a call; `undefined` if it is none. */
export function decodeAnswer(json: unknown): Settled | UnknownOutcome | undefined {
  const answer = membersOf(json);
  return "result" in answer ? decodeResult(membersOf(answer["result"])) : undefined;
}

/** Reads a list of tools, in either of its shapes; `undefined` if it is none. */
export function decodeList(json: unknown): readonly RemoteTool[] | undefined {
  const { tools = json } = membersOf(json);
  return Array.isArray(tools) ? tools as RemoteTool[] : undefined;
}

/** Reads why there is no answer: from an error, or, if there is none either, from the status. */
export function decodeRefusal(json: unknown, status: number, text: string): Refusal {
  const { error } = membersOf(json);
  if (isJsonObject(error)) return decodeError(error, status);
  const code = MEANINGS.get(status) ?? (status < 500 ? "invalid_request" : "internal");
  const cause = `Status ${status}: ${text.trim().slice(0, 200)}`;
  return refuseBecause(code, `The server answered ${status}, not with MCP-lite`, cause);
}

/** A refusal whose particulars are the cause's: a handler that calls on may pass the message to its own caller. */
export function refuseBecause(code: ToolErrorCode, message: string, because: string, options?: ErrorOptions): Refusal {
  return { ...refuse(code, message), cause: new Error(because, options) };
}

/** Our own code if it is there, else what the number means. */
function decodeError({ code: number, message, data: sent }: Members, status?: number): Refusal {
  const data: Members = isJsonObject(sent) ? sent : { details: sent };
  const { code, ...details } = data;
  // What was no object, or had a code of its own, is in `details`.
  const rest = Object.keys(details).every((key) => key === "details") ? details["details"] : details;
  // A code that a newer server has is worth more than a guess.
  const known = valueOr(code, "") as ToolErrorCode | "";
  const meant = "requested_tool" in data ? "tool_not_found" : MEANINGS.get(number) ?? MEANINGS.get(status);
  return refuse(known || meant || "internal", valueOr(message, NO_REASON), rest);
}

/** Reads one event of a stream: the end is returned, what is told on the way goes to the sink. */
export async function readEvent(
  { event, data }: SseEvent,
  sink: Sink,
): Promise<Settled | UnknownOutcome | undefined> {
  // Of what it does not know, a client thinks nothing.
  if (!/^(message|done|error)$/.test(event)) return undefined;
  let members: Members;
  try {
    members = membersOf(JSON.parse(data));
  } catch {
    return refuse("parse_error", "An event is not JSON");
  }
  if (event === "done") return decodeResult(members);
  if (event === "error") return decodeError(members);
  const told = decodeEvent(members);
  if (told !== undefined) await sink.push(told);
  return undefined;
}

/** What numbers of JSON-RPC errors and HTTP statuses mean. */
const MEANINGS: ReadonlyMap<unknown, ToolErrorCode> = new Map([
  [-32700, "parse_error"],
  [-32600, "invalid_request"],
  [-32601, "method_not_found"],
  [-32602, "invalid_input"],
  [-32001, "deadline_exceeded"],
  [401, "unauthenticated"],
  [403, "permission_denied"],
  [404, "method_not_found"],
  [408, "deadline_exceeded"],
  [413, "payload_too_large"],
  [429, "rate_limited"],
  [502, "unavailable"],
  [503, "unavailable"],
  [504, "deadline_exceeded"],
]);
