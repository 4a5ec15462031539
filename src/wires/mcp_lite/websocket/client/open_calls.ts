/** The calls of one open socket, by their ids: what is sent, and what arrives. */
import { type ErrorResult, errorResult, toErrorResult } from "../../../../core/call/outcome.ts";
import type { Sink } from "../../../../core/call/outcome.ts";
import { isTooDeep, tooDeepError } from "../../../../core/call/parse_answer.ts";
import type { ActivityMonitor } from "../../../../core/call/transport.ts";
import { lostConnection } from "../../../../http_client/connection_errors.ts";
import { attempt } from "../../../../internal/async.ts";
import { asObject, isJsonObject, type Members, readOutline } from "../../../../internal/json.ts";
import type { Clock } from "../../../../internal/time.ts";
import { EventQueue } from "../../../framing/event_queue.ts";
import { decodeError } from "../../../framing/json_rpc/decode_error.ts";
import { decodeEvent } from "../../../framing/result/decode.ts";
import { BEAT_MS, CLOSE, HEARTBEAT_MESSAGE, SILENCE_MS } from "../../messages/socket_protocol.ts";
import { type ClientSocket, OPEN_STATE } from "./client_socket.ts";

/** Bytes that may wait in the buffer of the socket before calls wait. */
const MAX_BUFFERED = 1_048_576;
/** Interval at which a full buffer is looked at, in milliseconds: there is no event for it. */
const POLL_MS = 10;
/** Shortest time between two signs of activity for all calls, in milliseconds. */
const MARK_MS = 250;

/** Limits of a socket. */
export interface SocketLimits {
  /** Maximum size of a message, and of the events of a call that were not read yet, in UTF-16 code units. */
  readonly maxChars: number;
  /** Maximum number of calls that were sent and not answered. */
  readonly maxInFlight: number;
  /** Time without calls after which the socket is closed, in milliseconds. */
  readonly idleMs: number;
  readonly clock: Clock;
}

/** The response to a request: a result that is not decoded, or an error of the server or the connection. */
export type SocketReply = { readonly kind: "result"; readonly result: unknown } | ErrorResult;

/** One call that was not answered yet. */
interface OpenCall {
  readonly id: number;
  readonly text: string;
  readonly limit: ActivityMonitor;
  readonly events: EventQueue | undefined;
  isSent: boolean;
  settle(reply: SocketReply): void;
}

/** A call, and the size of its message. */
interface LargestCall {
  readonly call: OpenCall;
  readonly bytes: number;
}

function sizeOf(call: OpenCall): LargestCall {
  return { call, bytes: new TextEncoder().encode(call.text).length };
}

/** Sends the calls of one open socket, and assigns responses and events to them by id. */
export class OpenSocketCalls {
  readonly #socket: ClientSocket;
  readonly #limits: SocketLimits;
  readonly #calls = new Map<number, OpenCall>();
  #waiting: OpenCall[] = [];
  #sentCount = 0;
  #isPolling = false;
  #hasSent = false;
  #receivedMs: number;
  #markedMs = 0;
  #usedMs: number;
  #stopBeat: () => void;
  #onLost: () => void = () => {};
  /** Size of the largest message of a call that was given up. */
  #givenUpBytes = 0;
  /** The error of calls after the socket was lost. */
  #lost: ErrorResult | undefined;

  constructor(socket: ClientSocket, limits: SocketLimits) {
    this.#socket = socket;
    this.#limits = limits;
    this.#receivedMs = this.#usedMs = limits.clock.elapsed();
    this.#stopBeat = this.#arm();
  }

  /** Calls `listener` when the socket is lost or closed, or at once if it was already. A later listener replaces an earlier one. */
  onLost(listener: () => void): void {
    if (this.#lost !== undefined) listener();
    else this.#onLost = listener;
  }

  /** Sends a request when there is room, and resolves with its response; with an error if the call is aborted or the socket is lost. */
  send(id: number, text: string, limit: ActivityMonitor, sink: Sink | undefined): Promise<SocketReply> {
    return new Promise((resolve) => {
      const { signal } = limit;
      const cancel = (): void => this.#cancel(id);
      const settle = (reply: SocketReply): void => {
        signal.removeEventListener("abort", cancel);
        resolve(reply);
      };
      if (this.#lost !== undefined) return resolve(this.#lost);
      const events = sink && new EventQueue(sink, limit, this.#limits.maxChars, (error) => this.#giveUp(id, error));
      const call: OpenCall = { id, text, limit, events, isSent: false, settle };
      this.#calls.set(id, call);
      this.#waiting.push(call);
      signal.addEventListener("abort", cancel);
      if (signal.aborted) cancel();
      else this.#pump();
    });
  }

  /** Takes a message of the server. Invalid ones end the connection, since no call could be found for them. */
  receive(data: unknown): void {
    const nowMs = this.#limits.clock.elapsed();
    this.#receivedMs = nowMs;
    if (nowMs - this.#markedMs >= MARK_MS) {
      this.#markedMs = nowMs;
      for (const { limit, events } of this.#calls.values()) if (!events?.isFull) limit.markActive();
    }
    if (typeof data !== "string") return this.#refuse(CLOSE.binary, "The server sent binary data");
    if (data.length > this.#limits.maxChars) {
      return this.#refuse(CLOSE.tooBig, "The server sent a message that is too large");
    }
    if (isTooDeep(data)) return this.#refuseDeep(data);
    let message: Members;
    try {
      message = asObject(JSON.parse(data));
    } catch {
      return this.#refuse(CLOSE.binary, "The server sent a message that is not JSON");
    }
    this.#take(message, data.length);
  }

  /** Ends the call that a message belongs to; all calls and the socket, if that is unknown. */
  #refuseDeep(data: string): void {
    const { id, params } = readOutline(data, 2);
    const callId = (id ?? asObject(params)["id"]) as number;
    const isKnown = this.#calls.has(callId);
    const error = toErrorResult(tooDeepError(isKnown ? "The answer" : "A message of the server"));
    if (isKnown) return this.#giveUp(callId, error);
    this.fail(error);
    this.#closeSocket();
  }

  /** The call whose message was the largest that was sent; `undefined` if that was the message of a call that was given up. */
  get largest(): LargestCall | undefined {
    const sent = [...this.#calls.values()].filter(({ isSent }) => isSent).map(sizeOf);
    const [first] = sent.toSorted((one, other) => other.bytes - one.bytes);
    return first !== undefined && first.bytes > this.#givenUpBytes ? first : undefined;
  }

  /** Ends all calls with the error of a lost socket. If a message was too large, only the call with the largest one has that error. */
  fail(error: ErrorResult): void {
    if (this.#lost !== undefined) return;
    this.#stopBeat();
    // A message that was too large is that of one call.
    const isTooBig = error.code === "payload_too_large";
    this.#lost = isTooBig ? lostConnection("another message was too large") : error;
    this.#onLost();
    const tooBig = isTooBig ? this.largest?.call : undefined;
    for (const call of this.#calls.values()) this.#end(call, call === tooBig ? error : this.#lost);
  }

  /** Closes the socket. */
  close(): void {
    this.fail(errorResult("unavailable", "The connection was closed by this client"));
    this.#closeSocket();
  }

  #take({ id, method, params, result, error }: Members, size: number): void {
    if (method === "notifications/event") {
      const members = asObject(params);
      const { id: callId } = members;
      const event = decodeEvent(members);
      return event && this.#calls.get(callId as number)?.events?.push(event, size);
    }
    if (method !== undefined) return;
    const call = this.#calls.get(id as number);
    // A call that was cancelled may be answered nevertheless.
    if (call === undefined) return;
    if (isJsonObject(error)) this.#finish(call, decodeError(error));
    else if (isJsonObject(result)) this.#finish(call, { kind: "result", result });
    else {this.#finish(
        call,
        errorResult("invalid_request", "The server sent a response that has neither a result nor an error"),
      );}
  }

  /** Settles a call after its events were taken. */
  #finish(call: OpenCall, reply: SocketReply): void {
    this.#forget(call);
    if (!call.events?.isFull) call.limit.markActive();
    if (call.events === undefined) call.settle(reply);
    else call.events.end(() => call.settle(reply));
  }

  #end(call: OpenCall, error: ErrorResult): void {
    this.#forget(call);
    call.settle(error);
  }

  #forget(call: OpenCall): void {
    if (!this.#calls.delete(call.id)) return;
    this.#usedMs = this.#limits.clock.elapsed();
    if (call.isSent) this.#sentCount--;
    else this.#waiting = this.#waiting.filter((other) => other !== call);
    if (this.#waiting.length > 0) this.#pump();
  }

  #cancel(id: number): void {
    this.#giveUp(id, errorResult("cancelled", "The call was cancelled"));
  }

  #giveUp(id: number, error: ErrorResult): void {
    const call = this.#calls.get(id);
    if (call === undefined) return;
    if (call.isSent) this.#givenUpBytes = Math.max(this.#givenUpBytes, sizeOf(call).bytes);
    if (call.isSent) this.#write(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id}}}`);
    this.#end(call, error);
  }

  /** Sends what waits, while there is room. */
  #pump(): void {
    while (this.#canSend) {
      if ((this.#socket.bufferedAmount ?? 0) > MAX_BUFFERED) {
        this.#isPolling = true;
        this.#limits.clock.after(POLL_MS, () => {
          this.#isPolling = false;
          this.#pump();
        });
        return;
      }
      const call = this.#waiting.shift() as OpenCall;
      call.isSent = true;
      this.#sentCount++;
      this.#write(call.text);
    }
  }

  get #canSend(): boolean {
    const hasRoom = this.#sentCount < this.#limits.maxInFlight && !this.#isPolling;
    return hasRoom && this.#waiting.length > 0 && this.#lost === undefined;
  }

  #write(text: string): void {
    this.#hasSent = true;
    try {
      // A socket that is closing drops what is sent; its calls end when it is closed.
      if (this.#socket.readyState === OPEN_STATE) this.#socket.send(text);
    } catch (cause) {
      // It may be thrown to a timer or an event of a signal, and would end the process.
      const why = "a message could not be written";
      this.fail(lostConnection(why, why, { cause }));
      this.#closeSocket();
    }
  }

  /** Starts the closing handshake. A broken socket may throw; its calls have ended before. */
  #closeSocket(): void {
    // Clients may send only this code and those from 3000.
    attempt(() => this.#socket.close(CLOSE.done, ""));
  }

  #refuse(code: number, message: string): void {
    this.fail(errorResult(code === CLOSE.tooBig ? "result_too_large" : "invalid_request", message));
    this.#closeSocket();
  }

  #arm(): () => void {
    return this.#limits.clock.after(BEAT_MS, () => {
      this.#stopBeat = this.#arm();
      this.#beat(this.#limits.clock.elapsed());
    });
  }

  #beat(nowMs: number): void {
    if (nowMs - this.#receivedMs >= SILENCE_MS) {
      this.fail(lostConnection("the server sent nothing for 60 s"));
      return this.#closeSocket();
    }
    if (this.#calls.size === 0 && nowMs - this.#usedMs >= this.#limits.idleMs) return this.close();
    if (!this.#hasSent) this.#write(HEARTBEAT_MESSAGE);
    this.#hasSent = false;
  }
}
