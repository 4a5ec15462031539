/**
 * Streams the events of a call as Server-Sent Events, with the event names and members of MCP-lite.
 *
 * Source: docs/spec.md 4.3 and A.4.
 *
 * @module
 */
import type { CallEvent, Sink } from "../../core/call/outcome.ts";
import { eventToJson } from "./result/encode.ts";
import { encodeSseEvent, SseBody, type SseBodyOptions } from "./sse.ts";

/** Body of a streamed call. It receives the events of the call; the wire writes the last event. */
export class EventStream extends SseBody implements Sink {
  constructor(options: Omit<SseBodyOptions, "heartbeat">) {
    super({ ...options, heartbeat: HEARTBEAT });
  }

  push(event: CallEvent): void | Promise<void> {
    return this.write(encodeSseEvent("message", encodeEvent(event)));
  }
}

const HEARTBEAT: string = encodeSseEvent("heartbeat", "{}");

/** Encodes an event of a call as JSON text, which a stream sends as the data of a `message` event. */
export function encodeEvent(event: CallEvent): string {
  // There may be many partial values. They are encoded without an intermediate object.
  if (event.kind === "partial") return `{"partial":${JSON.stringify(event.value) ?? "null"}}`;
  return JSON.stringify(eventToJson(event));
}
