/**
 * A `Request`, as wires see requests.
 *
 * Whatever the client made up (its URL, its headers, its body) ends in a value, never in an exception.
 *
 * @module
 */
import type { Metadata, Principal } from "../core/call/call.ts";
import { type ErrorResult, errorResult } from "../core/call/outcome.ts";
import type { Body, Head, Reply } from "../wires/wire.ts";

const decoder = new TextDecoder();
const strictDecoder = new TextDecoder("utf-8", { fatal: true });

/** What a decoder puts in the place of bytes that are not UTF-8; rarely, what was sent. */
const REPLACEMENT = "\ufffd";

/** Head and body of a `Request`. */
export class FetchRequest implements Head, Body {
  principal: Principal | undefined = undefined;
  readonly carriesTrailers = false;
  readonly path: string;
  readonly metadata: Metadata;
  readonly #request: Request;
  readonly #runtime: unknown;
  readonly #maxBytes: number;

  /**
   * @param request The request.
   * @param runtime What the runtime gave as the second argument of `fetch`: on Bun its server.
   * @param maxBytes Largest body, in bytes.
   */
  constructor(request: Request, runtime: unknown, maxBytes: number) {
    this.path = pathOf(request.url);
    this.metadata = request.headers;
    this.#request = request;
    this.#runtime = runtime;
    this.#maxBytes = maxBytes;
  }

  get method(): string {
    return this.#request.method;
  }

  get authority(): string {
    const { url } = this.#request;
    return url.slice(url.indexOf("://") + 3).replace(/[/?#].*$/s, "");
  }

  get signal(): AbortSignal {
    return this.#request.signal;
  }

  get streamAbortSignal(): AbortSignal | undefined {
    // Deno, whose `fetch` gets a `completed`, warns whoever looks at the signal of a request that is then answered. Only the
    // name is looked for: to read it makes a promise that rejects, and would end the process, when the caller goes.
    const runtime = this.#runtime;
    const isDeno = typeof runtime === "object" && runtime !== null && "completed" in runtime;
    return isDeno ? undefined : this.#request.signal;
  }

  disableIdleTimeout(): void {
    // Bun ends a connection that is quiet for 10 s, unless it is told not to, for this request.
    const { timeout } = (this.#runtime ?? {}) as { timeout?: unknown };
    if (typeof timeout === "function") timeout.call(this.#runtime, this.#request, 0);
  }

  text(): Promise<string | ErrorResult> {
    return this.#read().then(
      (bytes) => this.#fits(bytes) ? decodeUtf8(bytes) : payloadTooLarge(this.#maxBytes),
      unreadable,
    );
  }

  bytes(): Promise<Uint8Array<ArrayBuffer> | ErrorResult> {
    return this.#read().then((bytes) => this.#fits(bytes) ? bytes : payloadTooLarge(this.#maxBytes), unreadable);
  }

  stream(): AsyncIterable<Uint8Array> {
    return this.#request.body ?? new ReadableStream({ start: (controller) => controller.close() });
  }

  /** The bytes; `undefined` if there are too many. */
  #read(): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const declaredBytes = Number.parseInt(this.metadata.get("content-length") ?? "", 10);
    // Without a length nobody knows when to stop but us.
    if (Number.isNaN(declaredBytes)) return readUpTo(this.#request.body, this.#maxBytes);
    return declaredBytes > this.#maxBytes ? Promise.resolve(undefined) : this.#request.bytes();
  }

  #fits(bytes: Uint8Array<ArrayBuffer> | undefined): bytes is Uint8Array<ArrayBuffer> {
    return bytes !== undefined && bytes.length <= this.#maxBytes;
  }
}

let lastUrl = "";
let lastPath = "";

/**
 * Path of a URL, or of a request line's target, without a slash at its end. Kept until another is asked for: a client has one
 * URL for all of its calls, and a text that was looked up before is found sooner.
 */
export function pathOf(url: string): string {
  if (url !== lastUrl) {
    lastPath = readPath(url);
    lastUrl = url;
  }
  return lastPath;
}

/** Not by `new URL`, which throws on some of what clients send. */
function readPath(url: string): string {
  const target = url.replace(/[?#].*$/s, "");
  const start = target.startsWith("/") ? 0 : target.indexOf("/", target.indexOf("://") + 3);
  return start === -1 ? "" : target.slice(start).replace(/\/$/, "");
}

/** Decodes bytes that have to be UTF-8. Only text in which something may have been replaced is decoded strictly, which is slow. */
export function decodeUtf8(bytes: Uint8Array): string | ErrorResult {
  const text = decoder.decode(bytes);
  try {
    if (text.includes(REPLACEMENT)) strictDecoder.decode(bytes);
    return text;
  } catch {
    return errorResult("parse_error", "The body is not valid UTF-8");
  }
}

/** The refusal of a body over the limit. */
export function payloadTooLarge(maxBytes: number): ErrorResult {
  return errorResult("payload_too_large", `The body is larger than ${maxBytes} bytes`);
}

function unreadable(): ErrorResult {
  return errorResult("invalid_request", "The body could not be read to its end");
}

async function readUpTo(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return concat(chunks, length);
}

function concat(chunks: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.length;
  }
  return whole;
}

/** Bun takes over `Headers` in half the time of a record; Deno takes half as long again, Node makes no difference. */
const TAKES_HEADERS = globalThis.navigator?.userAgent?.startsWith("Bun/");

let lastRecord: Reply["headers"] | undefined;
let lastHeaders: Headers | Reply["headers"];

/** A reply as a `Response`. The headers of a wire's answers are nearly always the same constant: made once. */
export function toResponse({ status, headers, body }: Reply): Response {
  if (headers !== lastRecord) {
    lastHeaders = TAKES_HEADERS ? new Headers(headers) : headers;
    lastRecord = headers;
  }
  return new Response(body, { status, headers: lastHeaders });
}
