/**
 * MCP sessions in Workers KV: another instance continues a session that one has started, and what KV's eventual consistency means for it.
 *
 * Run with `bun examples/workers_kv/main.ts` or `deno run -A examples/workers_kv/main.ts`. It ends with 0 if all went as it
 * should, and with 1 and an assertion's message if not.
 *
 * @module
 */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { createClient } from "jsr:@toolwire/toolwire";
import { mcpTransport } from "jsr:@toolwire/toolwire/mcp";
import { startWorkers } from "../stateless/workers.ts";

const workers = await startWorkers(new URL(".", import.meta.url), ["worker.ts", "kv.ts"], [
  "east1",
  "east2",
  "west",
  "kv",
]);
try {
  const { east1, east2, west, kv } = workers.urls;
  console.log(`Three Workers: two at one location, ${east1} and ${east2}; one at another, ${west}`);
  await askAcross(east1, east2);
  await endElsewhere(east1, west, () => fetch(kv));
  console.log("\nAll as it should be.");
} finally {
  await workers.close();
}

/** A client whose calls reach one instance, and everything else another: of its questions it knows nothing. */
async function askAcross(calls: string, others: string): Promise<void> {
  const seen: string[] = [];
  const transport = mcpTransport(`${calls}/mcp`, {
    era: "legacy",
    fetch(url, init) {
      const { method, id } = typeof init.body === "string" ? JSON.parse(init.body) : {};
      const isCall = method === "tools/call";
      const what = method ?? (id === undefined ? init.method : "the answer");
      seen.push(`${what} ${isCall ? "here" : "there"}`);
      return fetch(isCall ? url : url.replace(calls, others), init);
    },
  });
  const client = createClient(transport, {
    onElicitation: () => ({ action: "accept", content: { time: "eight" } }),
  });
  const said = await client.$.call("book_table", { guests: 4 });
  strictEqual(said, "A table for 4 at eight");
  console.log(`\nOne instance asks, another is answered: ${said}`);
  ok(seen.includes("tools/call here") && seen.includes("the answer there"), seen.join());
  client.$.close();
}

/** Writes and deletions at one location reach the other after a delay. */
async function endElsewhere(here: string, there: string, passTime: () => Promise<unknown>): Promise<void> {
  const session = await initialize(here);
  deepStrictEqual([await ping(here, session), await ping(there, session)], [200, 404]);
  console.log("\nA new session is known where it was begun; elsewhere it is not, and a client would begin anew.");
  await passTime();
  strictEqual(await ping(there, session), 200);
  console.log("After a while it is known there, too.");
  strictEqual((await fetch(`${there}/mcp`, { method: "DELETE", headers: headersOf(session) })).status, 200);
  deepStrictEqual([await ping(there, session), await ping(here, session)], [404, 200]);
  console.log("It is ended there, and goes on here until that is known.");
  await passTime();
  strictEqual(await ping(here, session), 404);
  console.log("After a while it is over here, too.");
}

function headersOf(session: string): Record<string, string> {
  return { "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" };
}

async function post(url: string, headers: Record<string, string>, message: object): Promise<Response> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, ...message });
  const all = { ...headers, "content-type": "application/json", accept: "application/json, text/event-stream" };
  return await fetch(`${url}/mcp`, { method: "POST", headers: all, body });
}

async function initialize(url: string): Promise<string> {
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "main", version: "1.0.0" } };
  const response = await post(url, {}, { method: "initialize", params });
  await response.text();
  return response.headers.get("mcp-session-id") ?? "";
}

async function ping(url: string, session: string): Promise<number> {
  const response = await post(url, headersOf(session), { method: "ping" });
  await response.text();
  return response.status;
}
