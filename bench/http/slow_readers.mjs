// Callers that ask for a stream and do not read it.
import { once } from "node:events";
import { connect } from "node:net";

/** @returns what ends them. They have all seen the beginning of an answer, and read no further. */
export async function startSlowReaders(count, { method, url, headers, body = "" }) {
  const { host, hostname, port, pathname, search } = new URL(url);
  const lines = [
    `${method} ${pathname}${search} HTTP/1.1`,
    `host: ${host}`,
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  const sockets = await Promise.all(Array.from({ length: count }, async () => {
    const socket = connect(Number(port), hostname);
    socket.on("error", () => {});
    await once(socket, "connect");
    socket.write(`${lines.join("\r\n")}\r\n\r\n${body}`);
    await once(socket, "readable");
    return socket;
  }));
  return () => sockets.forEach((socket) => socket.destroy());
}
