import type { Server } from "../server/server.ts";
import type { Listener, ListenOptions } from "./listener.ts";

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
