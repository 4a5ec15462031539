/** A message transport over a duplex connection. Replies are matched to requests by their ids. */
import { type ErrorResult, errorResult, toErrorResult } from "../../../core/call/outcome.ts";
import { tooDeepError } from "../../../core/call/parse_answer.ts";
import { ToolError } from "../../../core/errors/tool_error.ts";
import type { RequestId } from "../../framing/json_rpc/decode.ts";
import { encodeMessage, type OneWayMessage, type RpcRequest, type ServerMessage } from "../protocol/messages.ts";
import type { MessageTransport, ReceiveMessage, RpcReply, SendOptions, TransportReply } from "./message_transport.ts";

/** A connection that carries messages in both directions: the pipes of a process, or the stream and endpoint of 2024-11-05. */
export interface DuplexConnection {
  /** Whether either side has closed it. */
  readonly isClosed: boolean;
  /** Sends the text of one message. Returns an error if it could not be sent. */
  write(text: string, options: SendOptions): Promise<ErrorResult | undefined>;
  close(): void;
}

/** Receives the events of a {@link DuplexConnection}. */
export interface DuplexHandler {
  /** Messages have arrived. */
  receive(messages: readonly ServerMessage[]): void;
  /** Bytes have arrived, which may be a heartbeat. */
  active(): void;
  /** The connection is closed, with the error for requests that have no reply. */
  closed(error: ErrorResult): void;
}

/** Opens a connection; returns an error result if that fails. */
export type OpenDuplexConnection = (
  handler: DuplexHandler,
  options: SendOptions,
) => Promise<DuplexConnection | ErrorResult>;

/** A request that was sent and is not answered yet. */
interface WaitingRequest {
  readonly method: string;
  readonly options: SendOptions;
  /** The connection that it was sent over, by its epoch. */
  epoch?: number;
  resolve(reply: RpcReply): void;
}

/** A connection, and the epoch that began with it. */
interface OpenedConnection {
  readonly connection: DuplexConnection;
  readonly epoch: number;
}

/** Sends JSON-RPC messages over a connection that is opened with the first request, and again with the next one after it was closed. */
export class DuplexTransport implements MessageTransport {
  readonly hasHeaders = false;
  epoch = 0;
  receive: ReceiveMessage = () => {};
  onLateReply: (id: RequestId) => void = () => {};
  readonly #open: OpenDuplexConnection;
  readonly #waiting = new Map<RequestId, WaitingRequest>();
  #opened: Promise<OpenedConnection | ErrorResult> | undefined;
  #isClosed = false;
  /** Why the last connection was lost. */
  #lost: ErrorResult = CLOSED;

  constructor(open: OpenDuplexConnection) {
    this.#open = open;
  }

  async request(message: RpcRequest, options: SendOptions): Promise<TransportReply> {
    const { id, method } = message;
    const { signal } = options.limit;
    const { promise, resolve } = Promise.withResolvers<RpcReply>();
    const abort = () => resolve({ transportError: abortError(signal) });
    const text = encodeMessage(message);
    const waiting: WaitingRequest = { method, options, resolve };
    this.#waiting.set(id, waiting);
    signal.addEventListener("abort", abort);
    try {
      const error = signal.aborted ? abortError(signal) : await this.#write(text, waiting);
      return error === undefined ? await promise : { transportError: error };
    } finally {
      signal.removeEventListener("abort", abort);
      this.#waiting.delete(id);
    }
  }

  /** Sends a message without a response. Opens no connection: without one, the result is `unavailable`. */
  async post(message: OneWayMessage, options: SendOptions): Promise<ErrorResult | undefined> {
    const opened = await this.#opened;
    if (opened === undefined || "kind" in opened || opened.connection.isClosed) return CLOSED;
    return await opened.connection.write(encodeMessage(message), options);
  }

  close(): void {
    this.#isClosed = true;
    this.#closeConnection();
    for (const { resolve } of this.#waiting.values()) resolve({ transportError: CLOSED });
  }

  #closeConnection(): void {
    void this.#opened?.then((opened) => "kind" in opened || opened.connection.close());
    this.#opened = undefined;
  }

  async #write(text: string, waiting: WaitingRequest): Promise<ErrorResult | undefined> {
    if (this.#isClosed) return CLOSED;
    const opened = await this.#ensureOpen(waiting.options);
    if ("kind" in opened) return opened;
    // It has ended meanwhile.
    if (opened.connection.isClosed) return this.#lost;
    waiting.epoch = opened.epoch;
    return await opened.connection.write(text, waiting.options);
  }

  async #ensureOpen(options: SendOptions): Promise<OpenedConnection | ErrorResult> {
    const opening = this.#opened;
    const opened = opening && await opening;
    if (opened !== undefined && !("kind" in opened) && !opened.connection.isClosed) return opened;
    // The first request reconnects, the others use the new connection.
    if (this.#opened === opening) this.#opened = this.#connect(options);
    return await this.#opened ?? CLOSED;
  }

  async #connect(options: SendOptions): Promise<OpenedConnection | ErrorResult> {
    // The end of the connection before this one may be reported later.
    const epoch = ++this.epoch;
    const connection = await this.#open({
      receive: (messages) => {
        // A connection that was given up may still deliver what had arrived.
        for (const message of messages) if (epoch === this.epoch) this.#receive(message);
      },
      active: () => this.#markActive(),
      closed: (error) => this.#lose(epoch, error),
    }, options);
    return "kind" in connection ? connection : { connection, epoch };
  }

  /** All requests share the connection, so whatever arrives is activity for each of them. */
  #markActive(): void {
    for (const { options } of this.#waiting.values()) options.limit.markActive();
  }

  #receive(incoming: ServerMessage): void {
    if (incoming.kind === "too deep") this.#refuse(incoming.id);
    else if (incoming.kind === "request" && this.#isEcho(incoming)) this.#reply(incoming.id, { transportError: ECHO });
    else if (incoming.kind !== "reply") this.receive(incoming, undefined);
    else if (incoming.id !== undefined) this.#reply(incoming.id, incoming.reply);
  }

  /** Whether a request of the server is one of this client, sent back. Both sides send pings, and may choose the same ids for them. */
  #isEcho({ id, method }: RpcRequest): boolean {
    return method !== "ping" && this.#waiting.get(id)?.method === method;
  }

  /** Ends the request that a message is the reply to. If that is unknown, no request may wait for it: the connection ends. */
  #refuse(id: RequestId | undefined): void {
    const error = toErrorResult(tooDeepError(id === undefined ? "A message of the server" : "The answer"));
    if (id !== undefined) return this.#reply(id, { transportError: error });
    this.#closeConnection();
    this.#lose(this.epoch, error);
  }

  /** Ends all requests that were sent over a connection that is lost. */
  #lose(lost: number, transportError: ErrorResult): void {
    if (lost === this.epoch) this.epoch++;
    this.#lost = transportError;
    for (const { epoch, resolve } of this.#waiting.values()) if (epoch === lost) resolve({ transportError });
  }

  #reply(id: RequestId, reply: RpcReply): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) this.onLateReply(id);
    else waiting.resolve(reply);
  }
}

/** The error for an aborted request: the code of the reason if it is a {@link ToolError}, such as `deadline_exceeded`. */
function abortError({ reason }: AbortSignal): ErrorResult {
  if (!(reason instanceof ToolError)) return errorResult("cancelled", "The caller has cancelled the request");
  return errorResult(reason.code, `The server has not answered: ${reason.message}`);
}

const CLOSED: ErrorResult = errorResult("unavailable", "The transport is closed");

/** The error of a request to `cat`, or to another program that writes what it reads. */
const ECHO: ErrorResult = errorResult(
  "parse_error",
  "The server is not an MCP server: it sends each request back, in place of an answer",
);
