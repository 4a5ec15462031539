import type { Server } from "../server/server.ts";
import type { Listener, ListenOptions } from "./listener.ts";

interface BunServer {
  readonly port: number;
  stop(closeActiveConnections?: boolean): Promise<void>;
}

interface BunGlobal {
  serve(options: {
    readonly port: number;
    readonly hostname: string;
    readonly fetch: Server["fetch"];
  }): BunServer;
}

/** Listens with `Bun.serve`. */
export function listenOnBun(server: Server, { port, hostname }: ListenOptions): Listener {
  const { Bun } = globalThis as unknown as { readonly Bun: BunGlobal };
  const listening = Bun.serve({ port, hostname, fetch: server.fetch });
  return {
    port: listening.port,
    stopAccepting: () => listening.stop(),
    close: () => listening.stop(true),
  };
}
