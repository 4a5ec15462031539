/**
 * A carrier over something that carries lines both ways and knows no answers: they are told apart by their ids alone.
 *
 * @module
 */
import { type ErrorResult, errorResult } from "../../../core/call/outcome.ts";
import { ToolError } from "../../../core/errors/tool_error.ts";
import type { RequestId } from "../../framing/json_rpc/decode.ts";
import type { Carrier, Receive, Replied, RpcReply, Sending } from "./message_transport.ts";
import { encodeMessage, type OneWayMessage, type RpcRequest, type ServerMessage } from "../protocol/messages.ts";

/** What carries the text of messages. */
export interface Line {
  /** Whether it has been ended, from either side. */
  readonly isOver: boolean;
  /** Sends the text of one message. */
  write(text: string, sending: Sending): Promise<ErrorResult | undefined>;
  /** Ends it. */
  close(): void;
}

/** How a {@link Line} tells what comes. */
export interface LineEnd {
  /** Messages came. */
  take(messages: readonly ServerMessage[]): void;
  /** Nothing more will come. */
  end(refusal: ErrorResult): void;
}

/** Opens a line; with a refusal if that cannot be done. */
export type OpenLine = (end: LineEnd, sending: Sending) => Promise<Line | ErrorResult>;

interface Waiting {
  readonly sending: Sending;
  resolve(reply: RpcReply): void;
}

/** Carries messages over a line, which is opened when it is first needed, and again after it broke. */
export class PipeCarrier implements Carrier {
  readonly hasHeaders = false;
  epoch = 0;
  receive: Receive = () => {};
  readonly #open: OpenLine;
  readonly #waiting = new Map<RequestId, Waiting>();
  #line: Promise<Line | ErrorResult> | undefined = undefined;
  #isClosed = false;

  constructor(open: OpenLine) {
    this.#open = open;
  }

  async request(message: RpcRequest, sending: Sending): Promise<Replied> {
    const { id } = message;
    const { signal } = sending.limit;
    const { promise, resolve } = Promise.withResolvers<RpcReply>();
    const leave = () => resolve({ refusal: abandoned(signal) });
    this.#waiting.set(id, { sending, resolve });
    signal.addEventListener("abort", leave);
    try {
      const refusal = signal.aborted ? abandoned(signal) : await this.#write(encodeMessage(message), sending);
      return refusal === undefined ? await promise : { refusal };
    } finally {
      signal.removeEventListener("abort", leave);
      this.#waiting.delete(id);
    }
  }

  /** Nothing is begun for the sake of what is not answered. */
  async post(message: OneWayMessage, sending: Sending): Promise<ErrorResult | undefined> {
    const line = await this.#line;
    if (line === undefined || "kind" in line || line.isOver) return CLOSED;
    return await line.write(encodeMessage(message), sending);
  }

  close(): void {
    this.#isClosed = true;
    this.#line?.then((line) => "kind" in line || line.close());
    this.#line = undefined;
    this.#end(CLOSED);
  }

  async #write(text: string, sending: Sending): Promise<ErrorResult | undefined> {
    if (this.#isClosed) return CLOSED;
    const line = await this.#opened(sending);
    return "kind" in line ? line : await line.write(text, sending);
  }

  async #opened(sending: Sending): Promise<Line | ErrorResult> {
    const opening = this.#line;
    const line = opening && await opening;
    if (line !== undefined && !("kind" in line) && !line.isOver) return line;
    // Whoever comes first opens it anew; the others find that.
    if (this.#line === opening) this.#line = this.#begin(sending);
    return await this.#line ?? CLOSED;
  }

  #begin(sending: Sending): Promise<Line | ErrorResult> {
    const { epoch } = this;
    return this.#open({
      take: (messages) => messages.forEach((message) => this.#take(message)),
      end: (refusal) => {
        // A line that has a successor has said so.
        if (epoch !== this.epoch) return;
        this.epoch++;
        this.#end(refusal);
      },
    }, sending);
  }

  #take(incoming: ServerMessage): void {
    // The line is everybody's: it is not quiet for anyone.
    for (const { sending } of this.#waiting.values()) sending.limit.markActive();
    if (incoming.kind !== "reply") this.receive(incoming, undefined);
    else if (incoming.id !== undefined) this.#waiting.get(incoming.id)?.resolve(incoming.reply);
  }

  #end(refusal: ErrorResult): void {
    for (const { resolve } of this.#waiting.values()) resolve({ refusal });
  }
}

/** Why nobody waits any more: what has ended it says so, where it is an error of ours, such as time that was up. */
function abandoned({ reason }: AbortSignal): ErrorResult {
  if (!(reason instanceof ToolError)) return errorResult("cancelled", "The caller has left");
  return errorResult(reason.code, `The server has not answered: ${reason.message}`);
}

const CLOSED: ErrorResult = errorResult("unavailable", "The transport is closed");
