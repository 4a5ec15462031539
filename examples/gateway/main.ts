/**
 * Calls three servers through a gateway, over MCP: questions, pages, failures and promises come through, and two replicas of the
 * gateway redeem each other's promises. Run it by `bun examples/gateway/main.ts`.
 *
 * @module
 */
import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, memoryTransport } from "jsr:@toolwire/toolwire";
import { mcpTransport } from "jsr:@toolwire/toolwire/mcp";
import { serve } from "jsr:@toolwire/toolwire/serve";
import { openAirports } from "../database/airports.ts";
import { createDatabaseServer } from "../database/server.ts";
import { createHubs } from "../long_job/server.ts";
import { openGateway } from "./server.ts";

const folder = await mkdtemp(join(tmpdir(), "gateway-"));
await writeFile(join(folder, "todo.md"), "Buy milk\n");
const tables = await openAirports();
const database = await serve(createDatabaseServer(tables), { port: 0, grpc: { port: 0 } });
const jobs = createHubs(join(folder, "jobs.db"), "k1:a secret that only this server knows");
const hubs = await serve(jobs, { port: 0 });

const upstream = { folder, database: database.grpcUrl ?? "", hubs: `${hubs.url}/mcp-lite/v1` };
const called: unknown[] = [];
const log = (_: string, fields?: Readonly<Record<string, unknown>>) => called.push(fields?.["tool"]);
const logger = { debug: log, info: log, warn: log, error: log };
const [one, two] = await Promise.all([openGateway(upstream, logger), openGateway(upstream, logger)]);
const running = await serve(one, { port: 0 });
const transport = mcpTransport(`${running.url}/mcp`);
const client = createClient<typeof one>(transport, {
  onElicitation: ({ message }) => {
    strictEqual(message, "Replace todo.md (9 bytes)?");
    return { action: "accept", content: { replace: true } };
  },
});
console.log((await client.$.list()).map(({ name }) => name).join(", "));

// A program on the gateway's machine asks the caller of the gateway.
strictEqual(await client.files_write({ path: "todo.md", text: "Call Grace\n" }), "written");
strictEqual(await readFile(join(folder, "todo.md"), "utf8"), "Call Grace\n");

// Pages and declared failures, from gRPC to MCP.
let rows = 0;
for await (const { iata } of client.db_query.items({ sql: "SELECT iata FROM airport WHERE state = 'CA'" })) {
  rows += iata ? 1 : 0;
}
strictEqual(rows, 205);
await rejects(client.db_query({ sql: "SELECT nothing" }), { code: "bad_query" });

// A promise that one replica made is redeemed by the other one. It is a token of the gateway, which the server behind it refuses.
const work = await createClient<typeof one>(memoryTransport(one)).jobs_rank_hubs.start({ top: 1 });
await rejects(createClient(memoryTransport(jobs)).$.redeem(work.token).result(), { code: "invalid_promise" });
const [hub] = await createClient(memoryTransport(two)).$.redeem<{ airport: string }[]>(work.token).result();
strictEqual(hub?.airport, "ATL");

// One server is down: the error has its name, and the others continue.
await hubs.close();
await rejects(client.jobs_rank_hubs(), (error: Error & { readonly code: string }) => {
  return error.code === "unavailable" && error.message.includes('"hubs"');
});
deepStrictEqual((await client.db_busiest_routes({ airport: "LAX", limit: 1 })).map(({ city }) => city), [
  "San Francisco",
]);
ok(called.includes("files_write") && called.includes("redeem"), `${called}`);

transport.close();
await Promise.all([running.close(), two.close(), database.close()]);
tables.close();
await rm(folder, { recursive: true });
console.log("All results are as expected.");
