/** Accepts WebSockets in handlers of `fetch`: on Bun, Deno and workerd. */
import { errorResult } from "../../../../../core/call/outcome.ts";
import { errorReply } from "../../../../framing/json_rpc/reply.ts";
import type { FrameListener, FramePort, Upgrade } from "../../../../wire.ts";

/** An event of a WebSocket: the data of a message, or the code of a close. */
interface RuntimeSocketEvent {
  readonly data?: unknown;
  readonly code?: number;
}

/** A WebSocket with events, of Deno and workerd. */
interface EventSocket {
  readonly readyState: number;
  readonly bufferedAmount?: number;
  binaryType?: string;
  send(text: string): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: string, listener: (event: RuntimeSocketEvent) => void): void;
  /** Of workerd: starts to receive. */
  accept?(): void;
}

/** The function of `Deno` that is used here. */
interface DenoGlobal {
  upgradeWebSocket(
    request: Request,
    options: { readonly protocol: string; readonly idleTimeout: number },
  ): { readonly socket: EventSocket; readonly response: Response };
}

/** The second argument of a handler of `Bun.serve`. */
interface BunServer {
  upgrade(request: Request, options: { readonly headers: Record<string, string>; readonly data: unknown }): boolean;
}

/** Time after which Deno closes a connection whose peer does not answer its pings, in seconds. */
const DENO_IDLE_SECONDS = 60;

/** Accepts the WebSocket of a request on Bun, Deno and workerd. Status 400 if that fails, 501 on other runtimes. Bun gets `undefined`. */
export function respondWithSocket(upgrade: Upgrade, request: Request, runtime: unknown): Response {
  const { Deno, WebSocketPair } = globalThis as {
    readonly Deno?: DenoGlobal;
    readonly WebSocketPair?: new () => readonly [EventSocket, EventSocket] & { 0: EventSocket; 1: EventSocket };
  };
  const headers = { "sec-websocket-protocol": upgrade.protocol };
  try {
    if (typeof (runtime as Partial<BunServer> | undefined)?.upgrade === "function") {
      const isUpgraded = (runtime as BunServer).upgrade(request, { headers, data: upgrade });
      // Bun sends the response itself.
      return isUpgraded
        ? undefined as unknown as Response
        : refuse(400, "The request is not a valid WebSocket handshake");
    }
    if (WebSocketPair !== undefined) {
      const { 0: client, 1: socket } = new WebSocketPair();
      socket.accept?.();
      serveEvents(socket, upgrade, false);
      // With compatibility dates before 2026-04-07 nothing else answers the close of a client. Later, the call is ignored.
      socket.addEventListener("close", ({ code }) => answerClose(socket, code));
      return new Response(null, { status: 101, headers, webSocket: client } as ResponseInit);
    }
    if (Deno !== undefined) {
      const { socket, response } = Deno.upgradeWebSocket(request, {
        protocol: upgrade.protocol,
        idleTimeout: DENO_IDLE_SECONDS,
      });
      serveEvents(socket, upgrade, true);
      return response;
    }
  } catch (thrown) {
    return refuse(400, `The WebSocket cannot be accepted: ${(thrown as Error).message}`);
  }
  return refuse(501, "server.fetch cannot accept WebSockets on this runtime: use serve() of toolwire/serve");
}

/** Answers the close of a client with the same code. A client may close without a code, which must not be sent back. */
function answerClose(socket: EventSocket, code: number | undefined): void {
  try {
    if (code === undefined || code === NO_CODE) socket.close();
    else socket.close(code);
  } catch {
    // The connection broke, or is closed already.
  }
}

/** The code of a close event without a code. */
const NO_CODE = 1005;

function refuse(status: number, message: string): Response {
  const reply = errorReply(null, errorResult("invalid_request", message), status);
  return new Response(reply.body, reply);
}

/** Serves a socket with events. One that is still connecting is opened first. */
function serveEvents(socket: EventSocket, upgrade: Upgrade, closesSilent: boolean): void {
  let listener: FrameListener | undefined;
  const open = (): void => {
    listener ??= upgrade.open(new EventPort(socket, closesSilent));
  };
  socket.addEventListener("open", open);
  socket.addEventListener("message", ({ data }) => listener?.message(data));
  socket.addEventListener("close", () => listener?.closed());
  // An error is followed by the end of the connection, but not on every runtime.
  socket.addEventListener("error", () => listener?.closed());
  if (socket.readyState === OPEN) open();
}

const OPEN = 1;

/** A WebSocket with the events of browsers, as a connection reads and writes it. */
class EventPort implements FramePort {
  readonly closesSilent: boolean;
  readonly closesLate: boolean;
  readonly #socket: EventSocket;

  constructor(socket: EventSocket, closesSilent: boolean) {
    this.#socket = socket;
    this.closesSilent = closesSilent;
    // Deno has neither a way to end a connection without the handshake, nor a time limit for the handshake.
    this.closesLate = closesSilent;
  }

  send(text: string): boolean {
    if (this.#socket.readyState !== OPEN) return false;
    try {
      this.#socket.send(text);
      return true;
    } catch {
      // It is closed, and its event comes later.
      return false;
    }
  }

  buffered(): number {
    return this.#socket.bufferedAmount ?? 0;
  }

  close(code: number, reason: string): void {
    try {
      this.#socket.close(code, reason);
    } catch {
      // It is closed already.
    }
  }

  terminate(): void {
    this.close(1011, "");
  }
}
