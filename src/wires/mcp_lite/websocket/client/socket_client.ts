/** The sockets of a transport, one after the other, and the delay between failed ones. */
import {
  type CallResult,
  type ErrorResult,
  errorResult,
  type Sink,
  type UnknownOutcome,
} from "../../../../core/call/outcome.ts";
import type { ActivityMonitor, ListedTool, Transport, TransportCall } from "../../../../core/call/transport.ts";
import { connectionError, lostConnection } from "../../../../http_client/connection_errors.ts";
import { attempt } from "../../../../internal/async.ts";
import { asObject } from "../../../../internal/json.ts";
import { delay } from "../../../../internal/time.ts";
import { decodeResult } from "../../../framing/result/decode.ts";
import { CLOSE } from "../../messages/socket_protocol.ts";
import type { ClientSocket } from "./client_socket.ts";
import { OpenSocketCalls, type SocketLimits, type SocketReply } from "./open_calls.ts";

/** Opens one socket, with its credentials. */
interface SocketOpener {
  /** Opens the socket. Throws if the runtime refuses to. */
  open(): ClientSocket;
  /** Finds the error of a socket that could not be opened, with a request to its server. Never rejects. */
  explain(reason: unknown, limit: ActivityMonitor): Promise<ErrorResult>;
}

/** Settings of a {@link SocketClient}. */
export interface SocketSettings extends SocketLimits {
  readonly url: string;
  /** Whether the next connection may have other credentials. */
  readonly canRenew: boolean;
  /**
   * Gets the credentials of the next socket. Rejects with what the user's functions `token` and `headers` throw.
   *
   * @param signal Aborts when the call that needs the socket ends.
   */
  prepare(signal: AbortSignal): Promise<SocketOpener>;
}

/** Maximum time to open a socket, in milliseconds. */
const OPENING_MS = 30_000;
const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;

/** Opens a socket when a call needs one. Delays attempts after a failure; after a close code such as 3003, calls fail until `close()`. */
export class SocketClient implements Transport {
  readonly #settings: SocketSettings;
  /** The open socket, or the one that is being opened. */
  #calls: Promise<OpenSocketCalls | ErrorResult> | undefined;
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
    void calls?.then((opened) => "kind" in opened || opened.close(), () => {});
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
    while (this.#calls === undefined && this.#final === undefined) {
      const waitMs = this.#nextTryMs - performance.now();
      if (waitMs <= 0) this.#calls = this.#start(limit);
      else if (!(await delay(waitMs, limit.signal))) return CANCELLED;
    }
    return this.#final ?? await this.#calls as OpenSocketCalls | ErrorResult;
  }

  #start(limit: ActivityMonitor): Promise<OpenSocketCalls | ErrorResult> {
    const opening = this.#open(limit);
    const drop = (): void => {
      if (this.#calls === opening) this.#calls = undefined;
    };
    opening.then((opened) => "kind" in opened ? drop() : opened.onLost(drop), drop);
    return opening;
  }

  async #open(limit: ActivityMonitor): Promise<OpenSocketCalls | ErrorResult> {
    const opener = await this.#settings.prepare(limit.signal);
    const opened = await new Promise<OpenSocketCalls | { readonly reason: unknown }>((resolve) => {
      try {
        this.#watch(opener.open(), resolve, (reason) => resolve({ reason }));
      } catch (thrown) {
        resolve({ reason: thrown });
      }
    });
    if (opened instanceof OpenSocketCalls) return opened;
    const error = await opener.explain(opened.reason, limit);
    // Other errors are refusals, which the caller sees at once. They are not repeated.
    if (error.code === "unavailable") {
      const mostMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** this.#failures++);
      this.#nextTryMs = performance.now() + mostMs * (0.5 + Math.random() / 2);
    }
    return error;
  }

  /** Waits for a socket to open. One that cannot be watched, or opens too late, is closed. */
  #watch(socket: ClientSocket, resolve: (calls: OpenSocketCalls) => void, fail: (reason: unknown) => void): void {
    const opening = new AbortController();
    const giveUp = (reason: unknown): void => {
      opening.abort();
      stop();
      attempt(() => socket.close());
      fail(reason);
    };
    const stop = this.#settings.clock.after(OPENING_MS, () => giveUp(`no answer within ${OPENING_MS} ms`));
    try {
      this.#listen(socket, opening.signal, stop, resolve, fail);
    } catch (thrown) {
      giveUp(thrown);
    }
  }

  #listen(
    socket: ClientSocket,
    givenUp: AbortSignal,
    stop: () => void,
    resolve: (calls: OpenSocketCalls) => void,
    fail: (reason: unknown) => void,
  ): void {
    let calls: OpenSocketCalls | undefined;
    socket.addEventListener("open", () => {
      // A socket whose `close()` failed opens all the same.
      if (givenUp.aborted) return attempt(() => socket.close());
      stop();
      this.#failures = 0;
      calls = new OpenSocketCalls(socket, this.#settings);
      resolve(calls);
    });
    socket.addEventListener("message", ({ data }) => calls?.receive(data));
    const ended = (code: number, reason: string): void => {
      stop();
      if (calls === undefined) fail(`closed with ${code} ${reason}`.trim());
      else this.#lost(calls, code, reason);
    };
    // A lost connection has an event `close`, too, with a code.
    socket.addEventListener("error", () => calls === undefined && ended(1006, ""));
    socket.addEventListener("close", ({ code = 1006, reason = "" }) => ended(code, reason));
  }

  #lost(calls: OpenSocketCalls, code: number, reason: string): void {
    const error = lossError(code, reason, calls.largest?.bytes);
    const isFinal = !["unavailable", "payload_too_large"].includes(error.code) &&
      !(code === CLOSE.unauthorized && this.#settings.canRenew);
    if (isFinal) this.#final ??= error;
    calls.fail(error);
  }
}

const CANCELLED: ErrorResult = errorResult("cancelled", "The call was cancelled");

/** The error of calls whose socket was closed. @param bytes Size of the largest message, if it is that of an open call. */
function lossError(code: number, reason: string, bytes: number | undefined): ErrorResult {
  const why = `the server closed the connection (${code}${reason === "" ? "" : `: ${reason.slice(0, 123)}`})`;
  switch (code) {
    case CLOSE.unauthorized:
      return errorResult("unauthenticated", `Sign in again: ${why}`);
    case CLOSE.forbidden:
      return errorResult("permission_denied", `Not permitted: ${why}`);
    case CLOSE.tooBig:
      // Runtimes close before the server can give its reason.
      return errorResult(
        "payload_too_large",
        reason.includes("limits.bodyBytes")
          ? `A message was too large: ${why}`
          : `The message is larger than the server's limits.bodyBytes${
            bytes === undefined ? "" : `; it has ${bytes} bytes`
          }: ${why}`,
      );
    case CLOSE.policy:
    case 1002:
    case CLOSE.binary:
    case 1007:
      return errorResult("invalid_request", `The server has refused what was sent, and closed the connection: ${why}`);
    default:
      return lostConnection(why, `code ${code}`);
  }
}
