/**
 * Server-Sent Events decoder: text in pieces in, events out, whatever the pieces cut through.
 *
 * Reads event names and data; what a stream says of how to go on with it, `resumable.ts` reads.
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
  /** The start of a line that has not ended. Only appended to, so that an endless line costs linear time. */
  protected rest = "";
  #endedInCr = false;
  #event = "";
  readonly #data: string[] = [];

  /** Takes the next piece of text, and gives the events that it completes. */
  decode(text: string): SseEvent[] {
    const events: SseEvent[] = [];
    if (text === "") return events;
    // The second half of a CRLF that was cut in two ends no line of its own.
    const lines = (this.#endedInCr ? text.replace(/^\n/, "") : text).split(/\r\n|\r|\n/);
    this.#endedInCr = text.endsWith("\r");
    lines[0] = this.rest + lines[0];
    this.rest = lines.pop() as string;
    for (const line of lines) {
      const event = this.take(line);
      if (event !== undefined) events.push(event);
    }
    return events;
  }

  /** Takes a line, and gives the event that it ends, if it does. */
  protected take(line: string): SseEvent | undefined {
    if (line !== "") {
      const [, field, value = ""] = /^(event|data)(?:: ?(.*))?$/s.exec(line) ?? [];
      if (field === "event") this.#event = value;
      else if (field === "data") this.#data.push(value);
      return undefined;
    }
    // An empty line ends the event; one without data is none.
    const event = this.#event || "message";
    const data = this.#data.splice(0);
    this.#event = "";
    return data.length > 0 ? { event, data: data.join("\n") } : undefined;
  }
}
