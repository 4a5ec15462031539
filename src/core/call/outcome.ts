/**
 * Results of a call: one of the five outcomes of MCP-lite (docs/spec.md 3.4), or an error result.
 *
 * All of them are return values. Only the client converts some of them to exceptions.
 */
import { asObject, type JsonObject } from "../../internal/json.ts";
import type { ToolErrorCode } from "../errors/code.ts";
import { ToolError } from "../errors/tool_error.ts";
import { joinFile } from "./join_file.ts";

/** Progress of a call, as its handler reports it with `ctx.progress()`. */
export interface Progress {
  /** Completed units. */
  readonly done: number;
  /** Total units, if known. */
  readonly total?: number;
  /** Description of the current step. */
  readonly message?: string;
}

/** The value that a tool returned. */
export interface AnswerOutcome<Value = unknown> {
  /** Discriminant. */
  readonly kind: "answer";
  /** The output. `undefined` if the handler returned nothing. */
  readonly value: Value;
  /** Members that the handler added to the result's `_meta`. In a client, includes those of the wire. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  /** Signed caller state, if the call changed it. */
  readonly context?: string | undefined;
  /** Structured content of a foreign server, if `value` is not it, because the content has pictures. */
  readonly structured?: unknown;
  /** Whether a server of others sent the value as text alone, without structured content: over MCP it is relayed as such. */
  readonly isText?: boolean | undefined;
  /** Whether the value has files as content blocks, which wires with blocks show as such. */
  readonly hasFiles?: boolean | undefined;
  /** Name of the tool whose `.render()` applies, if it has one. The redeeming call may be of another tool. */
  readonly renderedBy?: string | undefined;
  /**
   * In a client, returns what `.render()` shows to people and models in place of the value, where the transport knows it.
   *
   * @internal
   */
  readonly "~shown"?: (() => unknown) | undefined;
}

/** The call is still running. The token is exchanged for its result later. */
export interface PromiseOutcome {
  /** Discriminant. */
  readonly kind: "promise";
  /** Opaque token, an argument of the tool `redeem`. */
  readonly token: string;
  /** Time at which the token expires, in milliseconds since the Unix epoch, by the server's clock. */
  readonly expiresAtMs: number;
  /** Remaining lifetime of the token, in milliseconds. */
  readonly ttlMs: number;
  /** Recommended delay before the next request for the result, in milliseconds. */
  readonly retryAfterMs: number;
  /** Progress of the work. */
  readonly progress?: Progress | undefined;
  /** Estimated time of completion, in milliseconds since the Unix epoch. */
  readonly estimatedMs?: number | undefined;
}

/** One question of a tool to its caller: for input of a person, for more of a resource, to a model, or for folders. */
export interface Question {
  /** Kind of the question. */
  readonly kind: "elicitation" | "more" | "sampling" | "roots";
  /** Text for the person or model that answers. */
  readonly message: string;
  /** JSON Schema of the answer, for an elicitation. */
  readonly schema?: JsonObject | undefined;
  /**
   * Further members: name, amount and reason of a request for more; the URL of a page; the parameters of a sample. If
   * the question is repeated, `refused` is the reason why the previous answer was rejected.
   */
  readonly params?: JsonObject | undefined;
}

/** The tool needs answers of the caller before it can continue. */
export interface QuestionsResult {
  /** Kind of the outcome: `request-for-more-resource` if every question asks the caller for more of something, such as credits. */
  readonly kind: "elicitation" | "request-for-more-resource";
  /** The questions, by key. */
  readonly requests: Readonly<Record<string, Question>>;
  /** Token to send back with the answers and the same call. */
  readonly continuation: string;
}

/** The tool declined the call for a reason of its domain. */
export interface FailureOutcome<Code extends string = string, Data = unknown> {
  /** Discriminant. */
  readonly kind: "failure";
  /** Code: declared by the tool, or one that Toolwire sets, such as `cancelled`, `resource_denied` or `attempts_exhausted`. */
  readonly code: Code;
  /** Message for people and models. */
  readonly message: string;
  /** Data of the failure. `undefined` without data. */
  readonly data: Data;
  /** Members that the handler added to the result's `_meta`. In a client, includes those of the wire. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  /** Signed caller state, if the call changed it. */
  readonly context?: string | undefined;
}

/** Result of a call that was executed: HTTP 200, gRPC OK. */
export type Outcome = AnswerOutcome | PromiseOutcome | QuestionsResult | FailureOutcome;

/** Result of a call that was rejected or that broke. Each wire encodes it as its own kind of error. */
export interface ErrorResult {
  /** Discriminant. */
  readonly kind: "error";
  /** Code, the same on every wire and in later versions. */
  readonly code: ToolErrorCode;
  /** Message for people and models. */
  readonly message: string;
  /** JSON data, sent to the caller. */
  readonly data?: unknown;
  /** Local cause, never sent. */
  readonly cause?: unknown;
}

/** Any result of a call, errors included. */
export type CallResult = Outcome | ErrorResult;

/** A result whose response type is not known to this version of the client. */
export interface UnknownOutcome {
  /** Discriminant. */
  readonly kind: "unknown";
  /** Response type, as sent by the server. */
  readonly responseType: string;
  /** Result as received. */
  readonly result: unknown;
}

/**
 * What a running call sends before its result: a partial, progress, the promise that its work has become, or the note that the pieces
 * from number `from` up to `to`, which is not among them, are no longer kept.
 */
export type CallEvent =
  | { readonly kind: "partial"; readonly value: unknown }
  | { readonly kind: "progress"; readonly progress: Progress }
  | { readonly kind: "deferred"; readonly promise: PromiseOutcome }
  | { readonly kind: "dropped"; readonly from: number; readonly to: number };

/** Severity of a log line. */
export type LogLevel = "debug" | "info" | "warn" | "error";

/** A level of MCP that has another name than a {@link LogLevel}, or is finer. The server's logger gets the nearest level. */
export type McpOnlyLevel = "notice" | "warning" | "critical" | "alert" | "emergency";

/** A log line of a tool. */
export interface LogLine {
  /** Severity. */
  readonly level: LogLevel;
  /** The level as the handler named it, if that is one of MCP alone. */
  readonly mcpLevel?: McpOnlyLevel | undefined;
  /** Message, or data that is not text. */
  readonly data: unknown;
  /** Structured fields beside a message. */
  readonly fields?: Readonly<Record<string, unknown>> | undefined;
  /** Name of the logger. Default: that of the tool. */
  readonly logger?: string | undefined;
}

/** Receives the events of one call while it runs. The caller of a call without a sink gets the result only. */
export interface Sink {
  /** Receives an event. A returned promise means that the buffer is full; it resolves when there is room. */
  push(event: CallEvent): void | Promise<void>;
  /** Whether the sink collects all partials itself. The size limit of an answer then applies to all of them together. */
  readonly keepsPieces?: boolean | undefined;
  /** Receives log lines, if the caller may see them. */
  log?(line: LogLine): void;
  /** Aborts when the receiver has disconnected. */
  readonly closed?: AbortSignal | undefined;
  /** Present if the sink takes pieces over MCP. Called by a client's transport when there is an answer: how many pieces the server has sent; `undefined` if it sends none. */
  expectPieces?(sent: number | undefined): void;
}

/** Creates an {@link ErrorResult} without a cause; `data` is sent to the caller. */
export function errorResult(code: ToolErrorCode, message: string, data?: unknown): ErrorResult {
  return data === undefined ? { kind: "error", code, message } : { kind: "error", code, message, data };
}

/** The scopes that the data of a refusal names as missing: other credentials would help. Empty if it names none. */
export function missingScopesOf(data: unknown): readonly string[] {
  const { required_scopes: required } = asObject(data);
  return Array.isArray(required) ? required.filter((scope) => typeof scope === "string") : [];
}

/** Creates the error `invalid_input` for the part of a request at `path`, with one issue: what was expected, and the type of `value`. */
export function invalidInputResult(
  message: string,
  path: readonly string[],
  expected: string,
  value: unknown,
): ErrorResult {
  const received = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  return errorResult("invalid_input", message, { issues: [{ path, expected, received, message }] });
}

/** Reason with which {@link askedAgain} repeats a question whose answer is malformed: not an object with one of the three actions. */
export const NO_ANSWER = "An answer is { action: accept, decline or cancel, content }";

/** Returns a copy of a question to ask it again; its `params.refused` is the reason why the previous answer was rejected. */
export function askedAgain(key: string, request: Question, reason: string): Question {
  const refused = `the answer to "${key}" is refused: ${reason}`;
  return { ...request, params: { ...request.params, refused } };
}

/**
 * Joins partials into one value: concatenated if all of them are strings (without partials `""`) or bytes of one file, otherwise a copy
 * of the array.
 */
export function joinPartials(pieces: readonly unknown[]): unknown {
  return pieces.every((piece) => typeof piece === "string") ? pieces.join("") : joinFile(pieces) ?? [...pieces];
}

/** Adds what `.render()` shows to an answer. It is not enumerable, so that outcomes compare as before. */
export function withShown<Answer extends object>(answer: Answer, shown: () => unknown): Answer {
  return Object.defineProperty(answer, "~shown", { value: shown });
}

/** A sink that keeps partials and ignores other events, so that a stream can be answered as one value. */
export class PieceCollector implements Sink {
  readonly #pieces: unknown[] = [];

  push(event: CallEvent): void {
    if (event.kind === "partial") this.#pieces.push(event.value);
  }

  /** Adds the joined partials to an answer without a value. Other results are returned unchanged. */
  join<Value extends object>(result: Value): Value {
    const { kind, value } = result as { readonly kind?: unknown; readonly value?: unknown };
    const isEmpty = kind === "answer" && value === undefined && this.#pieces.length > 0;
    return isEmpty ? { ...result, value: joinPartials(this.#pieces) } : result;
  }
}

/**
 * Makes an {@link ErrorResult} whose particulars are in its `cause`, for logs. The message given must name no address and no server:
 * a handler that calls another server may pass it to its own caller.
 */
export function errorResultWithCause(
  code: ToolErrorCode,
  message: string,
  particulars: string = message,
  options?: ErrorOptions,
): ErrorResult {
  return { ...errorResult(code, message), cause: new Error(particulars, options) };
}

/** Converts a thrown {@link ToolError} to an {@link ErrorResult}: `details` becomes `data`, which is sent; `cause` is kept. */
export function toErrorResult({ code, message, details, cause }: ToolError): ErrorResult {
  return { ...errorResult(code, message, details), cause };
}

/** Converts an {@link ErrorResult} to an exception; its `data` becomes `details`. */
export function toToolError({ code, message, data, cause }: ErrorResult): ToolError {
  return new ToolError(code, message, { details: data, cause });
}
