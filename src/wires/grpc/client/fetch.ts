/**
 * What Connect's transports need of HTTP, by `fetch` or what is like it: one request with a whole body, one answer whose size is bounded.
 *
 * @module
 */
import {
  createAsyncIterable,
  type UniversalClientFn,
  type UniversalClientRequest,
  type UniversalClientResponse,
} from "@connectrpc/connect/protocol";
import type { ErrorResult } from "../../../core/call/outcome.ts";
import type { ActivityMonitor } from "../../../core/call/transport.ts";
import { discard } from "../../../http_client/read.ts";
import { concatBytes } from "../messages/envelope.ts";
import {
  type Endpoint,
  readPrefix,
  type ReceivedResponse,
  redirectError,
  tooLargeError,
  unexpectedResponse,
  unreachableError,
} from "./rpc.ts";

/** What takes the place of the global `fetch`. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Sends one request, and knows afterwards what went wrong below the protocol. */
export class Exchange {
  /** Why there is no answer, or no whole one; `undefined` while nothing is wrong. */
  refusal: ErrorResult | undefined = undefined;
  /** When a proxy wants to be asked again is in its headers. */
  headers: Headers = new Headers();
  /** The answer, if its status is an error's. */
  refused: ReceivedResponse | undefined = undefined;
  readonly #endpoint: Endpoint;
  readonly #send: Fetch;
  readonly #limit: ActivityMonitor;

  constructor(endpoint: Endpoint, limit: ActivityMonitor, send: Fetch = fetch) {
    this.#endpoint = endpoint;
    this.#send = send;
    this.#limit = limit;
  }

  /** For Connect's transports. */
  readonly send: UniversalClientFn = async (request) => {
    const response = await this.#fetch(request);
    this.#limit.markActive();
    const { status } = response;
    this.headers = response.headers;
    if (isRedirect(response)) {
      discard(response);
      throw this.#refuse(redirectError(request.url, response.headers.get("location")));
    }
    const [url, body] = [request.url, this.#read(response)];
    if (!isOfProtocol(response, request.header)) {
      throw this.#refuse(unexpectedResponse({ url, status, text: await readPrefix(body) }));
    }
    const head = { status, header: headersOf(response), trailer: new Headers() };
    if (response.ok) return { ...head, body };
    const bytes = await readAll(body);
    this.refused = { url, status, text: new TextDecoder().decode(bytes) };
    return { ...head, body: createAsyncIterable([bytes]) };
  };

  async #fetch({ url, method, header: headers, body, signal }: UniversalClientRequest): Promise<Response> {
    // It is not Connect's client that calls; and in a page the header would need the server's leave.
    if (headers.get("user-agent")?.startsWith("connect-es/")) headers.delete("user-agent");
    const send = this.#send;
    const init: RequestInit = {
      method,
      headers,
      body: await readAll(body ?? createAsyncIterable([])),
      signal: signal ?? null,
      redirect: "manual",
    };
    try {
      return await send(`${url}${this.#endpoint.base.search}`, init);
    } catch (cause) {
      throw this.#refuse(unreachableError(url, cause));
    }
  }

  /** The bytes of an answer, piece by piece. Whoever stops reading ends the connection. */
  async *#read({ body }: Response): AsyncGenerator<Uint8Array, void, undefined> {
    if (body === null) return;
    const { maxBytes } = this.#endpoint;
    const reader = body.getReader();
    // An injected fetch may not tie the body to the signal, as a real one does.
    const leave = () => void reader.cancel().catch(() => {});
    this.#limit.signal.addEventListener("abort", leave, { once: true });
    let length = 0;
    try {
      for (let read = await reader.read(); !read.done; read = await reader.read()) {
        this.#limit.suspend();
        length += read.value.length;
        if (length > maxBytes) throw this.#refuse(tooLargeError(maxBytes));
        yield read.value;
        this.#limit.markActive();
      }
    } finally {
      this.#limit.signal.removeEventListener("abort", leave);
      leave();
    }
  }

  #refuse(refusal: ErrorResult): Error {
    this.refusal = refusal;
    return new Error(refusal.message);
  }
}

async function readAll(body: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return concatBytes(pieces);
}

/** Whether an answer may be the protocol's, by its type: the request's own; or JSON, where Connect tells an error. */
function isOfProtocol({ ok, headers }: Response, asked: Headers): boolean {
  const want = asked.get("content-type") ?? "";
  const type = headers.get("content-type")?.toLowerCase() ?? "";
  if (ok) return type.startsWith(want.replace("+proto", "")) || headers.has("grpc-status");
  return /^application\/(json|proto)$/.test(want) && type.startsWith("application/json");
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
