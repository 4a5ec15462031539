import type { Server } from "../server/server.ts";

/** Where to listen. */
export interface ListenOptions {
  /** The port; 0 for a free one. Default: 8000. */
  readonly port: number;
  /** The address. Default: `127.0.0.1`. */
  readonly hostname: string;
}

/** Key and certificate of a server. */
export interface TlsOptions {
  /** The private key, in PEM. */
  readonly key: string;
  /** The certificate, and those that lead to its authority, in PEM. */
  readonly cert: string;
}

/** A runtime's own HTTP server, listening. */
export interface Listener {
  /** The port. */
  readonly port: number;
  /** Takes no more connections; resolves when those that were busy have ended. */
  stopAccepting(): Promise<void>;
  /** Ends what is still connected, once it takes no more connections. */
  close(): Promise<void>;
}

/** Ends a listener that has served nobody yet. */
export async function discard(listener: Listener): Promise<void> {
  await Promise.all([listener.stopAccepting(), listener.close()]);
}

interface BunServer {
  readonly port: number;
  readonly pendingRequests: number;
  stop(closeActiveConnections?: boolean): Promise<void>;
}

interface BunGlobal {
  serve(options: {
    readonly port: number;
    readonly hostname: string;
    readonly fetch: Server["fetch"];
  }): BunServer;
}

const POLL_MS = 20;

/** Listens with `Bun.serve`. */
export function listenOnBun(server: Server, { port, hostname }: ListenOptions): Listener {
  const { Bun } = globalThis as unknown as { readonly Bun: BunGlobal };
  const listening = Bun.serve({ port, hostname, fetch: server.fetch });
  return {
    port: listening.port,
    async stopAccepting() {
      // What it gives resolves only when idle connections have timed out, too.
      void listening.stop();
      while (listening.pendingRequests > 0) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    },
    close: () => listening.stop(true),
  };
}

interface DenoServer {
  readonly addr: { readonly port: number };
  shutdown(): Promise<void>;
  unref(): void;
}

interface DenoGlobal {
  serve(
    options: ListenOptions & { readonly onListen: () => void },
    handler: (request: Request, info: unknown) => Promise<Response>,
  ): DenoServer;
}

/** Listens with `Deno.serve`. */
export function listenOnDeno(server: Server, { port, hostname }: ListenOptions): Listener {
  const { Deno } = globalThis as unknown as { readonly Deno: DenoGlobal };
  const listening = Deno.serve({ port, hostname, onListen: () => {} }, server.fetch);
  return {
    port: listening.addr.port,
    stopAccepting: () => listening.shutdown(),
    // Once it shuts down, Deno cannot end a connection whose client does not read: it is left behind.
    close: () => Promise.resolve(listening.unref()),
  };
}
