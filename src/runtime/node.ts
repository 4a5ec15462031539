import { createServer, type Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Server } from "../server/server.ts";
import type { Listener, ListenOptions } from "./listener.ts";
import { toNodeHandler } from "./node_handler.ts";

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
      stopAccepting(http);
      return ended.promise;
    },
    close() {
      http.closeAllConnections();
      return ended.promise;
    },
  };
}

function stopAccepting(http: HttpServer): void {
  http.close();
  http.closeIdleConnections();
}
