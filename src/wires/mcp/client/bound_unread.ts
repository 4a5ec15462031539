/** Bounds the pieces of a call that wait for its reader: the server sends on, as other calls may share the connection. */
import type { CallEvent, CallResult, ErrorResult, Sink, UnknownOutcome } from "../../../core/call/outcome.ts";
import { toToolError } from "../../../core/call/outcome.ts";
import type { ActivityMonitor, TransportCall } from "../../../core/call/transport.ts";
import { estimateJsonSize } from "../../../internal/json_size.ts";
import { EventQueue } from "../../framing/event_queue.ts";

/** Default of the maximum size of pieces that wait, in UTF-16 code units of JSON. */
const MAX_UNREAD_CHARS = 67_108_864;

/** Size of an event beside its value, in the same unit, and the depth to which values are measured. */
const [EVENT_CHARS, MAX_DEPTH] = [64, 1_024];

/**
 * Makes a call whose pieces reach its sink in order. It ends when the sink has taken them, or with `result_too_large` if too many wait.
 *
 * @param make Makes the call, with a signal that also aborts then, and a sink that never asks to wait.
 */
export async function boundUnread(
  call: TransportCall,
  sink: Sink | undefined,
  maxChars: number | undefined,
  make: (call: TransportCall, sink: Sink | undefined) => Promise<CallResult | UnknownOutcome>,
): Promise<CallResult | UnknownOutcome> {
  if (sink === undefined) return await make(call, sink);
  const overflow = new AbortController();
  let error: ErrorResult | undefined;
  const queue = new EventQueue(sink, call.limit, maxChars ?? MAX_UNREAD_CHARS, (tooLarge) => {
    error ??= tooLarge;
    overflow.abort(toToolError(tooLarge));
  });
  const { keepsPieces, closed, expectPieces } = sink;
  const result = await make({
    ...call,
    limit: boundLimit(call.limit, AbortSignal.any([call.limit.signal, overflow.signal]), queue),
  }, {
    keepsPieces,
    closed,
    ...(sink.log && { log: (line) => sink.log?.(line) }),
    ...(expectPieces && { expectPieces: (sent) => sink.expectPieces?.(sent) }),
    // The newest progress replaces what was not taken.
    push: (event) => event.kind === "progress" ? sink.push(event) : queue.push(event, () => sizeOf(event)),
  });
  if (error === undefined && !call.limit.signal.aborted) await untilTaken(queue, call.limit.signal);
  return error ?? result;
}

function boundLimit(limit: ActivityMonitor, signal: AbortSignal, queue: EventQueue): ActivityMonitor {
  return {
    tool: limit.tool,
    principal: limit.principal,
    signal,
    // What arrives for other calls does not count as activity of one that waits for its reader.
    markActive: () => queue.isFull || limit.markActive(),
    suspend: () => limit.suspend(),
  };
}

/** Resolves when the sink has taken all events, or the call is aborted. */
function untilTaken(queue: EventQueue, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
    queue.end(resolve);
  });
}

function sizeOf(event: CallEvent): number {
  if (event.kind !== "partial") return EVENT_CHARS;
  const left = estimateJsonSize(event.value, Number.MAX_SAFE_INTEGER, MAX_DEPTH);
  return EVENT_CHARS + (left >= 0 ? Number.MAX_SAFE_INTEGER - left : 0);
}
