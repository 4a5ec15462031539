/** One server before three others: each is a part of it, and its callers need not know. */
import process from "node:process";
import { fileURLToPath } from "node:url";
import { createServer, defineTool, mcpLiteTransport, type Middleware } from "jsr:@toolwire/toolwire";
import { gateway, group } from "jsr:@toolwire/toolwire/compose";
import { grpcTransport } from "jsr:@toolwire/toolwire/grpc";
import { mcp } from "jsr:@toolwire/toolwire/mcp";
import { stdioTransport } from "jsr:@toolwire/toolwire/stdio";
import type { server as archive } from "./archive.ts";
import type { server as notes } from "./notes.ts";
import type { server as prices } from "./prices.ts";

/** Where the servers are that have an address. */
export interface Addresses {
  /** MCP-lite over HTTP. */
  readonly archive: string;
  /** Native gRPC. */
  readonly prices: string;
}

/** The names of the tools that were called, here or elsewhere. */
export const called: string[] = [];

const note: Middleware = (ctx, next) => {
  called.push(ctx.tool.name);
  return next();
};

const about = defineTool("about").describe("Say what this is").handle(() => "An office");

/** Opens the ways to the three, and makes one replica of the server before them. */
export async function openOffice({ archive, prices }: Addresses) {
  const [archiveParts, noteParts, priceParts] = await Promise.all([
    gateway<Archive>("archive", mcpLiteTransport(archive)),
    gateway<Notes>("notes", stdioTransport(process.execPath, programOf("notes.ts"))),
    gateway<Prices>("prices", grpcTransport(prices)),
  ]);
  return createServer({
    name: "office",
    tools: [about],
    parts: [group("archive", archiveParts), group("notes", noteParts), group("prices", priceParts)],
    middleware: [note],
    wires: [mcp()],
    keys: "k1:what all replicas of the office know",
  });
}

type Archive = typeof archive;
type Notes = typeof notes;
type Prices = typeof prices;

/** How this runtime runs a program beside this one. */
function programOf(name: string): readonly string[] {
  const file = fileURLToPath(new URL(name, import.meta.url));
  return "Deno" in globalThis ? ["run", "-A", "--quiet", "--no-check", file] : [...process.execArgv, file];
}
