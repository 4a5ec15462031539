/** Calls the database over HTTP and MCP: `bun examples/database/main.ts`. */
import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { createClient } from "jsr:@toolwire/toolwire";
import { mcpTransport } from "jsr:@toolwire/toolwire/mcp";
import { serve } from "jsr:@toolwire/toolwire/serve";
import { openAirports } from "./airports.ts";
import { createDatabaseServer } from "./server.ts";

const database = await openAirports();
const server = createDatabaseServer(database);
const { url, close } = await serve(server, { port: 0 });
const client = createClient<typeof server>(`${url}/mcp-lite/v1`);

const routes = await client.busiest_routes({ airport: "ord", limit: 2 });
console.log(routes.map(({ city, flights }) => `ORD to ${city}: ${flights} flights`).join("\n"));
deepStrictEqual(routes.map(({ destination }) => destination), ["LGA", "MSP"]);

// More rows than fit into one answer: the first page says how to get the rest, and `items` iterates over all of them.
const sql = "SELECT iata, name, city FROM airport -- all of them";
const { items, more } = await client.query({ sql });
ok(items.length > 20 && items.length < 200 && more !== undefined, `${items.length} rows`);
let rows = 0;
for await (const { iata } of client.query.items({ sql })) {
  ok(iata !== undefined);
  rows++;
}
strictEqual(rows, 3_376);

// The model reads what is wrong, and writes another query. Nothing but a SELECT is run.
await rejects(client.query({ sql: "SELECT nam FROM airport" }), { code: "bad_query", message: /no such column: nam/ });
for (
  const write of ["DELETE FROM route", "SELECT 1); DELETE FROM route; --", "SELECT 1) /*", "PRAGMA query_only = OFF"]
) {
  await rejects(client.query({ sql: write }), { code: "bad_query" });
}
deepStrictEqual((await client.query({ sql: "SELECT count(*) AS n FROM route" })).items, [{ n: 5_366 }]);

const transport = mcpTransport(`${url}/mcp`);
const [schema] = await transport.resources.read("sqlite://schema");
match(String(schema && "text" in schema && schema.text), /CREATE TABLE airport[^]*CREATE TABLE route/);
transport.close();
await close();
database.close();
console.log("All results are as expected.");
