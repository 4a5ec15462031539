/**
 * Decodes Server-Sent Events by `eventsource-parser`.
 *
 * Grammar: {@link https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream | WHATWG HTML 9.2.5}.
 */
import { createParser, type EventSourceParser, type ParserConfig } from "eventsource-parser";

/** One event of a stream of Server-Sent Events. */
export interface SseEvent {
  /** Name of the event. Default: `message`. */
  readonly event: string;
  /** Data lines, joined by LF. */
  readonly data: string;
}

/** Decodes one stream of Server-Sent Events that arrives in chunks. */
export class SseDecoder {
  readonly #events: SseEvent[] = [];
  protected readonly parser: EventSourceParser;

  constructor(config?: Omit<ParserConfig, "onEvent">) {
    const onEvent: ParserConfig["onEvent"] = ({ event = "message", data }) => void this.#events.push({ event, data });
    this.parser = createParser({ ...config, onEvent });
  }

  /** Decodes a chunk of text and returns the events that it completes. The rest is kept for the next chunk. */
  decode(text: string): SseEvent[] {
    this.parser.feed(text);
    return this.#events.splice(0);
  }
}
