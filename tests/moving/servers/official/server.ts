/** A desk that lends tools: the official SDK in Express, with sessions and bearer tokens, and over stdio. */
import { randomUUID } from "node:crypto";
import process from "node:process";
import { completable } from "@modelcontextprotocol/sdk/server/completable.js";
import { requireBearerAuth } from "@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js";
import { InvalidTokenError } from "@modelcontextprotocol/sdk/server/auth/errors.js";
import { mcpAuthMetadataRouter } from "@modelcontextprotocol/sdk/server/auth/router.js";
import { createMcpExpressApp } from "@modelcontextprotocol/sdk/server/express.js";
import { McpServer, ResourceTemplate } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { type CallToolResult, ErrorCode, isInitializeRequest, McpError } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";

interface Item {
  name: string;
  kind: "saw" | "drill" | "ladder";
  price: number;
  lentTo?: string;
}

const items = new Map<string, Item>([
  ["s1", { name: "Hand saw", kind: "saw", price: 3 }],
  ["d1", { name: "Cordless drill", kind: "drill", price: 8 }],
  ["d2", { name: "Hammer drill", kind: "drill", price: 12, lentTo: "grace" }],
]);
const KINDS = ["saw", "drill", "ladder"];
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

function itemOf(id: string): Item {
  const item = items.get(id);
  if (item === undefined) throw new McpError(ErrorCode.InvalidParams, `There is no item ${id}`, { id });
  return item;
}

function say(text: string): CallToolResult {
  return { content: [{ type: "text", text }] };
}

export function createServer() {
  const server = new McpServer(
    { name: "tool-desk", title: "Tool desk", version: "1.4.0", websiteUrl: "https://desk.example" },
    { capabilities: { logging: {} }, instructions: "Find an item before you lend it." },
  );

  server.registerTool("find_items", {
    title: "Find items",
    description: "Find items by their name",
    inputSchema: {
      query: z.string().min(1).describe("Part of a name"),
      limit: z.number().int().min(1).max(50).default(10),
    },
    outputSchema: { items: z.array(z.object({ id: z.string(), name: z.string() })), total: z.number() },
    annotations: { readOnlyHint: true, openWorldHint: false },
  }, ({ query, limit }) => {
    const found = [...items].filter(([, item]) => item.name.toLowerCase().includes(query.toLowerCase()))
      .map(([id, { name }]) => ({ id, name }));
    const structuredContent = { items: found.slice(0, limit), total: found.length };
    return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
  });

  server.registerTool("describe_item", {
    description: "Describe one item",
    inputSchema: { id: z.string(), days: z.number().int().optional() },
    outputSchema: { name: z.string(), price: z.number() },
  }, async ({ id }) => {
    const { name, price } = itemOf(id);
    await server.server.sendLoggingMessage({ level: "debug", data: { described: id } });
    return { content: [{ type: "text", text: `${name} costs ${price} a day` }], structuredContent: { name, price } };
  });

  server.tool("greet", "Greet the caller", { name: z.string() }, async ({ name }) => say(`Hello, ${name}`));

  server.tool("opening_hours", "When the desk is open", async () => ({
    content: [{ type: "text", text: "Monday to Friday" }, { type: "text", text: "9 to 17" }],
  }));

  server.registerTool("lend", {
    description: "Lend an item",
    inputSchema: { id: z.string(), to: z.string() },
    annotations: { destructiveHint: false },
    _meta: { "example.com/team": "desk" },
  }, async ({ id, to }, extra) => {
    const item = itemOf(id);
    if (item.lentTo !== undefined) {
      return { isError: true, content: [{ type: "text", text: `${item.name} is lent to ${item.lentTo}` }] };
    }
    item.lentTo = to;
    await server.server.sendLoggingMessage({ level: "info", logger: "desk", data: { lent: id, to } }, extra.sessionId);
    await server.server.sendResourceUpdated({ uri: `items://${id}` });
    return say(`${item.name} is lent to ${to}`);
  });

  server.registerTool(
    "give_back",
    { description: "Give an item back", inputSchema: { id: z.string() } },
    async ({ id }, extra) => {
      const item = itemOf(id);
      if (item.lentTo === undefined) throw new Error(`${item.name} is not lent`);
      delete item.lentTo;
      await server.server.sendLoggingMessage({ level: "notice", data: `${item.name} is back` }, extra.sessionId);
      return { content: [{ type: "text", text: `${item.name} is back` }], _meta: { "example.com/shelf": 4 } };
    },
  );

  server.registerTool(
    "remove_item",
    { description: "Remove an item", inputSchema: { id: z.string() } },
    async ({ id }) => {
      const item = itemOf(id);
      const answer = await server.server.elicitInput({
        message: `Remove ${item.name}?`,
        requestedSchema: {
          type: "object",
          properties: {
            sure: { type: "boolean", title: "Sure", description: "It cannot be undone" },
            reason: { type: "string", enum: ["lost", "broken"], default: "lost" },
          },
          required: ["sure"],
        },
      });
      if (answer.action !== "accept" || answer.content?.["sure"] !== true) return say("kept");
      return say(`removed: ${answer.content["reason"] ?? "no reason"}`);
    },
  );

  server.registerTool("advertise", {
    description: "Write an advertisement for an item",
    inputSchema: { id: z.string() },
  }, async ({ id }) => {
    const response = await server.server.createMessage({
      messages: [{ role: "user", content: { type: "text", text: `Advertise ${itemOf(id).name}` } }],
      systemPrompt: "Be brief",
      maxTokens: 50,
    });
    return say(response.content.type === "text" ? response.content.text : "no text");
  });

  server.registerTool("shared_folders", { description: "Folders that the caller shares" }, async () => {
    const { roots } = await server.server.listRoots();
    return say(roots.map((root) => root.uri).join(" "));
  });

  server.registerTool("count_stock", {
    description: "Count the stock",
    inputSchema: { rounds: z.number().int().min(1).max(5) },
  }, async ({ rounds }, { _meta, sendNotification, signal }) => {
    for (let round = 1; round <= rounds && !signal.aborted; round++) {
      if (_meta?.progressToken !== undefined) {
        await sendNotification({
          method: "notifications/progress",
          params: { progressToken: _meta.progressToken, progress: round, total: rounds, message: `Round ${round}` },
        });
      }
    }
    return say(`${items.size} items`);
  });

  server.registerTool(
    "photo",
    { description: "A photo of an item", inputSchema: { id: z.string() } },
    async ({ id }) => ({
      content: [
        { type: "text", text: itemOf(id).name },
        { type: "image", data: PIXEL, mimeType: "image/png", annotations: { audience: ["user"], priority: 0.5 } },
        { type: "resource_link", uri: `items://${id}`, name: id, mimeType: "application/json" },
        { type: "resource", resource: { uri: "desk://rules", mimeType: "text/plain", text: "Be careful" } },
        { type: "audio", data: "UklGRg==", mimeType: "audio/wav" },
      ],
    }),
  );

  server.registerTool("who_am_i", { description: "The caller" }, async (extra) => {
    const { authInfo, requestInfo } = extra;
    return say(
      `${authInfo?.clientId ?? "local"} ${authInfo?.scopes.join("+") ?? ""} ${requestInfo?.headers["x-desk"] ?? "-"}`,
    );
  });

  server.registerTool(
    "session",
    { description: "Whether there is a session" },
    async ({ sessionId }) => say(sessionId === undefined ? "none" : "one"),
  );

  server.registerTool(
    "wait",
    { description: "Wait until it is cancelled" },
    ({ signal }) =>
      new Promise<CallToolResult>((resolve) => {
        signal.addEventListener("abort", () => {
          console.error("wait was cancelled");
          resolve(say("cancelled"));
        });
      }),
  );

  // Unlocked by each caller that has read the rules.
  const sell = server.registerTool("sell_item", { description: "Sell an item" }, async () => say("sold"));
  sell.disable();
  server.registerTool("accept_rules", { description: "Accept the rules" }, async () => {
    sell.enable();
    return say("You may sell now");
  });

  server.registerResource("rules", "desk://rules", {
    title: "Rules",
    description: "Rules of the desk",
    mimeType: "text/markdown",
  }, async (uri) => ({ contents: [{ uri: uri.href, mimeType: "text/markdown", text: "# Rules\n\nBe careful." }] }));

  server.registerResource(
    "item",
    new ResourceTemplate("items://{id}", {
      list: async () => ({ resources: [...items].map(([id, { name }]) => ({ uri: `items://${id}`, name })) }),
      complete: { id: (value) => [...items.keys()].filter((id) => id.startsWith(value)) },
    }),
    { title: "Item", description: "One item", mimeType: "application/json", _meta: { "example.com/shelf": 2 } },
    async (uri, { id }) => {
      const item = items.get(String(id));
      if (item === undefined) throw new McpError(-32002, `There is no item ${id}`, { uri: uri.href });
      return { contents: [{ uri: uri.href, mimeType: "application/json", text: JSON.stringify(item) }] };
    },
  );

  server.registerResource("logo", "desk://logo.png", { mimeType: "image/png" }, async (uri) => ({
    contents: [{ uri: uri.href, mimeType: "image/png", blob: PIXEL }],
  }));

  server.registerPrompt("recommend", {
    title: "Recommend",
    description: "Recommend an item",
    argsSchema: {
      kind: completable(
        z.string().describe("saw, drill or ladder"),
        (value) => KINDS.filter((kind) => kind.startsWith(value)),
      ),
      budget: z.string().optional(),
    },
  }, ({ kind, budget }) => ({
    description: `A ${kind} for ${budget}`,
    messages: [{ role: "user", content: { type: "text", text: `Recommend a ${kind} for ${budget}` } }],
  }));

  server.prompt("review", "Review the stock", async () => ({
    messages: [
      { role: "user", content: { type: "text", text: "Review this:" } },
      {
        role: "user",
        content: { type: "resource", resource: { uri: "desk://rules", mimeType: "text/plain", text: "Be careful" } },
      },
      { role: "assistant", content: { type: "text", text: "It is fine." } },
    ],
  }));

  return server;
}

async function serveHttp() {
  const app = createMcpExpressApp({ host: "127.0.0.1" });
  const listener = app.listen(Number(process.env["PORT"] ?? 0), "127.0.0.1");
  await new Promise((resolve) => listener.once("listening", resolve));
  const address = listener.address();
  const port = typeof address === "object" ? address?.port : 0;
  const resource = new URL(`http://127.0.0.1:${port}/mcp`);

  app.get("/health", (_req, res) => void res.json({ status: "up" }));
  app.use(mcpAuthMetadataRouter({
    oauthMetadata: {
      issuer: "https://login.example/",
      authorization_endpoint: "https://login.example/authorize",
      token_endpoint: "https://login.example/token",
      response_types_supported: ["code"],
    },
    resourceServerUrl: resource,
    scopesSupported: ["desk:use"],
    resourceName: "Tool desk",
  }));

  const tokens: Record<string, string[]> = { ada: ["desk:use", "desk:sell"], bob: ["other"], eve: ["desk:use"] };
  const auth = requireBearerAuth({
    verifier: {
      async verifyAccessToken(token) {
        const [name = "", state] = token.split("-");
        const scopes = tokens[name];
        if (scopes === undefined || state === "expired") throw new InvalidTokenError("The token is not known");
        return { token, clientId: name, scopes, expiresAt: Math.floor(Date.now() / 1000) + 3600 };
      },
    },
    requiredScopes: ["desk:use"],
    resourceMetadataUrl: `http://127.0.0.1:${port}/.well-known/oauth-protected-resource/mcp`,
  });

  const transports = new Map<string, StreamableHTTPServerTransport>();
  app.post("/mcp", auth, async (req, res) => {
    const id = req.headers["mcp-session-id"];
    const known = typeof id === "string" ? transports.get(id) : undefined;
    if (known !== undefined) return await known.handleRequest(req, res, req.body);
    if (!isInitializeRequest(req.body)) {
      res.status(id === undefined ? 400 : 404).json({
        jsonrpc: "2.0",
        error: { code: -32000, message: "No session" },
        id: null,
      });
      return;
    }
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (sessionId) => void transports.set(sessionId, transport),
    });
    transport.onclose = () => void transports.delete(transport.sessionId ?? "");
    await createServer().connect(transport);
    await transport.handleRequest(req, res, req.body);
  });
  const forSession = async (req: import("express").Request, res: import("express").Response) => {
    const transport = transports.get(String(req.headers["mcp-session-id"]));
    if (transport === undefined) res.status(404).send("No session");
    else await transport.handleRequest(req, res);
  };
  app.get("/mcp", auth, forSession);
  app.delete("/mcp", auth, forSession);
  process.on("SIGTERM", async () => {
    for (const transport of transports.values()) await transport.close();
    listener.close(() => process.exit(0));
  });
  console.log(`The desk is at ${resource}`);
}

if (process.argv.includes("--stdio")) await createServer().connect(new StdioServerTransport());
else await serveHttp();
