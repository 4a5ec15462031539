/**
 * The client's side of MCP-lite over HTTP.
 *
 * Reads what any MCP-lite server may answer, not only ours: both shapes of the list, any status, results without `_meta`.
 * What comes back is bounded in size, and redirects are not followed, so that credentials stay with their own origin.
 * Source: MCP-lite specification, section 4 and appendix A.
 *
 * @module
 */
import { type Refusal, refuse, type Settled, type Sink, type UnknownOutcome } from "../../call/outcome.ts";
import type { RemoteTool, Transport, TransportCall, TransportLimit } from "../../call/transport.ts";
import { SseDecoder } from "../../codec/sse/decode.ts";
import { ToolError } from "../../error/tool_error.ts";
import { PieceCollector } from "../../call/partials.ts";
import { isJsonObject } from "../../internal/json.ts";
import { decodeAnswer, decodeList, decodeMessage, decodeRefusal, refuseBecause } from "./decode_reply.ts";

/** Options of {@link http}. */
export interface HttpOptions {
  /** Headers of every request, such as `authorization`; or a function that gives them, called for each request. */
  readonly headers?: HeadersInit | (() => HeadersInit | Promise<HeadersInit>);
  /** Takes the place of the global `fetch`. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** Largest answer that is read, in bytes; of a stream, all of it. Default: 64 MiB. */
  readonly maxResponseBytes?: number;
}

const DEFAULT_MAX_RESPONSE_BYTES = 67_108_864;

/**
 * A transport to a server that speaks MCP-lite over HTTP: what a bare URL means to `createClient`.
 *
 * @param url Where the endpoints are, with or without a slash at its end: `https://example.com/mcp-lite/v1`.
 * @throws {TypeError} If the URL is none, or not `http:` or `https:`.
 */
export function http(url: string | URL, options: HttpOptions = {}): Transport {
  const base = new URL(url);
  if (base.protocol !== "http:" && base.protocol !== "https:") {
    throw new TypeError(`Not an http: or https: URL: ${base.href}`);
  }
  return new HttpTransport(base, options);
}

class HttpTransport implements Transport {
  readonly #base: URL;
  readonly #options: HttpOptions;
  #lastId = 0;

  constructor(base: URL, options: HttpOptions) {
    this.#base = base;
    this.#options = options;
  }

  async call(call: TransportCall, sink?: Sink): Promise<Settled | UnknownOutcome> {
    const { tool, args = {}, meta } = call;
    const params = { name: tool, arguments: args, _meta: meta };
    const body = JSON.stringify({ jsonrpc: "2.0", id: ++this.#lastId, method: "tools/call", params });
    const accept = sink === undefined ? "application/json" : "text/event-stream, application/json";
    return await this.#exchange("/calltools", accept, body, call.limit, (response) => {
      return isEventStream(response)
        ? this.#readStream(response, call.limit, sink)
        : this.#readJson(response, call.limit, decodeAnswer);
    });
  }

  async list(limit: TransportLimit): Promise<readonly RemoteTool[] | Refusal> {
    const read = (response: Response) => this.#readJson(response, limit, decodeList);
    const listed = await this.#exchange("/listtools", "application/json", "{}", limit, read);
    // The specification's appendix calls it otherwise than its section 4.2, and some servers know only that.
    if (!("kind" in listed) || listed.code !== "method_not_found") return listed;
    return await this.#exchange("/tools", "application/json", "{}", limit, read);
  }

  /** Posts and reads, and turns whatever goes wrong on the way into a refusal. */
  async #exchange<Result>(
    endpoint: string,
    accept: string,
    body: string,
    limit: TransportLimit,
    read: (response: Response) => Promise<Result>,
  ): Promise<Result | Refusal> {
    const { origin, pathname, search } = this.#base;
    const url = `${origin}${pathname.replace(/\/*$/, endpoint)}${search}`;
    const headers = await this.#headers(accept);
    try {
      const send = this.#options.fetch ?? fetch;
      const response = await send(url, { method: "POST", headers, body, signal: limit.signal, redirect: "manual" });
      limit.touch();
      return isRedirect(response) ? redirected(url, response) : await read(response);
    } catch (cause) {
      if (cause instanceof ToolError) return refuse(cause.code, cause.message);
      const because = `POST ${url}: ${cause instanceof Error ? cause.message : cause}`;
      return refuseBecause("unavailable", "Cannot reach the server", because, { cause });
    }
  }

  async #headers(accept: string): Promise<Headers> {
    const { headers } = this.#options;
    const all = new Headers(typeof headers === "function" ? await headers() : headers);
    all.set("content-type", "application/json");
    all.set("accept", accept);
    return all;
  }

  /** Reads an answer that is not a stream: what `decode` makes of it, or else why there is none. */
  async #readJson<Result>(
    response: Response,
    limit: TransportLimit,
    decode: (json: unknown) => Result | undefined,
  ): Promise<Result | Refusal> {
    let text = "";
    for await (const piece of this.#pieces(response, limit)) text += piece;
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch {
      // Then its status is all there is to go by.
    }
    const { status, headers } = response;
    return decode(json) ?? withRetryAfter(decodeRefusal(json, status, text), headers.get("retry-after"));
  }

  async #readStream(response: Response, limit: TransportLimit, sink?: Sink): Promise<Settled | UnknownOutcome> {
    const decoder = new SseDecoder();
    // Of a stream that nobody asked for, the pieces are the answer if it gives no other.
    const pieces = new PieceCollector();
    for await (const piece of this.#pieces(response, limit)) {
      for (const { event, data } of decoder.decode(piece)) {
        const message = decodeMessage(event, data);
        if (message === undefined) continue;
        const { kind } = message;
        if (kind !== "partial" && kind !== "progress" && kind !== "deferred") return pieces.join(message);
        await (sink ?? pieces).push(message);
      }
    }
    return refuse("unavailable", "Stream broke off");
  }

  /** The text of an answer, piece by piece. Whoever stops reading ends the connection. */
  async *#pieces(response: Response, limit: TransportLimit): AsyncGenerator<string, void, undefined> {
    if (response.body === null) return;
    const maxBytes = this.#options.maxResponseBytes ?? DEFAULT_MAX_RESPONSE_BYTES;
    // Deno would take U+FEFF at the start of any chunk for a byte order mark: so only the first is looked at, here.
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    const reader = response.body.getReader();
    // An injected fetch may not tie the body to the signal, as a real one does.
    const leave = () => void reader.cancel().catch(() => {});
    limit.signal.addEventListener("abort", leave, { once: true });
    let length = 0;
    try {
      for (let read = await reader.read(); !read.done; read = await reader.read()) {
        limit.pause();
        const text = decoder.decode(read.value, { stream: true });
        const piece = length === 0 ? text.replace(/^\ufeff/, "") : text;
        length += read.value.length;
        if (length > maxBytes) throw new ToolError("result_too_large", `The answer is larger than ${maxBytes} bytes`);
        yield piece;
        limit.touch();
      }
      yield decoder.decode();
    } finally {
      limit.signal.removeEventListener("abort", leave);
      leave();
    }
  }
}

function isEventStream(response: Response): boolean {
  return /^text\/event-stream\b/i.test(response.headers.get("content-type") ?? "");
}

function isRedirect(response: Response): boolean {
  // In a page a redirect is opaque: its status is 0.
  return response.status < 200 || (response.status >= 300 && response.status < 400);
}

function redirected(url: string, response: Response): Refusal {
  void response.body?.cancel();
  const because = `POST ${url} redirects to ${response.headers.get("location")}`;
  return refuseBecause("invalid_request", "Redirects are not followed: use the final URL", because);
}

/** The refusal, with what the `Retry-After` header says: seconds, or a date. */
function withRetryAfter(refusal: Refusal, header: string | null): Refusal {
  const data = isJsonObject(refusal.data) ? refusal.data : undefined;
  if (header === null || data?.["retry_after_ms"] !== undefined) return refusal;
  const delayMs = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(delayMs) ? refusal : { ...refusal, data: { ...data, retry_after_ms: Math.max(0, delayMs) } };
}
