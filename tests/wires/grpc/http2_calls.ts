/** Requests by `node:http2`, without our client: any headers can be sent, and the response is given as it came. */
import type { Buffer } from "node:buffer";
import { type ClientHttp2Session, connect, type OutgoingHttpHeaders } from "node:http2";
import { concatBytes } from "../../../src/wires/grpc/messages/bytes.ts";

/** A request. */
export interface Request2 {
  readonly path: string;
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly pieces: readonly Uint8Array[];
  /** Whether it says that it ends. Default: `true`. */
  readonly ends?: boolean;
}

/** How it ended. */
export interface Ending {
  /** The status of HTTP; `undefined` if there was no answer. */
  readonly http: number | undefined;
  /** The status of gRPC, from headers or trailers. */
  readonly grpc: number | undefined;
  readonly message: string;
  /** A header or a trailer. */
  said(name: string): string | null;
  readonly body: Uint8Array;
  /** The code of the reset. */
  readonly reset: number;
}

/** Connects, and waits until it is. */
export async function openSession(url: string): Promise<ClientHttp2Session> {
  const session = connect(url);
  session.on("error", () => {});
  await new Promise((resolve) => session.once("remoteSettings", resolve));
  return session;
}

/** Sends a request as gRPC's are, where it says nothing else, and waits for its end. */
export function send2(session: ClientHttp2Session, request: Request2): Promise<Ending> {
  const { path, method = "POST", headers, pieces, ends = true } = request;
  return new Promise((resolve) => {
    const base = { "content-type": "application/grpc", te: "trailers" };
    const all = Object.entries({ ":method": method, ":path": path, ...base, ...headers });
    // Bun takes none that is undefined.
    const given = Object.fromEntries(all.filter(([, value]) => value !== undefined));
    const stream = session.request(given, { endStream: false });
    let first: Readonly<Record<string, unknown>> = {};
    let last: Readonly<Record<string, unknown>> = {};
    const body: Uint8Array[] = [];
    stream.on("error", () => {});
    stream.on("response", (received) => (first = received));
    stream.on("trailers", (received) => (last = received));
    stream.on("data", (piece: Buffer) => body.push(piece));
    // What is not ended by us is ended when the answer is.
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
        body: concatBytes(body),
        reset: stream.rstCode ?? 0,
      });
    });
    for (const piece of pieces) stream.write(piece);
    if (ends) stream.end();
  });
}
