/**
 * The protocol-independent form of a tool call: tool, arguments, metadata and caller.
 *
 * Contains no bytes and no statuses. Each wire builds these values from its own requests.
 */
import type { Json, JsonObject } from "../../internal/json.ts";
import type { CallConfig } from "./call_config.ts";

/**
 * An authenticated caller.
 *
 * @typeParam Claims Type of the claims. Programs that give a caller may have any object, such as an `interface`; handlers get its JSON.
 */
export interface Principal<Claims extends object = JsonObject> {
  /** Identifier, the same on every wire. Tokens, idempotency keys, jobs, caches and limits are bound to it, and to the tenant. */
  readonly id: string;
  /**
   * Tenant that the caller belongs to, such as a company, where two tenants may have callers with the same id: each is a caller apart. Default:
   * none, which is not the same as any tenant.
   */
  readonly tenant?: string | undefined;
  /** Scopes that the caller has been granted. */
  readonly scopes?: readonly string[] | undefined;
  /**
   * Further claims about the caller, by name, such as those of a token. Handlers get them as JSON, a `Date` as text, because they are stored
   * with deferred work.
   */
  readonly claims?: Claims | undefined;
}

/** HTTP headers or gRPC metadata with case-insensitive names. `Headers` is compatible. */
export interface Metadata {
  /** The value of `name`, or `null`. */
  get(name: string): string | null;
}

/** The calling software, as it describes itself. Not trustworthy. */
export interface ClientInfo {
  /** Name of the calling software, such as `claude-desktop`. */
  readonly name?: string | undefined;
  /** Version of the calling software. */
  readonly version?: string | undefined;
  /** Whether the client declares support for questions of this kind, or for views (`"ui"`). Absent: all questions are supported, views are not. */
  readonly supports?: ((kind: AskableKind | "ui") => boolean) | undefined;
}

/**
 * Kinds of questions to a caller: a form, a web page, a request for more of something, a model sample, the folders in
 * use.
 */
export type AskableKind = "elicitation" | "url" | "more" | "sampling" | "roots";

/** The caller and its connection. Created by the wire, one for each request, with lazy members. */
export interface Peer {
  /** The wire's name, such as `mcp-lite`. */
  readonly wire: string;
  /** The authenticated caller, if there is one. */
  readonly principal: Principal | undefined;
  /**
   * Aborts when the caller disconnects. Reading it is expensive on some runtimes, so read it only if a handler needs
   * it.
   */
  readonly signal: AbortSignal | undefined;
  /** The request's headers or metadata. */
  readonly metadata: Metadata;
  /** Request id on the wire, if any. It is unique for one sender at most. */
  readonly requestId: string | number | undefined;
  /** Id with which the caller groups its requests. Not trustworthy: a caller may send any value. */
  readonly sessionId?: string | undefined;
  /** Id of the session, if the server itself began it and has found it for this request. What a caller may see can depend on it. */
  readonly session?: string | undefined;
  /** The calling software. */
  readonly client: ClientInfo;
  /** The runtime's part of the request, of `server.fetch(request, env, ctx)`. */
  readonly host?: RequestHost | undefined;
}

/** What a runtime passes to `fetch` beside a request, as Workers do. */
export interface RequestHost {
  /** @internal Whether the caller is at this process's own input and output, so that no other process receives what it sends back. */
  readonly isOfProcess?: boolean | undefined;
  /** The second argument: the bindings of a Worker. */
  readonly env: unknown;
  /** The request. Its body is read by the wire: who reads it before, reads a clone. */
  readonly request?: Request | undefined;
  /** Keeps the runtime from ending the request before `work` has settled, even after the response. */
  waitUntil(work: Promise<unknown>): void;
}

/**
 * Trace context and baggage in W3C format. Passed through without being parsed.
 *
 * Source: {@link https://www.w3.org/TR/trace-context/ | Trace Context}, {@link https://www.w3.org/TR/baggage/ |
 * Baggage}.
 */
export interface TraceContext {
  /** Trace id and parent span. */
  readonly traceparent?: string | undefined;
  /** Data of tracing vendors. */
  readonly tracestate?: string | undefined;
  /** Application data that is propagated with the trace. */
  readonly baggage?: string | undefined;
}

/** Metadata that a caller may send with a call, decoded and checked for its types (`_meta` of MCP-lite; other wires fill what they have). */
export interface CallMeta {
  /** Time limit of the caller, in milliseconds. It applies if it is shorter than the limit of the tool, or of the server for a tool without one. */
  readonly deadlineMs?: number | undefined;
  /** Interval at which the caller wants heartbeats while the call runs, in milliseconds. Wires with heartbeats bound it. */
  readonly heartbeatMs?: number | undefined;
  /** Signed state of an earlier run of the same call that asked a question, or the promise token of a job that asks. */
  readonly continuation?: string | undefined;
  /** Whether the wire has asked within the same request, so that the continuation has reached no caller. */
  readonly hasAskedItself?: boolean | undefined;
  /** Answers to the questions, by key, not yet validated. */
  readonly responses?: Readonly<Record<string, unknown>> | undefined;
  /** Signed caller state, as the server sent it with an earlier result: the values of `defineCallerState`. */
  readonly context?: string | undefined;
  /** Idempotency key. A repeated call with the same key and principal joins the first one. */
  readonly idempotencyKey?: string | undefined;
  /** Whether the caller requests a promise token immediately. A tool that gives no promises rejects such a call. */
  readonly isPromiseWanted?: boolean | undefined;
  /** Trace that the call belongs to. */
  readonly trace?: TraceContext | undefined;
}

/** Start of a page of an answer with a budget (`budget()` of `./answers`), read from the handle that the caller passes to the tool `more`. */
export interface AnswerPosition {
  /** Items or characters before the page, in its part of the list. */
  readonly at: number;
  /** Cursor of the part of the list. `undefined` for the first part. */
  readonly cursor?: Json | undefined;
  /** Items before the part. `undefined` for the first part. */
  readonly before?: number | undefined;
  /** Digest of what is before the page, in its part. `undefined` at the start of a part. */
  readonly digest?: string | undefined;
}

/** One call of a tool, as a wire has decoded it: name, arguments, metadata and caller, before validation. */
export interface Call {
  /** Name of the tool, as sent by the caller. */
  readonly tool: string;
  /** Arguments as received, before validation and defaults. Read-only. */
  readonly args: unknown;
  /** Metadata of the call. `undefined` if the caller sent none, which is the fast path. */
  readonly meta: CallMeta | undefined;
  /**
   * Configuration from the caller's environment. `undefined` if the wire has no field for it; the server's
   * configuration then applies.
   */
  readonly config?: CallConfig | undefined;
  /** Position from which the answer continues, if the caller asks for the next page by the tool `more`. Caches must have it in their key. */
  readonly position?: AnswerPosition | undefined;
  /** The caller. */
  readonly peer: Peer;
  /** Present if a handler makes the call, by `ctx.call`. */
  readonly inner?: InnerCallOrigin | undefined;
}

/** Where a call comes from that a handler makes. */
export interface InnerCallOrigin {
  /** Names of the tools that are running, the outermost first. */
  readonly path: readonly string[];
  /** Id of the call. Default: a random one. */
  readonly callId?: string | undefined;
}
