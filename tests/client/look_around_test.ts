/** What a client asks after an error, to name the transport to pass: without credentials, and not beyond the base of its URL. */
import { deepStrictEqual, ok, rejects } from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "../../mod.ts";

interface Asked {
  readonly path: string;
  readonly headers: Headers;
  readonly credentials: string | undefined;
}

type Send = (url: string | URL | Request, init?: RequestInit) => Promise<Response>;

function recorder(asked: Asked[], respond: (path: string) => Response): Send {
  return (url, init = {}) => {
    const { pathname, search } = new URL(url instanceof Request ? url.url : url);
    asked.push({ path: pathname + search, headers: new Headers(init.headers), credentials: init.credentials });
    return Promise.resolve(respond(pathname));
  };
}

/** Runs work while the global `fetch` is another one. */
async function withFetch(send: Send, work: () => Promise<void>): Promise<void> {
  const own = globalThis.fetch;
  globalThis.fetch = send as typeof fetch;
  try {
    await work();
  } finally {
    globalThis.fetch = own;
  }
}

const page = () => new Response("<!doctype html>", { status: 404, headers: { "content-type": "text/html" } });
const SECRETS = { authorization: "Bearer s3cret", cookie: "session=s3cret", "x-api-key": "s3cret" };

const PATHS: readonly (readonly [given: string, asked: readonly string[]])[] = [
  ["/tenant-a/mcp-lite/v1", ["/tenant-a/mcp-lite/v1/calltools", "/tenant-a/mcp-lite/v1", "/tenant-a/mcp"]],
  ["/tenant-a/mcp-lite/v1/", ["/tenant-a/mcp-lite/v1/calltools", "/tenant-a/mcp-lite/v1/", "/tenant-a/mcp"]],
  ["/tenant-a/app", ["/tenant-a/app/calltools", "/tenant-a/app", "/tenant-a/app/mcp"]],
  ["/%2e%2e/a", ["/a/calltools", "/a", "/a/mcp"]],
  ["", ["/mcp-lite/v1/calltools", "/mcp-lite/v1", "/mcp"]],
];

for (const [given, expected] of PATHS) {
  for (const kind of ["values", "a function"]) {
    test(`what is asked around ${given || "an origin"} has no credentials, and is below its base (headers: ${kind})`, async () => {
      const asked: Asked[] = [];
      let calls = 0;
      const headers = kind === "values" ? SECRETS : () => (calls++, SECRETS);
      await withFetch(recorder(asked, page), async () => {
        const client = createClient(`https://shared.example${given}`, { headers, retry: { attempts: 0 } });
        await rejects(Promise.resolve(client.$.call("greet", {})), /not with MCP-lite/);
      });
      deepStrictEqual(asked.map(({ path }) => path), expected);
      const [first, ...others] = asked;
      deepStrictEqual(first?.headers.get("authorization"), SECRETS.authorization);
      for (const { path, headers: sent } of others) {
        for (const name of Object.keys(SECRETS)) ok(!sent.has(name), `${path} got ${name}`);
      }
      ok(kind === "values" || calls === 1, `the function for headers was called ${calls} times`);
    });
  }
}

test("a client with its own fetch asks nothing but its URL, as the function may add credentials", async () => {
  const asked: Asked[] = [];
  const send = recorder(asked, page);
  const client = createClient("https://shared.example/tenant-a/mcp-lite/v1", {
    retry: { attempts: 0 },
    headers: SECRETS,
    fetch: (url, init) =>
      send(url, { ...init, headers: { ...Object.fromEntries(new Headers(init.headers)), "x-signed": "yes" } }),
  });
  await rejects(Promise.resolve(client.$.call("greet", {})));
  deepStrictEqual(asked.map(({ path }) => path), ["/tenant-a/mcp-lite/v1/calltools", "/tenant-a/mcp-lite/v1"]);
  deepStrictEqual(asked[1]?.headers.get("authorization"), null);
});

test("a redirect of what is asked around is not followed", async () => {
  const asked: Asked[] = [];
  const moved = (path: string) =>
    path.endsWith("/mcp")
      ? new Response(null, { status: 307, headers: { location: "https://evil.example/mcp" } })
      : page();
  await withFetch(recorder(asked, moved), async () => {
    const client = createClient("https://shared.example/tenant-a/mcp-lite/v1", { retry: { attempts: 0 } });
    await rejects(Promise.resolve(client.$.call("greet", {})));
  });
  deepStrictEqual(asked.at(-1)?.path, "/tenant-a/mcp");
});
