/** Reads response bodies in chunks, up to a limit. */
import type { ErrorResult } from "../core/call/outcome.ts";
import { isTooDeep, tooDeepError } from "../core/call/parse_answer.ts";
import type { ActivityMonitor } from "../core/call/transport.ts";
import { ToolError } from "../core/errors/tool_error.ts";
import { asObject } from "../internal/json.ts";

/** A body as text, in chunks of any size. */
export type TextChunks = AsyncGenerator<string, void, undefined>;

/** A body in chunks of any size. */
export type ByteChunks = AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined>;

/** Whether a response redirects: its status is below 400 and not 2xx. In a browser a redirect is opaque: its status is 0. */
export function isRedirect({ ok, status }: Response): boolean {
  return !ok && status < 400;
}

/** Whether a response is a stream of Server-Sent Events, by its `Content-Type`. */
export function isEventStream({ headers }: Response): boolean {
  return /^text\/event-stream\b/i.test(headers.get("content-type") ?? "");
}

/** Cancels a body that is not read. */
export function cancelBody({ body }: Response): void {
  // If the connection is closed already, cancelling fails. There is nothing left to do then.
  void body?.cancel().catch(() => {});
}

/**
 * Reads a body as text. Returning from the generator closes the connection. The byte order mark of a longer body is kept.
 *
 * @throws {ToolError} `result_too_large` if the body is larger than `maxBytes`.
 */
export function readChunks(response: Response, monitor: ActivityMonitor, maxBytes: number): TextChunks {
  if (isShort(response, maxBytes)) return readAtOnce(() => response.text());
  // Deno would remove U+FEFF at the start of any chunk as a byte order mark.
  const decoder = new TextDecoder(undefined, { ignoreBOM: true });
  return readBody(
    response.body,
    monitor,
    maxBytes,
    REUSES_BUFFER,
    (bytes) => decoder.decode(bytes, { stream: bytes !== undefined }),
  );
}

/**
 * Maximum size of a body that is read in one chunk, in bytes: one of this size fits into one packet. A longer one is read as it comes, since each
 * part of it begins the idle timeout again.
 */
const SHORT_BYTES = 1_400;

/**
 * Whether a body is short, and the runtime itself ends it at its declared length. A compressed body may be of any size, and a page does not
 * see whether one of another origin is compressed.
 */
function isShort(response: Response, maxBytes: number): boolean {
  const { headers } = response;
  const declared = headers.get("content-length");
  return declared !== null && Number(declared) <= Math.min(SHORT_BYTES, maxBytes) &&
    headers.get("content-encoding") === null && isFetched(response);
}

/** Whether the runtime's `fetch` has made a response of one origin. Bun gives the type of those that programs make, which have no URL. */
function isFetched(response: Response): boolean {
  return response.type === "basic" || (response.type === "default" && response.url !== "");
}

/** A reader of the body's stream takes as long as half of a call on Deno, and a fifth of one on Bun. */
async function* readAtOnce<Chunk>(read: () => Promise<Chunk>): AsyncGenerator<Chunk, void, undefined> {
  yield await read();
}

/** Reads a body as bytes. Otherwise like {@link readChunks}. */
export function readBytes(response: Response, monitor: ActivityMonitor, maxBytes: number): ByteChunks {
  if (isShort(response, maxBytes)) return readAtOnce(async () => new Uint8Array(await response.arrayBuffer()));
  return readBody(response.body, monitor, maxBytes, false, (bytes = new Uint8Array()) => bytes);
}

/**
 * @param reusesBuffer Whether chunks may share one buffer, because `convert` copies them.
 * @param convert Converts a chunk. At the end of the body it is called without one.
 */
async function* readBody<Chunk extends string | Uint8Array>(
  body: Response["body"],
  monitor: ActivityMonitor,
  maxBytes: number,
  reusesBuffer: boolean,
  convert: (bytes?: Uint8Array<ArrayBuffer>) => Chunk,
): AsyncGenerator<Chunk, void, undefined> {
  if (body === null) return;
  let buffer: ArrayBuffer | undefined;
  let reader: Reader;
  try {
    reader = body.getReader(reusesBuffer ? { mode: "byob" } : undefined) as unknown as Reader;
    buffer = reusesBuffer ? new ArrayBuffer(16_384) : undefined;
  } catch {
    // Streams that are made in this process are seldom byte streams.
    reader = body.getReader() as unknown as Reader;
  }
  // An injected fetch may not tie the body to the signal, as the global one does.
  const cancel = () => void reader.cancel().catch(() => {});
  monitor.signal.addEventListener("abort", cancel);
  let length = 0;
  try {
    for (;;) {
      const read = await reader.read(buffer && new Uint8Array(buffer));
      if (read.done) break;
      monitor.suspend();
      const chunk = convert(read.value);
      length += read.value.length;
      if (length > maxBytes) throw new ToolError("result_too_large", `The answer is larger than ${maxBytes} bytes`);
      buffer &&= read.value.buffer;
      yield chunk;
      monitor.markActive();
    }
    const last = convert();
    if (last.length > 0) yield last;
  } finally {
    monitor.signal.removeEventListener("abort", cancel);
    cancel();
  }
}

/**
 * Whether text is read into one reused buffer. Deno otherwise allocates 64 KiB for each chunk, which costs more than the rest of
 * a streamed call. On other runtimes the buffer would be an additional one.
 */
const REUSES_BUFFER = /^Deno/.test(globalThis.navigator?.userAgent);

/** Either kind of reader. A reader that allocates its own buffers ignores the argument. */
interface Reader {
  read(buffer: Uint8Array<ArrayBuffer> | undefined): Promise<ReadResult>;
  cancel(): Promise<void>;
}

/** A chunk of a response body, or its end. */
type ReadResult = { readonly done: false; readonly value: Uint8Array<ArrayBuffer> } | { readonly done: true };

/** Joins the chunks of a body, and removes its byte order mark. */
export async function readText(chunks: TextChunks): Promise<string> {
  let text = "";
  for await (const chunk of chunks) text += chunk;
  return text.replace(/^\ufeff/, "");
}

/**
 * Reads a body as text and as JSON; `json` is `undefined` if the text is not JSON.
 *
 * @throws {ToolError} `result_too_large` if it is nested too deeply.
 */
export async function readJson(chunks: TextChunks): Promise<{ readonly text: string; readonly json: unknown }> {
  const text = await readText(chunks);
  if (isTooDeep(text)) throw tooDeepError();
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    // The caller has the text.
  }
  return { text, json };
}

/** Adds the delay of a `Retry-After` header (seconds or a date) to the error's `data` as `retry_after_ms`, unless `data` has one. */
export function addRetryAfter(error: ErrorResult, headers: Headers): ErrorResult {
  const header = headers.get("retry-after") ?? "";
  const delayMs = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  // False for NaN, which is the result of an invalid date.
  return delayMs >= 0 ? { ...error, data: { retry_after_ms: delayMs, ...asObject(error.data) } } : error;
}
