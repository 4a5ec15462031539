import { bunHandlers, type BunWebSocketHandlers } from "./bun_sockets.ts";
import type { Server } from "../server/server.ts";

/** Address to listen on. */
export interface ListenOptions {
  /** Port; 0 for any free one. */
  readonly port: number;
  /** Host name or address. */
  readonly hostname: string;
}

/** TLS key and certificate. */
export interface TlsOptions {
  /** Private key, in PEM. */
  readonly key: string;
  /** Certificate chain, in PEM. */
  readonly cert: string;
}

/** A listening HTTP server of the runtime. */
export interface Listener {
  readonly port: number;
  /** Stops accepting connections, on Deno only at `close`. Resolves when the requests in progress have ended. */
  stopAccepting(): Promise<void>;
  /** Closes the connections that remain after `stopAccepting` was called. Resolves when the listener has closed. */
  close(): Promise<void>;
}

/**
 * Opens a port. The runtimes report a port that is in use in different ways, Deno without its number.
 *
 * @throws {Error} With the code `EADDRINUSE`, if the port is in use. Other errors are the runtime's own.
 */
function openPort<Opened>({ port, hostname }: ListenOptions, open: () => Opened): Opened {
  try {
    return open();
  } catch (cause) {
    throw describePortError(cause, port, hostname);
  }
}

/** Converts `EADDRINUSE` to an error with the same code whose message names the address. Returns other errors unchanged. */
export function describePortError(cause: unknown, port: number, hostname: string): unknown {
  if ((cause as { readonly code?: unknown } | undefined)?.code !== "EADDRINUSE") return cause;
  const message = `Cannot listen on ${hostname}:${port}: the port is in use; pass another one, or 0 for any free one`;
  return Object.assign(new Error(message, { cause }), { code: "EADDRINUSE" });
}

/** Closes a listener at once. It must not have served any request. */
export async function discard(listener: Listener): Promise<void> {
  await Promise.all([listener.stopAccepting(), listener.close()]);
}

/** The members of a server of `Bun.serve` that are used here. */
interface BunServer {
  readonly port: number;
  readonly pendingRequests: number;
  stop(closeActiveConnections?: boolean): Promise<void>;
}

/** The functions of `Bun` that are used here. */
interface BunGlobal {
  serve(options: {
    readonly port: number;
    readonly hostname: string;
    readonly fetch: Server["fetch"];
    readonly websocket?: BunWebSocketHandlers;
  }): BunServer;
}

const POLL_MS = 20;

export function listenOnBun(server: Server, options: ListenOptions): Listener {
  const { Bun } = globalThis as unknown as { readonly Bun: BunGlobal };
  const { port, hostname } = options;
  const sockets = server.wires.includes("websocket") && { websocket: bunHandlers(server.limits.bodyBytes) };
  const listening = openPort(options, () => Bun.serve({ port, hostname, fetch: server.fetch, ...sockets }));
  return {
    port: listening.port,
    async stopAccepting() {
      // Its promise also waits for idle connections to time out.
      void listening.stop();
      while (listening.pendingRequests > 0) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    },
    close: () => listening.stop(true),
  };
}

/** The members of a server of `Deno.serve` that are used here. */
interface DenoServer {
  readonly addr: { readonly port: number };
  readonly finished: Promise<void>;
}

/** The functions of `Deno` that are used here. */
interface DenoGlobal {
  serve(
    options: ListenOptions & { readonly onListen: () => void; readonly signal: AbortSignal },
    handler: (request: Request, info: unknown) => Promise<Response>,
  ): DenoServer;
}

/** Time in which Deno sends what was replied, in milliseconds. It does not report when it has. */
const SENDING_MS = 100;

/**
 * Listens with `Deno.serve`. `close` aborts it, which also closes the connection of a client that neither sends nor reads. Deno's
 * `shutdown()` does not, the process stays alive with them, and an abort after it throws. Until the abort, connections are
 * accepted, and their calls are `unavailable`.
 */
export function listenOnDeno(server: Server, options: ListenOptions): Listener {
  const { Deno } = globalThis as unknown as { readonly Deno: DenoGlobal };
  const ending = new AbortController();
  let pendingRequests = 0;
  const count = (): void => void pendingRequests--;
  const handle = (request: Request, info: unknown): Promise<Response> => {
    const response = server.fetch(request, info);
    pendingRequests++;
    response.then(count, count);
    return response;
  };
  const { port, hostname } = options;
  const settings = { port, hostname, onListen: () => {}, signal: ending.signal };
  const listening = openPort(options, () => Deno.serve(settings, handle));
  return {
    port: listening.addr.port,
    async stopAccepting() {
      while (pendingRequests > 0) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    },
    async close() {
      await new Promise((resolve) => setTimeout(resolve, SENDING_MS));
      ending.abort();
      await listening.finished;
    },
  };
}
