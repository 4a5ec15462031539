/**
 * The transport of 2024-11-05 on the client's side: one event stream for all messages of the server, and an endpoint, named by
 * the stream, for all messages of the client.
 */
import { type ErrorResult, errorResult } from "../../../../core/call/outcome.ts";
import { monitorFromSignal } from "../../../../core/call/time_limit.ts";
import type { ActivityMonitor } from "../../../../core/call/transport.ts";
import { addRetryAfter, cancelBody, isEventStream, readChunks, readText } from "../../../../http_client/read.ts";
import { brokenConnection, lostConnection } from "../../../../http_client/connection_errors.ts";
import { readEvents, ResumableSseDecoder } from "../../../../http_client/resumable_sse.ts";
import { decodeStatus } from "../../../framing/json_rpc/decode_error.ts";
import { decodeFailedReply } from "../../client/decode_reply.ts";
import type { DuplexConnection, DuplexHandler, OpenDuplexConnection } from "../../client/duplex_transport.ts";
import type { SendOptions } from "../../client/message_transport.ts";
import { parseMessages } from "../../protocol/messages.ts";
import type { Fetcher } from "./fetcher.ts";

/** Returns a function that opens a stream of 2024-11-05. Aborting the request that needs it aborts the opening, not the open stream. */
export function openSseConnection(fetcher: Fetcher): OpenDuplexConnection {
  return async (handler, { headers, limit }) => {
    const closing = new AbortController();
    const abort = () => closing.abort();
    limit.signal.addEventListener("abort", abort);
    try {
      return await open(fetcher, headers, closing, handler);
    } finally {
      limit.signal.removeEventListener("abort", abort);
    }
  };
}

async function open(
  fetcher: Fetcher,
  headers: SendOptions["headers"],
  closing: AbortController,
  handler: DuplexHandler,
): Promise<DuplexConnection | ErrorResult> {
  const limit = monitorFromSignal(closing.signal);
  const response = await fetcher.send({ method: "GET", headers: { ...headers, accept: "text/event-stream" } }, limit);
  if ("kind" in response) return response;
  if (!response.ok || !isEventStream(response)) {
    cancelBody(response);
    return fetcher.statusError(response.status);
  }
  const { promise, resolve } = Promise.withResolvers<DuplexConnection | ErrorResult>();
  void readMessages(response, fetcher, closing, {
    receive: handler.receive,
    active: handler.active,
    closed: (error) => {
      resolve(error);
      handler.closed(error);
    },
  }, resolve);
  return await promise;
}

async function readMessages(
  response: Response,
  fetcher: Fetcher,
  closing: AbortController,
  handler: DuplexHandler,
  opened: (connection: DuplexConnection | ErrorResult) => void,
): Promise<void> {
  try {
    const decoder = new ResumableSseDecoder(fetcher.maxBytes);
    const monitor: ActivityMonitor = { ...monitorFromSignal(closing.signal), markActive: handler.active };
    for await (const { event, data } of readEvents(response, decoder, monitor, true)) {
      if (event !== "endpoint") handler.receive(parseMessages(data));
      else opened(toConnection(fetcher.at(data), closing));
    }
    handler.closed(lostConnection());
  } catch (thrown) {
    handler.closed(brokenConnection(thrown, `GET ${fetcher.url.href}`));
  } finally {
    closing.abort();
  }
}

function toConnection(endpoint: Fetcher | undefined, closing: AbortController): DuplexConnection | ErrorResult {
  if (endpoint === undefined) {
    return errorResult(
      "invalid_request",
      "The server names an endpoint of another origin than its stream, to which no credentials are sent",
    );
  }
  return {
    get isClosed() {
      return closing.signal.aborted;
    },
    async write(text, { headers, limit }) {
      const allHeaders = { ...headers, "content-type": "application/json" };
      const response = await endpoint.send({ method: "POST", headers: allHeaders, body: text }, limit);
      if ("kind" in response) return response;
      if (!response.ok) return await readError(response, limit, endpoint.maxBytes);
      cancelBody(response);
      return undefined;
    },
    close: () => closing.abort(),
  };
}

/** The error for a rejected message: from the JSON-RPC error in the body if there is one, otherwise from the status. */
async function readError(response: Response, limit: ActivityMonitor, maxBytes: number): Promise<ErrorResult> {
  const { status, headers } = response;
  try {
    const text = await readText(readChunks(response, limit, maxBytes));
    const [message] = parseMessages(text);
    if (message?.kind === "reply" && "error" in message.reply) {
      return decodeFailedReply({ ...message.reply, status, headers });
    }
    return addRetryAfter(decodeStatus(status, text, "MCP"), headers);
  } catch (thrown) {
    return brokenConnection(thrown, `POST ${response.url}`);
  }
}
