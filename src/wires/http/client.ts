/**
 * The client's side of MCP-lite over HTTP.
 *
 * Reads what any MCP-lite server may answer, not only ours: both shapes of the list, any status, results without `_meta`.
 * What comes back is bounded in size, and redirects are not followed, so that credentials stay with their own origin.
 * Source: docs/spec.md 4 and A.
 *
 * @module
 */
import { type Refusal, refuse, type Settled, type Sink, type UnknownOutcome } from "../../call/outcome.ts";
import type { RemoteTool, Transport, TransportCall, TransportLimit } from "../../call/transport.ts";
import { exchange, type HttpOptions, readJsonText } from "../../codec/fetch/exchange.ts";
import { type Pieces, withRetryAfter } from "../../codec/fetch/read.ts";
import { parseHttpUrl } from "../../internal/http_url.ts";
import { SseDecoder } from "../../codec/sse/decode.ts";
import { PieceCollector } from "../../call/partials.ts";
import { decodeAnswer, decodeList, decodeRefusal, readEvent } from "./decode_reply.ts";

export type { HttpOptions } from "../../codec/fetch/exchange.ts";

/**
 * A transport to a server that speaks MCP-lite over HTTP: what a bare URL means to `createClient`.
 *
 * @param url Where the endpoints are, with or without a slash at its end: `https://example.com/mcp-lite/v1`.
 * @throws {TypeError} If the URL is none, or not `http:` or `https:`.
 */
export function http(url: string | URL, options: HttpOptions = {}): Transport {
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

  async call({ tool, args = {}, meta, limit }: TransportCall, sink?: Sink): Promise<Settled | UnknownOutcome> {
    const params = { name: tool, arguments: args, _meta: meta };
    const id = ++this.#lastId;
    const body = JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params });
    const accept = sink === undefined ? "application/json" : "text/event-stream, application/json";
    return await this.#exchange("/calltools", accept, body, limit, (response, pieces) => {
      const isStream = /^text\/event-stream\b/i.test(response.headers.get("content-type") ?? "");
      return isStream ? readStream(pieces, sink) : readJson(response, pieces, (json) => decodeAnswer(json, id));
    });
  }

  async list(limit: TransportLimit): Promise<readonly RemoteTool[] | Refusal> {
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
    limit: TransportLimit,
    read: (response: Response, pieces: Pieces) => Promise<Result>,
  ): Promise<Result | Refusal> {
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
): Promise<Result | Refusal> {
  const { text, json } = await readJsonText(pieces);
  return decode(json) ?? withRetryAfter(decodeRefusal(json, status, text), headers);
}

async function readStream(pieces: Pieces, sink?: Sink): Promise<Settled | UnknownOutcome> {
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
  return refuse("unavailable", "Stream broke off");
}
