/**
 * Adapts a `Request` to the requests of wires.
 *
 * An invalid URL, header or body results in a value, never in an exception.
 */
import type { Metadata, Principal, RequestHost } from "../core/call/call.ts";
import { type ErrorResult, errorResult } from "../core/call/outcome.ts";
import { payloadTooLarge } from "../core/call/payload_too_large.ts";
import type { Dispatch } from "../core/dispatch/dispatcher.ts";
import type { ToolError } from "../core/errors/tool_error.ts";
import { Future, type Receiver } from "../internal/future.ts";
import { joinChunks } from "../internal/chunks.ts";
import type { Body, Head, Reply } from "../wires/wire.ts";
import { UNKNOWN_TO_PROGRAM } from "./auth.ts";
import { brokenReply } from "./reply_sender.ts";

/** The error for a body that cannot be read. Runtimes do not distinguish the reasons. */
export const UNREADABLE: ErrorResult = errorResult(
  "invalid_request",
  "The body could not be read to its end: its connection broke, or it was read before (a program that reads it reads request.clone())",
);

const INVALID_UTF8: ErrorResult = errorResult("parse_error", "The body is not valid UTF-8");

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Replacement character of a decoder for invalid UTF-8; it may also be part of valid input. */
const REPLACEMENT = "\ufffd";

/** A decoder removes a byte order mark. */
const BYTE_ORDER_MARK_BYTES = 3;

/** Second argument of `Server.fetch` from a program that has identified the caller of the request. */
export interface IdentifiedHost {
  /**
   * The caller. `undefined` or `null` is one that the program does not know: it is left to the option `auth` of the server; without
   * `auth` the request is refused as `unauthenticated`, except with `allowAnonymous`.
   */
  readonly principal: Principal<object> | null | undefined;
  /**
   * Whether a server without `auth` accepts requests without a principal, from anonymous callers. Tools with `.scopes()` reject them.
   * Default: `false`.
   */
  readonly allowAnonymous?: boolean | undefined;
  /** What the runtime passed to the program as its second argument: the bindings of a Worker, the server of Bun. */
  readonly host?: unknown;
}

/** The refusal of a caller whom the program does not know, unless it accepts anonymous callers. */
function refusalOf({ principal, allowAnonymous }: IdentifiedHost): ToolError | undefined {
  return (principal === undefined || principal === null) && allowAnonymous !== true ? UNKNOWN_TO_PROGRAM : undefined;
}

/** Runtimes pass no member of this name. */
function isIdentified(host: unknown): host is IdentifiedHost {
  return typeof host === "object" && host !== null && "principal" in host;
}

/** A request of the Fetch API as a wire reads it: head, body, and the receiver of its reply. */
export class FetchRequest implements Head, Body, Receiver<Reply> {
  declare principal: Principal | undefined;
  declare readonly refusal: ToolError | undefined;
  declare path: string;
  declare readonly metadata: Metadata;
  readonly #request: Request;
  readonly #runtime: unknown;
  readonly #context: unknown;
  readonly #maxBytes: number;
  /** Its observer gets the reply: a step of the reply's future would cost each observed call more. */
  declare readonly dispatch: Dispatch;
  #resolve: ((response: Response) => void) | undefined;

  constructor(
    request: Request,
    host: unknown,
    context: unknown,
    maxBytes: number,
    dispatch: Dispatch,
  ) {
    const isFromProgram = isIdentified(host);
    // Validated before a wire gets it.
    this.principal = isFromProgram ? host.principal as Principal ?? undefined : undefined;
    this.refusal = isFromProgram ? refusalOf(host) : undefined;
    this.path = pathOf(request.url);
    this.metadata = request.headers;
    this.#request = request;
    this.#runtime = isFromProgram ? host.host : host;
    this.#context = context;
    this.#maxBytes = maxBytes;
    this.dispatch = dispatch;
    this.#resolve = undefined;
  }

  get carriesTrailers(): boolean {
    return false;
  }

  /** The response of a reply. The request itself receives the reply, so that no other object is created for it. */
  respond(reply: Future<Reply>): Promise<Response> {
    return new Promise((resolve) => {
      this.#resolve = resolve;
      reply.into(this);
    });
  }

  receive(reply: Reply): void {
    try {
      const { upgrade } = reply;
      this.dispatch.observer?.reply(this, reply.status);
      this.#resolve?.(upgrade === undefined ? toResponse(reply) : upgrade.respond(this.#request, this.#runtime));
    } catch (thrown) {
      this.fail(thrown);
    }
  }

  fail(thrown: unknown): void {
    this.#resolve?.(toResponse(brokenReply(this.dispatch, thrown, this.path)));
  }

  get method(): string {
    return this.#request.method;
  }

  get target(): string {
    return this.#request.url;
  }

  get authority(): string {
    const { url } = this.#request;
    return url.slice(url.indexOf("://") + 3).replace(/[/?#].*$/s, "");
  }

  get host(): RequestHost {
    const context = this.#context as Partial<RequestHost> | undefined;
    return { env: this.#runtime, request: this.#request, waitUntil: (work) => context?.waitUntil?.(work) };
  }

  get signal(): AbortSignal {
    return this.#request.signal;
  }

  get streamAbortSignal(): AbortSignal | undefined {
    // Deno, whose second argument has `completed`, warns if the signal of an answered request is read. The member is only tested
    // for: reading it creates a promise that rejects, and ends the process, when the caller disconnects.
    const runtime = this.#runtime;
    const isDeno = typeof runtime === "object" && runtime !== null && "completed" in runtime;
    return isDeno ? undefined : this.#request.signal;
  }

  disableIdleTimeout(): void {
    // Bun closes a connection after 10 s without data, unless this is disabled for the request.
    const { timeout } = (this.#runtime ?? {}) as { timeout?: unknown };
    if (typeof timeout === "function") timeout.call(this.#runtime, this.#request, 0);
  }

  text(): Future<string | ErrorResult> {
    const declaredBytes = this.#declaredBytes;
    // The runtime decodes where the length is known: on Bun a call takes 0.86 of the time that it takes with the bytes.
    return declaredBytes <= this.#maxBytes
      ? settle(
        this.#request.text(),
        (text) => isUpTo(text, this.#maxBytes) ? requireUtf8(text, declaredBytes) : this.#tooLarge(),
      )
      : this.#whole(decodeUtf8);
  }

  bytes(): Future<Uint8Array<ArrayBuffer> | ErrorResult> {
    return this.#whole(toBytes);
  }

  /** The whole body, decoded; an error if it is too large or cannot be read. */
  #whole<Decoded>(decode: (read: BodyBytes) => Decoded): Future<Decoded | ErrorResult> {
    return settle(
      this.#read(),
      (read) => read !== undefined && read.byteLength <= this.#maxBytes ? decode(read) : this.#tooLarge(),
    );
  }

  stream(): AsyncIterable<Uint8Array> {
    return this.#request.body ?? new ReadableStream({ start: (controller) => controller.close() });
  }

  get #declaredBytes(): number {
    return Number.parseInt(this.metadata.get("content-length") ?? "", 10);
  }

  #tooLarge(): ErrorResult {
    const declaredBytes = this.#declaredBytes;
    return payloadTooLarge("body", this.#maxBytes, declaredBytes > this.#maxBytes ? declaredBytes : undefined);
  }

  /** The bytes; `undefined` if the body is too large. Requests of `@hono/node-server` have no `bytes()`. */
  #read(): Promise<BodyBytes | undefined> {
    const declaredBytes = this.#declaredBytes;
    // Without a declared length the limit is checked while reading.
    if (Number.isNaN(declaredBytes)) return readUpTo(this.#request.body, this.#maxBytes);
    return declaredBytes > this.#maxBytes ? Promise.resolve(undefined) : this.#request.arrayBuffer();
  }
}

/** What the runtime or the reader of a stream returns. */
type BodyBytes = ArrayBuffer | Uint8Array<ArrayBuffer>;

function toBytes(read: BodyBytes): Uint8Array<ArrayBuffer> {
  return read instanceof Uint8Array ? read : new Uint8Array(read);
}

let lastUrl = "";
let lastPath = "";

/**
 * Path of a URL, or of a request target, without a trailing slash. The last one is cached: a client has one URL for all of its
 * calls, and a string that was used as a key before is found faster. Measured: docs/decisions/one-entry-caches.md.
 */
export function pathOf(url: string): string {
  if (url !== lastUrl) {
    lastPath = readPath(url);
    lastUrl = url;
  }
  return lastPath;
}

/** Without `new URL`, which throws on some input of clients. */
function readPath(url: string): string {
  const target = url.replace(/[?#].*$/s, "");
  const start = target.startsWith("/") ? 0 : target.indexOf("/", target.indexOf("://") + 3);
  return start === -1 ? "" : target.slice(start).replace(/\/$/, "");
}

/** The result of a read, or {@link UNREADABLE}. */
function settle<Read, Result>(reading: Promise<Read>, toResult: (read: Read) => Result): Future<Result | ErrorResult> {
  const result = new Future<Result | ErrorResult>();
  reading.then((read) => result.receive(toResult(read)), () => result.receive(UNREADABLE));
  return result;
}

/** Decodes UTF-8; `parse_error` if it is invalid. */
export function decodeUtf8(bytes: BodyBytes | Uint8Array): string | ErrorResult {
  const text = decoder.decode(bytes);
  return text.includes(REPLACEMENT) ? requireUtf8(text, bytes.byteLength, hasMark(bytes)) : text;
}

function hasMark(bytes: BodyBytes | Uint8Array): boolean {
  const [first, second, third] = bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes, 0, 3);
  return first === 0xef && second === 0xbb && third === 0xbf;
}

/** Whether a text is at most so long in UTF-8: a program may create a request whose declared length is wrong. */
function isUpTo(text: string, maxBytes: number): boolean {
  // A UTF-16 code unit takes at most three bytes.
  return text.length * 3 <= maxBytes || (text.length <= maxBytes && encoder.encode(text).length <= maxBytes);
}

/**
 * `parse_error` if the decoder of a text has replaced invalid bytes: the text is then longer in UTF-8 than the body. Only a character
 * of four bytes that is cut after its third has the length of U+FFFD, and is read as that.
 *
 * @param isMarked Whether the body begins with a byte order mark; unknown where the runtime has decoded it.
 */
function requireUtf8(text: string, bodyBytes: number, isMarked?: boolean): string | ErrorResult {
  if (!text.includes(REPLACEMENT)) return text;
  const { length } = encoder.encode(text);
  const isWhole = isMarked !== true && length === bodyBytes;
  return isWhole || (isMarked !== false && length === bodyBytes - BYTE_ORDER_MARK_BYTES) ? text : INVALID_UTF8;
}

/** Reads a body to its end; `undefined` if it is longer than `maxBytes`. */
async function readUpTo(
  body: ReadableStream<Uint8Array<ArrayBuffer>> | null,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (body === null) return EMPTY;
  // A loop over the stream itself takes 1.5 times as long as its reader on Bun, and 3 times on Deno.
  const reader = body.getReader();
  const { value: first = EMPTY, done } = await reader.read();
  if (done) return first;
  // Most bodies are one chunk.
  let rest: Uint8Array<ArrayBuffer>[] | undefined;
  let length = first.length;
  while (length <= maxBytes) {
    const { value, done } = await reader.read();
    if (done) return rest === undefined ? first : joinChunks(rest);
    (rest ??= [first]).push(value);
    length += value.length;
  }
  reader.cancel().catch(() => {});
  return undefined;
}

const EMPTY = new Uint8Array(0);

/** Bun copies a response, used as options, in half the time of a record of headers. */
const IS_BUN = globalThis.navigator?.userAgent?.startsWith("Bun/");

let lastRecord: Reply["headers"] | undefined;
/** Options of a response with these headers, and status 200. */
let lastInit: ResponseInit = {};
let lastOthers: readonly (readonly [string, string])[] = [];

/**
 * Converts a reply to a `Response`. The headers of a wire's replies are nearly always the same constant, so they are cached
 * (docs/decisions/one-entry-caches.md).
 */
function toResponse({ status, headers, body }: Reply): Response {
  if (headers !== lastRecord) splitHeaders(headers);
  const response = new Response(body, status === 200 ? lastInit : { status, headers: lastInit.headers as HeadersInit });
  for (const [name, value] of lastOthers) response.headers.set(name, value);
  return response;
}

/** Deno takes 1.2 µs for each header of a record but the first, and 0.1 µs to set one of a response. */
function splitHeaders(headers: Reply["headers"]): void {
  lastRecord = headers;
  if (IS_BUN) lastInit = new Response(null, { headers });
  else {
    const [first, ...others] = Object.entries(headers);
    lastInit = { headers: Object.fromEntries(first === undefined ? [] : [first]) };
    lastOthers = others;
  }
}
