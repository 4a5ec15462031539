/**
 * A database for models: its schema, any query that only reads, in pages, and one query with parameters.
 *
 * `bun examples/database/server.ts` serves it on port 8000.
 *
 * @module
 */
import { createServer, defineTool, mcpLite } from "jsr:@toolwire/toolwire";
import { budget, cursorOf } from "jsr:@toolwire/toolwire/answers";
import { grpc } from "jsr:@toolwire/toolwire/grpc";
import { defineResource, mcp } from "jsr:@toolwire/toolwire/mcp";
import * as v from "jsr:@toolwire/toolwire/schema";
import { serve } from "jsr:@toolwire/toolwire/serve";
import { type Database, openAirports } from "./airports.ts";

const PAGE_ROWS = 200;

const Row = v.record(v.string(), v.nullable(v.union([v.string(), v.number()])));
const Route = v.object({ destination: v.string(), city: v.nullable(v.string()), flights: v.number() });

/** Creates the server of a database, which it makes read-only. */
export function createDatabaseServer(database: Database) {
  database.exec("PRAGMA query_only = ON");
  const readSchema = () => {
    const tables = database.prepare("SELECT sql FROM sqlite_schema WHERE type = 'table'").all() as { sql: string }[];
    return tables.map(({ sql }) => sql).join(";\n");
  };

  const query = defineTool("query")
    .describe(`Run one SELECT of SQLite. The tables:\n${readSchema()}`)
    .input(v.object({ sql: v.pipe(v.string(), v.maxLength(10_000)) }))
    .output(v.array(Row))
    .errors({ bad_query: null })
    .examples([{ input: { sql: "SELECT state, count(*) AS airports FROM airport GROUP BY state ORDER BY 2 DESC" } }])
    .annotate({ readOnlyHint: true })
    .answer(budget({ maxTokens: 2_000 })) // Whole rows; the tool `more` gives the next ones.
    .handle(({ sql }, ctx) => {
      const one = sql.trim().replace(/;$/, "");
      if (/;|\/\*/.test(one)) throw ctx.fail("bad_query", "Pass one SELECT, without semicolons and block comments");
      const from = Number(cursorOf(ctx) ?? 0);
      try {
        // Only a SELECT is valid as a table of another SELECT. The line break ends a comment at the end of the query.
        const rows = database.prepare(`SELECT * FROM (${one}\n) LIMIT ? OFFSET ?`).all(PAGE_ROWS, from);
        const next = rows.length === PAGE_ROWS ? { next: from + PAGE_ROWS } : {};
        return { items: rows as v.InferOutput<typeof Row>[], ...next };
      } catch (error) {
        // The message of SQLite is about the caller's SQL, so the caller may read it and correct the query.
        throw ctx.fail("bad_query", error instanceof Error ? error.message : String(error));
      }
    });

  const busiest = database.prepare(`
    SELECT destination, city, flights FROM route LEFT JOIN airport ON iata = destination
    WHERE origin = ? ORDER BY flights DESC LIMIT ?`);
  const routes = defineTool("busiest_routes")
    .describe("List the destinations of an airport, with the most flights first")
    .input(v.object({ airport: v.pipe(v.string(), v.toUpperCase(), v.length(3)), limit: v.optional(v.number(), 5) }))
    .output(v.array(Route))
    .annotate({ readOnlyHint: true })
    .handle(({ airport, limit }) => busiest.all(airport, limit) as v.InferOutput<typeof Route>[]);

  return createServer({
    name: "airports",
    version: "1.0.0",
    tools: [query, routes],
    resources: [defineResource("sqlite://schema").title("Schema").mimeType("text/plain").read(readSchema)],
    wires: [mcp(), mcpLite(), grpc()],
    keys: "k1:in production a secret from the environment",
  });
}

if (import.meta.main) console.log((await serve(createDatabaseServer(await openAirports()), { port: 8_000 })).url);
