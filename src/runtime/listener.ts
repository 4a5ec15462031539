import type { Server } from "../server/server.ts";

/** Address to listen on. */
export interface ListenOptions {
  /** Port; 0 for any free one. Default: 8000. */
  readonly port: number;
  /** Host name or address. Default: `127.0.0.1`. */
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
  /** Stops accepting connections. Resolves when busy connections have ended. */
  stopAccepting(): Promise<void>;
  /** Closes remaining connections after `stopAccepting`. */
  close(): Promise<void>;
}

/** Closes a listener that has not served any request. */
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

export function listenOnBun(server: Server, { port, hostname }: ListenOptions): Listener {
  const { Bun } = globalThis as unknown as { readonly Bun: BunGlobal };
  const listening = Bun.serve({ port, hostname, fetch: server.fetch });
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

export function listenOnDeno(server: Server, { port, hostname }: ListenOptions): Listener {
  const { Deno } = globalThis as unknown as { readonly Deno: DenoGlobal };
  const listening = Deno.serve({ port, hostname, onListen: () => {} }, server.fetch);
  return {
    port: listening.addr.port,
    stopAccepting: () => listening.shutdown(),
    // During shutdown, Deno cannot close a connection whose client does not read. It is left open.
    close: () => Promise.resolve(listening.unref()),
  };
}
