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

/** How long answers that are finished may take to be read, in milliseconds, once the server closes. */
const FLUSH_MS = 1_000;

/** Listens with `Deno.serve`. */
export function listenOnDeno(server: Server, { port, hostname }: ListenOptions): Listener {
  const { Deno } = globalThis as unknown as { readonly Deno: DenoGlobal };
  const listening = Deno.serve({ port, hostname, onListen: () => {} }, server.fetch);
  let stopped: Promise<void> | undefined;
  const stopAccepting = (): Promise<void> => (stopped ??= listening.shutdown());
  return {
    port: listening.addr.port,
    stopAccepting,
    // Deno cannot end a connection whose client does not read, once it shuts down: so it is left behind.
    close: () => withinFlush(stopAccepting(), () => listening.unref()),
  };
}

function withinFlush(stopped: Promise<void>, leaveBehind: () => void): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      leaveBehind();
      resolve();
    }, FLUSH_MS);
    void stopped.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
