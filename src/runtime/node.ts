import { createServer, type Server as HttpServer } from "node:http";
import type { AddressInfo, Server as SocketServer, Socket } from "node:net";
import type { Server } from "../server/server.ts";
import { describePortError, type Listener, type ListenOptions } from "./listener.ts";
import { toNodeHandler } from "./node_handler.ts";

const IDLE_SWEEP_MS = 20;

export async function listenOnNode(server: Server, options: ListenOptions): Promise<Listener> {
  const http = createServer(toNodeHandler(server));
  const endSockets = await acceptSocketsOf(server, http);
  const port = await startListening(http, options);
  const ended = Promise.withResolvers<void>();
  http.once("close", ended.resolve);
  return {
    port,
    stopAccepting() {
      http.close();
      // Node closes connections that are idle now. Those that become idle later would stay open for seconds.
      const sweep = setInterval(() => http.closeIdleConnections(), IDLE_SWEEP_MS);
      return ended.promise.finally(() => clearInterval(sweep));
    },
    close() {
      http.closeAllConnections();
      endSockets?.();
      return ended.promise;
    },
  };
}

/** Accepts WebSockets, if the server has a wire for them. Returns a function that destroys their connections. */
async function acceptSocketsOf(server: Server, http: HttpServer): Promise<(() => void) | undefined> {
  if (!server.wires.includes("websocket")) return undefined;
  const { acceptSockets } = await import("./node_sockets.ts");
  return await acceptSockets(http, server);
}

/** Starts listening and returns the actual port. Rejects with the error of {@link describePortError} if the port cannot be opened. */
export async function startListening(server: SocketServer, { port, hostname }: ListenOptions): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    const fail = (thrown: unknown): void => reject(describePortError(thrown, port, hostname));
    server.once("error", fail);
    server.listen(port, hostname, () => {
      server.off("error", fail);
      resolve();
    });
  });
  return (server.address() as AddressInfo).port;
}

/** Tracks the connections of a server that is not listening yet. Returns a function that destroys all that are open. */
export function trackSockets(server: SocketServer): () => void {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  return () => {
    for (const socket of sockets) socket.destroy();
  };
}
