/** Reads the streamed response of a call. */
import { type CallResult, PieceCollector, type Sink, type UnknownOutcome } from "../core/call/outcome.ts";
import type { MaybePromise } from "../internal/async.ts";
import { lostConnection } from "./connection_errors.ts";
import type { TextChunks } from "./read.ts";
import type { SseDecoder, SseEvent } from "./sse.ts";

/** Decodes one event of a call. Returns the result if it is the last event. Other events go to the sink; its promise is returned. */
export type ReadCallEvent = (event: SseEvent, sink: Sink) => MaybePromise<CallResult | UnknownOutcome | void>;

/** The decoder of events, from the first stream on: most of the code for it is a parser that programs without streams never load. */
let sse: { readonly SseDecoder: typeof SseDecoder } | undefined;

/** Reads a streamed response up to the call's result; `unavailable` if it ends before. Without a sink, partials are joined into the result. */
export async function readCallStream(
  chunks: TextChunks,
  sink: Sink | undefined,
  readEvent: ReadCallEvent,
): Promise<CallResult | UnknownOutcome> {
  sse ??= await import("./sse.ts");
  const decoder = new sse.SseDecoder();
  // A server may stream although the caller did not ask for it. Then the partial values are the answer, if there is no other.
  const collector = new PieceCollector();
  for await (const chunk of chunks) {
    for (const event of decoder.decode(chunk)) {
      const ended = readEvent(event, sink ?? collector);
      // Most events are not the last one, and need no await.
      const result = ended && await ended;
      if (result !== undefined) return collector.join(result);
    }
  }
  return lostConnection();
}
