/** Callers that the program around a server does not know: refused on every wire, unless it accepts anonymous callers. */
import { rejects, strictEqual, throws } from "node:assert/strict";
import { once } from "node:events";
import { createServer as createHttpServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { createClient, createServer, defineTool, mcpLite, mcpLiteTransport, type Principal } from "../../mod.ts";
import { authenticate, bearer } from "../../src/entries/auth.ts";
import { type NodeHandlerOptions, toNodeHandler } from "../../src/entries/serve.ts";
import { grpc, grpcWebTransport } from "../../src/entries/grpc.ts";
import { healthPage } from "../../src/entries/health.ts";
import { mcp, mcpTransport } from "../../src/entries/mcp.ts";
import { rest, restTransport } from "../../src/entries/rest.ts";
import type { IdentifiedHost } from "../../src/entries/wire.ts";
import { webtools, webtoolsTransport } from "../../src/entries/webtools.ts";

/** What databases and session libraries return for a user whom they do not have. */
const UNKNOWN = [undefined, null] as const;

function fixture(auth?: Parameters<typeof createServer>[0]["auth"]) {
  const runs: string[] = [];
  const whoami = defineTool("whoami").describe("Name the caller").handle((_, ctx) => {
    runs.push("whoami");
    return ctx.principal?.id ?? "nameless";
  });
  const wires = [
    mcp(),
    mcpLite(),
    rest(),
    grpc(),
    webtools({ name: "all", description: "All", version: "1.0.0" }),
    healthPage(),
  ];
  return { runs, server: createServer({ tools: [whoami], wires, auth, logger: false }) };
}
type Tools = ReturnType<typeof fixture>["server"];

type Send = (url: string, init: RequestInit) => Promise<Response>;
const WIRES = {
  "MCP-lite": (url: string, fetch: Send) => mcpLiteTransport(`${url}/mcp-lite/v1`, { fetch }),
  MCP: (url: string, fetch: Send) => mcpTransport(`${url}/mcp`, { fetch }),
  REST: (url: string, fetch: Send) => restTransport(`${url}/rest`, { fetch }),
  Webtools: (url: string, fetch: Send) => webtoolsTransport(`${url}/webtools/all`, { fetch }),
  "gRPC-Web": (url: string, fetch: Send) => grpcWebTransport(url, { fetch }),
} as const;

async function listen(server: Tools, options: NodeHandlerOptions<IncomingMessage>) {
  const http = createHttpServer(toNodeHandler(server, options));
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

for (const [name, connect] of Object.entries(WIRES)) {
  test(`${name}: a caller whom toNodeHandler's principal does not know is refused, and runs no tool`, async () => {
    for (const unknown of UNKNOWN) {
      for (const principal of [() => unknown, () => Promise.resolve(unknown)]) {
        const { server, runs } = fixture();
        await using app = await listen(server, { principal });
        const client = createClient<Tools>(connect(app.url, fetch));
        await rejects(client.whoami(), { code: "unauthenticated", message: /caller is unknown: sign in/ });
        strictEqual(runs.length, 0);
        await client.$.close();
      }
    }
  });

  test(`${name}: a caller whom the program of fetch does not know is refused, and runs no tool`, async () => {
    for (const principal of UNKNOWN) {
      const { server, runs } = fixture();
      const client = createClient<Tools>(
        connect("http://localhost", (url, init) => server.fetch(new Request(url, init), { principal, host: "west" })),
      );
      await rejects(client.whoami(), { code: "unauthenticated", message: /caller is unknown: sign in/ });
      strictEqual(runs.length, 0);
    }
  });

  test(`${name}: allowAnonymous accepts a caller who is not known`, async () => {
    for (const unknown of UNKNOWN) {
      const { server } = fixture();
      await using app = await listen(server, { principal: () => unknown, allowAnonymous: true });
      const client = createClient<Tools>(connect(app.url, fetch));
      strictEqual(await client.whoami(), "nameless");
      await client.$.close();
      const host: IdentifiedHost = { principal: unknown, allowAnonymous: true };
      const other = createClient<Tools>(
        connect("http://localhost", (url, init) => server.fetch(new Request(url, init), host)),
      );
      strictEqual(await other.whoami(), "nameless");
    }
  });
}

/** Status of a call by HTTP. */
async function statusOf(url: string, send: Send = fetch, headers: Record<string, string> = {}): Promise<number> {
  const init = { method: "POST", headers: { "content-type": "application/json", ...headers }, body: "{}" };
  const response = await send(`${url}/rest/tools/whoami`, init);
  await response.text();
  return response.status;
}

test("auth decides about a caller whom the program does not know", async () => {
  const auth = bearer((token) => token === "a" ? { id: "ada" } : undefined);
  const lenient = bearer(() => undefined, { allowAnonymous: true });
  for (const unknown of UNKNOWN) {
    const { server } = fixture(auth);
    await using app = await listen(server, { principal: () => unknown });
    strictEqual(await statusOf(app.url), 401);
    strictEqual(await statusOf(app.url, fetch, { authorization: "Bearer a" }), 200);
    // That of the program is for servers without auth.
    const host = { principal: unknown, allowAnonymous: true };
    const viaFetch: Send = (url, init) => server.fetch(new Request(url, init), host);
    strictEqual(await statusOf("http://localhost", viaFetch), 401);

    await using open = await listen(fixture(lenient).server, { principal: () => unknown });
    strictEqual(await statusOf(open.url), 200);
  }
});

test("pages that anyone may request stay open", async () => {
  const { server } = fixture();
  await using app = await listen(server, { principal: () => undefined });
  strictEqual((await fetch(`${app.url}/healthz`)).status, 200);
  for (const principal of [undefined, null, { id: "" }]) {
    strictEqual((await server.fetch(new Request("http://localhost/healthz"), { principal })).status, 200);
  }
});

test("only true accepts anonymous callers", async () => {
  const { server } = fixture();
  for (const allowAnonymous of [false, undefined, "yes", 1]) {
    const viaFetch: Send = (url, init) =>
      server.fetch(new Request(url, init), { principal: undefined, allowAnonymous } as IdentifiedHost);
    strictEqual(await statusOf("http://localhost", viaFetch), 401, String(allowAnonymous));
  }
});

test("an option that would have no effect is refused", () => {
  const principal = (): Principal | null => null;
  throws(() => toNodeHandler(fixture().server, { allowAnonymous: true }), {
    name: "TypeError",
    message: /allowAnonymous is for callers that the option principal does not know: give principal/,
  });
  const { server } = fixture(bearer(() => undefined));
  throws(() => toNodeHandler(server, { principal, allowAnonymous: true }), {
    name: "TypeError",
    message:
      /the option auth of the server decides about callers that principal does not know: give allowAnonymous to it/,
  });
  throws(() => toNodeHandler(fixture().server, { principal, allowAnonymous: "yes" as never }), {
    message: /allowAnonymous/,
  });
});

test("auth takes null for a caller whom it does not know, too", async () => {
  const unknown = (): null => null;
  for (const auth of [authenticate(unknown), authenticate(unknown, { requiredScopes: ["a"] }), bearer(unknown)]) {
    const { server } = fixture(auth);
    const viaFetch: Send = (url, init) => server.fetch(new Request(url, init));
    strictEqual(await statusOf("http://localhost", viaFetch, { authorization: "Bearer a" }), 401);
  }
  const { server } = fixture(authenticate(unknown, { allowAnonymous: true }));
  const viaFetch: Send = (url, init) => server.fetch(new Request(url, init));
  strictEqual(await statusOf("http://localhost", viaFetch), 200);
});
