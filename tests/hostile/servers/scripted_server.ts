/** A server of HTTP/1.1 or HTTP/2 whose answers the test sets. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createHttp2, type Http2ServerResponse } from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import { gzipSync } from "node:zlib";
import type { Hostile, Stage } from "./responses.ts";

/** Opens one. */
export async function openHostile(isHttp2: boolean): Promise<Stage & AsyncDisposable> {
  let [playing, type]: [Hostile, string] = [{}, ""];
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  let url = "";
  const answer = (
    request: Pick<IncomingMessage, "url" | "headers">,
    response: ServerResponse | Http2ServerResponse,
  ) => {
    asked.push(`${url}${request.url}`);
    play(playing, type, response);
  };
  const server = isHttp2 ? createHttp2((request, response) => answer(request, response)) : createServer(answer);
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {}).once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    asked,
    play: (hostile, own) => ([playing, type] = [hostile, own]),
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function play(
  { status = 200, headers = {}, type, body = "", then, isBomb }: Hostile,
  own: string,
  to: ServerResponse | Http2ServerResponse,
): void {
  const response = to as ServerResponse;
  response.on("error", () => {});
  const encoding = own === "application/grpc" ? "grpc-encoding" : "content-encoding";
  response.writeHead(status, {
    ...(status !== 204 && { "content-type": type ?? own }),
    ...(isBomb && { [encoding]: "gzip" }),
    ...headers,
  });
  const bytes = isBomb ? bombOf(body as Uint8Array, own) : body;
  if (then === "the body again and again") return writeOn(response, bytes);
  if (then === undefined) return void response.end(bytes);
  if (bytes.length === 0) response.flushHeaders?.();
  response.write(bytes.length === 0 ? "" : bytes, () => {
    if (then === "a broken connection") (response.socket ?? response).destroy();
  });
}

function writeOn(response: ServerResponse, bytes: string | Uint8Array): void {
  if (response.destroyed || response.writableEnded) return;
  if (response.write(bytes)) setImmediate(() => writeOn(response, bytes));
  else response.once("drain", () => writeOn(response, bytes));
}

/** Compressed bodies: to compress megabytes takes longer than the rest of a case. */
const bombs = new WeakMap<Uint8Array, Uint8Array>();

/** For gRPC the message is compressed, and its envelope says so. */
function bombOf(bytes: Uint8Array, own: string): Uint8Array {
  const bomb = bombs.get(bytes) ?? gzipSync(bytes);
  bombs.set(bytes, bomb);
  if (own !== "application/grpc") return bomb;
  const envelope = new Uint8Array(5 + bomb.length);
  envelope[0] = 1;
  new DataView(envelope.buffer).setUint32(1, bomb.length);
  envelope.set(bomb, 5);
  return envelope;
}
