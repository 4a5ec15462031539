/** Every way to reach a server: one row each. The suite runs over all of them, which is how semantics stay identical. */
import { createServer, mcpLite, mcpLiteTransport, memoryTransport, type Principal, type Server } from "../../mod.ts";
import { gateway, mount } from "../../src/server/compose/mod.ts";
import { connectTransport, grpc, grpcTransport, grpcWebTransport } from "../../src/wires/grpc/mod.ts";
import { webtools, webtoolsTransport } from "../../src/wires/webtools/mod.ts";
import { mcp, mcpTransport, memorySessions } from "../../src/wires/mcp/mod.ts";
import { openStdio } from "./mcp/stdio/in_process.ts";
import type { Transport, Wire } from "../../src/wires/mod.ts";

/** What some protocols have no word for. */
export type Lack =
  | "pieces of answers"
  | "progress of calls"
  | "types of tools"
  | "types of system tools"
  | "callers who show who they are";

/** Who calls: what shows it to a server, and who that is where nothing needs to be shown. */
export interface Caller {
  readonly headers?: Readonly<Record<string, string>>;
  readonly principal?: Principal;
}

/** A way to reach a server. */
export interface WireRow {
  readonly name: string;
  /** What its protocol has no word for. */
  readonly lacks?: readonly Lack[] | undefined;
  /** Why it cannot run here; `undefined` if it can. */
  readonly skip?: string | undefined;
  /** Opens it. */
  open(server: Server, caller?: Caller): Promise<{ readonly transport: Transport; close(): Promise<void> }>;
}

const isWorker = globalThis.navigator?.userAgent === "Cloudflare-Workers";

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

type Open = (url: string, options: { fetch?: Fetch; headers?: Readonly<Record<string, string>> }) => Transport;

/** The rows of a protocol over HTTP: in process, and over a socket. */
function httpRows(name: string, path: string, open: Open, lacks?: readonly Lack[]): WireRow[] {
  return [
    {
      name: `${name}, in process`,
      lacks,
      open(server, { headers = {} } = {}) {
        // As fetch takes a URL and its options, which workerd lets not say that redirects are errors.
        const fetch: Fetch = (url, init) => server.fetch(new Request(url, { ...init, redirect: "follow" }));
        const transport = open(`http://localhost${path}`, { fetch, headers });
        return Promise.resolve({ transport, close: () => Promise.resolve(transport.close?.()) });
      },
    },
    {
      name: `${name}, over a socket`,
      lacks,
      skip: isWorker ? "workerd opens no sockets" : undefined,
      async open(server, { headers = {} } = {}) {
        const { serve } = await import("../../src/runtime/serve.ts");
        const listening = await serve(server, { port: 0, graceMs: 0 });
        const transport = open(`${listening.url}${path}/`, { headers });
        return {
          transport,
          async close() {
            transport.close?.();
            await listening.close();
          },
        };
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
    async open(server, { headers = {} } = {}) {
      const { serve } = await import("../../src/runtime/serve.ts");
      const listening = await serve(server, { port: 0, graceMs: 0, grpc });
      const transport = grpcTransport(listening.grpcUrl ?? "", { headers });
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

const MCP_LACKS: readonly Lack[] = ["pieces of answers", "types of tools", "types of system tools"];

/** MCP over pipes, where whoever has started the process is its only caller. */
function stdioRows(): WireRow[] {
  const eras = [["2026-07-28", "modern"], ["2025-11-25", "legacy"]] as const;
  return eras.map(([revision, era]) => ({
    name: `stdio (${revision})`,
    lacks: [...MCP_LACKS, "callers who show who they are"],
    open: (server) => Promise.resolve(openStdio(server, { era })),
  }));
}

/** Reaches a server that was made for this, and is closed with the way to it; `after` ends what is behind it. */
async function openWhole(to: WireRow, whole: Server, caller?: Caller, after?: () => Promise<void>) {
  const { transport, close } = await to.open(whole, caller);
  return {
    transport,
    async close() {
      await close();
      await whole.close(0);
      await after?.();
    },
  };
}

/** A server as a part of another, twice over. */
function wholeRow(to: WireRow): WireRow {
  return {
    ...to,
    name: `part of another: ${to.name}`,
    async open(server, caller) {
      const { keys = "k1:a secret that only this whole server knows", logger } = server["~offer"].options;
      const common = { tools: [], keys, wires, ...(logger !== undefined && { logger }) };
      const inner = createServer({ ...common, parts: [mount(server)] });
      const whole = createServer({ ...common, parts: [mount(inner)] });
      return await openWhole(to, whole, caller);
    },
  };
}

/** A server behind a gateway: reached by the row of that name, and itself reached by another. */
function gatewayRow(to: WireRow, back: WireRow): WireRow {
  return {
    name: `gateway: ${to.name} to ${back.name}`,
    // Of the system tools the gateway has its own.
    lacks: [...to.lacks ?? [], ...(back.lacks ?? []).filter((lack) => lack !== "types of system tools")],
    skip: to.skip ?? back.skip,
    async open(server, caller) {
      const { transport: remote, close: closeBack } = await back.open(server);
      const logger = { debug() {}, info() {}, warn() {}, error() {} };
      const whole = createServer({
        tools: [],
        parts: [mount(await gateway("fixture", remote, { maxListChars: 10_000_000 }))],
        keys: "k1:a secret that the gateway alone knows",
        wires,
        logger,
      });
      return await openWhole(to, whole, caller, closeBack);
    },
  };
}

/** Whether a row's protocol has a word for something. */
export function carries({ lacks = [] }: WireRow, what: Lack): boolean {
  return !lacks.includes(what);
}

/** Why a scenario cannot run over a wire: the wire is not here, or has no word for what the scenario needs; `false` if it can. */
export function skipOf(wire: WireRow, needs: readonly Lack[] = []): string | false {
  const missing = needs.find((need) => !carries(wire, need));
  return wire.skip ?? (missing === undefined ? false : `this protocol has no ${missing}`);
}

/** The matrix. */
export const WIRES: readonly WireRow[] = [
  {
    name: "memory",
    open(server, { principal } = {}) {
      const transport = memoryTransport(server, principal === undefined ? {} : { principal });
      return Promise.resolve({ transport, close: () => Promise.resolve() });
    },
  },
  ...httpRows("http", "/mcp-lite/v1", mcpLiteTransport),
  ...httpRows("connect (JSON)", "", connectTransport),
  ...httpRows("connect (binary)", "", (url, options) => connectTransport(url, { ...options, format: "binary" })),
  ...httpRows("gRPC-Web", "", grpcWebTransport),
  ...grpcRows(),
  ...httpRows("webtools", "/webtools/fixture", webtoolsTransport, ["pieces of answers", "progress of calls"]),
  ...httpRows(
    "webtools (unchecked)",
    "/webtools/fixture",
    (url, options) => webtoolsTransport(url, { ...options, validate: false }),
    ["pieces of answers", "progress of calls"],
  ),
  ...httpRows(
    "mcp (2026-07-28)",
    "/mcp",
    (url, options) => mcpTransport(url, { ...options, era: "modern" }),
    MCP_LACKS,
  ),
  ...httpRows(
    "mcp (2025-11-25)",
    "/mcp",
    (url, options) => mcpTransport(url, { ...options, era: "legacy" }),
    MCP_LACKS,
  ),
  // Found out by itself: first by the newer ways, which an old server refuses.
  ...httpRows("mcp (2024-11-05's transport)", "/sse", (url, options) => mcpTransport(url, options), MCP_LACKS),
  ...stdioRows(),
];

function row(name: string): WireRow {
  const found = WIRES.find((one) => one.name === name);
  if (found === undefined) throw new Error(`There is no row ${name}`);
  return found;
}

/** Servers within others, and behind gateways: what their callers see is the same. */
export const COMPOSED: readonly WireRow[] = [
  wholeRow(row("http, in process")),
  gatewayRow(row("http, in process"), row("http, in process")),
  gatewayRow(row("memory"), row("mcp (2026-07-28), in process")),
  gatewayRow(row("memory"), row("mcp (2025-11-25), in process")),
  gatewayRow(row("memory"), row("connect (binary), in process")),
  gatewayRow(row("memory"), row("webtools, in process")),
  gatewayRow(row("mcp (2026-07-28), in process"), row("gRPC, a port of its own")),
  gatewayRow(row("memory"), gatewayRow(row("http, in process"), row("memory"))),
];

/** What the suites' servers speak. */
export const wires: readonly Wire[] = [
  mcpLite(),
  grpc(),
  mcp({ sessions: memorySessions(), ssePath: "/sse" }),
  webtools({ name: "fixture", description: "What the suites call", version: "1.2.3" }),
];
