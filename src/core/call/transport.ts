/**
 * What the client needs of a wire: the same shape as dispatch, so that a gateway is a transport used as one.
 *
 * @module
 */
import type { CallResult, ErrorResult, Sink, UnknownOutcome } from "./outcome.ts";
import type { MaybePromise } from "../../internal/async.ts";

/** What ends a call, and what a transport tells it so that it can. */
export interface ActivityMonitor {
  /** Aborts when the call has to end. */
  readonly signal: AbortSignal;
  /** Something came: the wire is not quiet. */
  markActive(): void;
  /** The wire waits for us: that is not its silence. */
  suspend(): void;
}

/** One call, as the client hands it to a transport. */
export interface TransportCall {
  /** Name of the tool. */
  readonly tool: string;
  /** The arguments; `undefined` for none. */
  readonly args: unknown;
  /** What goes beside the arguments: members of the request's `_meta`, with their names on the wire. */
  readonly meta: Readonly<Record<string, unknown>> | undefined;
  /** What the environment of the caller supplies; left out where the protocol has no place for it. */
  readonly config?: Readonly<Record<string, unknown>> | undefined;
  /** Ends the call. */
  readonly limit: ActivityMonitor;
}

/** A tool as a server lists it; unknown members are kept. */
export interface ListedTool {
  /** Unique on its server. */
  readonly name: string;
  /** What the tool does. */
  readonly description?: string;
  /** JSON Schema of the arguments. */
  readonly inputSchema?: Readonly<Record<string, unknown>>;
  /** JSON Schema of the output. */
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  /** Hints, with MCP's names. */
  readonly annotations?: Readonly<Record<string, unknown>>;
  /** Whatever else the server says. */
  readonly [member: string]: unknown;
}

/** A way to reach a server. Total: rejects with nothing but what the caller's own functions throw. */
export interface Transport {
  /** Makes one call; with a sink it is streamed. */
  call(call: TransportCall, sink?: Sink): MaybePromise<CallResult | UnknownOutcome>;
  /** Lists the server's tools. */
  list(limit: ActivityMonitor): MaybePromise<readonly ListedTool[] | ErrorResult>;
  /** Ends what the transport holds open. */
  close?(): void;
}

/** Whether a listed tool is `redeem` or `cancel` of a server that promises. A server of others may have a `cancel` of its own, which takes no promise. */
export function isSystemTool({ name, inputSchema }: ListedTool): boolean {
  const required = inputSchema?.["required"];
  return (name === "redeem" || name === "cancel") && Array.isArray(required) && required.includes("promise");
}
