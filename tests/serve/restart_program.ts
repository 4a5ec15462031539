/**
 * A server to kill in the middle of its work: `restart_program.ts <engine> <database> <host>`, the engine `sqlite` or `memory`, the host
 * `serve`, `express` or `http`, or `fetch` for that of the runtime.
 *
 * It prints its URL, and what its handlers do.
 */
import { once } from "node:events";
import { createServer as createServerOfNode, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import process from "node:process";
import { createServer, defineTool, memoryEngine } from "../../mod.ts";
import { sqliteEngine } from "../../src/entries/engines/sqlite.ts";
import { toNodeHandler } from "../../src/runtime/node_handler.ts";
import { serve } from "../../src/entries/serve.ts";
import type { Engine } from "../../src/entries/engines.ts";
import * as v from "../../src/entries/schema.ts";

const [, , engineName = "memory", database = "", hostName = "serve"] = process.argv;
const engine: Engine = engineName === "sqlite" ? sqliteEngine(database, { leaseMs: 500, pollMs: 20 }) : memoryEngine();
const print = (line: string) => process.stdout.write(`${line}\n`);

const work = defineTool("work")
  .describe("Take a step, then work for as long as it says")
  .input(v.object({ ms: v.number() }))
  .promise({ budgetMs: 50 })
  .handle(async ({ ms }, ctx) => {
    const step = await ctx.step("first", () => ctx.callId);
    print(`attempt ${ctx.attempt}`);
    // The first process never comes to the end.
    await new Promise((resolve) => setTimeout(resolve, ctx.attempt === 1 ? 600_000 : ms));
    return { isSameCall: step === ctx.callId, attempt: ctx.attempt };
  });

const write = defineTool("write")
  .describe("Write six pieces; the first process comes to the third")
  .partial(v.string())
  .promise({ budgetMs: 50 })
  .handle(async function* (_, ctx) {
    for (const piece of ["a", "b", "c", "d", "e", "f"]) {
      if (piece === "d") {
        print(`half, attempt ${ctx.attempt}`);
        await new Promise((resolve) => setTimeout(resolve, ctx.attempt === 1 ? 600_000 : 0));
      }
      yield piece;
    }
  });

const keys = "k1:a secret that outlives the process";
const server = createServer({ tools: [work, write], engine, keys });

/** Starts to listen without any call of the server, and returns the URL. */
const HOSTS: Readonly<Record<string, () => Promise<string>>> = {
  serve: async () => (await serve(server, { port: 0 })).url,
  express: async () => {
    // The package has no types.
    const name: string = "express";
    const { default: express }: { default: () => { use(handler: unknown): RequestListener } } = await import(name);
    return await listen(createServerOfNode(express().use(toNodeHandler(server))));
  },
  http: () => listen(createServerOfNode(toNodeHandler(server))),
  fetch: async () => {
    const port = await new Promise<number>((resolve) => {
      const { Deno } = globalThis as { Deno?: { serve(options: object, handler: unknown): void } };
      const onListen = ({ port }: { port: number }) => resolve(port);
      if (Deno !== undefined) Deno.serve({ port: 0, hostname: "127.0.0.1", onListen }, server.fetch);
      else resolve(Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: server.fetch }).port ?? 0);
    });
    return `http://127.0.0.1:${port}`;
  },
};

async function listen(http: Server): Promise<string> {
  await once(http.listen(0, "127.0.0.1"), "listening");
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
}

print(await HOSTS[hostName]?.() ?? "");
