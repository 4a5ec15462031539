import type { RequestMessage } from "../protocol/messages.ts";
import { CallSink } from "./call_sink.ts";
import type { McpExchange, McpPeer } from "./exchange.ts";
import type { Revision } from "./revision.ts";

/** A request other than `tools/call` that runs code of the server: for resources, prompts, completion, or a method of the server. */
export interface ContentRequest {
  readonly request: RequestMessage;
  readonly peer: McpPeer;
  readonly exchange: McpExchange;
  readonly revision: Revision;
  readonly progressToken: string | number | undefined;
  /** Minimum level of log messages; `undefined` if the caller wants none. */
  readonly logLevel: string | undefined;
  /** Whether log lines without a logger get the name of the method. */
  readonly namesLogger: boolean;
}

/** The sink for progress and log messages of a request; `undefined` if its caller wants neither, or accepts no stream. */
export function sinkOf(content: ContentRequest): CallSink | undefined {
  const { progressToken, logLevel, namesLogger, exchange, peer, request } = content;
  const hasEvents = progressToken !== undefined || logLevel !== undefined;
  const channel = hasEvents ? exchange.channel() : undefined;
  if (channel === undefined) return undefined;
  peer.isStreamed = true;
  return new CallSink({ channel, progressToken, logLevel, logger: namesLogger ? request.method : undefined });
}
