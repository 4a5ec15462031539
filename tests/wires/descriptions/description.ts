/**
 * What the suites have to know of a wire. One description a wire, in a file of this folder; `all.ts` joins them.
 *
 * The suite over all wires, the guarantees, the fuzzer and the tests of authentication, options and unknown tools read them, so that
 * a new wire is one file here.
 */
import type { HeadersFunction, HeaderValues, Principal, Server, ToolErrorCode } from "../../../mod.ts";
import type { RawObject } from "./raw_messages.ts";
import type { RequestWire, Transport } from "../../../src/entries/wire.ts";

/**
 * What some protocols cannot express. `data of errors`: the data of failures and the details of errors. `_meta`: that of tools, calls and
 * results, and with it idempotency keys and caller state.
 */
export type Lack =
  | "data of errors"
  | "_meta"
  | "promises"
  | "questions"
  | "pieces of answers"
  | "progress of calls"
  | "arguments that the server alone checks"
  | "callers who show who they are";

/** The caller of a row: the headers that identify it, and its principal where no headers are sent. */
export interface Caller {
  readonly headers?: HeaderValues | HeadersFunction;
  readonly principal?: Principal;
}

/** A way to reach a server with a client. */
export interface WireRow {
  readonly name: string;
  /** Name of the description. */
  readonly column: string;
  /** What the protocol cannot express. */
  readonly lacks?: readonly Lack[] | undefined;
  /** Why it cannot run on this runtime; `undefined` if it can. */
  readonly skip?: string | undefined;
  /** Opens a client of the server. */
  open(server: Server, caller?: Caller): Promise<{ readonly transport: Transport; close(): Promise<void> }>;
}

/** `fetch` as transports take it. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Options that transports over HTTP have in common. */
export interface ClientOptions {
  readonly fetch?: Fetch;
  readonly headers?: HeaderValues | HeadersFunction;
  readonly maxResponseBytes?: number;
}

/** A transport over HTTP, as the suites use it. */
export interface WireClient {
  readonly name: string;
  /** Path of the wire on the suites' server. */
  readonly path: string;
  open(url: string, options: ClientOptions): Transport;
  /** What the protocol cannot express. */
  readonly lacks?: readonly Lack[];
  /** Whether it needs HTTP/2, and so a socket. Default: `false`. */
  readonly isHttp2?: boolean;
  /** Whether it needs sessions on the server. Default: `false`. */
  readonly needsSessions?: boolean;
  /** Whether the suite over all wires runs with it. Default: `true`. */
  readonly isRow?: boolean;
  /** Media types of a response and of a streamed response, for servers that send anything; left out: not tested against those. */
  readonly responseTypes?: readonly [response: string, streamed: string];
  /** Whether it matches responses to requests by their ids. Default: `false`. */
  readonly matchesIds?: boolean;
  /** Its messages as bytes. */
  readonly dialect?: Dialect;
}

/** How a call ended. */
export type CallEnd =
  | { readonly kind: "answer"; readonly value: unknown }
  | { readonly kind: "failure" | "error"; readonly code: string; readonly message: string; readonly data?: unknown }
  | { readonly kind: "other"; readonly what: string };

/** A request, before it is sent. */
export interface RawRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** The response to a request; a status of 0 is a connection that ended without a response. */
export interface RawResponse {
  readonly status: number;
  readonly headers: Pick<Headers, "get">;
  readonly body: Uint8Array;
}

/** Messages of a protocol as bytes, written and read without our clients. */
export interface Dialect {
  /** A call of a tool. */
  call(tool: string, args: RawObject): RawRequest;
  /** The same call, streamed; left out where answers have no pieces. */
  stream?(tool: string, args: RawObject): RawRequest;
  /** A request with this body; only where bodies are JSON. */
  post?(body: string, tool?: string): RawRequest;
  /** How a call ended. */
  read(response: RawResponse): CallEnd;
  /** Whether requests carry `"id":1`. Default: `false`. */
  readonly hasIds?: boolean;
  /** Whether errors come with status 200. Default: `false`. */
  readonly hasErrorsIn200?: boolean;
  /** Whether the message about an unknown tool has its name, and the tool that may be meant. Default: `"suggested"`: both. */
  readonly unknownTool?: "unnamed" | "named" | "suggested";
}

/** Options of a request. */
export interface SendOptions {
  /** The host that the request names. Default: that of the server. */
  readonly host?: string | Uint8Array;
}

/** A server, and a way to send bytes to it. */
export interface Sending {
  readonly server: Server;
  readonly dialect: Dialect;
  send(request: RawRequest, options?: SendOptions): Promise<RawResponse>;
}

/** Where a test runs, and what it has open meanwhile. */
export interface Place<Opened> {
  /** Name of the description. */
  readonly column: string;
  /** Which of its ways. */
  readonly where: string;
  readonly skip?: string | false | undefined;
  open(): Promise<Opened & AsyncDisposable>;
}

/** What guarantees may need of a wire. */
export type Need = "requests" | "HTTP" | "ids" | "pieces" | "clients of foreign servers" | "principals";

/** A call with invalid options, and the error that it throws. */
export type InvalidOptions = readonly [
  call: unknown,
  args: readonly unknown[],
  message: RegExp,
  name?: "RangeError",
];

/** Expected codes: by our code, as the specification has them, independently of the wire's `codes.ts`. */
export type ExpectedCodes<Expected> = Readonly<Record<ToolErrorCode, Expected>>;

/** See the top of the file. */
export interface WireDescription {
  /** As docs/guarantees.md names it. */
  readonly name: string;
  /** The wire on the suites' servers. */
  readonly wire?: RequestWire;
  /** The same without sessions, where that differs. */
  readonly statelessWire?: RequestWire;
  /** The wires that the fuzzer sends to. Default: `wire`. */
  readonly fuzzedWires?: readonly RequestWire[];
  /** Transports over HTTP: the suite runs with each in process and over a socket. */
  readonly clients?: readonly WireClient[];
  /** Further rows of the suite. */
  readonly rows?: readonly WireRow[];
  /** Other ways to send bytes than by HTTP. */
  readonly senders?: (create: () => Server) => readonly Place<Sending>[];
  /** Why it does not have what some guarantees need. */
  readonly without?: Readonly<Partial<Record<Need, string>>>;
  /** Invalid options of the wire and of its transports. */
  readonly invalidOptions?: readonly InvalidOptions[];
}
