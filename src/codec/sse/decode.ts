/**
 * Server-Sent Events decoder: text in pieces in, events out, whatever the pieces cut through.
 *
 * Reads event names and data; ids and retry times mean nothing to an answer that cannot be resumed.
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
  /** Pieces of a line that has not ended: joined once, so that an endless line costs linear time. */
  #line: string[] = [];
  #endedInCr = false;
  #event = "";
  #data: string[] = [];

  /** Takes the next piece of text, and gives the events that it completes. */
  decode(text: string): SseEvent[] {
    if (text === "") return [];
    // The second half of a CRLF that was cut in two ends no line of its own.
    const lines = (this.#endedInCr && text.startsWith("\n") ? text.slice(1) : text).split(/\r\n|\r|\n/);
    this.#endedInCr = text.endsWith("\r");
    const rest = lines.pop() as string;
    const events = lines.flatMap((line) => this.#takeLine(line));
    if (rest !== "") this.#line.push(rest);
    return events;
  }

  #takeLine(end: string): SseEvent[] {
    const line = this.#line.length === 0 ? end : this.#line.join("") + end;
    this.#line = [];
    if (line === "") return this.#dispatch();
    const [, field, value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === "event") this.#event = value;
    else if (field === "data") this.#data.push(value);
    return [];
  }

  #dispatch(): SseEvent[] {
    const event = { event: this.#event === "" ? "message" : this.#event, data: this.#data.join("\n") };
    const isEvent = this.#data.length > 0;
    this.#event = "";
    this.#data = [];
    return isEvent ? [event] : [];
  }
}
