/** Every way to reach the official servers: one row each. */
import { createMcpHandler, type McpHttpHandler } from "@modelcontextprotocol/server";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type McpTransport, mcpTransport, type McpTransportOptions } from "../../../../src/entries/mcp.ts";
import { stdioTransport } from "../../../../src/entries/stdio.ts";
import { serveOfficialV1 } from "./official_v1.ts";
import { createOfficialV2 } from "./official_v2.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));

/** A server that is reached. */
export interface Opened {
  readonly transport: McpTransport;
  /** What its handlers saw, where they are in this process. */
  readonly journal: string[];
  /** Notifications that the newer server can send. */
  readonly handler?: McpHttpHandler;
}

/** A way to reach a server. */
export interface OfficialRow {
  readonly name: string;
  /** The revision that is found out. */
  readonly revision: string;
  /** Whether the server can ask. */
  readonly canAsk: boolean;
  /** Whether the server sends messages that belong to no request. */
  readonly canTell: boolean;
  /** Whether what it does is seen here. */
  readonly isHere: boolean;
  open(options?: McpTransportOptions): Opened;
}

type Serve = (request: Request) => Promise<Response>;

function overFetch(serve: Serve, options: McpTransportOptions): McpTransport {
  const fetch = (url: string, init: RequestInit) => serve(new Request(url, { ...init, redirect: "follow" }));
  return mcpTransport("http://localhost/mcp", { fetch, ...options });
}

function v2(name: string, mode: "auto" | "sse" | "json", era?: "legacy"): OfficialRow {
  return {
    name: `server 2.4, ${name}`,
    revision: era === undefined ? "2026-07-28" : "2025-11-25",
    canAsk: era === undefined,
    canTell: mode !== "json" && era === undefined,
    isHere: true,
    open(options = {}) {
      const journal: string[] = [];
      const handler = createMcpHandler(() => createOfficialV2(journal), { responseMode: mode });
      const transport = overFetch((request) => handler.fetch(request), { ...options, ...(era && { era }) });
      return { transport, journal, handler };
    },
  };
}

function v1(name: string, hasSessions: boolean, enableJsonResponse: boolean): OfficialRow {
  return {
    name: `sdk 1.32, ${name}`,
    revision: "2025-11-25",
    canAsk: hasSessions && !enableJsonResponse,
    canTell: hasSessions && !enableJsonResponse,
    isHere: true,
    open(options = {}) {
      const journal: string[] = [];
      const served = serveOfficialV1({ journal, hasSessions, enableJsonResponse });
      return { transport: overFetch((request) => served.fetch(request), options), journal };
    },
  };
}

function stdio(name: string, program: string, revision: string): OfficialRow {
  return {
    name: `${name}, stdio`,
    revision,
    canAsk: true,
    canTell: true,
    isHere: false,
    open(options = {}) {
      const args = [join(root, "tests/wires/mcp/client", program)];
      const transport = stdioTransport(join(root, "node_modules/.bin/bun"), args, { stderr: "ignore", ...options });
      return { transport, journal: [] };
    },
  };
}

/** Servers in this process. */
export const OFFICIAL_IN_PROCESS: readonly OfficialRow[] = [
  v2("JSON where it will do", "auto"),
  v2("streams alone", "sse"),
  v2("JSON alone", "json"),
  v2("older era, without sessions", "auto", "legacy"),
  v1("sessions, streams", true, false),
  v1("sessions, JSON", true, true),
  v1("without sessions", false, false),
];

/** Servers as processes. */
export const OFFICIAL_PROGRAMS: readonly OfficialRow[] = [
  stdio("server 2.4", "stdio_v2_program.ts", "2026-07-28"),
  stdio("sdk 1.32", "stdio_v1_program.ts", "2025-11-25"),
];
