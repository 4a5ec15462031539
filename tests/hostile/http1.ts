/** HTTP/1.1, byte by byte: for what no client library would send. */
import { Buffer } from "node:buffer";
import { connect, type Socket } from "node:net";
import { joinChunks } from "../../src/internal/chunks.ts";
import type { RawRequest, RawResponse } from "../wires/descriptions/description.ts";

/** A connection, once it is there. */
export async function open1(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  await new Promise((resolve) => socket.once("connect", resolve).once("close", resolve));
  return socket;
}

/** The head of a request. */
export function headOf({ method = "POST", path, headers }: RawRequest, host: string | Uint8Array): Uint8Array {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return joinChunks([
    Buffer.from(`${method} ${path} HTTP/1.1\r\nhost: `, "utf8"),
    typeof host === "string" ? Buffer.from(host, "latin1") : host,
    Buffer.from(`\r\nconnection: close\r\n${lines}`, "latin1"),
  ]);
}

/** All that a connection says until it ends. */
export async function readAll(socket: Socket): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  socket.on("data", (piece: Buffer) => pieces.push(piece));
  if (!socket.destroyed) await new Promise((resolve) => socket.once("close", resolve));
  return joinChunks(pieces);
}

/** Sends a request over its own connection, and reads until that ends. */
export async function exchange1(port: number, request: RawRequest, host: string | Uint8Array): Promise<RawResponse> {
  const socket = await open1(port);
  const read = readAll(socket);
  socket.write(
    joinChunks([headOf(request, host), Buffer.from(`content-length: ${request.body.length}\r\n\r\n`), request.body]),
  );
  // Who answers badly made requests need not end the connection.
  socket.setTimeout(3_000, () => socket.destroy());
  return parse1(await read);
}

/** The response; status 0 if it is not one. */
export function parse1(bytes: Uint8Array): RawResponse {
  const end = Buffer.from(bytes).indexOf("\r\n\r\n");
  const [status = "", ...lines] = Buffer.from(bytes.slice(0, Math.max(0, end))).toString("latin1").split("\r\n");
  const headers = new Headers(
    lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()]),
  );
  const body = bytes.slice(end + 4);
  return {
    status: end === -1 ? 0 : Number(/^HTTP\/1\.\d (\d+)/.exec(status)?.[1] ?? 0),
    headers,
    body: headers.get("transfer-encoding") === "chunked" ? unchunk(body) : body,
  };
}

function unchunk(bytes: Uint8Array): Uint8Array {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = Buffer.from(bytes.buffer, bytes.byteOffset).indexOf("\r\n", at);
    const length = Number.parseInt(Buffer.from(bytes.slice(at, end)).toString("latin1"), 16);
    if (end === -1 || !(length > 0)) break;
    pieces.push(bytes.slice(end + 2, end + 2 + length));
    at = end + 2 + length + 2;
  }
  return joinChunks(pieces);
}
