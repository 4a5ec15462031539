/**
 * What the servers of `node:http`, `node:http2` and `node:net` have in common.
 *
 * @module
 */
import type { AddressInfo, Server, Socket } from "node:net";
import type { ListenOptions } from "./listener.ts";

/** Begins to listen; gives the port. Rejects if it cannot. */
export async function beginToListen(server: Server, { port, hostname }: ListenOptions): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, hostname, () => {
      server.off("error", reject);
      resolve();
    });
  });
  return (server.address() as AddressInfo).port;
}

/** Follows the connections of a server that does not listen yet; what is returned ends those that are left. */
export function followSockets(server: Server): () => void {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  return () => {
    for (const socket of sockets) socket.destroy();
  };
}
