// A process whose jobs the console of another one shows: `jobs_program.ts <sqlite|redis> <path or URL> [start]`. It prints its actions.
import process from "node:process";
import { createClient, createServer, defineTool, memoryTransport, type Server } from "../../mod.ts";
import * as v from "../../src/entries/schema.ts";
import { bullmqEngine } from "../../src/entries/engines/bullmq.ts";
import { sqliteEngine } from "../../src/entries/engines/sqlite.ts";
import { consolePage } from "../../src/entries/console.ts";
import { HOSTILE, PAGE_KEY } from "./page_server.ts";

/** Text of a stranger; plain in the pictures of the documentation. */
const STRANGE = process.env["TOOLWIRE_PICTURES"] === undefined ? HOSTILE : "photos";
const LEASE_MS = 600;
const HOUR_MS = 3_600_000;

const copy = defineTool("copy_files").describe("Copy files, for a long time").promise().timeout(HOUR_MS)
  .input(v.object({ from: v.string(), password: v.string() }))
  .handle(async (_, ctx) => {
    await ctx.step("list", () => ({ files: 12, apiKey: "sk-live-51H8xJ2eZvKYlo2C0aBcDeFgH" }));
    await ctx.progress(3, 12, `copying ${STRANGE}`);
    console.log(`copies, attempt ${ctx.attempt}`);
    await new Promise((resolve) => {
      const keepAlive = setInterval(() => {}, HOUR_MS);
      ctx.signal.addEventListener("abort", () => resolve(clearInterval(keepAlive)), { once: true });
    });
    console.log("stopped");
  });

const rename = defineTool("rename").describe("Rename a file, after a question").promise()
  .handle(async (_, ctx) => {
    const to = await ctx.elicit("to", { message: `To which name? ${STRANGE}`, schema: v.object({ name: v.string() }) });
    return to.action === "accept" ? { renamed: to.content.name, html: HOSTILE } : { renamed: false };
  });

const flaky = defineTool("flaky").describe("Break").promise({ retries: 0, keepFailed: true }).handle(() => {
  throw new Error("the disk is full");
});

const nap = defineTool("nap").describe("Sleep").promise().handle(async (_, ctx) => {
  await ctx.sleep("night", HOUR_MS / 2);
});

/** A server over a store that processes share; with a worker, unless `isIdle`. */
export function jobsServer(store: string, at: string, isIdle: boolean): Server {
  const engine = store === "sqlite"
    ? sqliteEngine(at, { leaseMs: LEASE_MS, pollMs: 20 })
    : bullmqEngine({ redis: at, leaseMs: LEASE_MS, timeoutMs: 30_000 });
  return createServer({
    name: "file keeper",
    tools: [copy, rename, flaky, nap],
    engine,
    keys: "k1:a secret of at least thirty-two bytes",
    wires: [consolePage({ key: PAGE_KEY })],
    logger: false,
    ...(isIdle && { work: false }),
  });
}

const [store = "", at = "", task] = process.argv.slice(2);
if (store === "sqlite" || store === "redis") {
  const server = jobsServer(store, at, false);
  server.work();
  if (task === "start") {
    const client = createClient(memoryTransport(server, { principal: { id: "ada", scopes: [] } }));
    await client.$.start("copy_files", { from: "/a", password: "hunter2hunter2" });
    for (const tool of ["rename", "flaky", "nap"]) await client.$.start(tool, {});
  }
  console.log("works");
}
