/**
 * Adapts requests of `node:http` to those of wires without `Request` and `Response`, which on Node cost more than the
 * rest of a call.
 */
import { Buffer } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Metadata, Principal } from "../core/call/call.ts";
import type { Dispatch } from "../core/dispatch/dispatcher.ts";
import { settleInto } from "../internal/future.ts";
import { ReplySender } from "../server/reply_sender.ts";
import { pathOf } from "../server/fetch_request.ts";
import type { Server, ServerInternals } from "../server/server.ts";
import type { Head, Reply } from "../wires/wire.ts";
import { whenListening } from "./when_listening.ts";
import { cancel, leftSignal, NodeBody, NodeMetadata, pump } from "./node_streams.ts";

/** A listener for `http.createServer`, or for frameworks that pass on Node's request and response. */
export type NodeHandler = (request: NodeRequest, response: NodeResponse) => void;

/** Structural type of `IncomingMessage`, because consumers may lack Node's types. */
export interface NodeRequest {
  /** HTTP method. */
  readonly method?: string | undefined;
  /** Path and query. */
  readonly url?: string | undefined;
}

/** Structural type of `ServerResponse`. */
export interface NodeResponse {
  /** Whether the headers were sent. */
  readonly headersSent: boolean;
}

/**
 * Creates a handler for `node:http`, Express and similar frameworks. Mount it before any body parser: the body must be
 * unread. Below a mount of Express, `app.use("/api", toNodeHandler(server))`, the wires answer below `/api`. Once the process listens,
 * the server takes up due jobs and schedules.
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
  whenListening(server["~server"].resumeMounted);
  return (anyRequest, anyResponse) => {
    const [request, response] = [anyRequest as IncomingMessage, anyResponse as ServerResponse];
    const { host, handle, resumeMounted } = server["~server"];
    resumeMounted();
    const head = new NodeHead(request, response, server["~server"]);
    const reply = handle(head, new NodeBody(request, request.headers, server.limits.bodyBytes));
    settleInto(reply, new ResponseSender(host.dispatch, head, response));
  };
}

class ResponseSender extends ReplySender {
  readonly #response: ServerResponse;

  constructor(dispatch: Dispatch, head: Head, response: ServerResponse) {
    super(dispatch, head);
    this.#response = response;
  }

  protected send(reply: Reply): void {
    sendReply(reply, this.#response);
  }

  protected abandon(): void {
    this.#response.destroy();
  }
}

/** Node keeps the first of several `Authorization` headers. Other runtimes join them, which no verification accepts. */
class RequestMetadata extends NodeMetadata {
  readonly #request: IncomingMessage;

  constructor(request: IncomingMessage) {
    super(request.headers);
    this.#request = request;
  }

  override get(name: string): string | null {
    if (name !== "authorization") return super.get(name);
    return this.#request.headersDistinct["authorization"]?.join(", ") ?? null;
  }
}

interface ExpressRequest extends IncomingMessage {
  readonly originalUrl?: string;
  readonly baseUrl?: string;
}

/** The path without the mount, if the server answers that. */
function pathBelow(mount: string, path: string, server: Pick<ServerInternals, "answers">): string {
  const below = path.slice(mount.length);
  return path.startsWith(mount) && server.answers(below) ? below : path;
}

/** A request of `node:http` without its body, as wires read it. Below a mount of Express its path may be that below the mount. */
export class NodeHead implements Head {
  principal: Principal | undefined;
  readonly carriesTrailers = false;
  readonly method: string;
  path: string;
  readonly target: string;
  readonly metadata: Metadata;
  readonly #response: ServerResponse;
  #signal: AbortSignal | undefined;

  constructor(request: IncomingMessage, response: ServerResponse, server: Pick<ServerInternals, "answers">) {
    this.#response = response;
    this.method = request.method ?? "GET";
    // Express removes the path of a mount from `url`, and keeps it in `baseUrl` and `originalUrl`.
    const { originalUrl = request.url ?? "/", baseUrl } = request as ExpressRequest;
    const path = pathOf(originalUrl);
    this.path = baseUrl && !server.answers(path) ? pathBelow(baseUrl, path, server) : path;
    this.target = originalUrl;
    this.metadata = new RequestMetadata(request);
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
    // Node does not close an idle connection during a request.
  }
}

/** Writes a reply to a response of `node:http`. A reply to a closed connection is cancelled. */
export function sendReply(reply: Reply, response: ServerResponse): void {
  if (response.destroyed) return void cancel(reply);
  if (typeof reply.body === "string" || reply.body instanceof Uint8Array) {
    response.writeHead(reply.status, { ...reply.headers, "content-length": Buffer.byteLength(reply.body) }).end(
      reply.body,
    );
  } else if (reply.body === null) response.writeHead(reply.status, reply.headers).end();
  else {
    response.writeHead(reply.status, reply.headers);
    // An exception ends this reply only.
    pump(reply.body, response).catch(() => response.destroy());
  }
}
