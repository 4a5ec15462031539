import type { Server } from "../server/server.ts";
import type { Listener, ListenOptions } from "./listener.ts";

interface DenoServer {
  readonly addr: { readonly port: number };
  readonly finished: Promise<void>;
  shutdown(): Promise<void>;
}

interface DenoGlobal {
  serve(
    options: ListenOptions & { readonly signal: AbortSignal; readonly onListen: () => void },
    handler: (request: Request) => Promise<Response>,
  ): DenoServer;
}

/** Listens with `Deno.serve`. */
export function listenOnDeno(server: Server, { port, hostname }: ListenOptions): Listener {
  const { Deno } = globalThis as unknown as { readonly Deno: DenoGlobal };
  const connections = new AbortController();
  const listening = Deno.serve({ port, hostname, signal: connections.signal, onListen: () => {} }, (request) => server.fetch(request));
  return {
    port: listening.addr.port,
    stopAccepting: () => listening.shutdown(),
    async close() {
      connections.abort();
      await listening.finished;
    },
  };
}
