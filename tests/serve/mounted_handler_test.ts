/** `toNodeHandler` within an application: bodies that were read, callers of its sessions, and requests that are not for the server. */
import { deepStrictEqual, match, ok, strictEqual, throws } from "node:assert/strict";
import { once } from "node:events";
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { createClient, createServer, defineTool, mcpLite, type Principal, ToolError } from "../../mod.ts";
import { authenticate } from "../../src/entries/auth.ts";
import { type NodeHandlerOptions, toNodeHandler } from "../../src/entries/serve.ts";
import { healthPage } from "../../src/entries/health.ts";
import { grpc, grpcWebTransport } from "../../src/entries/grpc.ts";
import { mcp, mcpTransport } from "../../src/entries/mcp.ts";
import { rest, restTransport } from "../../src/entries/rest.ts";
import { webtools, webtoolsTransport } from "../../src/entries/webtools.ts";
import type { RequestWire } from "../../src/wires/wire.ts";
import { KeptLog } from "../core/dispatch/harness.ts";
import { eventually } from "../eventually.ts";

/** A request with what the layers of the application have set. */
interface AppRequest extends IncomingMessage {
  originalUrl?: string;
  baseUrl?: string;
  body?: unknown;
  rawBody?: unknown;
  route?: unknown;
}
type Layer = (request: AppRequest, response: ServerResponse, next: (error?: unknown) => void) => unknown;

/** Listens with layers as Express calls them: each passes on, answers, or fails. The last resorts are "error …" and "no page". */
async function listen(...layers: readonly Layer[]) {
  const http = createHttpServer((request: AppRequest, response) => {
    const step = (index: number) => (error?: unknown): void => {
      const layer = layers[index];
      if (error !== undefined) return void response.writeHead(500).end(`error ${(error as Error).message}`);
      if (layer === undefined) return void response.writeHead(404).end("no page");
      layer(request, response, step(index + 1));
    };
    step(0)();
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

/** A layer below a path: as in Express the path is moved from `url` to `baseUrl`. */
const mounted = (path: string, layer: Layer): Layer => (request, response, next) => {
  const url = request.url ?? "/";
  if (!`${url.replace(/\?.*/s, "")}/`.startsWith(`${path}/`)) return next();
  const below = url.slice(path.length);
  Object.assign(request, { originalUrl: url, baseUrl: path, url: below.startsWith("/") ? below : `/${below}` });
  layer(request, response, (error) => {
    request.url = url;
    next(error);
  });
};

/** A layer that reads each body, and sets members of the request. */
const parser = (parse: (text: string, bytes: Buffer) => object): Layer => async (request, _, next) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  Object.assign(request, bytes.length === 0 ? {} : parse(bytes.toString(), bytes));
  next();
};

const tools = [
  defineTool("whoami").describe("Name the caller").annotate({ readOnlyHint: true })
    .handle((_, ctx) => ctx.principal?.id ?? "nameless"),
  defineTool("echo").describe("Echo").handle((input) => input),
  defineTool("count").describe("Count").handle(async function* () {
    yield* ["1", "2", "3"];
  }),
] as const;

function fixture(options: Partial<Parameters<typeof createServer>[0]> = {}) {
  const wires = [
    mcp(),
    mcpLite(),
    rest(),
    grpc(),
    webtools({ name: "all", description: "All", version: "1.0.0" }),
    healthPage(),
  ];
  return createServer({ wires, ...options, tools });
}

const WIRES = {
  "MCP-lite": (url: string) => `${url}/mcp-lite/v1`,
  MCP: (url: string) => mcpTransport(`${url}/mcp`),
  REST: (url: string) => restTransport(`${url}/rest`),
  Webtools: (url: string) => webtoolsTransport(`${url}/webtools/all`),
  "gRPC-Web": (url: string) => grpcWebTransport(url),
} as const;

const PARSERS = {
  "of JSON": parser((text, bytes) => text.startsWith("{") ? { body: JSON.parse(text) } : { body: bytes }),
  "of bytes": parser((_, body) => ({ body })),
  "that keeps the bytes": parser((_, rawBody) => ({ rawBody, body: {} })),
} as const;

for (const [name, connect] of Object.entries(WIRES)) {
  for (const [kind, parse] of Object.entries(PARSERS)) {
    test(`${name}: calls and streams behind a parser ${kind}, below a mount`, async () => {
      await using app = await listen(parse, mounted("/api/tools", toNodeHandler(fixture())));
      const client = createClient<ReturnType<typeof fixture>>(connect(`${app.url}/api/tools`));
      deepStrictEqual(await client.echo({ a: ["ü", 1.5, null, { b: true }] }), { a: ["ü", 1.5, null, { b: true }] });
      // Webtools has no streams.
      if (name !== "Webtools") deepStrictEqual(await Array.fromAsync(client.count.stream()), ["1", "2", "3"]);
      await client.$.close();
    });
  }
}

const CALL = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"a":1}}}';

function send(url: string, body: string | undefined = CALL, headers: Record<string, string> = {}) {
  return fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    ...(body !== undefined && { body }),
  });
}

test("a text that a parser has read is the body", async () => {
  await using app = await listen(parser((body) => ({ body })), toNodeHandler(fixture()));
  deepStrictEqual((await (await send(`${app.url}/mcp-lite/v1/rpc`)).json()).result.content, { a: 1 });
});

test("a form that a parser has read is a form again", async () => {
  const form: RequestWire = {
    name: "form",
    mount: () => ({
      paths: ["/form"],
      handle: (_, body) => body.text().map((text) => ({ status: 200, headers: {}, body: String(text) })),
    }),
  };
  const fields = parser(() => ({ body: { a: "1 + ü", b: ["2", "3"] } }));
  await using app = await listen(fields, toNodeHandler(fixture({ wires: [form] })));
  const response = await send(`${app.url}/form`, "read", { "content-type": "application/x-www-form-urlencoded" });
  strictEqual(await response.text(), "a=1+%2B+%C3%BC&b=2&b=3");
});

test("a body that a parser has decompressed is taken without its content-encoding", async () => {
  await using app = await listen(parser(() => ({ body: JSON.parse(CALL) })), toNodeHandler(fixture()));
  const response = await send(`${app.url}/mcp-lite/v1/rpc`, "compressed", { "content-encoding": "gzip" });
  deepStrictEqual((await response.json()).result.content, { a: 1 });
});

test("limits apply to bodies that a parser has read", async () => {
  const deep = `{"a":${"[".repeat(600)}${"]".repeat(600)}}`;
  const server = fixture({ limits: { bodyBytes: 100_000 } });
  await using app = await listen(PARSERS["of JSON"], toNodeHandler(server));
  const refused = await send(`${app.url}/rest/tools/echo`, deep);
  strictEqual(refused.status, 400);
  match((await refused.json()).detail, /nested deeper than 512/);
  strictEqual((await send(`${app.url}/rest/tools/echo`, JSON.stringify({ a: "x".repeat(200_000) }))).status, 413);
});

test("a body that was read and not kept is an error that names what to do, and is not waited for", async () => {
  await using app = await listen(parser(() => ({})), toNodeHandler(fixture()));
  const response = await send(`${app.url}/mcp-lite/v1/calltools`);
  strictEqual(response.status, 400);
  match((await response.json()).error.message, /not in request\.body: put toNodeHandler\(\) before/);
});

test("a request that no wire answers goes to the next layer, at the root and below a mount", async () => {
  const page: Layer = (_, response) => response.end("page");
  for (const mount of [(layer: Layer) => layer, (layer: Layer) => mounted("/api", layer)]) {
    await using app = await listen(mount(toNodeHandler(fixture())), page);
    for (const path of ["/", "/api", "/api/users", "/elsewhere?a=1", "/mcp/users"]) {
      strictEqual(await (await fetch(app.url + path)).text(), "page", path);
      strictEqual(await (await send(app.url + path)).text(), "page", path);
    }
  }
  await using app = await listen(toNodeHandler(fixture()), page);
  strictEqual((await fetch(`${app.url}/rest/tools/none`)).status, 404);
});

test("the first request below a mount that ends in the application's 404 is logged, with the paths that there are", async () => {
  const log = new KeptLog();
  const page: Layer = (request, response, next) => request.url === "/api/help" ? response.end("page") : next();
  await using app = await listen(mounted("/api", toNodeHandler(fixture({ logger: log }))), page);
  strictEqual(await (await fetch(`${app.url}/api/help`)).text(), "page");
  strictEqual((await fetch(`${app.url}/elsewhere`)).status, 404);
  strictEqual(log.lines.length, 0);
  for (const path of ["/api/tools?key=secret", "/api/listtools"]) {
    strictEqual(await (await fetch(app.url + path)).text(), "no page");
  }
  // A response is over for its server after its client has read it, or before.
  await eventually(() => log.lines.length > 0);
  const [line, ...others] = log.lines;
  strictEqual(others.length, 0);
  deepStrictEqual([line?.level, line?.fields["path"]], ["warn", "/api/tools"]);
  const paths = line?.fields["paths"] as readonly string[];
  for (const known of ["/api/mcp", "/api/mcp-lite/v1", "/api/rest"]) {
    ok(paths.some((path) => path.startsWith(known)), known);
  }
});

test("next: false, a route and node:http answer 404 with the paths that there are", async () => {
  const route: Layer = (request, response, next) => {
    request.route = { path: "/agent" };
    toNodeHandler(fixture())(request, response, next);
  };
  const bare: Layer = (request, response) => toNodeHandler(fixture(), { next: true })(request, response);
  for (const layer of [toNodeHandler(fixture(), { next: false }), route, bare]) {
    await using app = await listen(layer);
    const response = await send(`${app.url}/agent`);
    strictEqual(response.status, 404);
    match((await response.json()).error.message, /Nothing answers \/agent; there are \/mcp/);
  }
});

/** The caller of a request, as a session of the application would have it. */
const userOf = (request: NodeJS.Dict<string> | IncomingMessage["headers"]): Principal | undefined =>
  typeof request["x-user"] === "string" ? { id: request["x-user"] } : undefined;

const PRINCIPALS: Record<string, NodeHandlerOptions<IncomingMessage>> = {
  "at once": { principal: ({ headers }) => userOf(headers) },
  "by a promise": { principal: ({ headers }) => Promise.resolve(userOf(headers)) },
};

for (const [when, options] of Object.entries(PRINCIPALS)) {
  test(`principal identifies the caller ${when}, on every wire, with and without auth`, async () => {
    const auth = authenticate(({ metadata }) => metadata.get("x-key") === "k" ? { id: "program" } : undefined);
    for (const server of [fixture(), fixture({ auth })]) {
      await using app = await listen(toNodeHandler(server, options));
      const call = (headers: Record<string, string>) => send(`${app.url}/rest/tools/whoami`, "{}", headers);
      strictEqual(await (await call({ "x-user": "ada" })).json(), "ada");
      strictEqual((await call({})).status, 401);
      if (server["~server"].host.security) strictEqual(await (await call({ "x-key": "k" })).json(), "program");
    }
  });
}

test("a ToolError of principal refuses the request in the form of the wire; public pages stay open", async () => {
  const principal = () => {
    throw new ToolError("unauthenticated", "Sign in first");
  };
  for (const one of [principal, async () => await principal()]) {
    await using app = await listen(toNodeHandler(fixture(), { principal: one }));
    const refused = await send(`${app.url}/rest/tools/whoami`, "{}");
    strictEqual(refused.status, 401);
    deepStrictEqual((await refused.json()).detail, "Sign in first");
    strictEqual((await send(`${app.url}/mcp-lite/v1/rpc`)).status, 401);
    strictEqual((await fetch(`${app.url}/healthz`)).status, 200);
  }
});

test("another exception of principal goes to next; without next it is logged, masked and 500", async () => {
  const principal = () => {
    throw new Error("the session store is at 10.0.0.1");
  };
  for (const one of [principal, async () => await principal()]) {
    const log = new KeptLog();
    const handler = toNodeHandler(fixture({ logger: log }), { principal: one });
    await using app = await listen(handler);
    strictEqual(
      await (await send(`${app.url}/rest/tools/whoami`, "{}")).text(),
      "error the session store is at 10.0.0.1",
    );
    strictEqual(log.lines.length, 0);
    await using bare = await listen((request, response) => handler(request, response));
    const response = await send(`${bare.url}/rest/tools/whoami`, "{}");
    strictEqual(response.status, 500);
    strictEqual(/10\.0\.0\.1/.test(await response.text()), false);
    match(String(log.lines[0]?.fields["error"]), /10\.0\.0\.1/);
  }
});

test("what principal throws reaches next as an error: undefined does not pass a request on, and a text does not choose a route", async () => {
  for (const thrown of [undefined, null, "route", "router", 0, ""]) {
    const fail = () => {
      throw thrown;
    };
    for (const principal of [fail, () => Promise.reject(thrown)]) {
      const passed: unknown[] = [];
      const watched: Layer = (request, response, next) =>
        toNodeHandler(fixture({ logger: false }), { principal })(request, response, (error) => {
          passed.push(error);
          next(error);
        });
      await using app = await listen(watched, (_, response) => response.end("a page for known callers"));
      const response = await send(`${app.url}/rest/tools/whoami`, "{}");
      match(await response.text(), /^error The option principal of toNodeHandler\(\) threw /);
      const [error] = passed;
      strictEqual(error instanceof Error && error.cause, thrown);
    }
  }
});

test("a thenable of principal counts once, as with await, and one that breaks costs its own request only", async () => {
  const broken = new Error("the session store is gone");
  const thenables: readonly [thenable: unknown, answered: string][] = [
    [{ then: (found: (caller: Principal) => void) => found({ id: "ada" }) }, '"ada"'],
    [{ then: (found: (caller: unknown) => void) => found(Promise.resolve({ id: "ada" })) }, '"ada"'],
    [
      {
        then(found: (caller: Principal) => void, failed: (error: Error) => void) {
          found({ id: "ada" });
          found({ id: "eve" });
          failed(broken);
          throw broken;
        },
      },
      '"ada"',
    ],
    [
      {
        then() {
          throw broken;
        },
      },
      "error the session store is gone",
    ],
    [
      {
        get then(): never {
          throw broken;
        },
      },
      "error the session store is gone",
    ],
  ];
  for (const [thenable, answered] of thenables) {
    const principal = () => thenable as Promise<Principal>;
    await using app = await listen(toNodeHandler(fixture({ logger: false }), { principal }));
    for (let times = 0; times < 2; times++) {
      strictEqual(await (await send(`${app.url}/rest/tools/whoami`, "{}")).text(), answered);
    }
  }
});

test("what is not a principal is an error of the server, and runs no tool", async () => {
  const log = new KeptLog();
  await using app = await listen(toNodeHandler(fixture({ logger: log }), { principal: () => ({ id: "" }) }));
  strictEqual((await send(`${app.url}/rest/tools/whoami`, "{}")).status, 500);
  match(String(log.lines[0]?.fields["error"]), /principal \{ id, tenant\?, scopes\?, claims\? \}/);
});

test("a caller that disconnects behind a parser aborts its handler", async () => {
  const begun = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<void>();
  const wait = defineTool("wait").describe("Wait").handle(async (_, ctx) => {
    begun.resolve();
    await new Promise<void>((resolve) => ctx.signal.addEventListener("abort", () => resolve()));
    aborted.resolve();
  });
  const server = createServer({ tools: [wait], wires: [rest()] });
  await using app = await listen(
    PARSERS["of JSON"],
    toNodeHandler(server, { principal: () => Promise.resolve({ id: "ada" }) }),
  );
  const controller = new AbortController();
  const headers = { "content-type": "application/json" };
  const sent = fetch(`${app.url}/rest/tools/wait`, { method: "POST", headers, body: "{}", signal: controller.signal });
  await begun.promise;
  controller.abort();
  await sent.catch(() => {});
  await aborted.promise;
});

test("options that do not exist are refused", () => {
  throws(() => toNodeHandler(fixture(), { principle: () => undefined } as never), /did you mean "principal"/);
  throws(() => toNodeHandler(fixture(), { principal: { id: "ada" } } as never), /principal must be a function/);
});
