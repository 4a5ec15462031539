/** Every way to reach a server: one row each. The suite runs over all of them, which is how semantics stay identical. */
import { http, memory, type Server, type Transport } from "../../mod.ts";

/** A way to reach a server. */
export interface WireRow {
  readonly name: string;
  /** Why it cannot run here; `undefined` if it can. */
  readonly skip?: string | undefined;
  /** Opens it. */
  open(server: Server): Promise<{ readonly transport: Transport; close(): Promise<void> }>;
}

const isWorker = globalThis.navigator?.userAgent === "Cloudflare-Workers";

/** The matrix. */
export const WIRES: readonly WireRow[] = [
  {
    name: "memory",
    open: (server) => Promise.resolve({ transport: memory(server), close: () => Promise.resolve() }),
  },
  {
    name: "http, in process",
    open: (server) => {
      const fetch = (url: string, init: RequestInit) => server.fetch(new Request(url, { ...init, redirect: "follow" }));
      return Promise.resolve({
        transport: http("http://localhost/mcp-lite/v1", { fetch }),
        close: () => Promise.resolve(),
      });
    },
  },
  {
    name: "http, over a socket",
    skip: isWorker ? "workerd opens no sockets" : undefined,
    async open(server) {
      const { serve } = await import("../../src/runtime/serve.ts");
      const listening = await serve(server, { port: 0, graceMs: 0 });
      return { transport: http(`${listening.url}/mcp-lite/v1/`), close: () => listening.close() };
    },
  },
];
