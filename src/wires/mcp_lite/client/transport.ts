/**
 * Client transport of MCP-lite over HTTP.
 *
 * Accepts the replies of any MCP-lite server: both forms of the list, any status, results without `_meta`.
 * Source: docs/spec.md 4 and A.
 */
import {
  type CallResult,
  type ErrorResult,
  errorResult,
  type Sink,
  type UnknownOutcome,
} from "../../../core/call/outcome.ts";
import { parseAnswer } from "../../../core/call/parse_answer.ts";
import type { ActivityMonitor, ListedTool, Transport } from "../../../core/call/transport.ts";
import { addRetryAfter, isEventStream, readJson, type TextChunks } from "../../../http_client/read.ts";
import { exchange, type HttpClientOptions } from "../../../http_client/send.ts";
import { parseHttpUrl } from "../../../internal/http.ts";
import { readCallStream } from "../../../http_client/call_stream.ts";
import type { SseEvent } from "../../../http_client/sse.ts";
import { decodeError, decodeStatus, wrongIdError } from "../../framing/json_rpc/decode_error.ts";
import { decodeEvent, decodeResult } from "../../framing/result/decode.ts";
import { asObject, isJsonObject, type Members } from "../../../internal/json.ts";
import type { MaybePromise } from "../../../internal/async.ts";

/**
 * Creates a transport to a server of MCP-lite over HTTP. `createClient` uses it if it is given a URL.
 *
 * @param url URL of the endpoints, with or without a slash at its end: `https://example.com/mcp-lite/v1`.
 * @throws {TypeError} If the URL is invalid, or not `http:` or `https:`.
 */
export function mcpLiteTransport(url: string | URL, options: HttpClientOptions = {}): Transport {
  const { origin, pathname, search } = parseHttpUrl("reach a server", url);
  const base = origin + pathname.replace(/\/*$/, "");
  let lastId = 0;
  const post: Post = (endpoint, accept, body, monitor, read) => {
    const headers = { "content-type": "application/json", accept };
    return exchange({ method: "POST", url: base + endpoint + search, headers, body }, options, monitor, read);
  };
  const list = (endpoint: string, monitor: ActivityMonitor) =>
    post(endpoint, "application/json", "{}", monitor, (response, chunks) => readReply(response, chunks, decodeList));
  return {
    async call({ tool, args = {}, meta, limit }, sink) {
      const id = ++lastId;
      const params = { name: tool, arguments: args, _meta: meta };
      const body = JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params });
      const accept = sink === undefined ? "application/json" : "text/event-stream, application/json";
      return await post("/calltools", accept, body, limit, (response, chunks) => {
        if (isEventStream(response)) return readCallStream(chunks, sink, readEvent);
        return readReply(response, chunks, (json) => decodeAnswer(json, id));
      });
    },
    async list(monitor) {
      const listed = await list("/listtools", monitor);
      // The appendix of the specification has another name than its section 4.2, and some servers know only that.
      return "kind" in listed && listed.code === "method_not_found" ? await list("/tools", monitor) : listed;
    },
  };
}

/** Sends a POST request to an endpoint and returns the result of `read`. */
type Post = <Result>(
  endpoint: string,
  accept: string,
  body: string,
  monitor: ActivityMonitor,
  read: (response: Response, chunks: TextChunks) => Promise<Result>,
) => Promise<Result | ErrorResult>;

/** Reads a response that is not a stream: the result of `decode`, or the error if that is `undefined`. */
async function readReply<Result>(
  { status, headers }: Response,
  chunks: TextChunks,
  decode: (json: unknown) => Result | undefined,
): Promise<Result | ErrorResult> {
  const { text, json } = await readJson(chunks);
  return decode(json) ?? addRetryAfter(decodeErrorReply(json, status, text), headers);
}

/** Decodes the reply to the call with this id; `undefined` if it has no result. */
function decodeAnswer(json: unknown, sentId: number): CallResult | UnknownOutcome | undefined {
  const { jsonrpc, id, error, result } = asObject(json);
  // A reply of JSON-RPC needs the id of its request. An error has no id if the server could not decode it.
  if (jsonrpc !== undefined && sentId !== (error === undefined ? id : id ?? sentId)) return wrongIdError();
  // An error takes precedence over a result.
  if (!isJsonObject(result) || error) return undefined;
  return isMcpResult(result) ? MCP_ANSWERS : decodeResult(result);
}

const MCP_ANSWERS = errorResult(
  "invalid_request",
  'The server answered in MCP, not in MCP-lite: pass mcpTransport(url) of "toolwire/mcp"',
);

/** Whether a result is of MCP, whose `content` is not the output. A result of MCP-lite may lack `_meta`. */
function isMcpResult({ resultType, structuredContent, isError, content, _meta }: Members): boolean {
  if (asObject(_meta)["response_type"] !== undefined) return false;
  if (typeof (resultType ?? structuredContent ?? isError) !== "undefined") return true;
  return Array.isArray(content) && content.length > 0 && content.every((block) => asObject(block)["type"] === "text");
}

/** Decodes a list of tools, which is an array or a member of an object; `undefined` for other values. */
function decodeList(json: unknown): readonly ListedTool[] | undefined {
  const { tools = json } = asObject(json);
  return Array.isArray(tools) ? tools as ListedTool[] : undefined;
}

/** Decodes an error: from the `error` object, else from the status. */
function decodeErrorReply(json: unknown, status: number, text: string): ErrorResult {
  const { error } = asObject(json);
  return isJsonObject(error) ? decodeError(error, status) : decodeStatus(status, text, "MCP-lite");
}

/** Decodes one event of a stream. Returns the result if it is the last event. Other events go to the sink; its promise is returned. */
function readEvent(
  { event, data }: SseEvent,
  sink: Sink,
): MaybePromise<CallResult | UnknownOutcome | void> {
  // Unknown events are ignored.
  if (!/^(message|done|error)$/.test(event)) return undefined;
  const json = parseAnswer(data, "An event");
  if (event === "done") return isJsonObject(json) ? decodeResult(json) : decodeErrorReply(json, 200, data);
  const members = asObject(json);
  if (event === "error") return decodeError(members);
  if (isJsonObject(members["result"]) && isMcpResult(members["result"])) return MCP_ANSWERS;
  const callEvent = decodeEvent(members);
  return callEvent && sink.push(callEvent);
}
