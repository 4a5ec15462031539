/**
 * What Connect's transports need of HTTP, by `fetch` or what is like it: one request with a whole body, one answer whose size is bounded.
 *
 * @module
 */
import type { UniversalClientFn, UniversalClientRequest, UniversalClientResponse } from "@connectrpc/connect/protocol";
import { type Refusal, refuse } from "../../call/outcome.ts";
import type { TransportLimit } from "../../call/transport.ts";
import { discard } from "../../codec/fetch/read.ts";
import { ToolError } from "../../error/tool_error.ts";
import { concatBytes } from "./bytes.ts";

/** A response that may end in trailers, which are there once its body was read. */
export type TrailedResponse = Response & { readonly trailer?: Headers };

/** How requests are sent. */
export interface Sending {
  /** Takes the place of the global `fetch`. */
  readonly fetch: ((url: string, init: RequestInit) => Promise<TrailedResponse>) | undefined;
  /** Largest answer that is read, in bytes. */
  readonly maxBytes: number;
  /** What comes after the path of every URL: a query, with its question mark. */
  readonly search: string;
}

/** Sends one request, and knows afterwards what went wrong below the protocol. */
export class Exchange {
  /** Why there is no answer, or no whole one; `undefined` while nothing is wrong. */
  refusal: Refusal | undefined = undefined;
  /** Status of the answer. */
  status: number | undefined = undefined;
  readonly #sending: Sending;
  readonly #limit: TransportLimit;

  constructor(sending: Sending, limit: TransportLimit) {
    this.#sending = sending;
    this.#limit = limit;
  }

  /** For Connect's transports. */
  readonly send: UniversalClientFn = async (request) => {
    const response = await this.#fetch(request);
    this.#limit.touch();
    this.status = response.status;
    if (isRedirect(response)) throw this.#refuse(redirected(request.url, response));
    const { status, trailer = new Headers() } = response;
    return { status, header: headersOf(response), body: this.#read(response), trailer };
  };

  async #fetch({ url, method, header: headers, body, signal }: UniversalClientRequest): Promise<TrailedResponse> {
    const pieces: Uint8Array[] = [];
    for await (const piece of body ?? []) pieces.push(piece);
    // It is not Connect's client that calls; and in a page the header would need the server's leave.
    if (headers.get("user-agent")?.startsWith("connect-es/")) headers.delete("user-agent");
    const send = this.#sending.fetch ?? fetch;
    const init: RequestInit = {
      method,
      headers,
      body: concatBytes(pieces),
      signal: signal ?? null,
      redirect: "manual",
    };
    try {
      return await send(`${url}${this.#sending.search}`, init);
    } catch (cause) {
      if (cause instanceof ToolError) {
        throw this.#refuse({ ...refuse(cause.code, cause.message, cause.details), cause: cause.cause });
      }
      const because = new Error(`POST ${url}: ${cause instanceof Error ? cause.message : cause}`, { cause });
      throw this.#refuse({ ...refuse("unavailable", "Cannot reach the server"), cause: because });
    }
  }

  /** The bytes of an answer, piece by piece. Whoever stops reading ends the connection. */
  async *#read({ body }: Response): AsyncGenerator<Uint8Array, void, undefined> {
    if (body === null) return;
    const { maxBytes } = this.#sending;
    const reader = body.getReader();
    // An injected fetch may not tie the body to the signal, as a real one does.
    const leave = () => void reader.cancel().catch(() => {});
    this.#limit.signal.addEventListener("abort", leave, { once: true });
    let length = 0;
    try {
      for (let read = await reader.read(); !read.done; read = await reader.read()) {
        this.#limit.pause();
        length += read.value.length;
        if (length > maxBytes) {
          throw this.#refuse(refuse("result_too_large", `The answer is larger than ${maxBytes} bytes`));
        }
        yield read.value;
        this.#limit.touch();
      }
    } finally {
      this.#limit.signal.removeEventListener("abort", leave);
      leave();
    }
  }

  #refuse(refusal: Refusal): Error {
    this.refusal = refusal;
    return new Error(refusal.message);
  }
}

/** The headers, without those that no longer fit what fetch has decompressed. */
function headersOf(response: Response): UniversalClientResponse["header"] {
  const headers = new Headers(response.headers);
  if (headers.get("content-encoding") === null) return headers;
  headers.delete("content-encoding");
  headers.delete("content-length");
  return headers;
}

function isRedirect(response: Response): boolean {
  // In a page a redirect is opaque: its status is 0.
  return response.status < 200 || (response.status >= 300 && response.status < 400);
}

function redirected(url: string, response: Response): Refusal {
  discard(response);
  const cause = new Error(`POST ${url} redirects to ${response.headers.get("location")}`);
  return { ...refuse("invalid_request", "Redirects are not followed: use the final URL"), cause };
}
