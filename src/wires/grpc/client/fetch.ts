/**
 * What Connect's transports need of HTTP, by `fetch` or what is like it: one request with a whole body, one answer whose size is bounded.
 *
 * @module
 */
import {
  createAsyncIterable,
  type UniversalClientFn,
  type UniversalClientResponse,
} from "@connectrpc/connect/protocol";
import { toToolError } from "../../../core/call/outcome.ts";
import type { ActivityMonitor } from "../../../core/call/transport.ts";
import { readBytes } from "../../../http_client/read.ts";
import { type HttpClientOptions, sendRequest } from "../../../http_client/send.ts";
import { concatBytes } from "../messages/bytes.ts";
import { type Answered, type Endpoint, foreignAnswer, readBeginning } from "./rpc.ts";

/** Replaces the global `fetch`. */
export type Fetch = NonNullable<HttpClientOptions["fetch"]>;

/** Sends one request. Its errors below the protocol are thrown as `ToolError`. */
export class Exchange {
  /** Headers of the response; a proxy states there when to send the request again. */
  headers: Headers = new Headers();
  /** The response, if its status is an error. */
  refused: Answered | undefined = undefined;
  readonly #endpoint: Endpoint;
  readonly #options: HttpClientOptions;
  readonly #limit: ActivityMonitor;

  constructor(endpoint: Endpoint, limit: ActivityMonitor, fetch: Fetch | undefined) {
    this.#endpoint = endpoint;
    this.#options = fetch === undefined ? {} : { fetch };
    this.#limit = limit;
  }

  /** The HTTP client of Connect's transports. */
  readonly send: UniversalClientFn = async ({ url, method, header, body, signal }) => {
    // Connect's client is not the caller. In a browser the header would need the server's permission.
    if (header.get("user-agent")?.startsWith("connect-es/")) header.delete("user-agent");
    const monitor = signal === undefined ? this.#limit : monitorWith(this.#limit, signal);
    const { base, maxBytes } = this.#endpoint;
    const whole = body && await readAll(body);
    const request = { url: url + base.search, method, headers: header, body: whole };
    const response = await sendRequest(request, this.#options, monitor);
    if ("kind" in response) throw toToolError(response);
    const { status } = response;
    this.headers = response.headers;
    const chunks = readBytes(response, monitor, maxBytes);
    if (!isOfProtocol(response, header)) {
      throw toToolError(foreignAnswer({ url, status, text: await readBeginning(chunks) }));
    }
    const head = { status, header: headersOf(response), trailer: new Headers() };
    if (response.ok) return { ...head, body: chunks };
    const bytes = await readAll(chunks);
    this.refused = { url, status, text: new TextDecoder().decode(bytes) };
    return { ...head, body: createAsyncIterable([bytes]) };
  };
}

/** The same monitor, with another signal. */
function monitorWith(limit: ActivityMonitor, signal: AbortSignal): ActivityMonitor {
  return { signal, markActive: () => limit.markActive(), suspend: () => limit.suspend() };
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
