/** URLs as people write them: without a scheme, and relative to a page. */
import { deepStrictEqual, rejects, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "../../mod.ts";

/** The URL of the request that a call sends. */
async function requestedBy(url: string): Promise<string> {
  let requested = "";
  const client = createClient(url, {
    fetch: (input) => {
      requested = String(input);
      return Promise.resolve(Response.json({ jsonrpc: "2.0", id: 1, result: { content: 1, _meta: {} } }));
    },
    retry: { attempts: 0 },
  });
  await client.$.call("ping").catch(() => undefined);
  return requested;
}

const WITHOUT_SCHEME = {
  "localhost:8000": "http://localhost:8000/mcp-lite/v1/calltools",
  "localhost": "http://localhost/mcp-lite/v1/calltools",
  "127.0.0.1:8000/tools": "http://127.0.0.1:8000/tools/calltools",
  "[::1]:8000": "http://[::1]:8000/mcp-lite/v1/calltools",
  "tools.example": "https://tools.example/mcp-lite/v1/calltools",
  "tools.example:8443/v2": "https://tools.example:8443/v2/calltools",
  "replica-1:8000": "https://replica-1:8000/mcp-lite/v1/calltools",
};

for (const [given, expected] of Object.entries(WITHOUT_SCHEME)) {
  test(`createClient(${JSON.stringify(given)}) requests ${expected}`, async () => {
    strictEqual(await requestedBy(given), expected);
  });
}

test("a path is relative to the page", async () => {
  const original = Object.getOwnPropertyDescriptor(globalThis, "location");
  Object.defineProperty(globalThis, "location", { value: { origin: "https://shop.example" }, configurable: true });
  try {
    strictEqual(await requestedBy("/api/mcp-lite/v1"), "https://shop.example/api/mcp-lite/v1/calltools");
  } finally {
    if (original === undefined) Reflect.deleteProperty(globalThis, "location");
    else Object.defineProperty(globalThis, "location", original);
  }
});

test("outside of a page a client of a path is created, and its calls are refused", async () => {
  const client = createClient("/api/mcp-lite/v1", { fetch: () => Promise.reject(new TypeError("no such host")) });
  await rejects(client.$.call("ping"), {
    code: "invalid_request",
    message: 'The URL is relative, and there is no page here: pass one that begins with "http://" or "https://"',
  });
});

test("other text is no URL", () => {
  const refused = [
    "",
    "tools",
    "ftp://tools.example",
    "//tools.example",
    "mailto:a@tools.example",
    "javascript:alert(1)",
  ];
  const accepted = refused.filter((text) => {
    try {
      createClient(text);
      return true;
    } catch {
      return false;
    }
  });
  deepStrictEqual(accepted, []);
  throws(() => createClient("tools"), { message: /^Cannot create client: pass a URL .*, not "tools"$/ });
});
