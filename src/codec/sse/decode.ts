/**
 * Server-Sent Events decoder: text in pieces in, events out, whatever the pieces cut through.
 *
 * Ids and retry times belong to the stream, not to an event: they say where to go on when it has broken off, and when.
 * Grammar: {@link https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream | WHATWG HTML 9.2.5}.
 *
 * @module
 */

/** One event. */
export interface SseEvent {
  /** Its name; `message` if it has none. */
  readonly event: string;
  /** Its data lines, joined by LF. */
  readonly data: string;
}

/** Decodes one stream. */
export class SseDecoder {
  /** The id of the last event that was whole; `""` if no event had one. */
  lastEventId = "";
  /** How long to wait before the stream is asked for again, in milliseconds, if the server says so. */
  retryMs: number | undefined = undefined;
  /** The start of a line that has not ended. Only appended to, so that an endless line costs linear time. */
  #line = "";
  #endedInCr = false;
  #event = "";
  #id: string | undefined = undefined;
  readonly #data: string[] = [];

  #dataLength = 0;

  /** How much text waits for the end of its event. */
  get waitingLength(): number {
    return this.#line.length + this.#dataLength;
  }

  /** Takes the next piece of text, and gives the events that it completes. */
  decode(text: string): SseEvent[] {
    if (text === "") return [];
    // The second half of a CRLF that was cut in two ends no line of its own.
    const lines = (this.#endedInCr ? text.replace(/^\n/, "") : text).split(/\r\n|\r|\n/);
    this.#endedInCr = text.endsWith("\r");
    lines[0] = this.#line + lines[0];
    this.#line = lines.pop() as string;
    return lines.flatMap((line) => {
      const [, field, value = ""] = /^(event|data|id|retry)(?:: ?(.*))?$/s.exec(line) ?? [];
      if (field === "event") this.#event = value;
      else if (field === "data") this.#keep(value);
      else if (field === "id" && !value.includes("\0")) this.#id = value;
      else if (field === "retry" && /^\d+$/.test(value)) this.retryMs = Number(value);
      if (line !== "") return [];
      // An empty line ends the event; one without data is none.
      const event = this.#event || "message";
      const data = this.#data.splice(0);
      this.#dataLength = 0;
      this.lastEventId = this.#id ?? this.lastEventId;
      this.#event = "";
      return data.length > 0 ? [{ event, data: data.join("\n") }] : [];
    });
  }
  #keep(line: string): void {
    this.#data.push(line);
    this.#dataLength += line.length;
  }
}
