/**
 * The transport of 2024-11-05: one stream that everything comes from, and an endpoint, which the stream tells, that everything
 * is sent to.
 *
 * @module
 */
import { type ErrorResult, errorResult } from "../../../../core/call/outcome.ts";
import type { ActivityMonitor } from "../../../../core/call/transport.ts";
import { discard, readPieces, readText, withRetryAfter } from "../../../../http_client/read.ts";
import { decodeStatus } from "../../../framing/json_rpc/decode_error.ts";
import { ResumableSseDecoder } from "../../../../http_client/resumable_sse.ts";
import { limitOf, type Sending } from "../../client/message_transport.ts";
import { parseMessages } from "../../protocol/messages.ts";
import { refusalOf } from "../../client/error_result.ts";
import type { Line, LineEnd, OpenLine } from "../../client/duplex_transport.ts";
import { brokenOff, type Fetcher, isEventStream, readEvents } from "./fetcher.ts";

/** Opens the stream of a server at this URL. */
export function openEndpoint(fetcher: Fetcher): OpenLine {
  return async (end, { headers, limit }) => {
    const ending = new AbortController();
    const leave = () => ending.abort();
    limit.signal.addEventListener("abort", leave);
    try {
      return await open(fetcher, headers, ending, end);
    } finally {
      limit.signal.removeEventListener("abort", leave);
    }
  };
}

async function open(
  fetcher: Fetcher,
  headers: Sending["headers"],
  ending: AbortController,
  end: LineEnd,
): Promise<Line | ErrorResult> {
  const limit = limitOf(ending.signal);
  const said = { ...headers, accept: "text/event-stream" };
  const response = await fetcher.send({ method: "GET", headers: said, limit });
  if ("kind" in response) return response;
  if (!response.ok || !isEventStream(response)) {
    discard(response);
    return decodeStatus(response.status, "", "MCP");
  }
  const { promise, resolve } = Promise.withResolvers<Line | ErrorResult>();
  void readOn(response, fetcher, ending, {
    take: end.take,
    end: (refusal) => {
      resolve(refusal);
      end.end(refusal);
    },
  }, resolve);
  return await promise;
}

async function readOn(
  response: Response,
  fetcher: Fetcher,
  ending: AbortController,
  end: LineEnd,
  opened: (line: Line | ErrorResult) => void,
): Promise<void> {
  const { maxBytes } = fetcher;
  try {
    const events = readEvents(response, new ResumableSseDecoder(), limitOf(ending.signal), {
      maxBytes,
      isEndless: true,
    });
    for await (const { event, data } of events) {
      if (event !== "endpoint") end.take(parseMessages(data));
      else opened(lineTo(fetcher.at(data), ending));
    }
    end.end(errorResult("unavailable", "Stream broke off"));
  } catch (thrown) {
    end.end(brokenOff(thrown, `GET ${fetcher.url.href}`, "Stream broke off"));
  } finally {
    ending.abort();
  }
}

function lineTo(endpoint: Fetcher | undefined, ending: AbortController): Line | ErrorResult {
  if (endpoint === undefined) return errorResult("invalid_request", "The server names an endpoint of another origin");
  return {
    get isOver() {
      return ending.signal.aborted;
    },
    async write(text, { headers, limit }) {
      const said = { ...headers, "content-type": "application/json" };
      const response = await endpoint.send({ method: "POST", headers: said, body: text, limit });
      if ("kind" in response) return response;
      if (!response.ok) return await readRefusal(response, limit, endpoint.maxBytes);
      discard(response);
      return undefined;
    },
    close: () => ending.abort(),
  };
}

/** Why a message was not taken: in the server's words, if there are any. */
async function readRefusal(response: Response, limit: ActivityMonitor, maxBytes: number): Promise<ErrorResult> {
  const { status, headers } = response;
  try {
    const text = await readText(readPieces(response, limit, maxBytes));
    const [message] = parseMessages(text);
    const isError = message?.kind === "reply" && "error" in message.reply;
    if (isError) return refusalOf({ ...message.reply, status, headers });
    return withRetryAfter(decodeStatus(status, text, "MCP"), headers);
  } catch (thrown) {
    return brokenOff(thrown, `POST ${response.url}`, "Answer broke off");
  }
}
