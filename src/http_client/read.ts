/**
 * What the clients of wires over HTTP have in common below their protocols: text that is read no further than it may be, and
 * what a response says of trying again.
 *
 * @module
 */
import type { ErrorResult } from "../core/call/outcome.ts";
import type { ActivityMonitor } from "../core/call/transport.ts";
import { ToolError } from "../core/errors/tool_error.ts";
import { asObject } from "../internal/json.ts";

/** Text in pieces, wherever they are cut. */
export type Pieces = AsyncGenerator<string, void, undefined>;

/** Whether a response sends elsewhere. In a page a redirect is opaque: its status is 0. */
export function isRedirect({ ok, status }: Response): boolean {
  return !ok && status < 400;
}

/** Lets go of an answer that nobody reads. */
export function discard({ body }: Response): void {
  // Where its connection broke before, there is nothing left to cancel: nobody needs to know.
  void body?.cancel().catch(() => {});
}

/**
 * The text of an answer, piece by piece. Whoever stops reading ends the connection.
 *
 * @param maxBytes Where there is more, `ToolError` `result_too_large` is thrown.
 */
export async function* readPieces({ body }: Response, limit: ActivityMonitor, maxBytes: number): Pieces {
  if (body === null) return;
  // Deno would take U+FEFF at the start of any chunk for a byte order mark: so only the first is looked at, here.
  const decoder = new TextDecoder(undefined, { ignoreBOM: true });
  let { reader, buffer } = readerOf(body);
  // An injected fetch may not tie the body to the signal, as a real one does.
  const leave = () => void reader.cancel().catch(() => {});
  limit.signal.addEventListener("abort", leave);
  let length = 0;
  let isBegun = false;
  try {
    for (;;) {
      const read = await reader.read(buffer && new Uint8Array(buffer));
      if (read.done) break;
      limit.suspend();
      const text = decoder.decode(read.value, { stream: true });
      const piece = isBegun ? text : text.replace(/^\ufeff/, "");
      isBegun ||= text !== "";
      length += read.value.length;
      if (length > maxBytes) throw new ToolError("result_too_large", `The answer is larger than ${maxBytes} bytes`);
      buffer &&= read.value.buffer;
      yield piece;
      limit.markActive();
    }
    yield decoder.decode();
  } finally {
    limit.signal.removeEventListener("abort", leave);
    leave();
  }
}

/**
 * Whether chunks are read into one buffer, again and again. Deno makes one of 64 KiB for each chunk else, which costs more than all
 * the rest of a streamed call; elsewhere it would be one too many.
 */
const FILLS_ONE_BUFFER = /^Deno/.test(globalThis.navigator?.userAgent);

/** A reader, and what it fills: a buffer of ours, where the stream can. */
function readerOf(body: ReadableStream<Uint8Array>): { reader: Reader; buffer: ArrayBuffer | undefined } {
  try {
    if (FILLS_ONE_BUFFER) {
      return { reader: body.getReader({ mode: "byob" }) as unknown as Reader, buffer: new ArrayBuffer(16_384) };
    }
  } catch {
    // Streams that are made in this process seldom are of bytes.
  }
  return { reader: body.getReader() as unknown as Reader, buffer: undefined };
}

/** Either kind of reader: the one that makes its own buffers pays no heed to ours. */
interface Reader {
  read(buffer: Uint8Array<ArrayBuffer> | undefined): Promise<Read>;
  cancel(): Promise<void>;
}

type Read = { readonly done: false; readonly value: Uint8Array<ArrayBuffer> } | { readonly done: true };

/** The whole text of an answer. */
export async function readText(pieces: Pieces): Promise<string> {
  let text = "";
  for await (const piece of pieces) text += piece;
  return text;
}

/** The refusal, with what the `Retry-After` header says, unless it says so itself: seconds, or a date. */
export function withRetryAfter(refusal: ErrorResult, headers: Headers): ErrorResult {
  const header = headers.get("retry-after") ?? "";
  const delayMs = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  // A date that is none, or over, says nothing.
  return delayMs >= 0 ? { ...refusal, data: { retry_after_ms: delayMs, ...asObject(refusal.data) } } : refusal;
}
