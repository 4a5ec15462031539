/**
 * What transports ask of a protocol: to make the two RPCs of a client; and how it says what went wrong on the way.
 *
 * @module
 */
import { Code, ConnectError } from "@connectrpc/connect";
import {
  type CallResult,
  type ErrorResult,
  errorResult,
  type Sink,
  toErrorResult,
  type UnknownOutcome,
} from "../../../core/call/outcome.ts";
import type { ActivityMonitor, ListedTool } from "../../../core/call/transport.ts";
import { decodeStatus } from "../../framing/json_rpc/decode_error.ts";
import type { ToolErrorCode } from "../../../core/errors/code.ts";
import { ToolError } from "../../../core/errors/tool_error.ts";
import type { ResponseMembers, ToolRequestMembers } from "../messages/binary.ts";
import { decodeError, decodeResponse } from "./decode_reply.ts";

/** Makes the RPCs of a client. Total: whatever goes wrong is a refusal. */
export interface Rpc {
  /** Calls a tool; with a sink by the method that streams. */
  call(
    request: ToolRequestMembers,
    headers: Headers,
    limit: ActivityMonitor,
    sink: Sink | undefined,
  ): Promise<CallResult | UnknownOutcome>;
  /** Lists the tools. */
  list(headers: Headers, limit: ActivityMonitor): Promise<readonly ListedTool[] | ErrorResult>;
  /** Ends what is held open. */
  close?(): void;
}

/** Where RPCs go, and how much is read of what comes back. */
export interface Endpoint {
  /** What comes before the service's own paths; its query comes behind them. */
  readonly base: URL;
  /** Largest answer that is read, in bytes; of a stream, all of it. */
  readonly maxBytes: number;
}

/** What the responses of a stream say, one after the other. */
export class StreamedResponses {
  readonly #sink: Sink;
  #ended: CallResult | UnknownOutcome | undefined = undefined;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  /** How the stream ended. */
  get ended(): CallResult | UnknownOutcome {
    return this.#ended ?? BROKEN_OFF;
  }

  /** Takes one. What comes after the last is its protocol's end, which is read so that the connection can go on. */
  take(response: ResponseMembers): void | Promise<void> {
    const said = decodeResponse(response);
    if (said === undefined) return;
    if (said.kind === "partial" || said.kind === "progress" || said.kind === "deferred") return this.#sink.push(said);
    this.#ended ??= said;
  }
}

/** Deeper answers than anybody's are no answers. */
export const RECURSION_LIMIT = 4_096;

/** Says that an answer ended before it was whole, or is none. */
export const BROKEN_OFF: ErrorResult = errorResult("unavailable", "Stream broke off");

/** Says that an answer is larger than it may be. */
export function tooLarge(maxBytes: number): ErrorResult {
  return errorResult("result_too_large", `The answer is larger than ${maxBytes} bytes`);
}

/** An answer, as far as it is known. */
export interface Answered {
  /** Where it came from. */
  readonly url: string;
  /** Its status. */
  readonly status: number;
  /** The beginning of its body. */
  readonly text: string;
}

/** Most of a foreign answer that is told, in characters. */
const MAX_TOLD = 200;

/** The beginning of a body that is not the protocol's, as far as it comes. */
export async function readBeginning(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const piece of pieces) {
      text += decoder.decode(piece, { stream: true });
      if (text.length >= MAX_TOLD) break;
    }
  } catch {
    // What there is of it says enough.
  }
  return text;
}

/** Says that an answer is not the protocol's. Where it came from is the cause's alone: messages may be passed on. */
export function foreignAnswer({ url, status, text }: Answered, code?: ToolErrorCode): ErrorResult {
  const refusal = decodeStatus(status, text, "MCP-lite");
  const advice = status === 404 ? ": is connect() among its wires, and the path of the URL right?" : "";
  const cause = new Error(`POST ${url}: status ${status}: ${text.trim().slice(0, MAX_TOLD)}`);
  return { ...errorResult(code ?? refusal.code, refusal.message + advice), cause };
}

/**
 * Says what was thrown: an error of the server's, or what became of an answer that is none.
 *
 * @param refused The answer, if its status is an error's.
 */
export function refusalOf(thrown: unknown, refused?: Answered): ErrorResult {
  const cause = thrown instanceof ConnectError ? thrown.cause : thrown;
  // Thrown below the protocol; Connect wraps it.
  if (cause instanceof ToolError) return toErrorResult(cause);
  if (!(thrown instanceof ConnectError)) return { ...BROKEN_OFF, cause: thrown };
  // Any JSON counts as an error of Connect's, one that says nothing too.
  const isSaid = thrown.rawMessage !== "" || thrown.details.length > 0;
  if (thrown.isWireError && (isSaid || refused === undefined)) return decodeError(thrown);
  if (refused !== undefined) return foreignAnswer(refused, decodeError(thrown).code);
  // A message that says that it is larger than what is read.
  if (thrown.code === Code.ResourceExhausted) {
    return { ...errorResult("result_too_large", "The answer is larger than what is read"), cause: thrown };
  }
  return { ...BROKEN_OFF, cause: thrown };
}
