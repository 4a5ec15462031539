/**
 * The client's side of MCP-lite over HTTP.
 *
 * Reads what any MCP-lite server may answer, not only ours: both shapes of the list, any status, results without `_meta`.
 * What comes back is bounded in size, and redirects are not followed, so that credentials stay with their own origin.
 * Source: docs/spec.md 4 and A.
 *
 * @module
 */
import {
  type CallResult,
  type ErrorResult,
  errorResult,
  PieceCollector,
  type Sink,
  type UnknownOutcome,
} from "../../../core/call/outcome.ts";
import type { ActivityMonitor, ListedTool, Transport, TransportCall } from "../../../core/call/transport.ts";
import { exchange, type HttpOptions, readJsonText } from "../../../http_client/exchange.ts";
import { type Pieces, withRetryAfter } from "../../../http_client/read.ts";
import { parseHttpUrl } from "../../../internal/http.ts";
import { SseDecoder } from "../../../http_client/sse.ts";
import { decodeAnswer, decodeList, decodeRefusal, readEvent } from "./decode_reply.ts";

export type { HttpOptions } from "../../../http_client/exchange.ts";

/**
 * A transport to a server that speaks MCP-lite over HTTP: what a bare URL means to `createClient`.
 *
 * @param url Where the endpoints are, with or without a slash at its end: `https://example.com/mcp-lite/v1`.
 * @throws {TypeError} If the URL is none, or not `http:` or `https:`.
 */
export function mcpLiteTransport(url: string | URL, options: HttpOptions = {}): Transport {
  return new HttpTransport(parseHttpUrl("reach a server", url), options);
}

class HttpTransport implements Transport {
  readonly #base: string;
  readonly #search: string;
  readonly #options: HttpOptions;
  #lastId = 0;

  constructor({ origin, pathname, search }: URL, options: HttpOptions) {
    this.#base = origin + pathname.replace(/\/*$/, "");
    this.#search = search;
    this.#options = options;
  }

  async call({ tool, args = {}, meta, limit }: TransportCall, sink?: Sink): Promise<CallResult | UnknownOutcome> {
    const params = { name: tool, arguments: args, _meta: meta };
    const id = ++this.#lastId;
    const body = JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params });
    const accept = sink === undefined ? "application/json" : "text/event-stream, application/json";
    return await this.#exchange("/calltools", accept, body, limit, (response, pieces) => {
      const isStream = /^text\/event-stream\b/i.test(response.headers.get("content-type") ?? "");
      return isStream ? readStream(pieces, sink) : readJson(response, pieces, (json) => decodeAnswer(json, id));
    });
  }

  async list(limit: ActivityMonitor): Promise<readonly ListedTool[] | ErrorResult> {
    const list = (endpoint: string) =>
      this.#exchange(
        endpoint,
        "application/json",
        "{}",
        limit,
        (response, pieces) => readJson(response, pieces, decodeList),
      );
    const listed = await list("/listtools");
    // The specification's appendix calls it otherwise than its section 4.2, and some servers know only that.
    return "kind" in listed && listed.code === "method_not_found" ? await list("/tools") : listed;
  }

  /** Posts to an endpoint, and reads what it answers. */
  async #exchange<Result>(
    endpoint: string,
    accept: string,
    body: string,
    limit: ActivityMonitor,
    read: (response: Response, pieces: Pieces) => Promise<Result>,
  ): Promise<Result | ErrorResult> {
    const url = this.#base + endpoint + this.#search;
    const headers = { "content-type": "application/json", accept };
    return await exchange({ method: "POST", url, headers, body }, this.#options, limit, read);
  }
}

/** Reads an answer that is not a stream: what `decode` makes of it, or else why there is none. */
async function readJson<Result>(
  { status, headers }: Response,
  pieces: Pieces,
  decode: (json: unknown) => Result | undefined,
): Promise<Result | ErrorResult> {
  const { text, json } = await readJsonText(pieces);
  return decode(json) ?? withRetryAfter(decodeRefusal(json, status, text), headers);
}

async function readStream(pieces: Pieces, sink?: Sink): Promise<CallResult | UnknownOutcome> {
  const decoder = new SseDecoder();
  // Of a stream that nobody asked for, the pieces are the answer if it gives no other.
  const collector = new PieceCollector();
  for await (const piece of pieces) {
    for (const event of decoder.decode(piece)) {
      const ended = readEvent(event, sink ?? collector);
      // Most events end nothing, and need not be waited for.
      const settled = ended && await ended;
      if (settled !== undefined) return collector.join(settled);
    }
  }
  return errorResult("unavailable", "Stream broke off");
}
