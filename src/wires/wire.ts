/**
 * The contract between the server and its wires: the only file that wires share.
 *
 * A wire turns a request into a call, and what becomes of it into a reply. It knows bytes, headers and statuses, and its
 * own table of error codes; validation, deadlines and masking are dispatch's.
 *
 * @module
 */
import type { Icon } from "../core/call/content.ts";
import type { ClientInfo, Metadata, Peer, Principal } from "../core/call/call.ts";
import type { ChangeBus } from "../core/call/changes.ts";
import type { ErrorResult } from "../core/call/outcome.ts";
import type { ContentCatalog } from "../core/content/content_catalog.ts";
import type { Dispatch, Toolset } from "../core/dispatch/dispatcher.ts";
import type { Clock } from "../internal/time.ts";
import type { MaybePromise } from "../internal/async.ts";
import type { ToolListing } from "../core/tool/listing.ts";
import type { AnyTool, ToolDefinition } from "../core/tool/definition.ts";

/** What a request says before its body. */
export interface Head {
  /** In upper case. */
  readonly method: string;
  /** Path of the URL, as it was sent, without query. */
  readonly path: string;
  /** Host and port of the URL, for requests without a `Host` header, as HTTP/2 has them. */
  readonly authority: string;
  /** The headers. */
  readonly metadata: Metadata;
  /** Aborts when the caller has gone. Costly on some runtimes: look only when it is needed. */
  readonly signal: AbortSignal | undefined;
  /** The same for a streamed answer; `undefined` where the runtime cancels the stream, and to ask for more has its price. */
  readonly streamAbortSignal: AbortSignal | undefined;
  /** Who calls, if that is known; the server says so before a wire looks. */
  principal: Principal | undefined;
  /** Whether the answer may end in trailers: on HTTP/2 of `node:http2`, never by `fetch`. */
  readonly carriesTrailers: boolean;
  /** The answer will take its time: the runtime must not cut a quiet connection. */
  disableIdleTimeout(): void;
}

const ANONYMOUS: ClientInfo = {};

/** Who calls, by the head of a request. */
export class HeadPeer<Id extends string | number | undefined> implements Peer {
  readonly wire: string;
  readonly requestId: Id;
  readonly client: ClientInfo = ANONYMOUS;
  readonly #head: Head;
  readonly #isStreamed: boolean;

  /** Reads nothing of the head before it is asked to. */
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

  get signal(): AbortSignal | undefined {
    return this.#isStreamed ? this.#head.streamAbortSignal : this.#head.signal;
  }
}

/** The body of a request, not yet read. */
export interface Body {
  /** The whole body as text, or why it cannot be had: too large, or not UTF-8. */
  text(): Promise<string | ErrorResult>;
  /** The whole body as bytes, or why it cannot be had. */
  bytes(): Promise<Uint8Array<ArrayBuffer> | ErrorResult>;
  /** The pieces of the body as they come, of any size in all, until it ends or breaks off. One of the three is called, once. */
  stream(): AsyncIterable<Uint8Array>;
}

/** An answer to a request: enough to make a `Response` of, without being one, so that Node needs none. */
export interface Reply {
  /** HTTP status. */
  readonly status: number;
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** `null` for none. */
  readonly body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null;
  /** What follows a body that is there, once all of it was read; only for requests whose head carries trailers. */
  readonly trailers?: (() => Readonly<Record<string, string>>) | undefined;
}

/** What a server gives to each of its wires. */
export interface WireHost {
  /** Runs calls. */
  readonly dispatch: Dispatch;
  /** The server's tools, as they are listed. */
  readonly tools: readonly ToolListing[];
  /**
   * The same tools as they are defined, in the same order.
   *
   * @internal
   */
  readonly definitions: readonly ToolDefinition[];
  /** Those of them that a caller may know of: `tools` itself, unless some may not be seen by all. */
  toolsFor(principal: Principal | undefined): readonly ToolListing[];
  /**
   * Takes further tools, which are called by way of what this gives alone: other versions of what the server has. While the
   * server is made, and on every replica alike: promises of these tools are known by name and tag.
   *
   * @throws {TypeError} If two of them have the same name, one has a reserved name, or the tag was used.
   */
  addToolset(tag: string, tools: readonly AnyTool[]): Toolset;
  /** The server's resources and prompts; `undefined` if it has none. */
  readonly catalog: ContentCatalog | undefined;
  /** What is mounted, in order; whole only once the server is made. */
  readonly mounted: readonly MountedPaths[];
  /** News of what the server offers. */
  readonly changes: ChangeBus;
  /** Name and version of the server. */
  readonly info: ServerInfo;
  /** Limits on what callers send and get. */
  readonly limits: Limits;
  /** Where time comes from. */
  readonly clock: Clock;
  /**
   * Headers that go with a refusal, wherever it is answered with its HTTP status: what a caller who is not known, or may not do
   * this, is told to do about it (`www-authenticate`); none for others.
   *
   * @param path A path of the wire: it may be told of more than one authorization.
   */
  challenge(refusal: ErrorResult, path: string): Readonly<Record<string, string>> | undefined;
}

/** What a server says about itself. */
export interface ServerInfo {
  /** Its name. */
  readonly name: string;
  /** Its version. */
  readonly version: string;
  /** A title for people. */
  readonly title?: string;
  /** What it is for, for people. */
  readonly description?: string;
  /** Where to read about it. */
  readonly websiteUrl?: string;
  /** Pictures that stand for it. */
  readonly icons?: readonly Icon[];
  /** How to use its tools, for models. */
  readonly instructions?: string;
}

/** Limits on what callers send and get. */
export interface Limits {
  /** Largest body, in bytes, after decompression. Default: 1 MiB. */
  readonly bodyBytes: number;
  /** Deepest nesting of arrays and objects, of what is sent and of what is answered. Default: 512. */
  readonly depth: number;
  /**
   * Largest answer, or piece of a streamed one, in UTF-16 code units of JSON, about: it is counted before it is written, escapes
   * as what they stand for, and numbers as 5, or as 18 with a fraction. Default: 8 Mi.
   */
  readonly answerChars: number;
  /** Largest outcome that is kept of deferred work, in UTF-16 code units of JSON. Default: 4 Mi. */
  readonly resultChars: number;
}

/** What tells callers how to be let in: the metadata of a protected resource (RFC 9728). */
export interface ProtectedResource {
  /** Path of the resource, without trailing slash: what is at and below it is protected. */
  readonly path: string;
  /** Where the metadata is. */
  readonly metadataUrl: string;
}

/** Where a wire of a server is. */
export interface MountedPaths {
  /** Name of the wire. */
  readonly wire: string;
  /** Its paths, as {@link MountedWire} has them. */
  readonly paths: readonly string[];
}

/** A wire that is mounted on a server. */
export interface MountedWire {
  /**
   * Every path that the wire answers, without trailing slash. One that ends in `/*` stands for all below it that no other wire
   * has.
   */
  readonly paths: readonly string[];
  /** Headers of its replies that pages of other origins have to read. Default: none. */
  readonly exposedHeaders?: readonly string[] | undefined;
  /** Methods that pages of other origins may use. Default: `POST`. */
  readonly methods?: readonly string[] | undefined;
  /** Those of its paths that are for everybody: neither who calls nor the `Origin` is looked at, and CORS is the wire's. Default: none. */
  readonly unauthenticatedPaths?: readonly string[] | undefined;
  /** What it tells of the server's authorization: refusals point there. */
  readonly protectedResource?: ProtectedResource | undefined;
  /** Answers a request on one of its paths. Never throws, never rejects. */
  handle(head: Head, body: Body): MaybePromise<Reply>;
  /**
   * Answers a request that is refused before its body is read, because of where it comes from or who calls. The server adds
   * the headers of {@link WireHost.challenge}. Never throws, never rejects. Default, and where it gives `undefined`: a JSON-RPC
   * error without an id, as MCP-lite says it.
   *
   * @param status HTTP status that the reply has to have. Default: what the wire has for the refusal.
   */
  refuse?(head: Head, refusal: ErrorResult, status?: number): MaybePromise<Reply> | undefined;
  /** Ends what it holds open beside calls, when the server closes. */
  close?(): void;
}

/** A protocol binding, as a value: `createServer({ wires: [mcpLite()] })`. */
export interface Wire {
  /** Its name, such as `mcp-lite`. */
  readonly name: string;
  /** Binds it to a server. */
  mount(host: WireHost): MountedWire;
}
