/** What looks around after an error, or beside an endpoint, sends no credentials, and asks no path of another tenant. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { createServer as createHttpServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { createClient, createServer, defineTool, mcp, mcpLite } from "../../../mod.ts";
import { bearer } from "../../../src/entries/auth.ts";
import { serve } from "../../../src/entries/serve.ts";
import { runHere } from "./run_here.ts";

const SECRET = "s3cret-token";
const ENV = { T: SECRET };
const greet = defineTool("greet").describe("Greet").handle(() => "Hello");

/** A request as the host of several tenants sees it. */
interface Seen {
  readonly path: string;
  readonly isSecret: boolean;
}

/** Runs `work` against a host that answers every path with a page, or passes `/tenant-a/mcp-lite/v1` on to a server with sign-in. */
async function withTenants(work: (origin: string, seen: Seen[]) => Promise<void>): Promise<void> {
  const auth = bearer((token) => token === SECRET ? { id: "ada" } : undefined);
  const wires = [mcpLite({ path: "/tenant-a/mcp-lite/v1" })];
  const inner = await serve(createServer({ tools: [greet], wires, auth, logger: false }), { port: 0 });
  const seen: Seen[] = [];
  const host = createHttpServer((request, response) => {
    const { url: path = "" } = request;
    seen.push({ path, isSecret: JSON.stringify([request.rawHeaders, path]).includes(SECRET) || hasPassword(request) });
    if (!path.startsWith("/tenant-a/mcp-lite/v1")) {
      response.writeHead(404, { "content-type": "text/html" }).end("<h1>Another tenant</h1>");
      return;
    }
    void passOn(request, inner.url).then(async (answer) => {
      response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
    });
  });
  await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
  try {
    await work(`http://127.0.0.1:${(host.address() as AddressInfo).port}`, seen);
  } finally {
    host.closeAllConnections();
    host.close();
    await inner.close();
  }
}

function hasPassword({ headers }: IncomingMessage): boolean {
  return headers.authorization?.startsWith("Basic ") === true;
}

async function passOn(request: IncomingMessage, to: string): Promise<Response> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const { method = "GET", headers: { authorization = "", accept = "" } } = request;
  return await fetch(new URL(request.url ?? "/", to), {
    method,
    headers: { authorization, accept, "content-type": "application/json" },
    ...(method === "POST" && { body: new Blob(chunks) }),
  });
}

/** Asserts that nothing outside the folder was asked, and that the secret went to the given path alone. */
function assertWithin(seen: readonly Seen[], folder: string, given: string): void {
  deepStrictEqual(seen.filter(({ path }) => !path.startsWith(folder) && !path.startsWith("/.well-known/")), []);
  deepStrictEqual(seen.filter(({ path, isSecret }) => isSecret && !path.startsWith(given)), []);
}

test("toolwire list with a token: MCP beside the endpoint is asked below its base, without the token", async () => {
  await withTenants(async (origin, seen) => {
    const url = `${origin}/tenant-a/mcp-lite/v1`;
    const { code, out, errors } = await runHere({ cwd: "/", env: ENV }, "list", url, "--bearer-env", "T");
    deepStrictEqual([code, out], [0, "// Greet\ngreet() => unknown\n\n"], errors);
    assertWithin(seen, "/tenant-a/", "/tenant-a/mcp-lite/v1");
    ok(seen.some(({ isSecret }) => isSecret));
  });
});

test("toolwire list and doctor of a path where nothing answers send the token to that path alone", async () => {
  await withTenants(async (origin, seen) => {
    for (const command of ["list", "doctor"]) {
      const url = `${origin}/tenant-a/wrong`;
      const { code } = await runHere({ cwd: "/", env: ENV }, command, url, "--bearer-env", "T");
      strictEqual(code, 4);
      assertWithin(seen, "/tenant-a/wrong", "/tenant-a/wrong");
    }
    seen.length = 0;
    await runHere({ cwd: "/" }, "doctor", `${origin.replace("//", "//user:password@")}/tenant-a/wrong`);
    assertWithin(seen, "/tenant-a/wrong", "/tenant-a/wrong");
  });
});

test("createClient(url) looks around without the caller's headers, below the base of the URL", async () => {
  await withTenants(async (origin, seen) => {
    const headers = { authorization: `Bearer ${SECRET}`, "x-key": SECRET };
    for (const given of ["/tenant-a", "/tenant-a/mcp-lite/v2"]) {
      seen.length = 0;
      const { $ } = createClient(origin + given, { headers, retry: { attempts: 0 } });
      match(await $.call("greet").then(String, ({ message }: Error) => message), /text\/html is at \/tenant-a/);
      assertWithin(seen, given, `${given}/`);
      ok(seen.some(({ path, isSecret }) => path === given && !isSecret), "the URL is asked what it is");
    }
  });
});

test("createClient(url, { fetch }) asks nothing but the URL: the function may add credentials", async () => {
  await withTenants(async (origin, seen) => {
    const authorized = (url: string, init: RequestInit) =>
      fetch(url, { ...init, headers: { ...Object(init.headers), authorization: `Bearer ${SECRET}` } });
    const { $ } = createClient(`${origin}/tenant-a`, { fetch: authorized, retry: { attempts: 0 } });
    await $.call("greet").catch(() => {});
    deepStrictEqual(seen.filter(({ path }) => path !== "/tenant-a" && !path.startsWith("/tenant-a/calltools")), []);
  });
});

test("what needs credentials beside the endpoint is named; the server's origin has all of its paths", async () => {
  const auth = bearer((token) => token === SECRET ? { id: "ada" } : undefined);
  const listening = await serve(createServer({ tools: [greet], wires: [mcp(), mcpLite()], auth, logger: false }), {
    port: 0,
  });
  const list = (url: string) => runHere({ cwd: "/", env: ENV }, "list", url, "--bearer-env", "T");
  const { origin } = new URL(listening.url);
  match((await list(`${origin}/mcp-lite/v1`)).errors, /^Resources and prompts are left out: MCP at \/mcp needs cred/);
  deepStrictEqual(await list(origin), { code: 0, out: "// Greet\ngreet() => unknown\n\n", errors: "" });
  await listening.close();
});
