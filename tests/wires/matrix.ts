/** Every way to reach a server: one row each. The suite runs over all of them, which is how semantics stay identical. */
import { http, mcpLite, memory, type Server, type Transport, type Wire } from "../../mod.ts";
import { webtools, webtoolsTransport, type WebtoolsTransportOptions } from "../../src/wires/webtools/entry.ts";
import { connect, connectTransport, grpcTransport, grpcWebTransport } from "../../src/wires/grpc/entry.ts";

/** A way to reach a server. */
export interface WireRow {
  readonly name: string;
  /** Why it cannot run here; `undefined` if it can. */
  readonly skip?: string | undefined;
  /** Why a streamed call gives its answer whole, without pieces and progress; `undefined` if it gives them as they come. */
  readonly whole?: string | undefined;
  /** Opens it. */
  open(server: Server): Promise<{ readonly transport: Transport; close(): Promise<void> }>;
}

const isWorker = globalThis.navigator?.userAgent === "Cloudflare-Workers";

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** The rows of a protocol over HTTP: in process, and over a socket. */
function httpRows(name: string, path: string, open: (url: string, options: { fetch?: Fetch }) => Transport): WireRow[] {
  return [
    {
      name: `${name}, in process`,
      open(server) {
        // As fetch takes a URL and its options, which workerd lets not say that redirects are errors.
        const fetch: Fetch = (url, init) => server.fetch(new Request(url, { ...init, redirect: "follow" }));
        return Promise.resolve({
          transport: open(`http://localhost${path}`, { fetch }),
          close: () => Promise.resolve(),
        });
      },
    },
    {
      name: `${name}, over a socket`,
      skip: isWorker ? "workerd opens no sockets" : undefined,
      async open(server) {
        const { serve } = await import("../../src/runtime/serve.ts");
        const listening = await serve(server, { port: 0, graceMs: 0 });
        return { transport: open(`${listening.url}${path}/`, {}), close: () => listening.close() };
      },
    },
  ];
}

/** gRPC itself: on a port of its own, and on one port with the rest. */
function grpcRows(): WireRow[] {
  const skip = isWorker ? "workerd opens no sockets" : undefined;
  return ([["a port of its own", { port: 0 }], ["one port for all", true]] as const).map(([where, grpc]) => ({
    name: `gRPC, ${where}`,
    skip,
    async open(server) {
      const { serve } = await import("../../src/runtime/serve.ts");
      const listening = await serve(server, { port: 0, graceMs: 0, grpc });
      const transport = grpcTransport(listening.grpcUrl ?? "");
      return {
        transport,
        async close() {
          transport.close?.();
          await listening.close();
        },
      };
    },
  }));
}

/** Webtools, whose answer is one JSON envelope. */
function webtoolsRows(name: string, options: WebtoolsTransportOptions): WireRow[] {
  const open = (url: string, { fetch }: { fetch?: Fetch }) =>
    webtoolsTransport(url, { ...options, ...(fetch && { fetch }) });
  return httpRows(name, "/webtools/fixture", open).map((row) => ({
    ...row,
    whole: "Webtools has one envelope an answer",
  }));
}

/** The matrix. */
export const WIRES: readonly WireRow[] = [
  {
    name: "memory",
    open: (server) => Promise.resolve({ transport: memory(server), close: () => Promise.resolve() }),
  },
  ...httpRows("http", "/mcp-lite/v1", http),
  ...httpRows("connect (JSON)", "", connectTransport),
  ...httpRows("connect (binary)", "", (url, options) => connectTransport(url, { ...options, format: "binary" })),
  ...httpRows("gRPC-Web", "", grpcWebTransport),
  ...grpcRows(),
  ...webtoolsRows("webtools", {}),
  ...webtoolsRows("webtools (unchecked)", { validate: false }),
];

/** What the suites' servers speak. */
export const wires: readonly Wire[] = [
  mcpLite(),
  connect(),
  webtools({ name: "fixture", description: "What the suites call", version: "1.2.3" }),
];
