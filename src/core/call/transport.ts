/**
 * The contract between client and wire. It has the shape of dispatch, so that a gateway can use a transport in its
 * place.
 */
import type { Principal } from "./call.ts";
import type { CallResult, ErrorResult, Sink, UnknownOutcome } from "./outcome.ts";
import type { MaybePromise } from "../../internal/async.ts";

/** What a request to a server is for: a function for `headers` receives it. */
export interface OutgoingCall {
  /** Name of the called tool at that server. Absent for lists, and for requests of the transport that belong to no call. */
  readonly tool?: string | undefined;
  /** Caller of the server that sends the request, as behind a `gateway`. Absent in a client, and for requests that are for all callers. */
  readonly principal?: Principal | undefined;
  /** Aborts when the request is no longer needed. */
  readonly signal: AbortSignal;
}

/**
 * What a request is for, and its time limits, made by the client: a signal that ends the call, and an idle timeout that the transport resets
 * when data arrives.
 */
export interface ActivityMonitor extends OutgoingCall {
  /** Resets the idle timeout. Called when data arrives. */
  markActive(): void;
  /** Stops the idle timeout while the transport waits for the client. */
  suspend(): void;
}

/** A call as a client passes it to a transport, which encodes it for its protocol. */
export interface TransportCall {
  /** Name of the tool. */
  readonly tool: string;
  /** Arguments. `undefined` without arguments. */
  readonly args: unknown;
  /** Members of the request's `_meta`, with their names on the wire. */
  readonly meta: Readonly<Record<string, unknown>> | undefined;
  /** Configuration from the caller's environment. Ignored if the protocol has no field for it. */
  readonly config?: Readonly<Record<string, unknown>> | undefined;
  /** Time limits. */
  readonly limit: ActivityMonitor;
}

/** A tool in a server's list. Unknown members are kept. */
export interface ListedTool {
  /** Name, unique on its server. */
  readonly name: string;
  /** Category of the tool; `"system"` for what Toolwire adds: `redeem`, `cancel`, `more`, `search_tools`, `call_tool`. */
  readonly "@type"?: string | undefined;
  /** Description of the tool. */
  readonly description?: string | undefined;
  /** JSON Schema of the arguments. */
  readonly inputSchema?: Readonly<Record<string, unknown>> | undefined;
  /** JSON Schema of the output. */
  readonly outputSchema?: Readonly<Record<string, unknown>> | undefined;
  /** Hints, as defined by MCP. */
  readonly annotations?: Readonly<Record<string, unknown>> | undefined;
  /** Further members. */
  readonly [member: string]: unknown;
}

/** Connection to a server. Methods reject only with exceptions of functions that the caller passed in. */
export interface Transport {
  /** Calls a tool. With a sink, the call is streamed. */
  call(call: TransportCall, sink?: Sink): MaybePromise<CallResult | UnknownOutcome>;
  /** Lists the server's tools. */
  list(limit: ActivityMonitor): MaybePromise<readonly ListedTool[] | ErrorResult>;
  /** Closes open connections. */
  close?(): void;
}

/**
 * Whether a listed tool is Toolwire's `redeem` or `cancel`. Another server may have a tool `cancel` that takes no
 * promise token.
 */
export function isSystemTool({ name, inputSchema }: ListedTool): boolean {
  const required = inputSchema?.["required"];
  return (name === "redeem" || name === "cancel") && Array.isArray(required) && required.includes("promise");
}
