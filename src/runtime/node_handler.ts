/**
 * A request of `node:http`, as wires see requests, without a `Request` or a `Response` in between: on Node these cost more
 * than everything else together.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Metadata, Principal } from "../call/call.ts";
import { type Refusal, refuse } from "../call/outcome.ts";
import { decodeUtf8, pathOf, tooLarge } from "../server/fetch_request.ts";
import type { Server } from "../server/server.ts";
import type { Body, Head, Reply } from "../wires/wire.ts";

/** A listener for `http.createServer`, and for frameworks that pass on Node's own request and response. */
export type NodeHandler = (request: NodeRequest, response: NodeResponse) => void;

/** Any `IncomingMessage` of `node:http`, named without Node's types, which not every consumer has. */
export interface NodeRequest {
  /** The method. */
  readonly method?: string | undefined;
  /** The path and the query. */
  readonly url?: string | undefined;
}

/** Any `ServerResponse` of `node:http`. */
export interface NodeResponse {
  /** Whether the headers are sent. */
  readonly headersSent: boolean;
}

/**
 * Serves a server on `node:http`, or inside Express and its like (before any body parser: the body must be unread).
 *
 * @example Inside a `node:http` server
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { toNodeHandler } from "jsr:@toolwire/toolwire/serve";
 * import { createServer as createHttpServer } from "node:http";
 *
 * const server = createServer({ tools: [defineTool("ping").describe("Answer").handle(() => "pong")] });
 * const http = createHttpServer(toNodeHandler(server));
 * http.listen(0, "127.0.0.1", () => http.close());
 * ```
 */
export function toNodeHandler(server: Pick<Server, "handle" | "limits">): NodeHandler {
  return (anyRequest, anyResponse) => {
    const [request, response] = [anyRequest as IncomingMessage, anyResponse as ServerResponse];
    const reply = server.handle(new NodeHead(request, response), new NodeBody(request, server.limits.bodyBytes));
    if (reply instanceof Promise) void reply.then((later) => send(later, response));
    else send(reply, response);
  };
}

class NodeHead implements Head {
  readonly principal: Principal | undefined = undefined;
  readonly method: string;
  readonly path: string;
  readonly metadata: Metadata;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  #signal: AbortSignal | undefined = undefined;

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.#request = request;
    this.#response = response;
    this.method = request.method ?? "GET";
    // Express takes the path that a handler is mounted on away from `url`, and keeps the whole in `originalUrl`.
    const { originalUrl = request.url ?? "/" } = request as IncomingMessage & { readonly originalUrl?: string };
    this.path = pathOf(originalUrl);
    this.metadata = { get: (name) => this.#header(name.toLowerCase()) };
  }

  get authority(): string {
    return this.#header(":authority") ?? "";
  }

  get signal(): AbortSignal {
    return (this.#signal ??= this.#watch());
  }

  get streamSignal(): AbortSignal {
    return this.signal;
  }

  keepOpen(): void {
    // Node cuts no quiet connection while a request is being answered.
  }

  #header(name: string): string | null {
    const { headers } = this.#request;
    const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
    return value === undefined ? null : typeof value === "string" ? value : value.join(", ");
  }

  #watch(): AbortSignal {
    const controller = new AbortController();
    const leave = () => {
      if (!this.#response.writableFinished) controller.abort();
    };
    if (this.#response.destroyed) leave();
    else this.#response.once("close", leave);
    return controller.signal;
  }
}

const ALREADY_READ: Refusal = refuse(
  "invalid_request",
  "The body was read before it came here: put toNodeHandler() in front of body parsers",
);

class NodeBody implements Body {
  readonly #request: IncomingMessage;
  readonly #maxBytes: number;

  constructor(request: IncomingMessage, maxBytes: number) {
    this.#request = request;
    this.#maxBytes = maxBytes;
  }

  text(): Promise<string | Refusal> {
    return this.bytes().then((bytes) => bytes instanceof Uint8Array ? decodeUtf8(bytes) : bytes);
  }

  bytes(): Promise<Uint8Array<ArrayBuffer> | Refusal> {
    const request = this.#request;
    const maxBytes = this.#maxBytes;
    if (request.readableEnded || request.destroyed) return Promise.resolve(ALREADY_READ);
    return new Promise((resolve) => {
      const chunks: Uint8Array<ArrayBuffer>[] = [];
      let length = 0;
      if (Number(request.headers["content-length"] ?? 0) > maxBytes) resolve(tooLarge(maxBytes));
      request.on("data", (chunk: Uint8Array<ArrayBuffer>) => {
        length += chunk.length;
        // What is over the limit is read and dropped, so that the connection can go on.
        if (length <= maxBytes) chunks.push(chunk);
        else {
          chunks.length = 0;
          resolve(tooLarge(maxBytes));
        }
      });
      request.once(
        "end",
        () => resolve(chunks.length === 1 ? (chunks[0] as Uint8Array<ArrayBuffer>) : Buffer.concat(chunks)),
      );
      request.once("close", () => resolve(refuse("invalid_request", "The body could not be read to its end")));
      request.on("error", () => {});
    });
  }
}

function send(reply: Reply, response: ServerResponse): void {
  if (response.destroyed) return void cancel(reply);
  if (typeof reply.body === "string" || reply.body instanceof Uint8Array) {
    response.writeHead(reply.status, { ...reply.headers, "content-length": Buffer.byteLength(reply.body) }).end(
      reply.body,
    );
  } else if (reply.body === null) response.writeHead(reply.status, reply.headers).end();
  else {
    response.writeHead(reply.status, reply.headers);
    void pump(reply.body, response);
  }
}

function cancel(reply: Reply): void {
  if (reply.body instanceof ReadableStream) void reply.body.cancel();
}

/** Passes a stream on, no faster than it is read, and tells it when the reader has gone. */
async function pump(body: ReadableStream<Uint8Array>, response: ServerResponse): Promise<void> {
  const reader = body.getReader();
  const gone = once(response, "close").then(() => reader.cancel()).catch(() => {});
  for (let read = await reader.read(); !read.done && !response.destroyed; read = await reader.read()) {
    if (!response.write(read.value)) await Promise.race([once(response, "drain"), gone]);
  }
  response.end();
}
