/** What the bindings of MCP-lite have in common, so that the rules of section 3 are checked on each of them. */
import type { Members } from "../../internal/json.ts";
import type { ShownExchange } from "./check.ts";

/** Response to the request for the list of tools, in one form for all bindings. */
export interface ListReply extends ShownExchange {
  /** The entries of the list, in the members of HTTP; `undefined` if the response is not a list. */
  readonly tools: readonly Members[] | undefined;
  /** `denied`: the server asks who calls. `missing`: the address is not that of the binding. */
  readonly refusal: "denied" | "missing" | undefined;
}

/** An error of the protocol, with its number or status as a kind that all bindings have. */
export interface ErrorReply {
  /** What the number or status of the binding means. */
  readonly kind: "invalid params" | "not found" | "internal" | "other";
  readonly message: string;
}

/** Response to a call, in one form for all bindings: a result or an error. */
export interface CallReply extends ShownExchange {
  /** The result, with the members of HTTP; `undefined` for an error. */
  readonly result: Members | undefined;
  /** `_meta` of the result; `undefined` if it is absent. `response_type` is in the words of HTTP. */
  readonly meta: Members | undefined;
  readonly error: ErrorReply | undefined;
}

/** A message of a stream, in one form for all bindings. */
export interface StreamMessage {
  readonly kind: "partial" | "last" | "error" | "heartbeat" | "unknown";
  /** Name of the event, for bindings that have names. */
  readonly name: string;
  /** The decoded members; `undefined` if they cannot be decoded. */
  readonly data: Members | undefined;
  /** `_meta` of the message; `undefined` if it is absent. */
  readonly meta: Members | undefined;
}

/** Response to a call that asks for a stream, with all messages up to its end. */
export interface StreamReply extends ShownExchange {
  /** `undefined` if the response is not a stream. */
  readonly messages: readonly StreamMessage[] | undefined;
  /** Whether a status says that the stream is complete, on bindings that have one. */
  readonly isComplete: boolean;
}

/** Sends the requests of the suite to one server by one protocol of MCP-lite. */
export interface Binding {
  /** Values that a report must not contain. */
  readonly secrets: Set<string>;
  list(): Promise<ListReply>;
  call(tool: string, args: Members): Promise<CallReply>;
  stream(tool: string, args: Members): Promise<StreamReply>;
  /** Asks for a stream and closes the connection after its start. */
  leaveStream(tool: string, args: Members): Promise<ShownExchange>;
}

/** A tool to call, with the arguments of the options, or ones that conform to its schema. */
export interface ChosenTool {
  readonly name: string;
  readonly args: Members;
}
