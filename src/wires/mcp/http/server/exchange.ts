import type { Metadata, Principal } from "../../../../core/call/call.ts";
import { errorResult } from "../../../../core/call/outcome.ts";
import { asObject, type Members } from "../../../../internal/json.ts";
import { SseBody, STREAM_HEADERS } from "../../../framing/sse/body.ts";
import { encodeSseEvent } from "../../../framing/sse/encode.ts";
import type { Deadlines } from "../../../../internal/deadlines.ts";
import { acceptsEventStream } from "../../../../internal/http.ts";
import type { MaybePromise } from "../../../../internal/async.ts";
import { type Answer, errorAnswer, protocolError, refusalAnswer } from "../../server/answer.ts";
import type { Channel, Exchange } from "../../server/exchange.ts";
import type { Head, Reply, WireHost } from "../../../wire.ts";

const JSON_HEADERS: Readonly<Record<string, string>> = { "content-type": "application/json" };

/** Taken, and nothing to say. */
export const ACCEPTED: Reply = { status: 202, headers: {}, body: null };

/** What shows that a quiet stream lives. */
export const KEEP_ALIVE = ": keepalive\n\n";

/** When to try again what cannot be done now, in milliseconds. */
const RETRY_MS = 1_000;

/** One request over HTTP. Its answer is JSON, unless something comes before it, or it takes its time: then it is a stream. */
export class HttpExchange implements Exchange, Channel {
  readonly #head: Head;
  readonly #host: WireHost;
  readonly #heartbeats: Deadlines;
  #body: SseBody | undefined = undefined;
  #opened: PromiseWithResolvers<Reply> | undefined = undefined;

  constructor(head: Head, heartbeats: Deadlines, host: WireHost) {
    this.#head = head;
    this.#host = host;
    this.#heartbeats = heartbeats;
  }

  get metadata(): Metadata {
    return this.#head.metadata;
  }

  get principal(): Principal | undefined {
    return this.#head.principal;
  }

  get left(): AbortSignal | undefined {
    return this.#body?.left;
  }

  signal(isStreamed: boolean): AbortSignal | undefined {
    return isStreamed ? this.#head.streamAbortSignal : this.#head.signal;
  }

  channel(isForced: boolean = false): Channel | undefined {
    if (this.#body !== undefined) return this;
    if (!isForced && !acceptsEventStream(this.#head.metadata.get("accept"))) return undefined;
    const opened = this.#opened = Promise.withResolvers();
    this.#body = new SseBody({
      heartbeats: this.#heartbeats,
      heartbeat: KEEP_ALIVE,
      onOpen: (body) => opened.resolve({ status: 200, headers: STREAM_HEADERS, body }),
    });
    return this;
  }

  send(json: string): void | Promise<void> {
    return this.#body?.write(encodeSseEvent("message", json));
  }

  /** The reply: at once where the answer is there, else as soon as there is something to send. */
  reply(answer: MaybePromise<Answer>): MaybePromise<Reply> {
    if (!(answer instanceof Promise)) return this.#finish(answer);
    this.#head.disableIdleTimeout();
    if (this.channel() === undefined) return answer.then((later) => toAnsweredReply(later, this.#head, this.#host));
    const ended = answer.then((later) => this.#finish(later));
    return Promise.race([ended, (this.#opened as PromiseWithResolvers<Reply>).promise]);
  }

  #finish(answer: Answer): MaybePromise<Reply> {
    const body = this.#body;
    if (body === undefined) return toAnsweredReply(answer, this.#head, this.#host);
    if (!body.isOpen) {
      body.discard();
      return toAnsweredReply(answer, this.#head, this.#host);
    }
    body.end(encodeSseEvent("message", answer.json));
    return (this.#opened as PromiseWithResolvers<Reply>).promise;
  }
}

/** An answer that is all there is. */
export function toReply({ status, json, headers }: Answer): Reply {
  return { status, headers: headers === undefined ? JSON_HEADERS : { ...JSON_HEADERS, ...headers }, body: json };
}

/** The same, of a request that was run: who may not do this is told what it takes. */
export function toAnsweredReply(answer: Answer, { path }: Head, host: WireHost): Reply {
  const { refusal, headers } = answer;
  return toReply(
    refusal === undefined ? answer : { ...answer, headers: { ...headers, ...host.challenge(refusal, path) } },
  );
}

/** An error that is no request's in particular. */
export function refused(status: number, number: number, message: string, data?: Members): Reply {
  return toReply(errorAnswer(null, protocolError(number, message, data, status)));
}

/** What a caller is told who may try again: 503, and when. */
export function unavailable(message: string, data?: unknown): Reply {
  return toReply(
    refusalAnswer(null, errorResult("unavailable", message, { retry_after_ms: RETRY_MS, ...asObject(data) })),
  );
}
