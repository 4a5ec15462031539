/** Tables of an application stay where they are when an engine makes its own: its role may be called "toolwire". */
import { deepStrictEqual, ok } from "node:assert/strict";
import { test } from "node:test";
import { startStore, warmUp } from "./bullmq_stores.ts";
import { skipReason } from "./programs.ts";

interface Client {
  connect(): Promise<unknown>;
  query(text: string): Promise<{ readonly rows: readonly object[] }>;
  end(): Promise<unknown>;
}

test(
  "an engine on PostgreSQL does not hide the tables of a role that is called toolwire",
  { skip: skipReason("postgres") },
  async () => {
    const store = await startStore("postgres");
    const module: { readonly default: unknown } = await import("pg");
    const { Client } = module.default as { Client: new (url: string) => Client };
    ok(store.url.startsWith("postgres://toolwire@"), store.url);
    const client = new Client(store.url);
    await client.connect();
    await client.query("CREATE TABLE orders (id int); INSERT INTO orders VALUES (1)");
    await warmUp("postgres", store.url);
    await client.query("CREATE TABLE IF NOT EXISTS orders (id int)");
    deepStrictEqual((await client.query("SELECT id FROM orders")).rows, [{ id: 1 }]);
    await client.end();
    await store.stop();
  },
);
