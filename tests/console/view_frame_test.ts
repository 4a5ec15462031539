/** The frame of views: its policy is that which a view declares, and never leads to the server itself. */
import { match, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool, mcp } from "../../mod.ts";
import { consolePage } from "../../src/entries/console.ts";

const tools = [defineTool("ping").describe("Answer").handle(() => "pong")];

async function frame(query: string, method = "GET") {
  const server = createServer({ tools, wires: [mcp(), consolePage({ key: "a key" })], logger: false });
  const response = await server.fetch(new Request(`http://localhost:8000/console/view${query}`, { method }));
  return { status: response.status, policy: response.headers.get("content-security-policy") ?? "" };
}

test("the frame of views has no origin, no network, and no other frames unless they are declared", async () => {
  const { status, policy } = await frame("");
  strictEqual(status, 200);
  for (const part of ["connect-src", "frame-src", "base-uri", "form-action"]) {
    match(policy, new RegExp(`; ${part} 'none'(;|$)`));
  }
  match(policy, /^default-src 'none'; script-src 'unsafe-inline'; .*; frame-ancestors 'self'; sandbox allow-scripts$/);
  ok(!/allow-same-origin|script-src[^;]*'self'/.test(policy));
});

test("declared origins are in the policy, without the server itself and without what is not an origin", async () => {
  const declared = [
    "https://api.example.com",
    "wss://*.example.com:8443",
    "http://localhost:8000",
    "ws://LOCALHOST:8000",
    "*",
    "https:",
    "'self'",
    "https://a.example/path",
    "https://a.example; sandbox allow-same-origin",
    "https://a.example\nx: y",
  ];
  const query = new URLSearchParams(declared.map((origin) => ["connectDomains", origin]));
  const { policy } = await frame(`?${query}&resourceDomains=https://cdn.example.com&sandbox=allow-forms`);
  match(policy, /; connect-src https:\/\/api\.example\.com wss:\/\/\*\.example\.com:8443;/);
  match(policy, /script-src 'unsafe-inline' https:\/\/cdn\.example\.com;/);
  match(policy, /; sandbox allow-scripts$/);
});

test("the frame of views answers GET alone", async () => {
  strictEqual((await frame("", "POST")).status, 405);
});
