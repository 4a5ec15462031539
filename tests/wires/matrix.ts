/** Every way to reach a server: one row each. The suite runs over all of them, so that semantics stay identical. */
import { isPart } from "../part.ts";
import { createServer, memoryTransport, type Server, type ServerOptions } from "../../mod.ts";
import { gateway, mount } from "../../src/entries/compose.ts";
import { discover } from "../../src/entries/discovery.ts";
import { errorResult } from "../../src/core/call/outcome.ts";
import type { Transport, TransportCall } from "../../src/core/call/transport.ts";
import { DESCRIPTIONS, wires } from "./descriptions/all.ts";
import type { Caller, Fetch, Lack, WireClient, WireRow } from "./descriptions/description.ts";

export { wires };
export type { Caller, Lack, WireRow };

const isWorker = globalThis.navigator?.userAgent === "Cloudflare-Workers";
const socketSkip = isWorker ? "workerd opens no sockets" : undefined;

/** The rows of a transport over HTTP/1.1: in process, and over a socket. */
function http1Rows(column: string, { name, path, open, lacks }: WireClient): WireRow[] {
  return [
    {
      name: `${name}, in process`,
      column,
      lacks,
      open(server, { headers = {} } = {}) {
        // workerd does not accept `redirect: "error"`.
        const fetch: Fetch = (url, init) => server.fetch(new Request(url, { ...init, redirect: "follow" }));
        const transport = open(`http://localhost${path}`, { fetch, headers });
        return Promise.resolve({ transport, close: () => Promise.resolve(transport.close?.()) });
      },
    },
    {
      name: `${name}, over a socket`,
      column,
      lacks,
      skip: socketSkip,
      async open(server, { headers = {} } = {}) {
        const { serve } = await import("../../src/entries/serve.ts");
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

/** The rows of a transport over HTTP/2: on its own port, and on the port of the other wires. */
function http2Rows(column: string, { name, open, lacks }: WireClient): WireRow[] {
  return ([["a port of its own", { port: 0 }], ["one port for all", true]] as const).map(([where, grpc]) => ({
    name: `${name}, ${where}`,
    column,
    lacks,
    skip: socketSkip,
    async open(server, { headers = {} } = {}) {
      const { serve } = await import("../../src/entries/serve.ts");
      const listening = await serve(server, { port: 0, graceMs: 0, grpc });
      const transport = open(listening.grpcUrl ?? "", { headers });
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

/** Reaches a server that was created for the row, and closes it with the row; `after` closes what is behind it. */
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
      const { keys = "k1:a secret that only this whole server knows", logger, clock } = server["~contents"]
        .options as Partial<
          ServerOptions<[]>
        >;
      const common = { tools: [], keys, wires, clock, ...(logger !== undefined && { logger }) };
      const inner = createServer({ ...common, parts: [mount(server)] });
      const whole = createServer({ ...common, parts: [mount(inner)] });
      return await openWhole(to, whole, caller);
    },
  };
}

/** A server behind a gateway: the gateway is reached by one row, and reaches the server by another. */
function gatewayRow(to: WireRow, back: WireRow): WireRow {
  return {
    name: `gateway: ${to.name} to ${back.name}`,
    column: to.column,
    lacks: [...to.lacks ?? [], ...back.lacks ?? []],
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
        clock: (server["~contents"].options as Partial<ServerOptions<[]>>).clock,
      });
      return await openWhole(to, whole, caller, closeBack);
    },
  };
}

/** A server with discovery: its tools are called by their names, or through `call_tool`. */
function discoveryRow(to: WireRow, how: "by name" | "through call_tool"): WireRow {
  return {
    ...to,
    name: `discovery, ${how}: ${to.name}`,
    // The full list is read in process.
    lacks: (to.lacks ?? []).filter((lack) => !lack.startsWith("types of")),
    async open(server, caller) {
      const { keys = "k1:a secret that only the server with discovery knows", logger, clock } = server["~contents"]
        .options as Partial<ServerOptions<[]>>;
      const discovery = discover({ when: "always" });
      const common = { tools: [], keys, wires, discovery, clock, ...(logger !== undefined && { logger }) };
      const { transport, close } = await openWhole(to, createServer({ ...common, parts: [mount(server)] }), caller);
      const all = memoryTransport(server);
      return {
        transport: {
          list: (limit) => all.list(limit),
          call: (call, sink) => transport.call(how === "by name" ? call : throughCallTool(call), sink),
        },
        close,
      };
    },
  };
}

/** The same call, of `call_tool`. System tools are listed, and called by their names. */
function throughCallTool(call: TransportCall): TransportCall {
  if (["redeem", "cancel", "more"].includes(call.tool)) return call;
  const args = { name: call.tool, ...(call.args !== undefined && { arguments: call.args }) };
  return { ...call, tool: "call_tool", args };
}

/** Whether the protocol of a row can express something. */
export function carries({ lacks = [] }: WireRow, what: Lack): boolean {
  return !lacks.includes(what);
}

/** Why a scenario cannot run over a row: it cannot run on this runtime, or the protocol lacks something; `false` if it can. */
export function skipOf(wire: WireRow, needs: readonly Lack[] = []): string | false {
  const missing = needs.find((need) => !carries(wire, need));
  return wire.skip ?? (missing === undefined ? false : `this protocol has no ${missing}`);
}

/** The matrix. */
export const WIRES: readonly WireRow[] = DESCRIPTIONS.flatMap(({ name, clients = [], rows = [] }) => [
  ...rows,
  ...clients.filter(({ isRow = true }) => isRow)
    .flatMap((client) => client.isHttp2 === true ? http2Rows(name, client) : http1Rows(name, client)),
]);

function row(name: string): WireRow {
  const found = WIRES.find((one) => one.name === name);
  if (found === undefined) throw new Error(`There is no row ${name}`);
  return found;
}

/** Servers within others, behind gateways and with discovery: their callers see the same. */
export const COMPOSED: readonly WireRow[] = [
  wholeRow(row("http, in process")),
  gatewayRow(row("http, in process"), row("http, in process")),
  gatewayRow(row("memory"), row("mcp (2026-07-28), in process")),
  gatewayRow(row("memory"), row("mcp (2025-11-25), in process")),
  gatewayRow(row("memory"), row("connect (binary), in process")),
  gatewayRow(row("memory"), row("webtools, in process")),
  gatewayRow(row("memory"), row("rest, in process")),
  gatewayRow(row("mcp (2026-07-28), in process"), row("gRPC, a port of its own")),
  gatewayRow(row("memory"), gatewayRow(row("http, in process"), row("memory"))),
  discoveryRow(row("http, in process"), "through call_tool"),
  discoveryRow(row("mcp (2026-07-28), in process"), "by name"),
  discoveryRow(row("mcp (2026-07-28), in process"), "through call_tool"),
  discoveryRow(row("mcp (2025-11-25), in process"), "through call_tool"),
  discoveryRow(row("connect (binary), in process"), "through call_tool"),
  discoveryRow(row("webtools, in process"), "through call_tool"),
  discoveryRow(row("rest, in process"), "through call_tool"),
];

type PlainResult = Awaited<ReturnType<Transport["call"]>>;

/** What a protocol of answers and error messages alone carries of a result. */
function plainResult(result: PlainResult): PlainResult {
  switch (result.kind) {
    case "answer":
      return { ...result, meta: undefined, context: undefined };
    case "failure":
      return { ...result, data: undefined, meta: undefined, context: undefined };
    case "error":
      return { ...result, data: undefined };
    default:
      return errorResult("internal", `There are no results of the kind ${result.kind}`);
  }
}

/**
 * A protocol without data of errors, `_meta`, promises and questions: the words of {@link Lack} are enough to describe it, so that the
 * suites skip what it cannot express and check the rest.
 */
export const PLAIN: WireRow = {
  name: "a plain protocol",
  column: "memory",
  lacks: ["data of errors", "_meta", "promises", "questions"],
  open(server) {
    const memory = memoryTransport(server);
    const transport: Transport = {
      call: async (call, sink) => plainResult(await memory.call({ ...call, meta: undefined }, sink)),
      async list(limit) {
        const tools = await memory.list(limit);
        return "kind" in tools ? tools : tools.map(({ _meta, ...tool }) => tool);
      },
    };
    return Promise.resolve({ transport, close: () => Promise.resolve() });
  },
};

/** Rows that run all scenarios in any case: memory, and MCP-lite over HTTP. */
const WHOLE: readonly string[] = ["memory", "http, in process", "http, over a socket"];

/**
 * Whether a row runs a scenario. A part of the cases has each pair of a protocol and a scenario once, over the protocol's rows in turn, and
 * each scenario for one in eight composed servers.
 *
 * @param place Place of the scenario in its suite.
 */
export function isChosen(wire: WireRow, place: number): boolean {
  if (!isPart || WHOLE.includes(wire.name)) return true;
  const group = COMPOSED.includes(wire) ? COMPOSED : WIRES.filter(({ column }) => column === wire.column);
  const turns = Math.min(group.length, 8);
  return !group.includes(wire) || group.indexOf(wire) % turns === place % turns;
}
