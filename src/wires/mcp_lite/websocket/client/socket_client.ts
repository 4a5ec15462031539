/** The sockets of a transport, one after the other, and the delay between failed ones. */
import {
  type CallResult,
  type ErrorResult,
  errorResult,
  errorResultWithCause,
  type Sink,
  type UnknownOutcome,
} from "../../../../core/call/outcome.ts";
import type { ActivityMonitor, ListedTool, Transport, TransportCall } from "../../../../core/call/transport.ts";
import { connectionError } from "../../../../http_client/send.ts";
import { asObject } from "../../../../internal/json.ts";
import { delay } from "../../../../internal/time.ts";
import { decodeResult } from "../../../framing/result/decode.ts";
import { CLOSE } from "../../messages/socket_protocol.ts";
import type { ClientSocket } from "./client_socket.ts";
import { OpenSocketCalls, type SocketLimits, type SocketReply } from "./open_calls.ts";

/** Settings of a {@link SocketClient}. */
export interface SocketSettings extends SocketLimits {
  readonly url: string;
  /** Whether the next connection may have other credentials. */
  readonly canRenew: boolean;
  /** Gets the credentials, and returns the function that opens a socket. Rejects with the exception of the caller's functions. */
  connect(): Promise<() => ClientSocket>;
}

/** Maximum time to open a socket, in milliseconds. */
const OPENING_MS = 30_000;
const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;

/** See the top of the file. */
export class SocketClient implements Transport {
  readonly #settings: SocketSettings;
  /** The last socket; `undefined` before the first, and after an exception of the caller's functions. */
  #calls: Promise<OpenSocketCalls | ErrorResult | undefined> | undefined;
  #failures = 0;
  #nextTryMs = 0;
  /** The error of a close code after which there is no other connection. */
  #final: ErrorResult | undefined;
  #lastId = 0;

  constructor(settings: SocketSettings) {
    this.#settings = settings;
  }

  async call({ tool, args = {}, meta, limit }: TransportCall, sink?: Sink): Promise<CallResult | UnknownOutcome> {
    const params = { name: tool, arguments: args, _meta: meta, ...(sink !== undefined && { stream: true }) };
    const reply = await this.#request("tools/call", params, limit, sink);
    return reply.kind === "result" ? decodeResult(asObject(reply.result)) : reply;
  }

  async list(limit: ActivityMonitor): Promise<readonly ListedTool[] | ErrorResult> {
    const reply = await this.#request("tools/list", undefined, limit);
    if (reply.kind !== "result") return reply;
    const { tools } = asObject(reply.result);
    return Array.isArray(tools)
      ? tools as ListedTool[]
      : errorResult("invalid_request", "The server sent no list of tools");
  }

  close(): void {
    const calls = this.#calls;
    this.#calls = undefined;
    this.#failures = 0;
    this.#nextTryMs = 0;
    this.#final = undefined;
    void calls?.then((opened) => opened instanceof OpenSocketCalls && opened.close());
  }

  async #request(method: string, params: unknown, limit: ActivityMonitor, sink?: Sink): Promise<SocketReply> {
    const id = ++this.#lastId;
    let text: string;
    try {
      text = JSON.stringify({ jsonrpc: "2.0", id, method, params });
    } catch (thrown) {
      return connectionError(thrown, `${method} over ${this.#settings.url}`);
    }
    const calls = await this.#connected(limit);
    return "kind" in calls ? calls : await calls.send(id, text, limit, sink);
  }

  /** The open socket, opened if needed. Several calls wait for the same one. */
  async #connected(limit: ActivityMonitor): Promise<OpenSocketCalls | ErrorResult> {
    for (;;) {
      if (this.#final !== undefined) return this.#final;
      const current = await this.#calls;
      if (current instanceof OpenSocketCalls && current.isOpen) return current;
      const waitMs = this.#nextTryMs - performance.now();
      if (waitMs > 0 && !(await delay(waitMs, limit.signal))) return CANCELLED;
      // Another call may have opened one meanwhile.
      if ((await this.#calls) !== current) continue;
      const opening = this.#open();
      this.#calls = opening.catch(() => undefined);
      return await opening;
    }
  }

  async #open(): Promise<OpenSocketCalls | ErrorResult> {
    const connect = await this.#settings.connect();
    return await new Promise((resolve) => {
      try {
        this.#watch(connect(), resolve);
      } catch (thrown) {
        resolve(this.#failed(thrown));
      }
    });
  }

  #watch(socket: ClientSocket, resolve: (opened: OpenSocketCalls | ErrorResult) => void): void {
    const { clock } = this.#settings;
    let calls: OpenSocketCalls | undefined;
    const fail = (why: unknown): void => {
      stop();
      resolve(this.#failed(why));
    };
    const stop = clock.after(OPENING_MS, () => {
      fail(`no answer within ${OPENING_MS} ms`);
      socket.close();
    });
    socket.addEventListener("open", () => {
      stop();
      this.#failures = 0;
      calls = new OpenSocketCalls(socket, this.#settings);
      resolve(calls);
    });
    socket.addEventListener("message", ({ data }) => calls?.receive(data));
    const ended = (code: number, reason: string): void => {
      if (calls === undefined) fail(`closed with ${code} ${reason}`.trim());
      else this.#lost(calls, code, reason);
    };
    // A lost connection has an event `close`, too, with a code.
    socket.addEventListener("error", () => calls === undefined && ended(1006, ""));
    socket.addEventListener("close", ({ code = 1006, reason = "" }) => ended(code, reason));
  }

  /** The error of a socket that could not be opened. The next try has to wait. */
  #failed(why: unknown): ErrorResult {
    const mostMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** this.#failures++);
    this.#nextTryMs = performance.now() + mostMs * (0.5 + Math.random() / 2);
    const reason = (why as Error | undefined)?.message ?? why;
    const message =
      "Cannot open a WebSocket: is there MCP-lite over WebSocket at the URL, and is the caller permitted?";
    return errorResultWithCause("unavailable", message, `${this.#settings.url}: ${reason}`, { cause: why });
  }

  #lost(calls: OpenSocketCalls, code: number, reason: string): void {
    const error = lossError(code, reason);
    const isFinal = !["unavailable", "payload_too_large"].includes(error.code) &&
      !(code === CLOSE.unauthorized && this.#settings.canRenew);
    if (isFinal) this.#final ??= error;
    calls.fail(error);
  }
}

const CANCELLED: ErrorResult = errorResult("cancelled", "The call was cancelled");

/** The error of calls whose socket was closed. */
function lossError(code: number, reason: string): ErrorResult {
  const why = `the server closed the connection (${code}${reason === "" ? "" : `: ${reason.slice(0, 123)}`})`;
  switch (code) {
    case CLOSE.unauthorized:
      return errorResult("unauthenticated", `Sign in again: ${why}`);
    case CLOSE.forbidden:
      return errorResult("permission_denied", `Not permitted: ${why}`);
    case CLOSE.tooBig:
      return errorResult("payload_too_large", `A message was too large: ${why}`);
    case CLOSE.policy:
    case 1002:
    case CLOSE.binary:
    case 1007:
      return errorResult("invalid_request", `Not accepted: ${why}`);
    default:
      return errorResultWithCause("unavailable", `The connection was lost before the answer: ${why}`, `code ${code}`);
  }
}
