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
import type { Transport, TransportLimit } from "../../call/transport.ts";
import { exchange, type HttpOptions, parseHttpUrl, readJsonText } from "../../codec/fetch/exchange.ts";
import { type Pieces, withRetryAfter } from "../../codec/fetch/read.ts";
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
  const { origin, pathname, search } = parseHttpUrl(url);
  const base = origin + pathname.replace(/\/*$/, "");
  let lastId = 0;
  const post = <Result>(
    endpoint: string,
    body: string,
    limit: TransportLimit,
    accept: string,
    decode: (json: unknown) => Result | undefined,
    readOther?: (pieces: Pieces) => Promise<Result>,
  ): Promise<Result | Refusal> =>
    exchange(
      { method: "POST", url: base + endpoint + search, headers: { "content-type": JSON_TYPE, accept }, body },
      options,
      limit,
      async ({ status, headers }, pieces) => {
        const isStream = /^text\/event-stream\b/i.test(headers.get("content-type") ?? "");
        if (isStream && readOther !== undefined) return readOther(pieces);
        const { text, json } = await readJsonText(pieces);
        return decode(json) ?? withRetryAfter(decodeRefusal(json, status, text), headers);
      },
    );
  const list = (endpoint: string, limit: TransportLimit) => post(endpoint, "{}", limit, JSON_TYPE, decodeList);
  return {
    call({ tool, args = {}, meta, limit }, sink) {
      const id = ++lastId;
      const params = { name: tool, arguments: args, _meta: meta };
      const body = JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params });
      const accept = sink === undefined ? JSON_TYPE : `text/event-stream, ${JSON_TYPE}`;
      const decode = (json: unknown) => decodeAnswer(json, id);
      return post("/calltools", body, limit, accept, decode, (pieces) => readStream(pieces, sink));
    },
    async list(limit) {
      const listed = await list("/listtools", limit);
      // The specification's appendix calls it otherwise than its section 4.2, and some servers know only that.
      return "kind" in listed && listed.code === "method_not_found" ? await list("/tools", limit) : listed;
    },
  };
}

const JSON_TYPE = "application/json";

/** Reads a stream. Of one that nobody asked for, the pieces are the answer if it gives no other. */
async function readStream(pieces: Pieces, told?: Sink): Promise<Settled | UnknownOutcome> {
  const decoder = new SseDecoder();
  const collector = new PieceCollector();
  for await (const piece of pieces) {
    for (const event of decoder.decode(piece)) {
      const ended = readEvent(event, told ?? collector);
      // Most events end nothing, and need not be waited for.
      const settled = ended && await ended;
      if (settled !== undefined) return collector.join(settled);
    }
  }
  return refuse("unavailable", "Stream broke off");
}
