/** The official SDK 1.32 with one tool, resource or prompt for each thing that a client does. */
import { McpServer, ResourceTemplate } from "@modelcontextprotocol/sdk/server/mcp.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import type { EventStore } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { completable } from "@modelcontextprotocol/sdk/server/completable.js";
import {
  CreateMessageResultSchema,
  ElicitResultSchema,
  ListRootsResultSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod";

/** What the server's handlers saw. */
export type Journal = string[];

const text = (reply: string) => ({ content: [{ type: "text" as const, text: reply }] });

/** Makes one server. */
export function createOfficialV1(journal: Journal = []): McpServer {
  const server = new McpServer({ name: "official", version: "1.32.2" }, {
    instructions: "Be kind",
    capabilities: { logging: {}, resources: { subscribe: true, listChanged: true } },
  });
  registerPlain(server, journal);
  registerAsking(server);
  registerCatalog(server, journal);
  return server;
}

function registerPlain(server: McpServer, journal: Journal): void {
  const add = {
    description: "Adds two numbers",
    inputSchema: { a: z.number(), b: z.number() },
    outputSchema: { sum: z.number() },
    annotations: { readOnlyHint: true },
  };
  server.registerTool("add", add, ({ a, b }) => ({ ...text(String(a + b)), structuredContent: { sum: a + b } }));
  server.registerTool(
    "greet",
    { description: "Greets", inputSchema: { name: z.string() } },
    ({ name }) => text(`Hello, ${name}!`),
  );
  server.registerTool("fail", { description: "Fails" }, () => ({ ...text("It is locked"), isError: true }));
  server.registerTool("nothing", { description: "Says nothing" }, () => ({ content: [] }));
  server.registerTool(
    "route",
    { description: "Goes by header", inputSchema: { region: z.string() } },
    ({ region }) => text(`to ${region}`),
  );
  server.registerTool("work", { description: "Tells how far it is" }, async (extra) => {
    const progressToken = extra._meta?.progressToken;
    for (const progress of [1, 2]) {
      const params = { progressToken: progressToken ?? 0, progress, total: 2, message: `step ${progress}` };
      if (progressToken !== undefined) await extra.sendNotification({ method: "notifications/progress", params });
    }
    const params = { level: "info" as const, logger: "worker", data: "working" };
    await extra.sendNotification({ method: "notifications/message", params });
    return text("worked");
  });
  server.registerTool("hang", { description: "Waits for the caller to leave" }, async (extra) => {
    const aborted = new Promise((resolve) => extra.signal.addEventListener("abort", resolve, { once: true }));
    journal.push("hang started");
    await aborted;
    journal.push("hang aborted");
    return text("left");
  });
  server.registerTool("grow", { description: "Becomes two tools" }, () => {
    server.registerTool("grown", { description: "Was not there before" }, () => text("grown"));
    return text("grew");
  });
}

function registerAsking(server: McpServer): void {
  const requestedSchema = {
    type: "object" as const,
    properties: { name: { type: "string" as const } },
    required: ["name"],
  };
  const params = { message: "Your name?", requestedSchema };
  server.registerTool("ask", { description: "Asks for a name" }, async (extra) => {
    const reply = await extra.sendRequest({ method: "elicitation/create", params }, ElicitResultSchema);
    return text(reply.action === "accept" ? `Hello, ${String(reply.content?.["name"])}` : "Hello, stranger");
  });
  server.registerTool("ask_aside", { description: "Asks over the server's own stream" }, async () => {
    const reply = await server.server.elicitInput(params);
    return text(reply.action === "accept" ? `Hello, ${String(reply.content?.["name"])}` : "Hello, stranger");
  });
  server.registerTool("consult", { description: "Asks a model, folders, and a person" }, async (extra) => {
    const message = { role: "user" as const, content: { type: "text" as const, text: "Capital of France?" } };
    const sampling = { method: "sampling/createMessage" as const, params: { messages: [message], maxTokens: 10 } };
    const model = await extra.sendRequest(sampling, CreateMessageResultSchema);
    const folders = await extra.sendRequest({ method: "roots/list" }, ListRootsResultSchema);
    const name = await extra.sendRequest({ method: "elicitation/create", params }, ElicitResultSchema);
    return text(JSON.stringify({ model, folders, name }));
  });
}

function registerCatalog(server: McpServer, journal: Journal): void {
  server.registerResource("note", "test://note", { mimeType: "text/plain" }, ({ href }) => {
    journal.push(`read ${href}`);
    return { contents: [{ uri: href, mimeType: "text/plain", text: "A note" }] };
  });
  const template = new ResourceTemplate("test://item/{id}", { list: undefined });
  server.registerResource("item", template, {}, ({ href }, { id }) => ({
    contents: [{ uri: href, text: `Item ${String(id)}` }],
  }));
  const name = completable(z.string(), (value) => ["Ada", "Alan", "Bob"].filter((one) => one.startsWith(value)));
  server.registerPrompt("greeting", { description: "Greets", argsSchema: { name } }, ({ name }) => ({
    messages: [{ role: "user", content: { type: "text", text: `Greet ${name}` } }],
  }));
  server.server.setRequestHandler(SubscribeRequestSchema, ({ params: { uri } }) => {
    journal.push(`subscribed ${uri}`);
    queueMicrotask(() => void server.server.sendResourceUpdated({ uri }));
    return {};
  });
  server.server.setRequestHandler(UnsubscribeRequestSchema, ({ params: { uri } }) => {
    journal.push(`unsubscribed ${uri}`);
    return {};
  });
}

/** How {@link serveOfficialV1} serves. */
export interface V1Options {
  readonly journal?: Journal;
  readonly hasSessions: boolean;
  readonly enableJsonResponse?: boolean;
  readonly eventStore?: EventStore;
}

/** Serves it over HTTP: with sessions, or with a server for each request. */
export function serveOfficialV1(options: V1Options) {
  const { journal = [], hasSessions, enableJsonResponse = false, eventStore } = options;
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const open = async (): Promise<WebStandardStreamableHTTPServerTransport> => {
    const transport = new WebStandardStreamableHTTPServerTransport({
      enableJsonResponse,
      ...(eventStore !== undefined && { eventStore, retryInterval: 20 }),
      ...(hasSessions && {
        sessionIdGenerator: () => crypto.randomUUID(),
        onsessioninitialized: (id: string) => void sessions.set(id, transport),
        onsessionclosed: (id: string) => {
          journal.push("session closed");
          sessions.delete(id);
        },
      }),
    });
    await createOfficialV1(journal).connect(transport as never);
    return transport;
  };
  const notFound = () =>
    Response.json({ jsonrpc: "2.0", id: null, error: { code: -32001, message: "Session not found" } }, { status: 404 });
  return {
    /** Has it forget its sessions, as a restart would. */
    forget: () => sessions.clear(),
    async fetch(request: Request): Promise<Response> {
      const id = request.headers.get("mcp-session-id");
      if (id === null) return await (await open()).handleRequest(request);
      return await sessions.get(id)?.handleRequest(request) ?? notFound();
    },
  };
}
