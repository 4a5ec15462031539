import { createServer } from "node:http";
import type { Server } from "../server/server.ts";
import type { Listener, ListenOptions } from "./listener.ts";
import { beginToListen } from "./net_server.ts";
import { toNodeHandler } from "./node_handler.ts";

const IDLE_SWEEP_MS = 20;

/** Listens with `node:http`. */
export async function listenOnNode(server: Server, options: ListenOptions): Promise<Listener> {
  const http = createServer(toNodeHandler(server));
  const port = await beginToListen(http, options);
  const ended = Promise.withResolvers<void>();
  http.once("close", ended.resolve);
  return {
    port,
    stopAccepting() {
      http.close();
      // Node closes the connections that are idle now, but not those that become so: these it would keep for seconds.
      const sweep = setInterval(() => http.closeIdleConnections(), IDLE_SWEEP_MS);
      return ended.promise.finally(() => clearInterval(sweep));
    },
    close() {
      http.closeAllConnections();
      return ended.promise;
    },
  };
}
