/** Responses that are never read, and whose connections broke before: they are released without an error. */
import { deepStrictEqual } from "node:assert/strict";
import process from "node:process";
import { test } from "node:test";
import { createClient, mcpLiteTransport } from "../../mod.ts";
import { connectTransport } from "../../src/entries/grpc.ts";
import { mcpTransport } from "../../src/entries/mcp.ts";
import type { Transport } from "../../src/entries/wire.ts";

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

const transports: Readonly<Record<string, (fetch: Fetch) => Transport>> = {
  http: (fetch) => mcpLiteTransport("http://localhost", { fetch }),
  connect: (fetch) => connectTransport("http://localhost", { fetch }),
  "mcp, modern": (fetch) => mcpTransport("http://localhost/mcp", { fetch, era: "modern" }),
  "mcp, legacy": (fetch) => mcpTransport("http://localhost/mcp", { fetch, era: "legacy" }),
};

/** The body is broken when the client gets it: to cancel it rejects. */
function broken(status: number, headers: HeadersInit = {}): Response {
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.error(new Error("The network broke")),
  });
  return new Response(body, { status, headers });
}

const INITIALIZED = {
  protocolVersion: "2025-11-25",
  capabilities: { tools: {} },
  serverInfo: { name: "s", version: "1" },
};

/** A server of older revisions that answers the greeting, and breaks whatever comes after that. */
const breaksLater: Fetch = (_, { body }) => {
  const { id, method } = JSON.parse(String(body ?? "{}"));
  return Promise.resolve(
    method === "initialize" ? Response.json({ jsonrpc: "2.0", id, result: INITIALIZED }) : broken(202),
  );
};

test("an answer that is not read causes no unhandled rejection", async () => {
  const stray: unknown[] = [];
  const note = (reason: unknown) => void stray.push(reason);
  process.on("unhandledRejection", note);
  const fetches: readonly Fetch[] = [
    () => Promise.resolve(broken(302, { location: "https://evil.example" })),
    () => Promise.resolve(broken(401, { "www-authenticate": "Bearer" })),
    breaksLater,
  ];
  for (const open of Object.values(transports)) {
    for (const fetch of fetches) {
      const client = createClient(open(fetch), { retry: { attempts: 0 }, timeoutMs: 2_000 });
      deepStrictEqual(await client.$.call("t").then(() => "answered", ({ name }: Error) => name), "ToolError");
      client.$.close();
    }
  }
  // An unhandled rejection is reported one turn of the loop later.
  for (let turns = 0; turns < 5; turns++) await new Promise((resolve) => setTimeout(resolve));
  process.off("unhandledRejection", note);
  deepStrictEqual(stray, []);
});
