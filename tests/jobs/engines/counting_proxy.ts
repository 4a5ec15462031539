/** A TCP proxy that counts round trips, so that a test needs no clock. */
import { connect, createServer, type Socket } from "node:net";

export interface CountingProxy {
  /** URL of the server through the proxy. */
  readonly url: string;
  /** Number of round trips: of requests, on any connection, that follow a reply, and of the first of each connection. */
  count(): number;
  close(): void;
}

/** Starts a proxy on a free port of 127.0.0.1. */
export async function startCountingProxy(serverUrl: string): Promise<CountingProxy> {
  const url = new URL(serverUrl);
  const port = Number(url.port);
  const sockets = new Set<Socket>();
  let count = 0;
  const proxy = createServer((client) => {
    const server = connect(port, "127.0.0.1");
    let isReplied = true;
    client.on("data", (chunk) => {
      if (isReplied) count++;
      isReplied = false;
      server.write(chunk);
    });
    server.on("data", (chunk) => {
      isReplied = true;
      client.write(chunk);
    });
    for (const [one, other] of [[client, server], [server, client]] as const) {
      sockets.add(one);
      one.on("close", () => other.destroy()).on("error", () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const address = proxy.address();
  if (typeof address === "object" && address !== null) url.port = `${address.port}`;
  return {
    url: url.href,
    count: () => count,
    close() {
      proxy.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
