import { SseDecoder, type SseEvent } from "./sse.ts";

/**
 * Decodes a stream that can be gone on with: ids and retry times belong to the stream, not to an event; they say where to go on
 * when it has broken off, and when.
 */
export class ResumableSseDecoder extends SseDecoder {
  /** The id of the last event that was whole; `""` if no event had one. */
  lastEventId = "";
  /** How long to wait before the stream is asked for again, in milliseconds, if the server says so. */
  retryMs: number | undefined = undefined;
  #id: string | undefined = undefined;
  #heldLength = 0;

  /** How much text waits for the end of its event. */
  get waitingLength(): number {
    return this.rest.length + this.#heldLength;
  }

  protected override take(line: string): SseEvent | undefined {
    const [, field, value = ""] = /^(id|retry)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === "id" && !value.includes("\0")) this.#id = value;
    else if (field === "retry" && /^\d+$/.test(value)) this.retryMs = Number(value);
    this.#heldLength += line.length;
    if (line === "") {
      this.#heldLength = 0;
      this.lastEventId = this.#id ?? this.lastEventId;
    }
    return super.take(line);
  }
}
