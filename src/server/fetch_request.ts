/**
 * A `Request`, as wires see requests.
 *
 * Whatever the client made up (its URL, its headers, its body) ends in a value, never in an exception.
 *
 * @module
 */
import type { Metadata, Principal } from "../call/call.ts";
import { type Refusal, refuse } from "../call/outcome.ts";
import type { Body, Head, Reply } from "../wires/wire.ts";

// Fatal: what is not UTF-8 must not become replacement characters.
const decoder = new TextDecoder("utf-8", { fatal: true });
const encoder = new TextEncoder();

const NOT_UTF8: Refusal = refuse("parse_error", "The body is not valid UTF-8");

/** What a runtime puts in the place of bytes that are not UTF-8; rarely, what was sent. */
const REPLACEMENT = "\ufffd";

/** Head and body of a `Request`. */
export class FetchRequest implements Head, Body {
  readonly principal: Principal | undefined = undefined;
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

  get streamSignal(): AbortSignal | undefined {
    // Deno, whose `fetch` gets a `completed`, warns whoever looks at the signal of a request that is then answered. Only the
    // name is looked for: to read it makes a promise that rejects, and would end the process, when the caller goes.
    const runtime = this.#runtime;
    const isDeno = typeof runtime === "object" && runtime !== null && "completed" in runtime;
    return isDeno ? undefined : this.#request.signal;
  }

  keepOpen(): void {
    // Bun ends a connection that is quiet for 10 s, unless it is told not to, for this request.
    const { timeout } = (this.#runtime ?? {}) as { timeout?: unknown };
    if (typeof timeout === "function") timeout.call(this.#runtime, this.#request, 0);
  }

  text(): Promise<string | Refusal> {
    const declared = this.metadata.get("content-length");
    // Without a length nobody knows when to stop but us.
    if (declared === null) return readUpTo(this.#request.body, this.#maxBytes).then(decodeUpTo(this.#maxBytes), unreadable);
    const bytes = Number(declared);
    if (bytes > this.#maxBytes) return Promise.resolve(tooLarge(this.#maxBytes));
    return this.#request.text().then((text) => this.#check(text, bytes), unreadable);
  }

  /**
   * Text that the runtime decoded, or why it cannot be taken. To decode it here would cost a tenth of a small call; so only
   * text in which something was replaced is looked at, and it is three bytes for what was mostly fewer.
   */
  #check(text: string, bytes: number): string | Refusal {
    if (text.length > this.#maxBytes) return tooLarge(this.#maxBytes);
    return text.includes(REPLACEMENT) && encoder.encode(text).length !== bytes ? NOT_UTF8 : text;
  }
}

/** Path of a URL, without a slash at its end. Not by `new URL`, which throws on some of what clients send. */
export function pathOf(url: string): string {
  const authority = url.indexOf("://");
  const start = authority === -1 ? 0 : url.indexOf("/", authority + 3);
  if (start === -1) return "";
  const query = url.indexOf("?", start);
  const fragment = url.indexOf("#", start);
  let end = query === -1 ? url.length : query;
  if (fragment !== -1 && fragment < end) end = fragment;
  if (end > start && url.charCodeAt(end - 1) === 0x2f /* / */) end--;
  return url.slice(start, end);
}

/** Decodes bytes that have to be UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | Refusal {
  try {
    return decoder.decode(bytes);
  } catch {
    return NOT_UTF8;
  }
}

/** The refusal of a body over the limit. */
export function tooLarge(maxBytes: number): Refusal {
  return refuse("payload_too_large", `The body is larger than ${maxBytes} bytes`);
}

function decodeUpTo(maxBytes: number): (bytes: Uint8Array | undefined) => string | Refusal {
  return (bytes) => (bytes === undefined ? tooLarge(maxBytes) : decodeUtf8(bytes));
}

function unreadable(): Refusal {
  return refuse("invalid_request", "The body could not be read to its end");
}

async function readUpTo(body: ReadableStream<Uint8Array> | null, maxBytes: number): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return concat(chunks, length);
}

function concat(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.length;
  }
  return whole;
}

/** A reply as a `Response`. */
export function toResponse(reply: Reply): Response {
  return new Response(reply.body, reply);
}
