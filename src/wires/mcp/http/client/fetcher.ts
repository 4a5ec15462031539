/**
 * One request by `fetch` and what comes back: a whole text, or messages as they come.
 *
 * What is read is bounded, redirects are not followed, and nothing is sent but to the origin of the server's URL.
 *
 * @module
 */
import { type ErrorResult, errorResult } from "../../../../core/call/outcome.ts";
import type { ActivityMonitor } from "../../../../core/call/transport.ts";
import { discard, isRedirect, readPieces } from "../../../../http_client/read.ts";
import { refuseBecause } from "../../../framing/json_rpc/decode_error.ts";
import type { SseEvent } from "../../../../http_client/sse.ts";
import type { ResumableSseDecoder } from "../../../../http_client/resumable_sse.ts";
import { ToolError } from "../../../../core/errors/tool_error.ts";

/** How requests are sent. */
export interface FetchOptions {
  /** Headers of every request, such as `authorization`; or a function that gives them, called for each request. */
  readonly headers?: HeadersInit | (() => HeadersInit | Promise<HeadersInit>);
  /** Takes the place of the global `fetch`. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** Largest answer that is read, in bytes; of a stream without end, the largest event. Default: 64 MiB. */
  readonly maxResponseBytes?: number;
}

/** One request. */
export interface FetchRequest {
  readonly method: "GET" | "POST" | "DELETE";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly limit: ActivityMonitor;
}

/** Sends requests to one URL. */
export class Fetcher {
  readonly url: URL;
  readonly maxBytes: number;
  readonly #options: FetchOptions;

  constructor(url: URL, options: FetchOptions) {
    this.url = url;
    this.maxBytes = options.maxResponseBytes ?? 67_108_864;
    this.#options = options;
  }

  /** The same, for another path of the same origin; `undefined` if it is elsewhere. */
  at(path: string): Fetcher | undefined {
    const url = URL.canParse(path, this.url) ? new URL(path, this.url) : undefined;
    return url?.origin === this.url.origin ? new Fetcher(url, this.#options) : undefined;
  }

  /** Gives the response, or why there is none. Total, but for what the caller's own function for headers throws. */
  async send({ method, headers: said, body, limit }: FetchRequest): Promise<Response | ErrorResult> {
    const { headers: given, fetch: send = fetch } = this.#options;
    const headers = new Headers(typeof given === "function" ? await given() : given);
    for (const [name, value] of Object.entries(said)) headers.set(name, value);
    const { href } = this.url;
    try {
      const init: RequestInit = { method, headers, signal: limit.signal, redirect: "manual" };
      const response = await send(href, body === undefined ? init : { ...init, body });
      limit.markActive();
      if (!isRedirect(response)) return response;
      discard(response);
      const because = `${method} ${href} redirects to ${response.headers.get("location")}`;
      return refuseBecause("invalid_request", "Redirects are not followed: use the final URL", because);
    } catch (cause) {
      return brokenOff(cause, `${method} ${href}`, "Cannot reach the server");
    }
  }
}

/** The events of a stream as they come. Reads no event, and where it has an end no stream, of more than so many bytes. */
export async function* readEvents(
  response: Response,
  decoder: ResumableSseDecoder,
  limit: ActivityMonitor,
  { maxBytes, isEndless = false }: { readonly maxBytes: number; readonly isEndless?: boolean | undefined },
): AsyncGenerator<SseEvent, void, undefined> {
  for await (const piece of readPieces(response, limit, isEndless ? Infinity : maxBytes)) {
    yield* decoder.decode(piece);
    if (decoder.waitingLength > maxBytes) {
      throw new ToolError("result_too_large", `An event is larger than ${maxBytes} bytes`);
    }
  }
}

/** Whether a response is a stream of events. */
export function isEventStream({ headers }: Response): boolean {
  return /^text\/event-stream\b/i.test(headers.get("content-type") ?? "");
}

/** The refusal that something thrown below the protocol becomes. */
export function brokenOff(cause: unknown, during: string, message: string): ErrorResult {
  if (cause instanceof ToolError) {
    return { ...errorResult(cause.code, cause.message, cause.details), cause: cause.cause };
  }
  return refuseBecause("unavailable", message, `${during}: ${cause instanceof Error ? cause.message : cause}`, {
    cause,
  });
}
