/** Reads streams of Server-Sent Events that can be resumed. */
import type { ActivityMonitor } from "../core/call/transport.ts";
import { ToolError } from "../core/errors/tool_error.ts";
import { readChunks } from "./read.ts";
import { SseDecoder, type SseEvent } from "./sse.ts";

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
