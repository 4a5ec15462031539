/** Raw requests by `node:http2`, without the gRPC client of the SDK. */
import type { Buffer } from "node:buffer";
import { type ClientHttp2Session, connect, type OutgoingHttpHeaders } from "node:http2";
import { joinChunks } from "../../../src/internal/chunks.ts";

/** A request. */
export interface Request2 {
  readonly path: string;
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly pieces: readonly Uint8Array[];
  /** Whether to end the request. Default: `true`. */
  readonly ends?: boolean;
}

/** End of a request. */
export interface Ending {
  /** HTTP status; `undefined` if there was no response. */
  readonly http: number | undefined;
  /** gRPC status, in headers or trailers. */
  readonly grpc: number | undefined;
  readonly message: string;
  /** Returns a header or a trailer. */
  said(name: string): string | null;
  readonly body: Uint8Array;
  /** Error code of the reset. */
  readonly reset: number;
}

/** Opens a connection. */
export async function openSession(url: string): Promise<ClientHttp2Session> {
  const session = connect(url);
  session.on("error", () => {});
  await new Promise((resolve) => session.once("remoteSettings", resolve));
  return session;
}

/** Sends a request with the headers of gRPC, unless it has its own, and waits for its end. */
export function send2(session: ClientHttp2Session, request: Request2): Promise<Ending> {
  const { path, method = "POST", headers, pieces, ends = true } = request;
  return new Promise((resolve) => {
    const base = { "content-type": "application/grpc", te: "trailers" };
    const all = Object.entries({ ":method": method, ":path": path, ...base, ...headers });
    // Bun rejects headers that are undefined.
    const given = Object.fromEntries(all.filter(([, value]) => value !== undefined));
    const stream = session.request(given, { endStream: false });
    let first: Readonly<Record<string, unknown>> = {};
    let last: Readonly<Record<string, unknown>> = {};
    const body: Uint8Array[] = [];
    stream.on("error", () => {});
    stream.on("response", (received) => (first = received));
    stream.on("trailers", (received) => (last = received));
    stream.on("data", (piece: Buffer) => body.push(piece));
    // A request that was not ended is closed when the response ends.
    stream.on("end", () => {
      if (!ends) stream.close();
    });
    stream.on("close", () => {
      const said: Readonly<Record<string, unknown>> = { ...first, ...last };
      resolve({
        http: first[":status"] as number | undefined,
        grpc: said["grpc-status"] === undefined ? undefined : Number(said["grpc-status"]),
        said: (name) => said[name] === undefined ? null : String(said[name]),
        message: decodeURIComponent(String(said["grpc-message"] ?? "")),
        body: joinChunks(body),
        reset: stream.rstCode ?? 0,
      });
    });
    for (const piece of pieces) stream.write(piece);
    if (ends) stream.end();
  });
}
