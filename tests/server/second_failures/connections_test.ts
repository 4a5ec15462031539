/**
 * The second thing that goes wrong at the edges of a server: a wire, a protocol of messages, a socket, a logger, middleware or a transport
 * fails, and then what follows it, too. The caller gets the first, the log has both, and nothing is left.
 */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool, mcpLite, type Middleware } from "../../../mod.ts";
import type { Transport } from "../../../src/core/call/transport.ts";
import { bearer } from "../../../src/entries/auth.ts";
import { gateway, mount } from "../../../src/entries/compose.ts";
import { webSocket } from "../../../src/entries/websocket.ts";
import type {
  DuplexWire,
  FrameListener,
  FramePort,
  MessageConnection,
  MountedDuplexWire,
  MountedWire,
  RequestWire,
  Upgrade,
} from "../../../src/entries/wire.ts";
import { mcpDuplex } from "../../../src/entries/mcp.ts";
import { runtime } from "../../runtime/runtime.ts";
import { callText } from "../../wires/websocket/raw_socket.ts";
import { createFaulty, type Fault, FIRST, type MethodsOf, SECOND } from "./faulty.ts";
import { Observation } from "./observation.ts";

type Row<Contract, Check> = Readonly<Record<MethodsOf<Contract>, Check>>;

const skip = runtime === "workerd" && "a request's timers are not another request's";
const ping = defineTool("ping").describe("Answer").handle(() => "pong");
const FAULTS: readonly Fault[] = ["throws", "rejects"];

/** What a caller gets, by the method of the wire that fails. */
const MOUNTED_WIRE: Row<MountedWire, { readonly status: number; readonly request?: Record<string, string> }> = {
  handle: { status: 500 },
  errorReply: { status: 401, request: { authorization: "Bearer wrong" } },
  credentials: { status: 500 },
  // Read once, by the document of OpenAPI.
  describe: { status: 200 },
  close: { status: 200 },
};

for (const [method, { status, request = {} }] of Object.entries(MOUNTED_WIRE)) {
  for (const fault of method === "credentials" || method === "describe" ? FAULTS.slice(0, 1) : FAULTS) {
    test(`MountedWire: ${method}() ${fault}, and then close() fails`, { skip }, async () => {
      const seen = new Observation();
      const faulty = createFaulty<MountedWire>(
        {
          paths: ["/own"],
          handle: () => ({ status: 200, headers: {}, body: "fine" }),
          errorReply: () => undefined,
          credentials: ({ metadata }) => metadata,
          describe: () => ({ paths: {}, components: {} }),
          close() {},
        },
        method as MethodsOf<MountedWire>,
        ["close"],
        fault,
      );
      const wire: RequestWire = { name: "own", mount: () => faulty.plugIn };
      await seen.during(async () => {
        const server = createServer({
          tools: [ping],
          wires: [wire],
          auth: bearer((token) => token === "right" ? { id: "ada" } : undefined),
          logger: seen.logger,
          clock: seen.clock,
        });
        faulty.arm(1);
        const headers = { authorization: "Bearer right", ...request };
        const response = await server.fetch(new Request("http://localhost/own", { method: "POST", headers }));
        strictEqual(response.status, status);
        await response.text();
        if (faulty.hasFailed) strictEqual(seen.reported[0], FIRST);
        match(String(await seen.bounded("close()", () => server.close(0))), faulty.hasFailed ? /the/ : /undefined/);
      });
    });
  }
}

/** A protocol that fails when it is connected, or when its message or its end comes. */
const DUPLEX: Row<MountedDuplexWire, DuplexWire> = {
  connect: { name: "mcp", mount: () => ({ connect: () => Promise.reject(new Error(FIRST)) }) },
};

/** What a port of a connection does before it fails. */
const FRAME_PORT: Row<FramePort, (listener: FrameListener, seen: Observation) => unknown> = {
  send: (listener) => listener.message(callText(1, "ping")),
  buffered: (listener) => listener.message(callText(1, "ping")),
  ping: (_, seen) => seen.time.advance(60_000),
  close: (listener) => listener.message(new Uint8Array(1)),
  terminate: async (listener, seen) => {
    listener.message(new Uint8Array(1));
    await seen.time.advance(10_000);
  },
};

/** Opens a connection over a port, as `Bun.serve` does. */
async function openOver(port: FramePort, seen: Observation, mcp?: DuplexWire) {
  const server = createServer({
    tools: [ping],
    wires: [webSocket({ ...(mcp && { mcp }) })],
    logger: seen.logger,
    clock: seen.clock,
  });
  const opened: { upgrade?: Upgrade } = {};
  const bun = { upgrade: (_: Request, { data }: { data: Upgrade }) => (opened.upgrade = data) !== undefined };
  const headers = { upgrade: "websocket", "sec-websocket-protocol": mcp === undefined ? "mcp-lite.v1" : "mcp" };
  await server.fetch(new Request("http://localhost/mcp-lite/v1", { headers }), bun);
  const listener = opened.upgrade?.open(port);
  ok(listener !== undefined);
  return { server, listener };
}

const createPort = (): FramePort => ({ send: () => true, buffered: () => 0, ping() {}, close() {}, terminate() {} });

for (const [method, use] of Object.entries(FRAME_PORT)) {
  test(`FramePort: ${method}() throws, and then terminate() fails`, { skip }, async () => {
    const seen = new Observation();
    const faulty = createFaulty<FramePort>(
      createPort(),
      method as MethodsOf<FramePort>,
      ["close", "terminate"],
      "throws",
    );
    await seen.during(async () => {
      const { server, listener } = await openOver(faulty.plugIn, seen);
      faulty.arm(1);
      await seen.bounded("its use", () => use(listener, seen));
      ok(faulty.hasFailed);
      strictEqual(seen.reported[0], FIRST);
      if (method !== "terminate") ok(seen.reported.includes(SECOND));
      await seen.bounded("close()", () => server.close(0));
    });
  });
}

for (const [method, mcp] of Object.entries(DUPLEX)) {
  test(`MountedDuplexWire: ${method}() rejects, and then the socket fails`, { skip }, async () => {
    const seen = new Observation();
    const faulty = createFaulty<FramePort>(createPort(), "close", ["terminate"], "throws");
    faulty.arm(1);
    await seen.during(async () => {
      const { server } = await openOver(faulty.plugIn, seen, mcp);
      await seen.bounded("its end", () => {});
      deepStrictEqual(seen.reported, [FIRST, FIRST, SECOND]);
      await seen.bounded("close()", () => server.close(0));
    });
  });
}

/** Methods of a connection, and whether the protocol can be served without it. */
const MESSAGE_CONNECTION: Row<MessageConnection, boolean> = { send: true, onMessage: false, onClose: false };

for (const [method, isServed] of Object.entries(MESSAGE_CONNECTION)) {
  for (const fault of method === "send" ? FAULTS : FAULTS.slice(0, 1)) {
    test(`MessageConnection: ${method}() ${fault}, and then again`, { skip }, async () => {
      const seen = new Observation();
      const listeners: { message?: (text: string) => void; close?: () => void } = {};
      const faulty = createFaulty<MessageConnection>(
        {
          signal: new AbortController().signal,
          send() {},
          onMessage: (listener) => void (listeners.message = listener),
          onClose: (listener) => void (listeners.close = listener),
        },
        method as MethodsOf<MessageConnection>,
        ["send"],
        fault,
      );
      await seen.during(async () => {
        const mounted: { wire?: MountedDuplexWire } = {};
        const wire: RequestWire = {
          name: "own",
          mount: (host) => {
            mounted.wire = mcpDuplex().mount(host);
            return { paths: ["/own"], handle: () => ({ status: 204, headers: {}, body: null }) };
          },
        };
        const server = createServer({ tools: [ping], wires: [wire], logger: seen.logger, clock: seen.clock });
        faulty.arm(1);
        const thrown = await seen.bounded("the connection", async () => {
          const connected = mounted.wire?.connect(faulty.plugIn);
          for (const id of [1, 2]) listeners.message?.(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`);
          listeners.close?.();
          await connected;
        });
        strictEqual(thrown === undefined, isServed);
        ok(faulty.hasFailed);
        await seen.bounded("close()", () => server.close(0));
      });
    });
  }
}

/** A call of a tool by MCP-lite, and the code of its error. */
async function codeOf(server: { fetch(request: Request): Promise<Response> }, name: string): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name } });
  const headers = { "content-type": "application/json" };
  const request = new Request("http://localhost/mcp-lite/v1/calltools", { method: "POST", body, headers });
  return (await (await server.fetch(request)).json()).error?.data.code;
}

const fail = (message: string): never => {
  throw new Error(message);
};

/** How the function of an `AroundCall` fails. */
const MIDDLEWARE: Readonly<Record<string, Middleware>> = {
  "throws before the call": () => fail(FIRST),
  "rejects before the call": () => Promise.reject(new Error(FIRST)),
  "throws after the call": async (_, next) => {
    await next();
    return fail(FIRST);
  },
  "throws in its listeners": (ctx, next) => {
    ctx.onEvent(() => fail(SECOND));
    ctx.onPromised(() => fail(SECOND));
    void next();
    return fail(FIRST);
  },
};

for (const [what, middleware] of Object.entries(MIDDLEWARE)) {
  test(`Middleware: it ${what}, and then onError and the logger fail`, { skip }, async () => {
    const seen = new Observation();
    const logged: unknown[] = [];
    const line = (_: string, fields?: Readonly<Record<string, unknown>>): never => {
      logged.push((fields?.["error"] as Error | undefined)?.message);
      return fail("the log failed");
    };
    await seen.during(async () => {
      const server = createServer({
        tools: [ping],
        middleware: [middleware],
        onError: () => fail(SECOND),
        logger: { debug() {}, info() {}, warn: line, error: line },
        clock: seen.clock,
      });
      strictEqual(await codeOf(server, "ping"), "internal");
      deepStrictEqual(new Set(logged), new Set([FIRST, SECOND]));
      strictEqual(await seen.bounded("close()", () => server.close(0)), undefined);
    });
  });
}

/** The code that a caller of a gateway gets, by the method of the transport that fails. */
const TRANSPORT: Row<Pick<Transport, "call" | "list" | "close">, unknown> = {
  call: "unavailable",
  list: undefined,
  close: undefined,
};

for (const [method, code] of Object.entries(TRANSPORT)) {
  for (const fault of FAULTS) {
    test(`Transport: ${method}() ${fault}, and then close() fails`, { skip }, async () => {
      const seen = new Observation();
      const faulty = createFaulty<Transport>(
        {
          call: () => Promise.resolve({ kind: "answer", value: "pong" }),
          list: () => Promise.resolve([{ name: "ping", description: "Answer" }]),
          close() {},
        },
        method as MethodsOf<Transport>,
        ["close"],
        fault,
      );
      await seen.during(async () => {
        const part = await gateway("far", faulty.plugIn, { logger: seen.logger });
        const server = createServer({
          tools: [],
          parts: [mount(part)],
          wires: [mcpLite()],
          logger: seen.logger,
          clock: seen.clock,
        });
        faulty.arm(1);
        if (method === "list") await seen.bounded("a refresh", () => part.refresh());
        strictEqual(await codeOf(server, "ping"), code);
        const thrown = await seen.bounded("close()", () => server.close(0));
        ok(faulty.hasFailed);
        strictEqual(seen.reported[0], FIRST);
        // What rejects later than close() returns is in the log.
        ok(thrown === undefined ? fault === "rejects" : fault === "throws");
        ok(faulty.hasFailedAgain === seen.reported.includes(SECOND));
      });
    });
  }
}
