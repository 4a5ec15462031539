/**
 * One call of a tool, as every wire hands it to dispatch: who calls, what, with which arguments.
 *
 * Knows no bytes and no statuses; a wire makes these from what it reads.
 *
 * @module
 */
import type { Json } from "../../internal/json.ts";
import type { CallConfig } from "./call_config.ts";

/** Who calls, once the caller is known. */
export interface Principal {
  /** The same on every wire. */
  readonly id: string;
  /** What the caller may do. */
  readonly scopes?: readonly string[];
  /** What else is known of the caller; JSON, because it is stored with deferred work. */
  readonly claims?: Json;
}

/** HTTP headers or gRPC metadata: names in any case, values as text. `Headers` is one. */
export interface Metadata {
  /** The value of `name`, or `null`. */
  get(name: string): string | null;
}

/** The software that calls, as it names itself; not to be trusted. */
export interface ClientInfo {
  /** Its name, such as `claude-desktop`. */
  readonly name?: string | undefined;
  /** Its version. */
  readonly version?: string | undefined;
  /** Whether it says that it can answer questions of this kind. Left out: of any. */
  readonly supports?: ((kind: AskableKind) => boolean) | undefined;
}

/** What a caller can be asked: to fill in a form, to go to a page, for more of something, its model, its folders. */
export type AskableKind = "elicitation" | "url" | "more" | "sampling" | "roots";

/** Who calls and over what; one for each request, made by the wire, everything on it lazy. */
export interface Peer {
  /** The wire's name, such as `mcp-lite`. */
  readonly wire: string;
  /** Who calls, if that is known. */
  readonly principal: Principal | undefined;
  /** Aborts when the caller has gone. To look has a price on some runtimes: do so only when a handler asks. */
  readonly signal: AbortSignal | undefined;
  /** The request's headers or metadata. */
  readonly metadata: Metadata;
  /** The request's id on the wire, if it has one. Unique to its sender at best. */
  readonly requestId: string | number | undefined;
  /** What the caller says that several of its requests have in common. Not to be trusted: anyone can say it. */
  readonly sessionId?: string | undefined;
  /** The calling software. */
  readonly client: ClientInfo;
}

/**
 * Which trace something belongs to, as W3C Trace Context and Baggage write it. Nothing here reads it.
 *
 * Source: {@link https://www.w3.org/TR/trace-context/ | Trace Context}, {@link https://www.w3.org/TR/baggage/ | Baggage}.
 */
export interface TraceContext {
  /** The trace, and the span that called. */
  readonly traceparent?: string;
  /** What tracing systems add of their own. */
  readonly tracestate?: string;
  /** What goes along with the trace. */
  readonly baggage?: string;
}

/** What a caller may say about a call beside its arguments. */
export interface CallMeta {
  /** How long the caller waits, in milliseconds; counts when shorter than the tool's own limit. */
  readonly deadlineMs?: number | undefined;
  /** Where an earlier run of the same call stopped to ask; signed by the server. */
  readonly continuation?: string | undefined;
  /** What the caller says to what was asked, by key; as it came. */
  readonly responses?: Readonly<Record<string, unknown>> | undefined;
  /** State that the caller keeps for the server; signed by the server. */
  readonly context?: string | undefined;
  /** One call for each key and principal: a repeat joins it. */
  readonly idempotencyKey?: string | undefined;
  /** Whether the caller wants a promise at once. */
  readonly isPromiseWanted?: boolean | undefined;
  /** The trace that the call belongs to. */
  readonly trace?: TraceContext | undefined;
}

/** One call. */
export interface Call {
  /** Name of the tool, as the caller spelled it. */
  readonly tool: string;
  /** The raw arguments, before validation and defaults. Read-only. */
  readonly args: unknown;
  /** `undefined` when the caller said nothing: the fast path. */
  readonly meta: CallMeta | undefined;
  /** What the caller's environment supplies; `undefined` where the wire has no place for it: then the server's counts. */
  readonly config?: CallConfig | undefined;
  /** Who calls. */
  readonly peer: Peer;
}
