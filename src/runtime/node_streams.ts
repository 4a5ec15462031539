/** Reads requests from Node's streams and writes replies to them, for HTTP/1 and HTTP/2. */
import { Buffer } from "node:buffer";
import type { Readable, Writable } from "node:stream";
import type { Metadata } from "../core/call/call.ts";
import { type ErrorResult, errorResult } from "../core/call/outcome.ts";
import { Future } from "../internal/future.ts";
import { payloadTooLarge } from "../core/call/payload_too_large.ts";
import { decodeUtf8, UNREADABLE } from "../server/fetch_request.ts";
import type { Body, Reply } from "../wires/wire.ts";

/** Headers of Node, with names in lower case. */
export type NodeHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Reads headers of `node:http` and `node:http2` by name, in any case. Several values are joined by commas; `null` if missing. */
export class NodeMetadata implements Metadata {
  readonly #headers: NodeHeaders;

  constructor(headers: NodeHeaders) {
    this.#headers = headers;
  }

  get(name: string): string | null {
    const key = name.toLowerCase();
    const value = Object.hasOwn(this.#headers, key) ? this.#headers[key] : undefined;
    return value === undefined ? null : typeof value === "string" ? value : value.join(", ");
  }
}

/** Time between the error for a body that took too long and the end of its request, in milliseconds. The reply is sent meanwhile. */
const LINGER_MS = 1_000;

/** Body of a request of `node:http`, read within a limit of bytes and time. */
export class NodeBody implements Body {
  readonly #request: Readable;
  readonly #headers: NodeHeaders;
  readonly #maxBytes: number;
  readonly #timeoutMs: number | undefined;

  /** @param timeoutMs Time limit for receiving the body, in milliseconds. `undefined` if the runtime enforces one. */
  constructor(request: Readable, headers: NodeHeaders, maxBytes: number, timeoutMs?: number) {
    this.#request = request;
    this.#headers = headers;
    this.#maxBytes = maxBytes;
    this.#timeoutMs = timeoutMs;
  }

  text(): Future<string | ErrorResult> {
    return this.bytes().map((bytes) => bytes instanceof Uint8Array ? decodeUtf8(bytes) : bytes);
  }

  bytes(): Future<Uint8Array<ArrayBuffer> | ErrorResult> {
    const body = new Future<Uint8Array<ArrayBuffer> | ErrorResult>();
    const request = this.#request;
    if (request.readableEnded || request.destroyed) body.receive(UNREADABLE);
    else this.#readInto(body);
    return body;
  }

  #readInto(body: Future<Uint8Array<ArrayBuffer> | ErrorResult>): void {
    const request = this.#request;
    const maxBytes = this.#maxBytes;
    const chunks: Uint8Array<ArrayBuffer>[] = [];
    let length = 0;
    const timer = this.#timeoutMs && setTimeout(() => {
      length = Infinity;
      chunks.length = 0;
      body.receive(errorResult("deadline_exceeded", `The body was not received within ${this.#timeoutMs} ms`));
      // After the reply was sent.
      setTimeout(() => request.destroy(), LINGER_MS);
    }, this.#timeoutMs);
    const declaredBytes = Number(this.#headers["content-length"] ?? 0);
    if (declaredBytes > maxBytes) body.receive(payloadTooLarge("body", maxBytes, declaredBytes));
    request.on("data", (chunk: Uint8Array<ArrayBuffer>) => {
      length += chunk.length;
      // Data above the limit is read and discarded, so that the connection can be reused.
      if (length <= maxBytes) chunks.push(chunk);
      else {
        chunks.length = 0;
        body.receive(payloadTooLarge("body", maxBytes));
      }
    });
    request.once(
      "end",
      () => body.receive(chunks.length === 1 ? (chunks[0] as Uint8Array<ArrayBuffer>) : Buffer.concat(chunks)),
    );
    request.once("end", () => clearTimeout(timer));
    request.once("close", () => {
      clearTimeout(timer);
      body.receive(UNREADABLE);
    });
    request.on("error", () => {});
  }

  async *stream(): AsyncGenerator<Uint8Array, void, undefined> {
    const request = this.#request;
    try {
      // Ending the request would also end the reply, which may still be written.
      yield* request.iterator({ destroyOnReturn: false });
    } catch {
      // The client has disconnected.
    } finally {
      request.resume();
    }
  }
}

/**
 * Writes a stream to a response at the speed of the client, then ends the response. Cancels the stream if the response closes.
 *
 * @param waitForMore Additional wait after each chunk.
 */
export async function pump(
  body: ReadableStream<Uint8Array>,
  response: Writable,
  waitForMore?: () => Promise<void> | undefined,
): Promise<void> {
  const reader = body.getReader();
  const leave = () => void reader.cancel().catch(() => {});
  if (response.destroyed) return leave();
  response.once("close", leave);
  for (let read = await reader.read(); !read.done && !response.destroyed; read = await reader.read()) {
    if (!response.write(read.value)) await drained(response);
    await waitForMore?.();
  }
  response.off("close", leave);
  if (response.destroyed) leave();
  else response.end();
}

function drained(response: Writable): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      response.off("drain", go).off("close", go);
      resolve();
    };
    response.on("drain", go).on("close", go);
  });
}

/** Creates a signal that aborts when `response` closes, or has closed, while `isAnswered` returns `false`: the client has disconnected. */
export function leftSignal(response: Writable, isAnswered: () => boolean): AbortSignal {
  const controller = new AbortController();
  const leave = () => {
    if (!isAnswered()) controller.abort();
  };
  if (response.destroyed) leave();
  else response.once("close", leave);
  return controller.signal;
}

/** Cancels the body of a reply that is not sent, because its reader has disconnected. Only streams have to be cancelled. */
export function cancel({ body }: Reply): void {
  if (body instanceof ReadableStream) void body.cancel().catch(() => {});
}
