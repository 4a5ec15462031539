/**
 * Server-Sent Events encoder: an event name and JSON in, one text block out.
 *
 * JSON text holds no raw line break, so that each block has exactly one `data` line, whatever was streamed.
 * Grammar: {@link https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream | WHATWG HTML 9.2.5}.
 *
 * @module
 */

/** One block, with the empty line that ends it. `json` is JSON text as `JSON.stringify` writes it. */
export function encodeSseEvent(event: string, json: string): string {
  return `event: ${event}\ndata: ${json}\n\n`;
}
