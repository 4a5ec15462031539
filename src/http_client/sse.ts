/**
 * Decodes Server-Sent Events by `eventsource-parser`.
 *
 * Grammar: {@link https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream | WHATWG HTML 9.2.5}.
 */
import { createParser, type EventSourceParser, type ParserConfig } from "eventsource-parser";
import { type CallResult, errorResult, PieceCollector, type Sink, type UnknownOutcome } from "../core/call/outcome.ts";
import type { ActivityMonitor } from "../core/call/transport.ts";
import { ToolError } from "../core/errors/tool_error.ts";
import type { MaybePromise } from "../internal/async.ts";
import { readChunks, type TextChunks } from "./read.ts";

export interface SseEvent {
  /** Name of the event. Default: `message`. */
  readonly event: string;
  /** Data lines, joined by LF. */
  readonly data: string;
}

/** Decodes one stream. */
export class SseDecoder {
  readonly #events: SseEvent[] = [];
  protected readonly parser: EventSourceParser;

  constructor(config?: Omit<ParserConfig, "onEvent">) {
    const onEvent: ParserConfig["onEvent"] = ({ event = "message", data }) => void this.#events.push({ event, data });
    this.parser = createParser({ ...config, onEvent });
  }

  /** Decodes a chunk of text and returns the events that it completes. */
  decode(text: string): SseEvent[] {
    this.parser.feed(text);
    return this.#events.splice(0);
  }
}

/** Decodes one event of a call. Returns the result if it is the last event. Other events go to the sink; its promise is returned. */
export type ReadCallEvent = (event: SseEvent, sink: Sink) => MaybePromise<CallResult | UnknownOutcome | void>;

/** Reads the streamed response of a call up to its result. */
export async function readCallStream(
  chunks: TextChunks,
  sink: Sink | undefined,
  readEvent: ReadCallEvent,
): Promise<CallResult | UnknownOutcome> {
  const decoder = new SseDecoder();
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
  return errorResult("unavailable", "Stream broke off");
}

/** Decodes a stream and the streams that resume it, with a limit on the size of each event. */
export class ResumableSseDecoder extends SseDecoder {
  /** Id of the last complete event that had one; `""` before. */
  lastEventId = "";
  /** Delay before the stream is requested again, in milliseconds, if the server sent one. */
  retryMs: number | undefined;
  /** Whether an event was larger than the limit. The decoder must not be used further. */
  isOverLimit = false;
  /** Maximum size of an incomplete event. It is compared with UTF-16 code units, none of which is less than a byte. */
  readonly maxBytes: number;

  constructor(maxBytes: number) {
    super({
      maxBufferSize: maxBytes,
      onId: (id) => void (this.lastEventId = id),
      onRetry: (delayMs) => void (this.retryMs = delayMs),
      // Other errors are unknown fields and invalid delays, which are ignored.
      onError: ({ type }) => void (this.isOverLimit ||= type === "max-buffer-size-exceeded"),
    });
    this.maxBytes = maxBytes;
  }

  /** Discards an incomplete event, before a stream that resumes this one is decoded. */
  restart(): void {
    this.parser.reset();
  }
}

/**
 * Reads the events of a response.
 *
 * @param isEndless Whether only the size of each event is limited, not that of the stream.
 * @throws {ToolError} `result_too_large` if the stream or an event is larger than the limit of the decoder.
 */
export async function* readEvents(
  response: Response,
  decoder: ResumableSseDecoder,
  monitor: ActivityMonitor,
  isEndless: boolean = false,
): AsyncGenerator<SseEvent, void, undefined> {
  const { maxBytes } = decoder;
  decoder.restart();
  for await (const chunk of readChunks(response, monitor, isEndless ? Infinity : maxBytes)) {
    yield* decoder.decode(chunk);
    if (decoder.isOverLimit) throw new ToolError("result_too_large", `An event is larger than ${maxBytes} bytes`);
  }
}
