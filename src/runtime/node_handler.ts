/**
 * A request of `node:http`, as wires see requests, without a `Request` or a `Response` in between: on Node these cost more
 * than everything else together.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Metadata, Principal } from "../core/call/call.ts";
import { pathOf } from "../server/fetch_request.ts";
import type { Server } from "../server/server.ts";
import type { Head, Reply } from "../wires/wire.ts";
import { cancel, leftSignal, NodeBody, NodeMetadata, pump } from "./node_streams.ts";

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
export function toNodeHandler(server: Pick<Server, "~server" | "limits">): NodeHandler {
  return (anyRequest, anyResponse) => {
    const [request, response] = [anyRequest as IncomingMessage, anyResponse as ServerResponse];
    const reply = server["~server"].handle(
      new NodeHead(request, response),
      new NodeBody(request, request.headers, server.limits.bodyBytes),
    );
    if (reply instanceof Promise) void reply.then((later) => send(later, response));
    else send(reply, response);
  };
}

class NodeHead implements Head {
  principal: Principal | undefined = undefined;
  readonly carriesTrailers = false;
  readonly method: string;
  readonly path: string;
  readonly metadata: Metadata;
  readonly #response: ServerResponse;
  #signal: AbortSignal | undefined = undefined;

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.#response = response;
    this.method = request.method ?? "GET";
    // Express takes the path that a handler is mounted on away from `url`, and keeps the whole in `originalUrl`.
    const { originalUrl = request.url ?? "/" } = request as IncomingMessage & { readonly originalUrl?: string };
    this.path = pathOf(originalUrl);
    this.metadata = new NodeMetadata(request.headers);
  }

  get authority(): string {
    return this.metadata.get(":authority") ?? "";
  }

  get signal(): AbortSignal {
    return (this.#signal ??= leftSignal(this.#response, () => this.#response.writableFinished));
  }

  get streamAbortSignal(): AbortSignal {
    return this.signal;
  }

  disableIdleTimeout(): void {
    // Node cuts no quiet connection while a request is being answered.
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
    // What breaks on the way ends its own answer, and nothing else.
    pump(reply.body, response).catch(() => response.destroy());
  }
}
