/**
 * One WebSocket as a connection of messages: limits, heartbeats, slow readers, the end of a token, shutdown.
 *
 * Independent of the protocol of the messages and of the runtime.
 */
import type { Metadata, Principal, RequestHost } from "../../../../core/call/call.ts";
import { payloadTooLarge } from "../../../../core/call/payload_too_large.ts";
import type { Deadline, Deadlines } from "../../../../internal/deadlines.ts";
import type { MaybePromise } from "../../../../internal/async.ts";
import type { Clock } from "../../../../internal/time.ts";
import type { FrameListener, FramePort, MessageConnection, MountedDuplexWire } from "../../../wire.ts";
import { GuardedPort } from "./guarded_port.ts";
import { BEAT_MS, CLOSE, SILENCE_MS } from "../../messages/socket_protocol.ts";

/** Bytes that may wait in the buffer of a socket before senders have to wait. */
const MAX_BUFFERED = 1_048_576;
/** Time that a client may take without reading anything while the buffer is full, in milliseconds. */
const STALL_MS = 30_000;
/** Interval at which a full buffer is looked at, in milliseconds: not all runtimes report room. */
const POLL_MS = 25;
/** Time that a client has to answer the closing handshake, in milliseconds. */
const CLOSING_MS = 1_000;

/** Time after its expiry for which a token is accepted, in milliseconds: as long as over HTTP, where `jwt()` allows for clocks that differ. */
const EXPIRY_LEEWAY_MS = 60_000;

const encoder = new TextEncoder();

/** What all WebSocket connections of a server share: time, timers, and the size limit of messages. */
export interface SocketServices {
  readonly clock: Clock;
  readonly deadlines: Deadlines;
  /** Maximum size of a message in bytes. */
  readonly maxBytes: number;
  /** Receives exceptions of the protocol that is served over the connections. */
  readonly onError: (thrown: unknown) => void;
}

/** The request that opened a connection, and the protocol that was selected. */
export interface OpeningRequest {
  readonly principal: Principal | undefined;
  readonly metadata: Metadata;
  readonly host: RequestHost | undefined;
  readonly wire: MountedDuplexWire;
  /** Message that is sent as a heartbeat. `undefined` if the protocol has none. */
  readonly heartbeat: string | undefined;
}

/** Receives the two ends of a connection. */
interface SocketEndListener {
  /** Its calls have ended, and nothing more is sent or received. */
  readonly onEnd: () => void;
  /** The runtime has closed it. May be called again. */
  readonly onClosed: () => void;
}

/** One WebSocket as a connection of messages, with limits and heartbeats, for any subprotocol and runtime. */
export class SocketConnection implements MessageConnection, FrameListener {
  readonly principal: Principal | undefined;
  readonly metadata: Metadata;
  readonly host: RequestHost | undefined;
  readonly #ended = new AbortController();
  readonly #port: GuardedPort;
  readonly #services: SocketServices;
  readonly #heartbeat: string | undefined;
  readonly #ends: SocketEndListener;
  #receive: (message: string) => void = () => {};
  #endInput: () => void = () => {};
  /** Resolves after the input has ended and every call was answered. */
  readonly #served: Promise<void>;
  /** Messages that wait for room in the buffer. */
  #held: string[] = [];
  #room: PromiseWithResolvers<void> | undefined;
  /** Messages that were received while the client does not read. */
  #inbox: string[] = [];
  #inboxChars = 0;
  #hasSent = false;
  #isClosing = false;
  /** Whether the socket has thrown. */
  #isLost = false;
  #beat: Deadline;
  #silence: Deadline | undefined;
  #stall: Deadline | undefined;
  #stopPolling: (() => void) | undefined;
  readonly #stopExpiry: (() => void) | undefined;

  constructor(port: FramePort, opening: OpeningRequest, services: SocketServices, ends: SocketEndListener) {
    const { principal, metadata, host, wire, heartbeat } = opening;
    this.principal = principal;
    this.metadata = metadata;
    this.host = host;
    this.#port = new GuardedPort(port, (thrown) => this.#lose(thrown));
    this.#services = services;
    this.#heartbeat = heartbeat;
    this.#ends = ends;
    this.#beat = this.#armBeat();
    if (port.closesSilent !== true) {
      this.#silence = services.deadlines.add(SILENCE_MS, () => this.end(CLOSE.tryLater, "Nothing received for 60 s"));
    }
    this.#stopExpiry = this.#armExpiry();
    this.#served = this.#serve(wire);
  }

  /** A protocol that throws costs its own connection only. */
  async #serve(wire: MountedDuplexWire): Promise<void> {
    try {
      await wire.connect(this);
    } catch (thrown) {
      this.#break(thrown);
    }
  }

  #break(thrown: unknown): void {
    this.#services.onError(thrown);
    this.end(CLOSE.broken, "The server cannot continue this connection");
  }

  /** A socket that throws cannot be closed by a handshake. Its clean-up follows the method that has met the error. */
  #lose(thrown: unknown): void {
    this.#services.onError(thrown);
    if (this.#isLost) return;
    this.#isLost = true;
    queueMicrotask(() => {
      this.#port.terminate();
      this.#finish();
    });
  }

  #pass(message: string): void {
    try {
      this.#receive(message);
    } catch (thrown) {
      this.#break(thrown);
    }
  }

  #closeInput(): void {
    try {
      this.#endInput();
    } catch (thrown) {
      this.#break(thrown);
    }
  }

  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  onMessage(listener: (message: string) => void): void {
    this.#receive = listener;
  }

  onClose(listener: () => void): void {
    this.#endInput = listener;
  }

  send(text: string): MaybePromise<void> {
    if (this.#isClosing) return undefined;
    this.#hasSent = true;
    if (this.#held.length === 0 && this.#port.buffered() <= MAX_BUFFERED && this.#port.send(text)) return undefined;
    this.#held.push(text);
    return this.#waitForRoom();
  }

  message(data: unknown): void {
    if (this.#isClosing) return;
    this.active();
    if (typeof data !== "string") return this.end(CLOSE.binary, "Send text messages");
    const { maxBytes } = this.#services;
    if (isLonger(data, maxBytes)) {
      const { message } = payloadTooLarge("message", maxBytes, encoder.encode(data).length);
      return this.end(CLOSE.tooBig, message);
    }
    if (this.#room === undefined) return this.#pass(data);
    // A client that does not read causes no further answers.
    this.#inbox.push(data);
    this.#inboxChars += data.length;
    if (this.#inboxChars > maxBytes) this.end(CLOSE.policy, "Read the answers before you send more");
  }

  active(): void {
    this.#silence?.renew();
  }

  drain(): void {
    if (this.#held.length === 0 && this.#room === undefined) return;
    let sent = 0;
    const held = this.#held;
    while (sent < held.length && this.#port.buffered() <= MAX_BUFFERED && this.#port.send(held[sent] as string)) sent++;
    if (sent > 0) this.#held = held.slice(sent);
    if (sent > 0 || held.length === 0) this.#stall?.renew();
    if (this.#held.length === 0 && this.#port.buffered() <= MAX_BUFFERED) this.#readAgain();
  }

  closed(): void {
    this.#finish();
    this.#ends.onClosed();
  }

  #finish(): void {
    if (this.signal.aborted) return;
    this.#isClosing = true;
    this.#beat.clear();
    this.#silence?.clear();
    this.#stopExpiry?.();
    this.#release();
    this.#held = [];
    this.#inbox = [];
    this.#closeInput();
    this.#ended.abort();
    this.#ends.onEnd();
  }

  /** Closes the connection for a shutdown with code 1012, after running calls have ended and their results were sent. */
  shutDown(): void {
    this.#closeInput();
    void this.#served.then(async () => {
      while (this.#room !== undefined) await this.#room.promise;
      this.end(CLOSE.restart, "The server is shutting down");
    });
  }

  /** Starts to close the connection, with a close code. Its calls are cancelled when it is closed, after at most a second. */
  end(code: number, reason: string): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    this.#port.close(code, reason);
    const { deadlines } = this.#services;
    const grace = deadlines.add(CLOSING_MS, () => {
      this.#port.terminate();
      this.#finish();
    });
    this.signal.addEventListener("abort", () => grace.clear());
    this.#closeInput();
  }

  #armBeat(): Deadline {
    return this.#services.deadlines.add(BEAT_MS, () => {
      this.#beat = this.#armBeat();
      this.#port.ping();
      const wasQuiet = !this.#hasSent;
      if (wasQuiet && this.#heartbeat !== undefined && this.#room === undefined) void this.send(this.#heartbeat);
      this.#hasSent = false;
    });
  }

  /** The caller's token ends at the claim `exp` of the principal, in seconds since the Unix epoch. */
  #armExpiry(): (() => void) | undefined {
    const { exp } = (this.principal?.claims ?? {}) as { readonly exp?: unknown };
    if (typeof exp !== "number") return undefined;
    const { clock } = this.#services;
    return clock.after(Math.max(0, exp * 1000 + EXPIRY_LEEWAY_MS - clock.now()), () => {
      this.end(CLOSE.unauthorized, "The token has expired");
    });
  }

  #waitForRoom(): Promise<void> {
    if (this.#room === undefined) {
      this.#room = Promise.withResolvers();
      const stalled = (): void => {
        this.#port.close(CLOSE.tryLater, "The answers were not read");
        this.#port.terminate();
        this.#finish();
      };
      this.#stall = this.#services.deadlines.add(STALL_MS, stalled);
      this.#poll();
    }
    return this.#room.promise;
  }

  #poll(): void {
    this.#stopPolling = this.#services.clock.after(POLL_MS, () => {
      this.drain();
      if (this.#room !== undefined) this.#poll();
    });
  }

  /** Continues with what was received while the client did not read. */
  #readAgain(): void {
    this.#release();
    while (this.#room === undefined && !this.#isClosing) {
      const next = this.#inbox.shift();
      if (next === undefined) break;
      this.#inboxChars -= next.length;
      this.#pass(next);
    }
  }

  #release(): void {
    this.#stall?.clear();
    this.#stopPolling?.();
    const room = this.#room;
    this.#room = undefined;
    room?.resolve();
  }
}

/** Whether a text is longer than a number of bytes in UTF-8. */
function isLonger(text: string, maxBytes: number): boolean {
  if (text.length * 3 <= maxBytes) return false;
  return text.length > maxBytes || encoder.encode(text).length > maxBytes;
}
