/**
 * Client transport of the REST wire.
 *
 * @module
 */
import {
  type CallResult,
  type ErrorResult,
  errorResult,
  type Sink,
  type UnknownOutcome,
} from "../../../core/call/outcome.ts";
import { parseAnswer } from "../../../core/call/parse_answer.ts";
import type { ListedTool, Transport, TransportCall } from "../../../core/call/transport.ts";
import { addRetryAfter, isEventStream, readJson, type TextChunks } from "../../../http_client/read.ts";
import { exchange, type HttpClientOptions } from "../../../http_client/send.ts";
import { readCallStream } from "../../../http_client/call_stream.ts";
import type { SseEvent } from "../../../http_client/sse.ts";
import type { MaybePromise } from "../../../internal/async.ts";
import { parseHttpUrl } from "../../../internal/http.ts";
import { asObject, type Members } from "../../../internal/json.ts";
import { checkOptions, FUNCTION, HEADERS, type OptionRules, wholeNumber } from "../../../internal/options.ts";
import { decodeEvent, decodeResult } from "../../framing/result/decode.ts";
import { ENVELOPE_TYPE, KEY_HEADER, PROBLEM_TYPE } from "../messages/problem.ts";
import { decodeCallReply, decodeProblem, decodeTools } from "./decode_reply.ts";

const RULES: OptionRules<HttpClientOptions> = { headers: HEADERS, fetch: FUNCTION, maxResponseBytes: wholeNumber(1) };

/** Media types of a response. */
const ACCEPTED = `${ENVELOPE_TYPE}, ${PROBLEM_TYPE}`;

/**
 * Creates a transport to the REST wire of a server.
 *
 * Every call is a `POST`. Metadata of a call, such as the answers to questions, is sent as `application/vnd.toolwire+json`.
 *
 * @example A typed client
 * ```ts
 * import { createClient, createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { rest, restTransport } from "jsr:@toolwire/toolwire/rest";
 *
 * const ping = defineTool("ping").describe("Answer").handle(() => "pong");
 * const server = createServer({ tools: [ping], wires: [rest()] });
 *
 * const transport = restTransport("http://localhost/rest", { fetch: (url, init) => server.fetch(new Request(url, init)) });
 * console.log(await createClient<typeof server>(transport).ping({})); // → pong
 * ```
 * @param url URL of the endpoints, with or without a slash at its end: `https://example.com/rest`.
 * @throws {TypeError} If the URL is invalid, or an option is invalid or unknown.
 */
export function restTransport(url: string | URL, options: HttpClientOptions = {}): Transport {
  checkOptions("reach a REST server", options, RULES);
  const { origin, pathname, search } = parseHttpUrl("reach a REST server", url);
  const base = `${origin}${pathname.replace(/\/*$/, "")}/tools`;
  return {
    async call(call, sink) {
      const { tool, limit } = call;
      if (/^\.{0,2}$/.test(tool)) return unreachableTool(tool);
      const { headers, body } = encodeCall(call, sink !== undefined);
      const request = { method: "POST", url: `${base}/${encodeName(tool)}${search}`, headers, body };
      return await exchange(request, options, limit, (response, chunks) => {
        return isEventStream(response) ? readCallStream(chunks, sink, readEvent) : readReply(response, chunks);
      });
    },
    list(limit) {
      const request = { method: "GET", url: base + search, headers: { accept: "application/json" } };
      return exchange(request, options, limit, async (response, chunks) => {
        const { text, json } = await readJson(chunks);
        const tools = response.ok ? decodeTools(json) : undefined;
        return tools ?? addRetryAfter(toError(decodeProblem(asObject(json), response.status, text)), response.headers);
      }) as Promise<readonly ListedTool[] | ErrorResult>;
    },
  };
}

/** Without a name the path is that of the list. A URL removes segments that are `.` or `..`, however they are encoded. */
function unreachableTool(tool: string): ErrorResult {
  return errorResult("tool_not_found", "Tool not found", { requested_tool: tool });
}

function encodeName(tool: string): string {
  return encodeURIComponent(tool.toWellFormed());
}

/** Encodes a call. Arguments without metadata are the body; an idempotency key that a header can contain is a header. */
function encodeCall({ args = {}, meta }: TransportCall, isStreamed: boolean) {
  const { idempotency_key: key, ...rest } = meta ?? {};
  const isHeader = typeof key === "string" && /^[\x20-\x7e]+$/.test(key);
  const others: Members = isHeader || key === undefined ? rest : { ...rest, idempotency_key: key };
  const isPlain = Object.values(others).every((value) => value === undefined);
  const headers = {
    "content-type": isPlain ? "application/json" : ENVELOPE_TYPE,
    accept: isStreamed ? `text/event-stream, ${ACCEPTED}` : ACCEPTED,
    ...(isHeader && { [KEY_HEADER]: `"${key.replace(/["\\]/g, "\\$&")}"` }),
  };
  return { headers, body: JSON.stringify(isPlain ? args : { arguments: args, _meta: others }) };
}

async function readReply(response: Response, chunks: TextChunks): Promise<CallResult | UnknownOutcome> {
  const { text, json } = await readJson(chunks);
  const decoded = decodeCallReply(response, text, json);
  return decoded.kind === "error" ? addRetryAfter(decoded, response.headers) : decoded;
}

/** Decodes one event. Returns the result if it is the last event. Other events go to the sink; its promise is returned. */
function readEvent({ event, data }: SseEvent, sink: Sink): MaybePromise<CallResult | UnknownOutcome | void> {
  // Unknown events are ignored.
  if (!/^(message|done|error)$/.test(event)) return undefined;
  const members = asObject(parseAnswer(data, "An event"));
  if (event === "done") return decodeResult(members);
  if (event === "error") return decodeProblem(members, Number(members["status"]), data);
  const callEvent = decodeEvent(members);
  return callEvent && sink.push(callEvent);
}

/** A list has no other results than errors. */
function toError(result: CallResult | UnknownOutcome): ErrorResult {
  return result.kind === "error"
    ? result
    : errorResult("internal", "The server answered with a result instead of a list");
}
