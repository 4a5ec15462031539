/** What one caller, or another process, does to an engine does not take it from other callers. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import {
  createClient,
  createServer,
  defineTool,
  type Logger,
  memoryEngine,
  type Server,
  type ServerOptions,
  ToolError,
  type UntypedClient,
} from "../../../mod.ts";
import { bearer } from "../../../src/entries/auth.ts";
import { openDatabase, type SqliteDatabase } from "../../../src/jobs/engines/sqlite/database.ts";
import { SQLITE_SCHEMA_VERSION } from "../../../src/jobs/engines/sqlite/store.ts";
import { sqliteEngine } from "../../../src/entries/engines/sqlite.ts";
import { without } from "../../wires/descriptions/all.ts";
import type { Place } from "../../wires/descriptions/description.ts";
import { skipOf, type WireRow, WIRES, wires } from "../../wires/matrix.ts";
import { type Cases, type Guarantee, overCases } from "../guarantee.ts";

const MAX_JOBS = 20;

const SILENT: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** Clients of one server, by the name of their user. */
interface Crowded {
  as(user: string): UntypedClient;
  [Symbol.asyncDispose](): Promise<void>;
}

function createCrowded(gate: Promise<void>): Server {
  const quick = defineTool("quick").describe("Answer").promise({ budgetMs: 20_000 }).handle(() => "done");
  const wait = defineTool("wait").describe("Wait").promise({ budgetMs: 1 }).handle(async () => await gate);
  return createServer({
    tools: [quick, wait],
    wires,
    keys: "k1:a secret that is known to these tests alone",
    engine: memoryEngine({ maxJobs: MAX_JOBS }),
    auth: bearer((token) => ({ id: token, scopes: [] })),
    logger: false,
  });
}

async function openCrowded(row: WireRow): Promise<Crowded> {
  const gate = Promise.withResolvers<void>();
  const server = createCrowded(gate.promise);
  const opened: { transport: { close?(): unknown }; close(): Promise<void> }[] = [];
  const clients = new Map<string, UntypedClient>();
  for (const user of ["crowd", "ada"]) {
    const caller = { headers: { authorization: `Bearer ${user}` }, principal: { id: user, scopes: [] } };
    const { transport, close } = await row.open(server, caller);
    opened.push({ transport, close });
    clients.set(user, createClient(transport, { retry: { attempts: 0 } }));
  }
  return {
    as: (user) => clients.get(user) as UntypedClient,
    async [Symbol.asyncDispose]() {
      gate.resolve();
      for (const { transport, close } of opened) {
        transport.close?.();
        await close();
      }
      await server.close(0);
    },
  };
}

/** Calls with more keys than the engine keeps; returns the codes of the refused ones. */
async function useKeys(client: UntypedClient, tool: string): Promise<readonly string[]> {
  const codes: string[] = [];
  for (let at = 0; at < 2 * MAX_JOBS; at++) {
    try {
      await client.$.outcome(tool, {}, {
        idempotencyKey: `${tool} ${at}`,
        ...(tool === "wait" && { meta: { promise: true } }),
      });
    } catch (error) {
      codes.push((error as ToolError).code);
    }
  }
  return codes;
}

const CROWDS: Cases<string> = { "keys of finished calls": "quick", "keys of promises": "wait" };

const crowds = WIRES.map((row): Place<Crowded> => ({
  column: row.column,
  where: row.name,
  skip: skipOf(row, ["callers who show who they are"]),
  open: () => openCrowded(row),
}))
  .filter(({ column }) => column !== "stdio")
  .map((place) =>
    overCases(place, CROWDS, async ({ as }, tool) => {
      const codes = await useKeys(as("crowd"), tool);
      deepStrictEqual([...new Set(codes)], tool === "wait" ? ["unavailable"] : []);
      const promise = await as("ada").$.outcome("wait", {}, { idempotencyKey: tool, meta: { promise: true } });
      strictEqual(promise.kind, "promise");
    })
  );

const isWorker = globalThis.navigator?.userAgent === "Cloudflare-Workers";

/** Clients of two servers with one file of SQLite, which another process has open, too. */
interface Locked {
  /** Of a server that waits for a lock longer than a test takes. */
  readonly patient: UntypedClient;
  /** Of a server that soon gives up. */
  readonly hasty: UntypedClient;
  readonly other: SqliteDatabase;
  [Symbol.asyncDispose](): Promise<void>;
}

async function openServer(row: WireRow, path: string, busyTimeoutMs: number) {
  const keyed = defineTool("keyed").describe("Answer").promise({ budgetMs: 20_000 }).handle(() => "done");
  const ping = defineTool("ping").describe("Answer").handle(() => "pong");
  const options: Partial<ServerOptions<[]>> = {
    wires,
    engine: sqliteEngine(path, { busyTimeoutMs, logger: SILENT }),
    logger: false,
    keys: "k1:a secret that is known to these tests alone",
  };
  const server = createServer({ ...options, tools: [keyed, ping] });
  const { transport, close } = await row.open(server);
  return {
    client: createClient(transport, { retry: { attempts: 0 } }),
    async close() {
      transport.close?.();
      await close();
      await server.close(0);
    },
  };
}

async function openLocked(row: WireRow): Promise<Locked> {
  // Not imported above, since workerd has no files.
  const { temporaryFolder } = await import("../../temporary_folder.ts");
  const folder = await temporaryFolder();
  const path = `${folder.path}/jobs.db`;
  const patient = await openServer(row, path, 20_000);
  const hasty = await openServer(row, path, 150);
  const other = openDatabase(path, {
    busyTimeoutMs: 1,
    synchronous: "NORMAL",
    schema: "SELECT 1",
    schemaVersion: SQLITE_SCHEMA_VERSION,
  });
  return {
    patient: patient.client,
    hasty: hasty.client,
    other,
    async [Symbol.asyncDispose]() {
      await patient.close();
      await hasty.close();
      other.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

const LOCKS: Cases<(locked: Locked) => Promise<void>> = {
  async "a lock that ends"({ patient, other }) {
    // This event loop ends the lock: a server that waited on it could not answer.
    other.exec("BEGIN IMMEDIATE");
    const answer = patient.$.call("keyed", {}, { idempotencyKey: "one" });
    try {
      strictEqual(await patient.$.call("ping"), "pong");
    } finally {
      other.exec("COMMIT");
    }
    strictEqual(await answer, "done");
  },
  async "a lock that stays"({ hasty, patient, other }) {
    other.exec("BEGIN IMMEDIATE");
    try {
      const thrown = await hasty.$.call("keyed", {}, { idempotencyKey: "two" }).catch((error: unknown) => error);
      ok(thrown instanceof ToolError && thrown.code === "unavailable", String(thrown));
    } finally {
      other.exec("COMMIT");
    }
    strictEqual(await patient.$.call("keyed", {}, { idempotencyKey: "three" }), "done");
  },
};

const locks = WIRES.map((row) => {
  const skip = row.skip ?? (isWorker ? "workerd has no SQLite" : false);
  const place: Place<Locked> = { column: row.column, where: row.name, skip, open: () => openLocked(row) };
  return overCases(place, LOCKS, (opened, check) => check(opened));
});

export const guarantees: readonly Guarantee[] = [
  {
    name: "engine-share",
    statement: "A caller that fills `memoryEngine()` does not make promises and keys of others `unavailable`.",
    tests: crowds,
    mayOverlap: true,
    none: { stdio: without("principals")["stdio"] ?? "" },
    also: [
      "tests/jobs/engines/memory_test.ts",
      "tests/jobs/engines/bullmq_full_test.ts",
      "tests/jobs/engines/sqlite_full_test.ts",
    ],
  },
  {
    name: "engine-lock",
    statement:
      "While the file of `sqliteEngine()` is locked, calls without a job are answered; others wait, or are `unavailable` after `busyTimeoutMs`.",
    tests: locks,
    mayOverlap: true,
    also: ["tests/jobs/engines/sqlite_lock_test.ts"],
  },
];
