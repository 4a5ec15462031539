/** Every way to send bytes to a server: in process, over a socket of the runtime that runs the tests, and by HTTP/2. */
import type { Server } from "../../mod.ts";
import { mcp } from "../../src/wires/mcp/mod.ts";
import { runtime } from "../runtime/runtime.ts";
import { wires } from "../wires/matrix.ts";
import { type Dialect, DIALECTS, GRPC, type RawAnswer, type RawRequest } from "./dialects.ts";
import type { Place } from "./guarantee.ts";
import type { Wire } from "../../src/wires/mod.ts";

/** What a request says beside its own words. */
export interface SendOptions {
  /** Its host, as it is sent; default: the server's. */
  readonly host?: string | Uint8Array;
}

/** A server, and a way to send to it. */
export interface Sending {
  readonly server: Server;
  readonly dialect: Dialect;
  /** Sends a request; a status of 0 is a connection that ended without an answer. */
  send(request: RawRequest, options?: SendOptions): Promise<RawAnswer>;
}

/** Something that listens, by its address: over a socket alone. */
export interface Listened extends Sending {
  readonly port: number;
}

/** The matrix's wires, but that callers of older revisions of MCP need no session. */
export const STATELESS: readonly Wire[] = wires.map((wire) => wire.name === "mcp" ? mcp() : wire);

const noSockets = runtime === "workerd" && "workerd opens no sockets";

/** By `server.fetch`. */
export function inProcess(create: () => Server, dialects: readonly Dialect[] = DIALECTS): Place<Sending>[] {
  return dialects.map((dialect) => ({
    column: dialect.column,
    where: `${dialect.name}, in process`,
    open() {
      const server = create();
      return Promise.resolve({
        server,
        dialect,
        async send({ method = "POST", path, headers, body }: RawRequest, { host = "localhost" }: SendOptions = {}) {
          const init = { method, headers, ...(method !== "GET" && method !== "HEAD" && { body: body.slice() }) };
          const { status, headers: answered, ...response } = await answerOf(server, `http://${host}${path}`, init);
          return { status, headers: answered, body: response.body };
        },
        [Symbol.asyncDispose]: () => server.close(0),
      });
    },
  }));
}

async function answerOf(server: Server, url: string, init: RequestInit): Promise<RawAnswer> {
  const response = await server.fetch(new Request(url, init));
  return { status: response.status, headers: response.headers, body: new Uint8Array(await response.arrayBuffer()) };
}

/** By `serve()` of this runtime, byte by byte. */
export function overSockets(create: () => Server, dialects: readonly Dialect[] = DIALECTS): Place<Listened>[] {
  return dialects.map((dialect) => ({
    column: dialect.column,
    where: `${dialect.name}, over a socket`,
    skip: noSockets,
    async open() {
      const { serve } = await import("../../src/runtime/serve.ts");
      const server = create();
      const listening = await serve(server, { port: 0, graceMs: 0 });
      const { port } = listening;
      return {
        server,
        dialect,
        port,
        send: async (request: RawRequest, { host = `127.0.0.1:${port}` }: SendOptions = {}) => {
          const { exchange1 } = await import("./http1.ts");
          return await exchange1(port, request, host);
        },
        [Symbol.asyncDispose]: () => listening.close(),
      };
    },
  }));
}

/** By `serve()` of this runtime with gRPC on a port of its own. */
export function overHttp2(create: () => Server): Place<Listened>[] {
  return [{
    column: GRPC.column,
    where: "gRPC, a port of its own",
    skip: noSockets,
    async open() {
      const { serve } = await import("../../src/runtime/serve.ts");
      const { openSession, send2 } = await import("../wires/grpc/http2_calls.ts");
      const server = create();
      const listening = await serve(server, { port: 0, graceMs: 0, grpc: { port: 0 } });
      const url = listening.grpcUrl ?? "";
      const session = await openSession(url);
      return {
        server,
        dialect: GRPC,
        port: Number(new URL(url).port),
        async send({ method, path, headers, body }: RawRequest, { host }: SendOptions = {}) {
          const ending = await send2(session, {
            path,
            ...(method !== undefined && { method }),
            headers: { "content-type": undefined, ...headers, ...(typeof host === "string" && { ":authority": host }) },
            pieces: [body],
          });
          return { status: ending.http ?? 0, headers: { get: (name) => ending.said(name) }, body: ending.body };
        },
        async [Symbol.asyncDispose]() {
          session.destroy();
          await listening.close();
        },
      };
    },
  }];
}

/** All of them. */
export function everywhere(create: () => Server): Place<Sending>[] {
  return [...inProcess(create), ...overSockets(create), ...overHttp2(create)];
}
