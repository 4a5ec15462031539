/** Requests at their own pace, over sockets. */
import { joinChunks } from "../../../src/internal/chunks.ts";
import { openSession } from "../../wires/grpc/http2_calls.ts";
import type { RawRequest } from "../../wires/descriptions/description.ts";
import { headOf, open1, parse1, readAll } from "../http1.ts";
import type { Slow } from "./slow_readers.ts";

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

const headOf1 = (request: RawRequest, port: number): Uint8Array =>
  joinChunks([
    headOf(request, `127.0.0.1:${port}`),
    new TextEncoder().encode(`content-length: ${request.body.length}\r\n\r\n`),
  ]);

/** By HTTP/1.1. */
export function overHttp1(port: number): Slow {
  return {
    async drip(request) {
      const socket = await open1(port);
      socket.setNoDelay(true);
      const read = readAll(socket);
      const bytes = joinChunks([headOf1(request, port), request.body]);
      for (let at = 0; at < bytes.length; at++) {
        socket.write(bytes.slice(at, at + 1));
        await turn();
      }
      return parse1(await read);
    },
    async half(request) {
      const socket = await open1(port);
      socket.write(joinChunks([headOf1(request, port), request.body.slice(0, request.body.length / 2)]));
      await turn();
      return { leave: () => void socket.destroy() };
    },
    async begin(request) {
      const socket = await open1(port);
      socket.write(joinChunks([headOf1(request, port), request.body]));
      await new Promise((resolve) => socket.once("data", resolve).once("close", resolve));
      socket.pause();
      return { leave: () => void socket.destroy() };
    },
  };
}

/** By HTTP/2, each request over its own connection. */
export function overHttp2(port: number): Slow {
  const open = async ({ path, headers }: RawRequest) => {
    const session = await openSession(`http://127.0.0.1:${port}`);
    const stream = session.request({ ":method": "POST", ":path": path, te: "trailers", ...headers }, {
      endStream: false,
    });
    stream.on("error", () => {});
    return { session, stream };
  };
  return {
    async drip(request) {
      const { session, stream } = await open(request);
      const reply: Record<string, unknown> = {};
      const pieces: Uint8Array[] = [];
      stream.on("response", (headers) => Object.assign(reply, headers)).on(
        "trailers",
        (trailers) => Object.assign(reply, trailers),
      );
      stream.on("data", (piece: Uint8Array) => pieces.push(piece));
      const closed = new Promise((resolve) => stream.once("close", resolve));
      for (let at = 0; at < request.body.length; at++) {
        stream.write(request.body.slice(at, at + 1));
        await turn();
      }
      stream.end();
      await closed;
      session.destroy();
      const get = (name: string) => reply[name] === undefined ? null : String(reply[name]);
      return { status: Number(reply[":status"] ?? 0), headers: { get }, body: joinChunks(pieces) };
    },
    async half(request) {
      const { session, stream } = await open(request);
      stream.write(request.body.slice(0, request.body.length / 2));
      await turn();
      return { leave: () => session.destroy() };
    },
    async begin(request) {
      const { session, stream } = await open(request);
      stream.end(request.body);
      await new Promise((resolve) => stream.once("data", resolve).once("close", resolve));
      stream.pause();
      return { leave: () => session.destroy() };
    },
  };
}
