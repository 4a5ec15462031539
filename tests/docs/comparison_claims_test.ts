/** Claims of docs/comparison.md about the libraries that the tests install: they are asked, and the cell says what they answer. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { createMcpHandler, McpServer as OfficialServer } from "@modelcontextprotocol/server";
import { InMemorySessionAdapter, McpServer as LiteServer, StreamableHttpTransport } from "mcp-lite";
import { createServer, defineTool, Failure } from "../../mod.ts";
import { mcp } from "../../src/entries/mcp.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const page = readFileSync(join(root, "docs/comparison.md"), "utf8");

/** The cells of a row, without links and emphasis: Toolwire, official SDK, FastMCP, mcp-lite, tRPC, oRPC. */
function rowOf(title: string): readonly string[] {
  const line = page.split("\n").find((line) => line.startsWith(`| ${title} |`));
  ok(line !== undefined, `docs/comparison.md has no row "${title}"`);
  return line.slice(2, -2).split(" | ").slice(1).map((cell) =>
    cell.replace(/^\[(.*)\]\(.*\)$/, "$1").replaceAll("*", "")
  );
}

interface Answer {
  readonly status: number;
  readonly session: string | null;
  readonly text: string;
}

type Handler = (request: Request) => Response | Promise<Response>;

async function post(handler: Handler, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  const response = await handler(
    new Request("http://localhost/mcp", {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
      body: JSON.stringify(body),
    }),
  );
  return { status: response.status, session: response.headers.get("mcp-session-id"), text: await response.text() };
}

const REVISIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
const initialize = (protocolVersion: string) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion, capabilities: {}, clientInfo: { name: "test", version: "1.0.0" } },
});
const ping = (id: number) => ({ jsonrpc: "2.0", id, method: "ping" });
const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "deny", arguments: {} } };

/** A server of each library with a tool that says no. */
function createHandlers(): Readonly<Record<"toolwire" | "official" | "lite", Handler>> {
  const official = createMcpHandler(() => {
    const server = new OfficialServer({ name: "peer", version: "1.0.0" });
    server.registerTool("deny", { description: "Deny" }, () => {
      throw new Error("no");
    });
    return server;
  });
  const lite = new LiteServer({ name: "peer", version: "1.0.0" });
  lite.tool("deny", {
    description: "Deny",
    handler: () => ({ content: [{ type: "text", text: "no" }], isError: true }),
  });
  const sessionAdapter = new InMemorySessionAdapter({ maxEventBufferSize: 10 });
  const deny = defineTool("deny").describe("Deny").handle(() => {
    throw new Failure("denied", "no");
  });
  return {
    toolwire: createServer({ tools: [deny], wires: [mcp()], logger: false }).fetch,
    official: (request) => official.fetch(request),
    lite: new StreamableHttpTransport({ sessionAdapter }).bind(lite),
  };
}

/** The revisions that a server agrees to. */
async function revisionsOf(handler: Handler): Promise<readonly string[]> {
  const agreed = await Promise.all(REVISIONS.map(async (revision) => {
    const { text } = await post(handler, initialize(revision));
    return text.includes(`"protocolVersion":"${revision}"`) ? [revision] : [];
  }));
  return agreed.flat();
}

test("revisions of MCP: what the cells say is what the servers agree to", async () => {
  const { toolwire, official, lite } = createHandlers();
  const [ours, theirs, , small] = rowOf("MCP");
  deepStrictEqual(await revisionsOf(toolwire), REVISIONS);
  deepStrictEqual(await revisionsOf(official), REVISIONS);
  strictEqual(small, (await revisionsOf(lite)).join(", "));
  match(`${ours} ${theirs}`, /^2026-07-28 to 2024-11-05 2026-07-28 to 2024-10-07$/);
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1.0.0" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "deny" };
  for (const handler of [toolwire, official]) {
    const modern = await post(handler, { ...call, params: { ...call.params, _meta: meta } }, headers);
    strictEqual(modern.status, 200);
    match(modern.text, /"resultType":"complete"/);
  }
});

test("several calls in one request: servers of MCP answer a batch of 2025-03-26", async () => {
  const handlers = createHandlers();
  const cells = rowOf("several calls in one request");
  for (const [name, column] of [["toolwire", 0], ["official", 1], ["lite", 3]] as const) {
    strictEqual(cells[column], "2025-03-26", name);
    const { session } = await post(handlers[name], initialize("2025-03-26"));
    const headers = { "mcp-protocol-version": "2025-03-26", ...(session !== null && { "mcp-session-id": session }) };
    const { text } = await post(handlers[name], [ping(1), ping(2)], headers);
    match(text, /"id":1/, name);
    match(text, /"id":2/, name);
  }
});

test("declared, typed failures: the other servers of MCP have isError, without a code", async () => {
  const { toolwire, official, lite } = createHandlers();
  const headers = { "mcp-protocol-version": "2025-06-18" };
  deepStrictEqual(rowOf("declared, typed failures").slice(0, 4), ["yes", "`isError`", "`UserError`", "`isError`"]);
  const { session } = await post(lite, initialize("2025-06-18"));
  const small = await post(lite, call, { ...headers, "mcp-session-id": session ?? "" });
  const theirs = await post(official, call, headers);
  for (const { text } of [small, theirs]) ok(/"isError":true/.test(text) && !/"code"/.test(text), text);
  match((await post(toolwire, call, headers)).text, /"isError":true.*"toolwire\/code":"denied"/s);
});

test("versions and numbers of runtime dependencies are those of what the measurements install", () => {
  const lock = JSON.parse(readFileSync(join(root, "bench/package-lock.json"), "utf8")) as {
    readonly packages: Readonly<Record<string, { readonly version: string; readonly dependencies?: object }>>;
  };
  const own = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { readonly dependencies: object };
  const peers = ["@modelcontextprotocol/server", "fastmcp", "mcp-lite", "@trpc/server", "@orpc/server"].map((name) =>
    lock.packages[`node_modules/${name}`]
  );
  const numbers = [own.dependencies, ...peers.map((peer) => peer?.dependencies ?? {})].map((found) =>
    `${Object.keys(found).length}`
  );
  deepStrictEqual(rowOf("runtime dependencies"), numbers);
  const [, versions = ""] = page.split("\n\n").filter((block) => block.startsWith("| | version |")).join().split(
    "|---|---|---|\n",
  );
  const listed = versions.trim().split("\n").map((row) => /\b\d+\.\d+\.\d+\b/.exec(row.split(" | ")[1] ?? "")?.[0]);
  deepStrictEqual(listed, peers.map((peer) => peer?.version));
});
