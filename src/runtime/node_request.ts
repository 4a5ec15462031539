/** A request of `node:http`, or of Express, as wires read it. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Metadata, Principal } from "../core/call/call.ts";
import type { ErrorResult } from "../core/call/outcome.ts";
import type { ToolError } from "../core/errors/tool_error.ts";
import { Future } from "../internal/future.ts";
import { payloadTooLarge } from "../core/call/payload_too_large.ts";
import { pathOf } from "../server/fetch_request.ts";
import type { ServerInternals } from "../server/server.ts";
import type { Head, Limits } from "../wires/wire.ts";
import { leftSignal, NodeBody, NodeMetadata } from "./node_streams.ts";
import { isParsed, isRead, parsedBytes } from "./parsed_body.ts";

/** Node keeps the first of several `Authorization` headers. Other runtimes join them, which no verification accepts. */
class RequestMetadata extends NodeMetadata {
  readonly #request: IncomingMessage;

  constructor(request: IncomingMessage) {
    super(request.headers);
    this.#request = request;
  }

  override get(name: string): string | null {
    // A parser decompresses what it reads.
    if (name === "content-encoding" && isParsed(this.#request)) return null;
    if (name !== "authorization") return super.get(name);
    return this.#request.headersDistinct["authorization"]?.join(", ") ?? null;
  }
}

/** A request of Node with what Express adds. */
export interface ExpressRequest extends IncomingMessage {
  readonly originalUrl?: string;
  readonly baseUrl?: string;
  /** The route, as of `app.post("/mcp", …)`; `undefined` in middleware. */
  readonly route?: unknown;
}

/** A body that is read from the request, or was read by a parser. */
export class RequestBody extends NodeBody {
  readonly #request: IncomingMessage;
  readonly #limits: Limits;

  constructor(request: IncomingMessage, limits: Limits) {
    super(request, request.headers, limits.bodyBytes);
    this.#request = request;
    this.#limits = limits;
  }

  override bytes(): Future<Uint8Array<ArrayBuffer> | ErrorResult> {
    if (!isRead(this.#request)) return super.bytes();
    const body = new Future<Uint8Array<ArrayBuffer> | ErrorResult>();
    body.receive(this.#parsed());
    return body;
  }

  override stream(): AsyncGenerator<Uint8Array, void, undefined> {
    return isRead(this.#request) ? oneChunk(this.#parsed()) : super.stream();
  }

  #parsed(): Uint8Array<ArrayBuffer> | ErrorResult {
    const { bodyBytes, depth } = this.#limits;
    const parsed = parsedBytes(this.#request, depth);
    return "kind" in parsed || parsed.byteLength <= bodyBytes
      ? parsed
      : payloadTooLarge("body", bodyBytes, parsed.byteLength);
  }
}

/** A stream whose body cannot be read ends, as one whose client has disconnected. */
async function* oneChunk(body: Uint8Array | ErrorResult): AsyncGenerator<Uint8Array, void, undefined> {
  if (body instanceof Uint8Array) yield body;
}

/** The path without the mount, if the server answers that. */
function pathBelow(mount: string, path: string, server: Pick<ServerInternals, "answers">): string {
  const below = path.slice(mount.length);
  return path.startsWith(mount) && server.answers(below) ? below : path;
}

/** A request of `node:http` without its body, as wires read it. Below a mount of Express its path may be that below the mount. */
export class NodeHead implements Head {
  principal: Principal | undefined;
  refusal: ToolError | undefined;
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
