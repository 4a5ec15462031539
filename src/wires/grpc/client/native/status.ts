/**
 * Reads how an RPC by gRPC went: its first headers, and its trailers.
 *
 * Only what is not as usual is left to `@connectrpc/connect`: making `Headers` of each answer costs more than reading it.
 * Source: {@link https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md | gRPC over HTTP/2}, "Responses".
 *
 * @module
 */
import { validateResponseWithCompression, validateTrailer } from "@connectrpc/connect/protocol-grpc";
import type { Http2Head } from "./http2.ts";

type Fields = Omit<Http2Head, ":status">;

/**
 * Throws unless messages may follow.
 *
 * @throws {ConnectError} For a status of HTTP's that is an error, an answer that is not gRPC, one that is compressed, and one that
 * says its status at once.
 */
export function assertAnswered(head: Http2Head): void {
  const { ":status": status = 0, "content-type": type = "" } = head;
  const isUsual = head["grpc-status"] === undefined && head["grpc-encoding"] === undefined;
  if (isUsual && status === 200 && /^application\/grpc(\+proto)?$/.test(type)) return;
  const { headerError } = validateResponseWithCompression([], status, toHeaders(head));
  if (headerError !== undefined) throw headerError;
}

/**
 * Throws unless the RPC has gone well.
 *
 * @throws {ConnectError} What the server said, or that it said nothing.
 */
export function assertOk(trailers: Fields, head: Fields): void {
  const isUsual = trailers["grpc-status"] === "0" && trailers["grpc-status-details-bin"] === undefined;
  if (!isUsual) validateTrailer(toHeaders(trailers), toHeaders(head));
}

function toHeaders(fields: Fields): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(fields)) {
    if (name.startsWith(":") || value === undefined) continue;
    headers.set(name, typeof value === "string" ? value : value.join(", "));
  }
  return headers;
}
