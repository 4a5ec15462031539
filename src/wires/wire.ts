/**
 * The contracts between a server and its wires. This is the only file that wires share.
 *
 * A wire decodes calls, passes them to dispatch and encodes the results, with its own table of error codes. Validation, deadlines
 * and masking are part of dispatch. There are two kinds: a {@link RequestWire} answers HTTP requests on its paths; a
 * {@link DuplexWire} exchanges text messages over a connection, such as lines over pipes. How it works: docs/how-it-works/wires.md.
 */
import type { Icon } from "../core/call/content.ts";
import type { ClientInfo, Metadata, Peer, Principal, RequestHost } from "../core/call/call.ts";
import type { ChangeBus } from "../core/call/changes.ts";
import type { ErrorResult } from "../core/call/outcome.ts";
import type { ContentCatalog } from "../core/content/content_catalog.ts";
import type { WaitEndpoint } from "../core/dispatch/deferral.ts";
import type { Dispatch, Toolset } from "../core/dispatch/dispatcher.ts";
import type { AdmitList } from "../core/dispatch/list_admission.ts";
import type { ToolError } from "../core/errors/tool_error.ts";
import type { Clock } from "../internal/time.ts";
import type { MaybePromise } from "../internal/async.ts";
import type { Future, MaybeFuture } from "../internal/future.ts";
import type { ToolListing } from "../core/tool/listing.ts";
import type { AddedTools } from "../core/dispatch/attached_tools.ts";
import type { ToolDefinition } from "../core/tool/definition.ts";

/** What a server offers its wires: it runs their calls, and lists its tools for a caller. */
export interface WireHost {
  /** Runs calls. */
  readonly dispatch: Dispatch;
  /** The server's tools, as they are listed. */
  readonly tools: readonly ToolListing[];
  /**
   * Definitions of all tools that can be called: those of {@link WireHost.tools}, in the same order, unless `allTools` is set.
   *
   * @internal
   */
  readonly definitions: readonly ToolDefinition[];
  /** The tools that a caller may see: `tools` itself, unless some are hidden from the caller. */
  toolsFor(principal: Principal | undefined, session?: string): readonly ToolListing[];
  /**
   * Asks the limits of lists, such as those of `rateLimit()`, whether a caller may have a list now. A wire asks before each list that
   * it sends: of tools, resources or prompts, or a document of them. Returns the error to answer with; `undefined` if it may be sent.
   */
  readonly admitList: AdmitList;
  /** The full list, if `tools` is a selection of it, as with `discover()`; otherwise `undefined`. */
  readonly allTools?: WireHost | undefined;
  /**
   * Name of the tool that a call runs: that of another tool for `call_tool` of `discover()`. `undefined`: always the called tool.
   *
   * @internal
   */
  readonly targetOf?: ((tool: string, args: unknown) => string) | undefined;
  /**
   * Adds tools that are called only through the returned toolset, such as other versions of the server's tools. To be called
   * while the server is created, and on every replica alike: promises of these tools are identified by name and tag.
   *
   * @throws {TypeError} If two of them have the same name, one has a reserved name, or the tag is in use.
   */
  addToolset(added: AddedTools): Toolset;
  /** The server's resources and prompts; `undefined` if it has none. */
  readonly catalog: ContentCatalog | undefined;
  /** Path below which the wires answer; `""` for the root. Their own paths are without it, as are the paths of heads. */
  readonly basePath: string;
  /**
   * The request wires that the server was created with. Those for MCP have options that its other transports share.
   *
   * @internal
   */
  readonly wires: readonly RequestWire[];
  /** The mounted request wires, in order. Complete only after the server was created. */
  readonly mounted: readonly MountedPaths[];
  /** Change notifications of the server. */
  readonly changes: ChangeBus;
  /** Name and version of the server. */
  readonly info: ServerInfo;
  /** Limits on requests and results. */
  readonly limits: Limits;
  /** Source of time and timers; tests replace it. */
  readonly clock: Clock;
  /**
   * Parts of wires that the server brings, by name of the wire. The front door brings all; of `./core`, options of the wires take
   * them as values. Default: none.
   *
   * @internal
   */
  readonly features?: Readonly<Record<string, object>> | undefined;
  /**
   * Headers for a reply with this error and its HTTP status: `www-authenticate` if the caller is not authenticated or lacks a
   * permission, otherwise `undefined`.
   *
   * @param path A path of the wire. Paths can belong to different protected resources.
   */
  challenge(error: ErrorResult, path: string): Readonly<Record<string, string>> | undefined;
  /** How callers authenticate; `undefined` if the server does not authenticate them. */
  readonly security: AuthDescription | undefined;
}

/** How the callers of a server authenticate. */
export interface AuthDescription {
  /** Security schemes of OpenAPI 3.1, by name, for the OpenAPI document. A caller needs one of them. `undefined` if they are not described. */
  readonly schemes: Readonly<Record<string, Readonly<Record<string, unknown>>>> | undefined;
  /** Whether calls without a principal are accepted too. */
  readonly allowsAnonymous: boolean;
}

/** Description of a server for its callers. */
export interface ServerInfo {
  /** Name of the server. */
  readonly name: string;
  /** Version of the server. */
  readonly version: string;
  /** Title, for people. */
  readonly title?: string | undefined;
  /** Purpose of the server, for people. */
  readonly description?: string | undefined;
  /** URL of a page about the server. */
  readonly websiteUrl?: string | undefined;
  /** Icons of the server. */
  readonly icons?: readonly Icon[] | undefined;
  /** Instructions for models that use the tools. */
  readonly instructions?: string | undefined;
}

/** Limits of a server on requests and results. What exceeds them is an error. */
export interface Limits {
  /** Maximum size of a body in bytes, after decompression. Default: 1 MiB. */
  readonly bodyBytes: number;
  /** Maximum nesting of arrays and objects in requests and results. Default: 512. */
  readonly depth: number;
  /**
   * Maximum size of a result, or of one piece of a streamed result, in UTF-16 code units of JSON. An estimate, made before the
   * result is encoded: an escape counts as the character that it encodes, a number as 5, or as 18 with a fraction. Default: 8 Mi.
   */
  readonly answerChars: number;
  /** Maximum size of a stored result of deferred work, in UTF-16 code units of JSON. Default: 4 Mi. */
  readonly resultChars: number;
}

/** A protocol over HTTP, as a value: `createServer({ wires: [mcpLite()] })`. */
export interface RequestWire {
  /** Name of the wire, such as `mcp-lite`. */
  readonly name: string;
  /**
   * Checks values for waits of handlers where they arrive: on the wire of `resolver()`.
   *
   * @internal
   */
  readonly "~waitEndpoint"?: WaitEndpoint | undefined;
  /** Binds the wire to a server. */
  mount(host: WireHost): MountedWire;
}

/** A request wire that is mounted on a server: it answers the HTTP requests on its paths. */
export interface MountedWire {
  /**
   * Every path that the wire answers, without trailing slash. A path that ends in `/*` stands for all paths below it that no other
   * wire has.
   */
  readonly paths: readonly string[];
  /** Headers of its replies that pages of other origins may read. Default: none. */
  readonly exposedHeaders?: readonly string[] | undefined;
  /** Methods that pages of other origins may use. Default: `POST`. */
  readonly methods?: readonly string[] | undefined;
  /**
   * Those of its paths, as in {@link MountedWire.paths}, that anyone may request: the server checks neither authentication nor `Origin`, and the wire handles CORS.
   * Default: none.
   */
  readonly unauthenticatedPaths?: readonly string[] | undefined;
  /** Whether the wire answers at the root of the origin too if the server has a `basePath`, as well-known URIs do. Default: `false`. */
  readonly isAtRoot?: boolean | undefined;
  /** The protected resource that the wire describes. Authentication errors refer to its metadata. */
  readonly protectedResource?: ProtectedResource | undefined;
  /** Answers a request on one of its paths. Never throws, never rejects. */
  handle(head: Head, body: Body): MaybeFuture<Reply>;
  /**
   * Encodes an error that was found before the body was read, in the origin or the authentication of the request. The server adds
   * the headers of {@link WireHost.challenge}. Never throws, never rejects. Default, also for `undefined`: a JSON-RPC error without
   * an id, as MCP-lite encodes it.
   *
   * @param status Required HTTP status of the reply. Default: the status that the wire has for the error code.
   */
  errorReply?(head: Head, error: ErrorResult, status?: number): MaybePromise<Reply> | undefined;
  /** Closes the streams that are open independently of calls. Called when the server closes. */
  close?(): void;
  /** Resources of its options, such as a store of sessions, that the server closes after the calls under way have ended. Default: none. */
  readonly resources?: readonly { close?(): MaybePromise<void> }[] | undefined;
  /** Headers with the credentials of a request, for clients that cannot send `Authorization`. Default: those of the request. */
  credentials?(head: Head): Metadata;
  /** Describes its paths for an OpenAPI document, with these tools. Default: the document leaves them out. */
  readonly describe?: ((tools: readonly ToolListing[]) => OpenApiParts) | undefined;
}

/** Whether a path is among `unauthenticatedPaths` of a wire, or below one that ends in `/*`. `false` without a wire. */
export function isUnauthenticated(wire: MountedWire | undefined, path: string): boolean {
  const { unauthenticatedPaths } = wire ?? {};
  return unauthenticatedPaths !== undefined &&
    unauthenticatedPaths.some((one) => one === path || (one.endsWith("/*") && path.startsWith(one.slice(0, -1))));
}

/** Name and paths of a mounted wire, and its OpenAPI description, as other wires see them in {@link WireHost.mounted}. */
export interface MountedPaths extends Pick<MountedWire, "paths" | "describe"> {
  /** Name of the wire. */
  readonly wire: string;
}

/** Parts of an OpenAPI 3.1 document. */
export interface OpenApiParts {
  /** Path items, by path. */
  readonly paths: Readonly<Record<string, unknown>>;
  /** Components, by kind and name: `{ schemas: { … } }`. */
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** A protected resource with metadata for its clients (RFC 9728). */
export interface ProtectedResource {
  /** Path of the resource, without trailing slash. This path and all paths below it are protected. */
  readonly path: string;
  /** URL of the metadata. */
  readonly metadataUrl: string;
}

/** A request without its body, in the same form on all runtimes. */
export interface Head {
  /** In upper case. */
  readonly method: string;
  /** Path of the URL as it was sent, without query. The server removes its `basePath` before a wire handles the request. */
  path: string;
  /** The URL, or the request target, as it was sent: with its query, and with the path of a mount. */
  readonly target: string;
  /** Host and port of the URL. Requests over HTTP/2 may have no `Host` header. */
  readonly authority: string;
  /** The headers. */
  readonly metadata: Metadata;
  /** Aborts when the client disconnects. Costly on some runtimes: read it only if it is needed. */
  readonly signal: AbortSignal | undefined;
  /**
   * The same for a streamed reply. `undefined` if the runtime cancels the body of the reply instead, where reading `signal` is
   * costly.
   */
  readonly streamAbortSignal: AbortSignal | undefined;
  /** The authenticated caller. The server sets it before a wire handles the request. */
  principal: Principal | undefined;
  /** Why the program around the server refuses the caller. The server answers with it, except on public paths. */
  readonly refusal?: ToolError | undefined;
  /** What the runtime passed beside the request; `undefined` without `fetch`. */
  readonly host?: RequestHost | undefined;
  /** Whether the reply may have trailers: with HTTP/2 of `node:http2`, never with `fetch`. */
  readonly carriesTrailers: boolean;
  /** Announces a reply that takes long: the runtime must not close the idle connection. */
  disableIdleTimeout(): void;
}

/** The body of a request. Only one of the three methods may be called, once. */
export interface Body {
  /** The whole body as text; an error if it is too large or not UTF-8. */
  text(): Future<string | ErrorResult>;
  /** The whole body as bytes; an error if it is too large. */
  bytes(): Future<Uint8Array<ArrayBuffer> | ErrorResult>;
  /** The chunks of the body as they arrive, without a limit on their total size, until the body ends or the connection breaks. */
  stream(): AsyncIterable<Uint8Array>;
}

/** An HTTP response as plain data. Adapters for Node write it without creating a `Response`. */
export interface Reply {
  /** HTTP status. */
  readonly status: number;
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** `null` for an empty body. */
  readonly body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null;
  /** Trailers, read after the whole body. Only for requests whose head carries trailers. */
  readonly trailers?: (() => Readonly<Record<string, string>>) | undefined;
  /** Accepts the request as a WebSocket in place of the reply. */
  readonly upgrade?: Upgrade | undefined;
}

/** A WebSocket that a wire accepts. Authentication, `Host` and `Origin` were checked with its request. */
export interface Upgrade {
  /** The selected subprotocol. */
  readonly protocol: string;
  /** Maximum size of a message in bytes. */
  readonly maxBytes: number;
  /** Accepts a request of `fetch`, where the runtime can do that by a `Response`; otherwise returns an error response. */
  respond(request: Request, runtime: unknown): Response;
  /** Serves the accepted socket. */
  open(port: FramePort): FrameListener;
}

/** A WebSocket of the runtime. No method throws. */
export interface FramePort {
  /** Sends a text message. `false`: it was dropped, because the buffer is full or the socket is closed. */
  send(text: string): boolean;
  /** Number of bytes that wait to be sent; 0 where the runtime does not report it. */
  buffered(): number;
  /** Sends a ping frame. Left out where the runtime sends none, or closes dead connections by itself. */
  ping?(): void;
  /** Starts the closing handshake. */
  close(code: number, reason: string): void;
  /** Ends the connection without the handshake. */
  terminate(): void;
  /** Whether the runtime itself closes a connection whose peer is silent. Default: `false`. */
  readonly closesSilent?: boolean | undefined;
  /**
   * Whether `terminate()` cannot close a connection whose peer does not answer the handshake. Such a connection counts as open until it
   * is closed. Default: `false`.
   */
  readonly closesLate?: boolean | undefined;
}

/** Receives the messages of one WebSocket, and its end, from a {@link FramePort}. */
export interface FrameListener {
  /** A message: text, or anything else for binary data. */
  message(data: unknown): void;
  /** A ping or pong frame. */
  active(): void;
  /** There is room in the buffer again. Where the runtime does not report it, the buffer is polled. */
  drain(): void;
  /** The connection has ended. */
  closed(): void;
}

const ANONYMOUS: ClientInfo = {};

/** Caller of an HTTP request: principal, headers and signal are read from its head on demand, because some are costly. */
export class HeadPeer<Id extends string | number | undefined> implements Peer {
  declare readonly wire: string;
  declare readonly requestId: Id;
  readonly client: ClientInfo = ANONYMOUS;
  readonly #head: Head;
  readonly #isStreamed: boolean;

  /** Reads nothing of the head. */
  constructor(head: Head, wire: string, requestId: Id, isStreamed: boolean) {
    this.wire = wire;
    this.requestId = requestId;
    this.#head = head;
    this.#isStreamed = isStreamed;
  }

  get principal(): Principal | undefined {
    return this.#head.principal;
  }

  get metadata(): Metadata {
    return this.#head.metadata;
  }

  get host(): RequestHost | undefined {
    return this.#head.host;
  }

  get signal(): AbortSignal | undefined {
    return this.#isStreamed ? this.#head.streamAbortSignal : this.#head.signal;
  }
}

/** A protocol over connections on which both sides send text messages: lines over pipes, or the frames of a WebSocket. */
export interface DuplexWire {
  /** Name of the wire, such as `mcp`. */
  readonly name: string;
  /** Binds the wire to a server. */
  mount(host: WireHost): MountedDuplexWire;
}

/** A duplex wire that is mounted on a server: it serves connections of messages. */
export interface MountedDuplexWire {
  /**
   * Serves one connection. Registers its listeners before it returns. Never throws, never rejects.
   *
   * @returns Resolves after the connection was closed and every received message was processed.
   */
  connect(connection: MessageConnection): Promise<void>;
}

/** One connection of a duplex wire. Lines, frames and authentication are the adapter's. */
export interface MessageConnection {
  /** The authenticated caller, if there is one. */
  readonly principal?: Principal | undefined;
  /** Headers of the request that opened it. Default: none. */
  readonly metadata?: Metadata | undefined;
  /** What the runtime passed beside that request. */
  readonly host?: RequestHost | undefined;
  /** Aborts when calls that are still running have to end, because the connection is lost or the time to drain it is over. */
  readonly signal: AbortSignal;
  /** Sends a message. A returned promise resolves when there is room for the next one. Never throws, never rejects. */
  send(text: string): MaybePromise<void>;
  /**
   * Sets the listener for messages. It receives an error for a message that cannot be read: too large, or not UTF-8. With an error that
   * a message is too large it receives its start, where its id may be. The adapter reads no further message while a promise of `send` is
   * pending: answers and errors would fill the memory.
   */
  onMessage(listener: (message: string | ErrorResult, start?: string) => void): void;
  /** Sets the listener for the end of the input, called once. Responses can still be sent afterwards. */
  onClose(listener: () => void): void;
}
