/** Methods that a server adds to those of MCP: the same over each transport and in both eras. */
import { deepStrictEqual, match, rejects, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool, Failure, type Server, ToolError } from "../../../../mod.ts";
import { createServer as createCoreServer } from "../../../../src/entries/core.ts";
import { authenticate } from "../../../../src/entries/auth.ts";
import { rateLimit } from "../../../../src/entries/middleware.ts";
import * as v from "../../../../src/entries/schema.ts";
import { mcp, mcpDuplex, mcpMethods, mcpSessions, mcpTransport } from "../../../../src/entries/mcp.ts";
import type { McpMethod, McpTransport } from "../../../../src/entries/mcp.ts";
import { webSocket } from "../../../../src/entries/websocket.ts";
import { FakeClock } from "../../../../src/entries/testing.ts";
import { openPair } from "../../socket_pair.ts";
import { openStdio } from "../stdio/in_process.ts";
import { CAPABILITIES, initialize, legacy, modern, VERSION } from "./client.ts";

const runs: unknown[] = [];

/** A record of a database library. */
class Row {
  #values = { id: 7 };
  toJSON(): object {
    return this.#values;
  }
}

/** The wire, which brings its methods to stdio and WebSocket, too. */
const wire = mcp({
  path: "/mcp",
  logging: true,
  sessions: mcpSessions(),
  ssePath: "/sse",
  methods: {
    "acme/stats": {
      params: v.object({ since: v.optional(v.pipe(v.number(), v.minValue(0)), 0) }),
      result: v.object({ calls: v.number(), since: v.number() }),
      handle: ({ since }, ctx) => {
        runs.push([since, ctx.principal?.id]);
        return { calls: 3, since };
      },
    },
    "acme/plain": {
      params: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
      handle: ({ name }) => ({ hello: name }),
    },
    "acme/free": {
      handle: async (params, ctx) => {
        await Promise.resolve();
        ctx.meta({ "acme.com/by": "ctx" });
        return { params, _meta: { "acme.com/cost": 1 } };
      },
    },
    "acme/nothing": { handle: () => {} },
    "acme/locked": {
      errors: { locked: 4001 },
      handle: () => {
        throw new Failure("locked", "The record is locked", { by: "batch" });
      },
    },
    "acme/full": {
      handle: () => {
        throw new Failure("full", "No room");
      },
    },
    "acme/missing": {
      handle: () => {
        throw new ToolError("conflict", "There is one already");
      },
    },
    "acme/broken": {
      handle: () => {
        throw new Error("a secret path");
      },
    },
    "acme/text": { handle: () => ({ text: "ok" }) },
    "acme/json": { handle: () => ({ toJSON: () => ({ a: 1 }) }) },
    "acme/record": { handle: () => new Row() as unknown as Record<string, unknown> },
    "acme/json_text": { handle: () => ({ toJSON: () => '","jsonrpc":"1.0' }) },
    "acme/json_list": { handle: () => ({ toJSON: () => [1, 2] }) },
    "acme/json_twice": { handle: () => ({ toJSON: () => ({ toJSON: () => "text" }) }) },
    "acme/json_nothing": { handle: () => ({ toJSON: () => undefined }) },
    "acme/date": { handle: () => new Date(0) as unknown as Record<string, unknown> },
    "acme/wrong": { handle: () => "text" as unknown as Record<string, unknown> },
    "acme/unfit": { result: v.object({ n: v.number() }), handle: () => ({ n: "x" } as unknown as { n: number }) },
    "acme/asks": {
      handle: async (_, ctx) => {
        const answer = await ctx.elicit("name", { message: "Who?", schema: v.object({ name: v.string() }) });
        return { name: answer.action === "accept" ? answer.content.name : answer.action };
      },
    },
    "acme/steps": {
      handle: (_, ctx) => {
        ctx.progress(1, 2, "half");
        ctx.log("info", "begun");
        return { done: true };
      },
    },
    "acme/secret": { scopes: ["stats:read"], handle: () => ({ secret: true }) },
  },
});

const add = defineTool("add").describe("Add").input(v.object({ a: v.number() })).handle(({ a }) => a + 1);

function createFixture(): Server {
  return createServer({
    name: "methods",
    version: "1.0.0",
    tools: [add],
    wires: [webSocket({ mcp: mcpDuplex() }), wire],
    keys: "k1:a secret that is long enough for all the tests",
    logger: false,
  });
}

interface Opened {
  readonly transport: McpTransport;
  close(): Promise<void>;
}

function overHttp(server: Server, path: string, era: "modern" | "legacy"): Opened {
  const transport = mcpTransport(`http://localhost${path}`, {
    era,
    fetch: (url, init) => server.fetch(new Request(url, init)),
  });
  return { transport, close: () => Promise.resolve(transport.close()) };
}

const TRANSPORTS: Readonly<Record<string, (server: Server) => Opened>> = {
  "HTTP, 2026-07-28": (server) => overHttp(server, "/mcp", "modern"),
  "HTTP, 2025-11-25": (server) => overHttp(server, "/mcp", "legacy"),
  "HTTP with SSE, 2024-11-05": (server) => overHttp(server, "/sse", "legacy"),
  "pipes, 2026-07-28": (server) => openStdio(server, { era: "modern" }),
  "pipes, 2025-11-25": (server) => openStdio(server, { era: "legacy" }),
};

for (const [name, open] of Object.entries(TRANSPORTS)) {
  test(`${name}: a method of the server is called with its parameters, and gives its result`, async () => {
    const server = createFixture();
    const { transport, close } = open(server);
    try {
      const { experimental } = (await transport.server()).capabilities;
      deepStrictEqual(Object.keys(experimental as object).slice(0, 2), ["acme/stats", "acme/plain"]);
      const stats = await transport.request("acme/stats", { since: 5 });
      deepStrictEqual([stats["calls"], stats["since"]], [3, 5]);
      strictEqual((await transport.request("acme/stats"))["since"], 0, "a default of the schema");
      strictEqual((await transport.request("acme/plain", { name: "Ada" }))["hello"], "Ada");
      const { params, _meta: meta } = await transport.request("acme/free", { a: [1] });
      deepStrictEqual(params, { a: [1] }, "without members of the protocol");
      const { "acme.com/cost": cost, "acme.com/by": by } = meta as Record<string, unknown>;
      deepStrictEqual([cost, by], [1, "ctx"]);
      const { resultType: _, _meta, ...nothing } = await transport.request("acme/nothing");
      deepStrictEqual(nothing, {});
      transport.onElicitation(() => ({ action: "accept", content: { name: "Ada" } }));
    } finally {
      await close();
      await server.close();
    }
  });

  test(`${name}: a method asks its caller`, async () => {
    const server = createFixture();
    const { transport, close } = open(server);
    try {
      transport.onElicitation(() => ({ action: "accept", content: { name: "Ada" } }));
      strictEqual((await transport.request("acme/asks"))["name"], "Ada");
    } finally {
      await close();
      await server.close();
    }
  });

  test(`${name}: parameters that do not fit, failures and exceptions are errors`, async () => {
    const server = createFixture();
    const { transport, close } = open(server);
    try {
      runs.length = 0;
      await rejects(transport.request("acme/stats", { since: "x" }), { code: "invalid_input" });
      await rejects(transport.request("acme/stats", { since: 1, sinse: 2 }), { code: "invalid_input" });
      await rejects(transport.request("acme/stats", { unknown: 2 }), { code: "invalid_input" });
      await rejects(transport.request("acme/plain", {}), { code: "invalid_input" });
      deepStrictEqual(runs, [], "the handler did not run");
      await rejects(transport.request("acme/locked"), { code: "locked", message: "The record is locked" });
      await rejects(transport.request("acme/full"), { code: "full", message: "No room" });
      await rejects(transport.request("acme/missing"), { code: "conflict", message: "There is one already" });
      await rejects(transport.request("acme/broken"), { code: "internal", message: /^Internal error, correlation id/ });
      await rejects(transport.request("acme/wrong"), { code: "internal" });
      for (const kind of ["text", "list", "twice", "nothing"]) {
        await rejects(transport.request(`acme/json_${kind}`), { code: "internal" }, kind);
      }
      await rejects(transport.request("acme/date"), { code: "internal" });
      strictEqual((await transport.request("acme/json"))["a"], 1);
      strictEqual((await transport.request("acme/record"))["id"], 7);
      await rejects(transport.request("acme/unfit"), { code: "internal" });
      await rejects(transport.request("acme/secret"), { code: "unauthenticated" });
      await rejects(transport.request("acme/other"), { code: "method_not_found" });
    } finally {
      await close();
      await server.close();
    }
  });
}

test("over WebSocket, a method is called by messages of MCP", async () => {
  const server = createFixture();
  const socket = openPair(server, "ws://localhost/mcp-lite/v1", ["mcp"], {});
  const reply = new Promise<{ readonly result: Record<string, unknown> }>((resolve) => {
    socket.addEventListener("open", () => {
      const _meta = { [VERSION]: "2026-07-28", [CAPABILITIES]: {} };
      socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "acme/stats", params: { since: 9, _meta } }));
    });
    socket.addEventListener("message", ({ data }) => resolve(JSON.parse(String(data))));
  });
  strictEqual((await reply).result["since"], 9);
  socket.close(1000);
  await server.close();
});

test("the numbers of errors are those of JSON-RPC, and of the method where it has them", async () => {
  const server = createFixture();
  const numbers = async (method: string, params = {}) => {
    const replies = [await modern(server, method, params), await legacy(server, method, params, await begun(server))];
    return replies.map(({ status, last: { error } }) => [status, error?.code]);
  };
  deepStrictEqual(await numbers("acme/stats", { since: -1 }), [[200, -32602], [200, -32602]]);
  deepStrictEqual(await numbers("acme/stats", { other: 1 }), [[200, -32602], [200, -32602]]);
  deepStrictEqual(await numbers("acme/locked"), [[200, 4001], [200, 4001]]);
  deepStrictEqual(await numbers("acme/full"), [[200, -32000], [200, -32000]]);
  deepStrictEqual(await numbers("acme/broken"), [[200, -32603], [200, -32603]]);
  deepStrictEqual(await numbers("acme/other"), [[404, -32601], [200, -32601]]);
  const { last } = await modern(server, "acme/locked");
  deepStrictEqual(last.error, { code: 4001, message: "The record is locked", data: { by: "batch", code: "locked" } });
  await server.close();
});

async function begun(server: Server): Promise<{ readonly session: string | undefined }> {
  const { session } = await initialize(server);
  return { session };
}

test("parameters named as members of 2026-07-28 reach the handler in older revisions, and are checked there", async () => {
  const server = createFixture();
  const given = { requestState: "mine", inputResponses: { a: 1 } };
  const session = await begun(server);
  const free = await legacy(server, "acme/free", given, session);
  deepStrictEqual(free.last.result?.["params"], given);
  const strict = await legacy(server, "acme/stats", given, session);
  strictEqual(strict.last.error?.code, -32602);
  // They are the protocol's there: a state that the server did not send is refused.
  const modernFree = await modern(server, "acme/free", { requestState: "mine" });
  strictEqual(modernFree.last.error?.data?.["code"], "invalid_continuation");
  await server.close();
});

test("progress and log lines of a method reach its caller", async () => {
  const server = createFixture();
  const meta = { progressToken: 7, "io.modelcontextprotocol/logLevel": "info" };
  const { messages } = await modern(server, "acme/steps", {}, { meta });
  deepStrictEqual(messages.slice(0, -1).map(({ method, params }) => [method, params]), [
    ["notifications/progress", { progressToken: 7, progress: 1, total: 2, message: "half" }],
    ["notifications/message", { level: "info", logger: "acme/steps", data: "begun" }],
  ]);
  const old = await legacy(server, "acme/steps", { _meta: { progressToken: "a" } }, await begun(server));
  deepStrictEqual(old.messages.map(({ method }) => method), [
    "notifications/progress",
    "notifications/message",
    undefined,
  ]);
  await server.close();
});

test("authentication, scopes and rate limits apply to methods", async () => {
  const server = createServer({
    tools: [add],
    wires: [wire],
    auth: authenticate(({ metadata }) => {
      const id = metadata.get("x-user");
      return id === null ? undefined : { id, scopes: id === "ada" ? ["stats:read"] : [] };
    }),
    middleware: [rateLimit({ perSecond: 0.001, burst: 3 })],
    logger: false,
  });
  const ask = async (method: string, user?: string) => {
    const { status, last } = await modern(server, method, {}, {
      headers: user === undefined ? {} : { "x-user": user },
    });
    return [status, last.error?.data?.["code"] ?? "answer"];
  };
  deepStrictEqual(await ask("acme/stats"), [401, "unauthenticated"]);
  deepStrictEqual(await ask("acme/secret", "ada"), [200, "answer"]);
  deepStrictEqual(await ask("acme/secret", "bob"), [403, "permission_denied"]);
  runs.length = 0;
  deepStrictEqual(await ask("acme/stats", "ada"), [200, "answer"]);
  deepStrictEqual(runs, [[0, "ada"]]);
  deepStrictEqual(await ask("acme/stats", "ada"), [200, "answer"]);
  deepStrictEqual(await ask("acme/stats", "ada"), [429, "rate_limited"]);
  deepStrictEqual(await ask("acme/stats", "bob"), [200, "answer"], "each principal has its own limit");
  await server.close();
});

test("deadlines and the limits of bodies and results apply to methods", async () => {
  const clock = new FakeClock();
  const server = createServer({
    tools: [add],
    wires: [mcp({
      methods: {
        "acme/waits": { timeoutMs: 50, handle: () => new Promise<Record<string, unknown>>(() => {}) },
        "acme/large": { handle: () => ({ text: "x".repeat(2_000) }) },
      },
    })],
    limits: { bodyBytes: 1_000, answerChars: 1_000 },
    clock,
    logger: false,
  });
  const waiting = modern(server, "acme/waits");
  await clock.advance(50);
  strictEqual((await waiting).last.error?.data?.["code"], "deadline_exceeded");
  strictEqual((await modern(server, "acme/large")).last.error?.data?.["code"], "result_too_large");
  strictEqual((await modern(server, "acme/large", { text: "x".repeat(2_000) })).status, 413);
  await server.close();
});

test("a name that belongs to MCP or JSON-RPC, and a method that is not valid, are refused at creation", () => {
  const creating = (name: string, method: unknown = { handle: () => {} }) => () =>
    createServer({ tools: [], wires: [mcp({ methods: { [name]: method as McpMethod } })] });
  const reserved = [
    "tools/list",
    "tools/more",
    "notifications/acme",
    "rpc.discover",
    "initialize",
    "ping",
    "resources/x",
    "ui/open",
    "modelcontextprotocol/x",
    "Tools/list",
    "TOOLS/call",
    "RPC.discover",
    "Notifications/acme",
    "com.MCP/x",
    "Io.ModelContextProtocol/x",
  ];
  for (const name of [...reserved, "io.modelcontextprotocol/x", "com.mcp/x", "tasks/get", "server/discover"]) {
    throws(
      creating(name),
      /^TypeError: Cannot create server: mcp\(\{ methods \}\) cannot have ".+": this name belongs to (MCP|JSON-RPC); use a prefix/,
    );
  }
  for (const name of ["stats", "getStats", "/stats", "acme/", ".stats", "acme."]) {
    throws(creating(name), /: a name without a prefix may become one of MCP; use a prefix, as in "acme\/stats"$/);
  }
  for (const name of ["com.acme/stats", "acme.stats", "acme/a/b", "toolsmith/run"]) creating(name)();
  for (const name of ["", "acme stats", "acme/é", "a".repeat(129)]) {
    throws(
      creating(name),
      /a name is 1 to 128 characters of ASCII, without spaces; use a prefix, as in "acme\/stats"$/,
    );
  }
  throws(creating("acme/a", {}), /the method "acme\/a" of mcp\(\{ methods \}\): handle must be a function/);
  throws(creating("acme/a", null), /options are an object, not null/);
  throws(creating("acme/a", { handle: () => {}, parms: {} }), /there is no option "parms"; did you mean "params"\?/);
  throws(creating("acme/a", { handle: () => {}, timeoutMs: 0 }), /timeoutMs must be a number above 0/);
  throws(
    creating("acme/a", { handle: () => {}, errors: { a: "x" } }),
    /errors must be an object of whole numbers by code/,
  );
  for (const number of [-32_768, -32_700, -32_603, -32_600, -32_042, -32_020, -32_002, -32_001]) {
    throws(
      creating("acme/a", { handle: () => {}, errors: { a: number } }),
      /errors must be an object of whole numbers by code, none of them a number of JSON-RPC or MCP/,
    );
  }
  creating("acme/a", { handle: () => {}, errors: { a: -32_000, b: -32_010, c: 1, d: -40_000 } })();
  for (const member of ["requestState", "inputResponses", "_meta"]) {
    throws(
      creating("acme/a", {
        handle: () => {},
        params: { type: "object", properties: { [member]: { type: "string" } } },
      }),
      new RegExp(`the parameters of method "acme/a" cannot have "${member}", which belongs to MCP; use another name$`),
    );
  }
  throws(creating("acme/a", { handle: () => {}, scopes: [""] }), /Cannot set the scopes of method "acme\/a"/);
  throws(
    creating("acme/a", { handle: () => {}, params: v.string() }),
    /The schema of the parameters of method "acme\/a"/,
  );
  throws(creating("acme/a", { handle: () => {}, result: 5 }), /The schema of the result of method "acme\/a"/);
  throws(() => mcp({ methods: [] as never }), /methods must be an object/);
});

test("a server of ./core needs the value that serves methods", async () => {
  const methods = { "acme/a": { handle: () => ({ a: 1 }) } };
  throws(
    () => createCoreServer({ tools: [], wires: [mcp({ methods })] }),
    /methods need mcp\(\{ customMethods: mcpMethods \}\), from "toolwire\/mcp"$/,
  );
  const server = createCoreServer({ tools: [], wires: [mcp({ methods, customMethods: mcpMethods })] });
  strictEqual((await modern(server, "acme/a")).last.result?.["a"], 1);
  await server.close();
});

test("a server without methods declares none", async () => {
  const server = createServer({ tools: [add], wires: [mcp()] });
  const { last } = await modern(server, "server/discover");
  strictEqual("experimental" in (last.result?.["capabilities"] as object), false);
  match(JSON.stringify((await initialize(server)).result["capabilities"]), /^\{"tools":\{\}\}$/);
  await server.close();
});
