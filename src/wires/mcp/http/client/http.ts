/**
 * MCP's Streamable HTTP, as a client carries messages over it: each message is a POST, each answer JSON or a stream of events.
 *
 * Knows streams that break off and go on, and the one that a server may keep open; knows no era.
 * Source: MCP, revisions 2025-03-26 to 2026-07-28, "Transports".
 *
 * @module
 */
import { type ErrorResult, errorResult } from "../../../../core/call/outcome.ts";
import { discard, readPieces, readText, withRetryAfter } from "../../../../http_client/read.ts";
import { decodeStatus, ofAnotherRequest } from "../../../framing/json_rpc/decode_error.ts";
import type { RequestId } from "../../../framing/json_rpc/decode.ts";
import { ResumableSseDecoder } from "../../../../http_client/resumable_sse.ts";
import {
  type Carrier,
  type Receive,
  type Replied,
  type RpcReply,
  type Sending,
  UNWATCHED_MS,
  within,
} from "../../client/message_transport.ts";
import { brokenOff, type Fetcher, isEventStream, readEvents } from "./fetcher.ts";
import { encodeMessage, type OneWayMessage, parseMessages, type RpcRequest } from "../../protocol/messages.ts";
import { pause } from "../../client/pause.ts";
import { SESSION_HEADER } from "../../protocol/header_values.ts";

const ACCEPT = "application/json, text/event-stream";
const DEFAULT_RETRY_MS = 1_000;
/** How often in a row a stream is asked for that then brings nothing. */
const MAX_EMPTY_STREAMS = 5;
const LASTING_MS = 1_000;

/** A stream that is read: what it answers, and where it is to go on. */
interface Reading {
  readonly id: RequestId | undefined;
  readonly decoder: ResumableSseDecoder;
  readonly sending: Sending;
}

/** Carries messages over Streamable HTTP. */
export class HttpCarrier implements Carrier {
  readonly hasHeaders = true;
  /** HTTP forgets nothing of its own. */
  readonly epoch = 0;
  receive: Receive = () => {};
  readonly #fetcher: Fetcher;

  constructor(fetcher: Fetcher) {
    this.#fetcher = fetcher;
  }

  async request(message: RpcRequest, sending: Sending): Promise<Replied> {
    const response = await this.#post(message, sending);
    if ("kind" in response) return { refusal: response };
    const session = response.headers.get(SESSION_HEADER) ?? undefined;
    const { id } = message;
    const reply = isEventStream(response) && response.ok
      ? await this.#readStream(response, { id, decoder: new ResumableSseDecoder(), sending })
      : await this.#readWhole(response, id, sending);
    return { ...reply, session };
  }

  async post(message: OneWayMessage, sending: Sending): Promise<ErrorResult | undefined> {
    const response = await this.#post(message, sending);
    if ("kind" in response) return response;
    discard(response);
    return response.ok ? undefined : decodeStatus(response.status, "", "MCP");
  }

  async listen(sending: Sending): Promise<void> {
    const decoder = new ResumableSseDecoder();
    const first = await this.#resume(decoder.lastEventId, sending);
    void this.#listenOn(first, { id: undefined, decoder, sending: { ...sending, isEndless: true } });
  }

  /** Reads the server's own stream, over and over, until it is no longer given or the signal aborts. */
  async #listenOn(first: Response | ErrorResult, reading: Reading): Promise<void> {
    const { decoder, sending } = reading;
    let response = first;
    for (let empty = 0; empty < MAX_EMPTY_STREAMS; empty++) {
      if ("kind" in response ? response.code !== "unavailable" : !response.ok || !isEventStream(response)) return;
      if (!("kind" in response)) {
        const before = performance.now();
        await this.#readOnce(response, reading);
        // One that lasted is not one that the server does not want.
        if (performance.now() - before > LASTING_MS) empty = 0;
      }
      if (!await pause(decoder.retryMs ?? DEFAULT_RETRY_MS * 2 ** empty, sending.limit)) return;
      response = await this.#resume(decoder.lastEventId, sending);
    }
  }

  leave(headers: Readonly<Record<string, string>>): void {
    // Nobody waits for it: a session that is not ended ends by itself.
    within(UNWATCHED_MS, async (limit) => {
      const response = await this.#fetcher.send({ method: "DELETE", headers, limit });
      if (!("kind" in response)) discard(response);
    }).catch(() => {});
  }

  close(): void {}

  #post(message: RpcRequest | OneWayMessage, { headers, limit }: Sending): Promise<Response | ErrorResult> {
    const said = { ...headers, "content-type": "application/json", accept: ACCEPT };
    return this.#fetcher.send({ method: "POST", headers: said, body: encodeMessage(message), limit });
  }

  async #readWhole(response: Response, id: RequestId, { limit }: Sending): Promise<RpcReply> {
    const { status, headers } = response;
    try {
      const text = await readText(readPieces(response, limit, this.#fetcher.maxBytes));
      const reply = this.#take(text, id, true);
      if (reply !== undefined) return response.ok || "result" in reply ? reply : { ...reply, status, headers };
      const isOfAnother = response.ok && parseMessages(text).some(({ kind }) => kind === "reply");
      if (isOfAnother) return { refusal: ofAnotherRequest(), status };
      return { refusal: withRetryAfter(decodeStatus(status, text, "MCP"), headers), status };
    } catch (thrown) {
      return { refusal: this.#brokenOff(thrown), status };
    }
  }

  /** Reads on, over as many streams as it takes, until the answer is there. */
  async #readStream(first: Response, reading: Reading): Promise<RpcReply> {
    const { decoder, sending } = reading;
    let response: Response | ErrorResult = first;
    let broken: RpcReply = BROKEN;
    for (let empty = 0; empty < MAX_EMPTY_STREAMS; empty++) {
      const before = decoder.lastEventId;
      if (!("kind" in response)) {
        const read = await this.#readOnce(response, reading);
        if (read !== undefined && !("refusal" in read)) return read;
        broken = read ?? BROKEN;
      }
      const isLost = "refusal" in broken && broken.refusal.code !== "unavailable";
      if (sending.isResumable !== true || decoder.lastEventId === "" || isLost) return broken;
      if (decoder.lastEventId !== before) empty = 0;
      if (!await pause(decoder.retryMs ?? DEFAULT_RETRY_MS, sending.limit)) return broken;
      response = await this.#resume(decoder.lastEventId, sending);
      if ("kind" in response ? response.code !== "unavailable" : !response.ok) return broken;
    }
    return broken;
  }

  /** Reads one stream to its end; the answer, if it came, or why the stream broke. */
  async #readOnce(response: Response, { id, decoder, sending }: Reading): Promise<RpcReply | undefined> {
    const { maxBytes } = this.#fetcher;
    try {
      for await (
        const { data } of readEvents(response, decoder, sending.limit, { maxBytes, isEndless: sending.isEndless })
      ) {
        const reply = this.#take(data, id, false);
        if (reply !== undefined) return reply;
      }
      return undefined;
    } catch (thrown) {
      return { refusal: this.#brokenOff(thrown) };
    }
  }

  #resume(lastEventId: string, { headers, limit }: Sending): Promise<Response | ErrorResult> {
    const last = lastEventId === "" ? undefined : { "last-event-id": lastEventId };
    return this.#fetcher.send({ method: "GET", headers: { ...headers, ...last, accept: "text/event-stream" }, limit });
  }

  /** Takes what came: the answer is returned, the rest received. An error that is nobody's is that of whoever waits alone. */
  #take(text: string, id: RequestId | undefined, isAlone: boolean): RpcReply | undefined {
    let reply: RpcReply | undefined;
    for (const incoming of parseMessages(text)) {
      if (incoming.kind !== "reply") this.receive(incoming, id);
      else if (id === undefined) continue;
      else if (incoming.id === id || (isAlone && incoming.id === undefined && "error" in incoming.reply)) {
        reply ??= incoming.reply;
      }
    }
    return reply;
  }

  #brokenOff(thrown: unknown): ErrorResult {
    return brokenOff(thrown, `POST ${this.#fetcher.url.href}`, "Stream broke off");
  }
}

const BROKEN: RpcReply = { refusal: errorResult("unavailable", "Stream broke off") };
