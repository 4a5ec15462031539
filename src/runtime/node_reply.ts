import { Buffer } from "node:buffer";
import type { ServerResponse } from "node:http";
import type { Reply } from "../wires/wire.ts";
import { cancel, pump } from "./node_streams.ts";

/** Writes a reply to a response of `node:http`. A reply to a closed connection is cancelled. */
export function sendReply(reply: Reply, response: ServerResponse): void {
  if (response.destroyed) return void cancel(reply);
  if (typeof reply.body === "string" || reply.body instanceof Uint8Array) {
    response.writeHead(reply.status, { ...reply.headers, "content-length": Buffer.byteLength(reply.body) }).end(
      reply.body,
    );
  } else if (reply.body === null) response.writeHead(reply.status, reply.headers).end();
  else {
    response.writeHead(reply.status, reply.headers);
    // An exception ends this reply only.
    pump(reply.body, response).catch(() => response.destroy());
  }
}
