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

/** The head of a `Request`. */
export class FetchHead implements Head {
  readonly principal: Principal | undefined = undefined;
  readonly path: string;
  readonly #request: Request;
  readonly #host: unknown;

  /**
   * @param request The request.
   * @param host What the runtime gave as the second argument of `fetch`: on Bun its server.
   */
  constructor(request: Request, host: unknown) {
    this.#request = request;
    this.#host = host;
    this.path = pathOf(request.url);
  }

  get method(): string {
    return this.#request.method;
  }

  get metadata(): Metadata {
    return this.#request.headers;
  }

  get authority(): string {
    const { url } = this.#request;
    const start = url.indexOf("://") + 3;
    return url.slice(start).replace(/[/?#].*$/s, "");
  }

  get signal(): AbortSignal {
    return this.#request.signal;
  }

  keepOpen(): void {
    // Bun ends a connection that is quiet for 10 s, unless it is told not to, for this request.
    const { timeout } = (this.#host ?? {}) as { timeout?: unknown };
    if (typeof timeout === "function") timeout.call(this.#host, this.#request, 0);
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

// Fatal: what is not UTF-8 must not become replacement characters.
const decoder = new TextDecoder("utf-8", { fatal: true });

/** The body of a `Request`, read once, up to a limit. */
export class FetchBody implements Body {
  readonly #request: Request;
  readonly #maxBytes: number;

  constructor(request: Request, maxBytes: number) {
    this.#request = request;
    this.#maxBytes = maxBytes;
  }

  text(): Promise<string | Refusal> {
    const declared = this.#request.headers.get("content-length");
    // Without a length nobody knows when to stop but us.
    const bytes = declared === null ? readUpTo(this.#request.body, this.#maxBytes) : this.#readWhole(Number(declared));
    return bytes.then((read) => (read === undefined ? tooLarge(this.#maxBytes) : decodeUtf8(read)), unreadable);
  }

  #readWhole(declaredBytes: number): Promise<Uint8Array | undefined> {
    if (declaredBytes > this.#maxBytes) return Promise.resolve(undefined);
    return this.#request.bytes();
  }
}

/** Decodes bytes that have to be UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | Refusal {
  try {
    return decoder.decode(bytes);
  } catch {
    return refuse("parse_error", "The body is not valid UTF-8");
  }
}

/** The refusal of a body over the limit. */
export function tooLarge(maxBytes: number): Refusal {
  return refuse("payload_too_large", `The body is larger than ${maxBytes} bytes`);
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
