import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Server } from "../server/server.ts";
import type { Listener, ListenOptions } from "./listener.ts";
import { toNodeHandler } from "./node_handler.ts";

const IDLE_SWEEP_MS = 20;

/** Listens with `node:http`. */
export async function listenOnNode(server: Server, { port, hostname }: ListenOptions): Promise<Listener> {
  const http = createServer(toNodeHandler(server));
  await new Promise<void>((resolve, reject) => {
    http.once("error", reject);
    http.listen(port, hostname, () => {
      http.off("error", reject);
      resolve();
    });
  });
  const ended = Promise.withResolvers<void>();
  http.once("close", ended.resolve);
  return {
    port: (http.address() as AddressInfo).port,
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
