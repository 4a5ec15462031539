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
  /** The start of a line that has not ended. Only appended to, so that an endless line costs linear time. */
  #line = "";
  #endedInCr = false;
  #event = "";
  #data: string[] = [];

  /** Takes the next piece of text, and gives the events that it completes. */
  decode(text: string): SseEvent[] {
    if (text === "") return [];
    // The second half of a CRLF that was cut in two ends no line of its own.
    const [end = "", ...lines] = (this.#endedInCr ? text.replace(/^\n/, "") : text).split(/\r\n|\r|\n/);
    this.#endedInCr = text.endsWith("\r");
    lines.unshift(this.#line + end);
    this.#line = lines.pop() as string;
    return lines.flatMap((line) => this.#takeLine(line));
  }

  #takeLine(line: string): SseEvent[] {
    const [, field, value = ""] = /^(event|data)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === "event") this.#event = value;
    else if (field === "data") this.#data.push(value);
    return line === "" ? this.#dispatch() : [];
  }

  #dispatch(): SseEvent[] {
    const event = this.#event || "message";
    const data = this.#data;
    this.#event = "";
    this.#data = [];
    return data.length > 0 ? [{ event, data: data.join("\n") }] : [];
  }
}
