/**
 * MCP's Streamable HTTP on the client's side: each message is a POST, each response is JSON or an event stream.
 *
 * Resumes interrupted streams, and keeps the server's own stream open.
 * Source: MCP, revisions 2025-03-26 to 2026-07-28, "Transports".
 */
import { type ErrorResult, toErrorResult } from "../../../../core/call/outcome.ts";
import { tooDeepError } from "../../../../core/call/parse_answer.ts";
import { withTimeLimit } from "../../../../core/call/time_limit.ts";
import { addRetryAfter, cancelBody, isEventStream, readChunks, readText } from "../../../../http_client/read.ts";
import { brokenConnection, lostConnection } from "../../../../http_client/connection_errors.ts";
import { readEvents, ResumableSseDecoder } from "../../../../http_client/resumable_sse.ts";
import type { RequestId } from "../../../framing/json_rpc/decode.ts";
import { wrongIdError } from "../../../framing/json_rpc/decode_error.ts";
import {
  BACKGROUND_TIMEOUT_MS,
  type MessageTransport,
  type ReceiveMessage,
  type RpcReply,
  type SendOptions,
  suspendFor,
  type TransportReply,
} from "../../client/message_transport.ts";
import { SESSION_HEADER } from "../../protocol/header_values.ts";
import { encodeMessage, type OneWayMessage, parseMessages, type RpcRequest } from "../../protocol/messages.ts";
import type { Fetcher } from "./fetcher.ts";

const ACCEPT = "application/json, text/event-stream";
/** Delay before a stream is resumed if the server does not specify one, in milliseconds. */
const DEFAULT_RETRY_MS = 1_000;
/** Maximum number of consecutive streams without an event. */
const MAX_EMPTY_STREAMS = 5;
/** A stream that was open for longer than this, in milliseconds, is not counted as empty. */
const MIN_STREAM_MS = 1_000;

/** Limits of the delay before a stream is resumed, in milliseconds. The least is doubled for each consecutive stream that was short. */
const MIN_RETRY_MS = 50;
const MAX_MIN_RETRY_MS = 2_000;
const MAX_RETRY_MS = 600_000;

/** A stream of responses that is being read, and can be resumed at its last event. */
interface StreamReading {
  /** Id of the request; `undefined` for the server's own stream. */
  readonly id: RequestId | undefined;
  readonly decoder: ResumableSseDecoder;
  readonly options: SendOptions;
}

/** Client side of Streamable HTTP: sends each message by POST, reads the response whole or as a stream, and resumes broken streams. */
export class HttpTransport implements MessageTransport {
  readonly hasHeaders = true;
  /** Constant: the session is identified by a header, not by a connection. */
  readonly epoch = 0;
  receive: ReceiveMessage = () => {};
  readonly #fetcher: Fetcher;

  constructor(fetcher: Fetcher) {
    this.#fetcher = fetcher;
  }

  async request(message: RpcRequest, options: SendOptions): Promise<TransportReply> {
    const response = await this.#post(message, options);
    if ("kind" in response) return { transportError: response };
    const session = response.headers.get(SESSION_HEADER) ?? undefined;
    const { id } = message;
    const reply = isEventStream(response) && response.ok
      ? await this.#readStream(response, { id, decoder: new ResumableSseDecoder(this.#fetcher.maxBytes), options })
      : await this.#readWhole(response, id, options);
    return { ...reply, session };
  }

  async post(message: OneWayMessage, options: SendOptions): Promise<ErrorResult | undefined> {
    const response = await this.#post(message, options);
    if ("kind" in response) return response;
    cancelBody(response);
    return response.ok ? undefined : this.#fetcher.statusError(response.status);
  }

  async listen(options: SendOptions): Promise<void> {
    const decoder = new ResumableSseDecoder(this.#fetcher.maxBytes);
    const first = await this.#resume(decoder.lastEventId, options);
    void this.#keepListening(first, { id: undefined, decoder, options: { ...options, isEndless: true } });
  }

  /** Reads the server's own stream and reopens it when it ends, until the server rejects it or the signal aborts. */
  async #keepListening(first: Response | ErrorResult, reading: StreamReading): Promise<void> {
    const { decoder, options } = reading;
    let response = first;
    for (let empty = 0; empty < MAX_EMPTY_STREAMS; empty++) {
      if ("kind" in response ? response.code !== "unavailable" : !response.ok || !isEventStream(response)) return;
      if (!("kind" in response)) {
        const openedMs = performance.now();
        await this.#readOnce(response, reading);
        if (performance.now() - openedMs > MIN_STREAM_MS) empty = 0;
      }
      const pauseMs = pauseOf(decoder.retryMs ?? DEFAULT_RETRY_MS * 2 ** empty, empty);
      if (!await suspendFor(pauseMs, options.limit)) return;
      response = await this.#resume(decoder.lastEventId, options);
    }
  }

  endSession(headers: Readonly<Record<string, string>>): void {
    // In the background, and errors are ignored: a session that is not ended expires.
    withTimeLimit(BACKGROUND_TIMEOUT_MS, async (limit) => {
      const response = await this.#fetcher.send({ method: "DELETE", headers }, limit);
      if (!("kind" in response)) cancelBody(response);
    }).catch(() => {});
  }

  close(): void {}

  #post(message: RpcRequest | OneWayMessage, { headers, limit }: SendOptions): Promise<Response | ErrorResult> {
    const allHeaders = { ...headers, "content-type": "application/json", accept: ACCEPT };
    return this.#fetcher.send({ method: "POST", headers: allHeaders, body: encodeMessage(message) }, limit);
  }

  async #readWhole(response: Response, id: RequestId, { limit }: SendOptions): Promise<RpcReply> {
    const { status, headers } = response;
    try {
      const text = await readText(readChunks(response, limit, this.#fetcher.maxBytes));
      const reply = this.#take(text, id, true);
      if (reply !== undefined) return response.ok || !("error" in reply) ? reply : { ...reply, status, headers };
      const isOfAnother = response.ok && parseMessages(text).some(({ kind }) => kind === "reply");
      if (isOfAnother) return { transportError: wrongIdError(), status };
      return { transportError: addRetryAfter(this.#fetcher.statusError(status, text), headers), status };
    } catch (thrown) {
      return { transportError: this.#toStreamError(thrown), status };
    }
  }

  /** Reads the stream, and streams that resume it, until the reply arrives. */
  async #readStream(first: Response, reading: StreamReading): Promise<RpcReply> {
    const { decoder, options } = reading;
    let response: Response | ErrorResult = first;
    let transportError = INTERRUPTED;
    let short = 0;
    for (let empty = 0; empty < MAX_EMPTY_STREAMS; empty++) {
      const lastEventId = decoder.lastEventId;
      const openedMs = performance.now();
      if (!("kind" in response)) {
        const read = await this.#readOnce(response, reading);
        if (read !== undefined && !("transportError" in read)) return read;
        transportError = read?.transportError ?? INTERRUPTED;
      }
      const canResume = options.isResumable === true && decoder.lastEventId !== "";
      if (!canResume || transportError.code !== "unavailable") return { transportError };
      if (decoder.lastEventId !== lastEventId) empty = 0;
      const pauseMs = pauseOf(decoder.retryMs ?? DEFAULT_RETRY_MS, short);
      short = performance.now() - openedMs > MIN_STREAM_MS ? 0 : short + 1;
      if (!await suspendFor(pauseMs, options.limit)) return { transportError };
      response = await this.#resume(decoder.lastEventId, options);
      if ("kind" in response ? response.code !== "unavailable" : !response.ok) return { transportError };
    }
    return { transportError };
  }

  /** Reads one stream. Returns the reply, or the error that ended the stream; `undefined` if it ended without either. */
  async #readOnce(response: Response, { id, decoder, options }: StreamReading): Promise<RpcReply | undefined> {
    try {
      for await (const { data } of readEvents(response, decoder, options.limit, options.isEndless)) {
        const reply = this.#take(data, id, false);
        if (reply !== undefined) return reply;
      }
      return undefined;
    } catch (thrown) {
      return { transportError: this.#toStreamError(thrown) };
    }
  }

  #resume(lastEventId: string, { headers, limit }: SendOptions): Promise<Response | ErrorResult> {
    const last = lastEventId === "" ? undefined : { "last-event-id": lastEventId };
    return this.#fetcher.send({ method: "GET", headers: { ...headers, ...last, accept: "text/event-stream" } }, limit);
  }

  /** Returns the reply, and passes other messages on. If the response has no other request, an error without an id is the reply. */
  #take(text: string, id: RequestId | undefined, isAlone: boolean): RpcReply | undefined {
    let reply: RpcReply | undefined;
    for (const incoming of parseMessages(text)) {
      if (incoming.kind === "too deep") reply ??= deepReply(incoming.id, id);
      else if (incoming.kind !== "reply") this.receive(incoming, id);
      else if (id === undefined) continue;
      else if (incoming.id === id || (isAlone && incoming.id === undefined && "error" in incoming.reply)) {
        reply ??= incoming.reply;
      }
    }
    return reply;
  }

  #toStreamError(thrown: unknown): ErrorResult {
    return brokenConnection(thrown, `POST ${this.#fetcher.url.href}`);
  }
}

/** Ends the request `id` of a response with a message that cannot be parsed, unless the message replies to another request. */
function deepReply(repliedId: RequestId | undefined, id: RequestId | undefined): RpcReply | undefined {
  return repliedId === undefined || repliedId === id ? { transportError: toErrorResult(tooDeepError()) } : undefined;
}

const INTERRUPTED: ErrorResult = lostConnection();

/** Delay before a stream is resumed: what the server wants, unless that would be no pause, or never. */
function pauseOf(retryMs: number, shortStreams: number): number {
  const leastMs = Math.min(MIN_RETRY_MS * 2 ** shortStreams, MAX_MIN_RETRY_MS);
  return Math.min(Math.max(retryMs, leastMs), MAX_RETRY_MS);
}
