/** Every way to send bytes to a server: in process, over a socket of the runtime that runs the tests, by HTTP/2, and by pipes. */
import type { Server } from "../../mod.ts";
import { runtime } from "../runtime/runtime.ts";
import { DESCRIPTIONS, DIALECTS, HTTP2_DIALECTS, type NamedDialect } from "../wires/descriptions/all.ts";
import type { Place, RawRequest, Sending, SendOptions } from "../wires/descriptions/description.ts";

/** Something that listens on a port: over a socket only. */
export interface Listened extends Sending {
  readonly port: number;
}

const noSockets = runtime === "workerd" && "workerd opens no sockets";

/** By `server.fetch`. */
export function inProcess(create: () => Server, dialects: readonly NamedDialect[] = DIALECTS): Place<Sending>[] {
  return dialects.map(({ column, name, dialect }) => ({
    column,
    where: `${name}, in process`,
    open() {
      const server = create();
      return Promise.resolve({
        server,
        dialect,
        async send({ method = "POST", path, headers, body }: RawRequest, { host = "localhost" }: SendOptions = {}) {
          const init = { method, headers, ...(method !== "GET" && method !== "HEAD" && { body: body.slice() }) };
          const response = await server.fetch(new Request(`http://${host}${path}`, init));
          const received = new Uint8Array(await response.arrayBuffer());
          return { status: response.status, headers: response.headers, body: received };
        },
        [Symbol.asyncDispose]: () => server.close(0),
      });
    },
  }));
}

/** By `serve()` of this runtime, byte by byte. */
export function overSockets(create: () => Server, dialects: readonly NamedDialect[] = DIALECTS): Place<Listened>[] {
  return dialects.map(({ column, name, dialect }) => ({
    column,
    where: `${name}, over a socket`,
    skip: noSockets,
    async open() {
      const { serve } = await import("../../src/entries/serve.ts");
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

/** By `serve()` of this runtime, with a port for HTTP/2. */
export function overHttp2(create: () => Server, dialects: readonly NamedDialect[] = HTTP2_DIALECTS): Place<Listened>[] {
  return dialects.map(({ column, name, dialect }) => ({
    column,
    where: `${name}, a port of its own`,
    skip: noSockets,
    async open() {
      const { serve } = await import("../../src/entries/serve.ts");
      const { openSession, send2 } = await import("../wires/grpc/http2_calls.ts");
      const server = create();
      const listening = await serve(server, { port: 0, graceMs: 0, grpc: { port: 0 } });
      const url = listening.grpcUrl ?? "";
      const session = await openSession(url);
      return {
        server,
        dialect,
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
  }));
}

/** Over HTTP, in all three ways. */
export function overHttp(create: () => Server): Place<Sending>[] {
  return [...inProcess(create), ...overSockets(create), ...overHttp2(create)];
}

/** By pipes. */
export function overPipes(create: () => Server): Place<Sending>[] {
  return DESCRIPTIONS.flatMap(({ senders }) => senders?.(create) ?? []);
}

/** In all ways. */
export function everywhere(create: () => Server): Place<Sending>[] {
  return [...overHttp(create), ...overPipes(create)];
}
