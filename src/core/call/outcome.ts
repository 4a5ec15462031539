/**
 * How a call ends: one of the five outcomes of MCP-lite (docs/spec.md 3.4), or a refusal.
 *
 * All of them are values. Only the client turns some of them into exceptions.
 *
 * @module
 */
import type { JsonObject } from "../../internal/json.ts";
import type { ToolErrorCode } from "../errors/code.ts";

/** How far a call has come. */
export interface Progress {
  /** Units finished. */
  readonly done: number;
  /** Units in all, if that is known. */
  readonly total?: number;
  /** What is being done now. */
  readonly message?: string;
}

/** The tool is done, and this is what it returned. */
export interface AnswerOutcome<Value = unknown> {
  /** Discriminant. */
  readonly kind: "answer";
  /** The output; `undefined` if the handler returned nothing. */
  readonly value: Value;
  /** Members that the handler added to the result's `_meta`; in a client, with what the wire adds. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  /** The state that the caller keeps for the server, if the call changed it. */
  readonly context?: string | undefined;
  /** Whose answer it is, if that tool says how it reads; a promise of it may be redeemed by another. */
  readonly renderedBy?: string | undefined;
}

/** The work goes on; the token stands for its result. */
export interface PromiseOutcome {
  /** Discriminant. */
  readonly kind: "promise";
  /** Opaque; the tool `redeem` takes it. */
  readonly token: string;
  /** When the token ends, in milliseconds since the Unix epoch, by the server's clock. */
  readonly expiresAtMs: number;
  /** How long the token lasts from now, in milliseconds. */
  readonly ttlMs: number;
  /** How long to wait before asking again, in milliseconds. */
  readonly retryAfterMs: number;
  /** How far the work has come. */
  readonly progress?: Progress | undefined;
  /** When it may be done, in milliseconds since the Unix epoch. */
  readonly estimatedMs?: number | undefined;
}

/** One question to the caller. */
export interface Question {
  /** What is asked for. */
  readonly kind: "elicitation" | "more" | "sampling" | "roots";
  /** For the person or model that answers. */
  readonly message: string;
  /** JSON Schema of the answer, for an elicitation. */
  readonly schema?: JsonObject | undefined;
  /**
   * What else belongs to the question: of a resource its name, amount and reason; of a page its URL; of sampling what the model
   * gets. Of what is asked again, `refused` says why the answer was not taken.
   */
  readonly params?: JsonObject | undefined;
}

/** The tool needs to know, or to be given, something before it can go on. */
export interface QuestionsResult {
  /** `request-for-more-resource` when every request is for a resource. */
  readonly kind: "elicitation" | "request-for-more-resource";
  /** The questions, by key. */
  readonly requests: Readonly<Record<string, Question>>;
  /** To be sent back with the answers and the same call. */
  readonly continuation: string;
}

/** The tool says no, for a reason of its own business. */
export interface FailureOutcome<Code extends string = string, Data = unknown> {
  /** Discriminant. */
  readonly kind: "failure";
  /** The tool's own code. */
  readonly code: Code;
  /** For people and models. */
  readonly message: string;
  /** What goes with the code; `undefined` if nothing does. */
  readonly data: Data;
  /** Members that the handler added to the result's `_meta`; in a client, with what the wire adds. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  /** The state that the caller keeps for the server, if the call changed it. */
  readonly context?: string | undefined;
}

/** How a call ends when it was taken: HTTP 200, gRPC OK. */
export type Outcome = AnswerOutcome | PromiseOutcome | QuestionsResult | FailureOutcome;

/** A call that was not carried out, or that broke: the wire's own errors. */
export interface ErrorResult {
  /** Discriminant. */
  readonly kind: "error";
  /** The stable code. */
  readonly code: ToolErrorCode;
  /** For people and models. */
  readonly message: string;
  /** JSON-safe; sent to the caller. */
  readonly data?: unknown;
  /** Never sent. */
  readonly cause?: unknown;
}

/** How a call ends, whatever happens. */
export type CallResult = Outcome | ErrorResult;

/** A response type that this version does not know, as a client received it. */
export interface UnknownOutcome {
  /** Discriminant. */
  readonly kind: "unknown";
  /** The response type that the server named. */
  readonly responseType: string;
  /** The result as it came. */
  readonly result: unknown;
}

/** What happens while a call runs. */
export type CallEvent =
  | { readonly kind: "partial"; readonly value: unknown }
  | { readonly kind: "progress"; readonly progress: Progress }
  | { readonly kind: "deferred"; readonly promise: PromiseOutcome };

/** How bad a log line is. */
export type LogLevel = "debug" | "info" | "warn" | "error";

/** What a tool logs. */
export interface LogLine {
  /** How bad it is. */
  readonly level: LogLevel;
  /** For people. */
  readonly message: string;
  /** What belongs to it. */
  readonly fields?: Readonly<Record<string, unknown>> | undefined;
}

/** Where a call's events go. */
export interface Sink {
  /** Takes one event; a returned promise means that it is full, and resolves when there is room. */
  push(event: CallEvent): void | Promise<void>;
  /** Whether it keeps all pieces, for whoever wants the whole. */
  readonly keepsPieces?: boolean;
  /** Takes what the tool logs, where the caller may see it. */
  log?(line: LogLine): void;
  /** Aborts when nobody reads any more. */
  readonly closed?: AbortSignal;
}

/** Makes a {@link ErrorResult}. */
export function errorResult(code: ToolErrorCode, message: string, data?: unknown): ErrorResult {
  return data === undefined ? { kind: "error", code, message } : { kind: "error", code, message, data };
}

/** Makes the refusal of one part of a request that is not what it should be. */
export function invalidInputResult(
  message: string,
  path: readonly string[],
  expected: string,
  value: unknown,
): ErrorResult {
  const received = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  return errorResult("invalid_input", message, { issues: [{ path, expected, received, message }] });
}

/** Why something is no answer to a question. */
export const NO_ANSWER = "An answer is { action: accept, decline or cancel, content }";

/** The question, once more: `params.refused` says why the answer to it was not taken. */
export function askedAgain(key: string, request: Question, reason: string): Question {
  const refused = `the answer to "${key}" is refused: ${reason}`;
  return { ...request, params: { ...request.params, refused } };
}

/** The pieces of an answer as one value: strings are joined, anything else is kept as an array. */
export function joinPartials(pieces: readonly unknown[]): unknown {
  return pieces.every((piece) => typeof piece === "string") ? pieces.join("") : [...pieces];
}

/** A sink that keeps the pieces, for whoever wants the whole. */
export class PieceCollector implements Sink {
  readonly #pieces: unknown[] = [];

  push(event: CallEvent): void {
    if (event.kind === "partial") this.#pieces.push(event.value);
  }

  /** How the call ended; an answer without a value is the pieces, joined. */
  join<Value extends object>(settled: Value): Value {
    const { kind, value } = settled as { readonly kind?: unknown; readonly value?: unknown };
    const isEmpty = kind === "answer" && value === undefined && this.#pieces.length > 0;
    return isEmpty ? { ...settled, value: joinPartials(this.#pieces) } : settled;
  }
}
