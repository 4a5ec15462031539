import type { Server } from "../server/server.ts";
import type { Listener, ListenOptions } from "./listener.ts";

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
