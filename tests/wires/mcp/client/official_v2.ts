/** The official server 2.4 with one tool, resource or prompt for each thing that a client does. */
import {
  acceptedContent,
  completable,
  inputRequired,
  McpServer,
  ResourceTemplate,
  type ServerContext,
} from "@modelcontextprotocol/server";
import * as z from "zod";

/** What the server's handlers saw. */
export type Journal = string[];

const text = (reply: string) => ({ content: [{ type: "text" as const, text: reply }] });

/** Makes one server; of the newer era each request gets its own. */
export function createOfficialV2(journal: Journal = []): McpServer {
  const server = new McpServer({ name: "official", version: "2.4.0" }, {
    instructions: "Be kind",
    capabilities: { logging: {}, resources: { subscribe: true, listChanged: true }, tools: { listChanged: true } },
    cacheHints: { "resources/read": { ttlMs: 60_000, cacheScope: "private" } },
  });
  registerPlain(server);
  registerAsking(server);
  server.registerTool("work", { description: "Tells how far it is" }, async (ctx: ServerContext) => {
    const progressToken = ctx.mcpReq._meta?.progressToken;
    for (const progress of [1, 2]) {
      const params = { progressToken: progressToken ?? 0, progress, total: 2, message: `step ${progress}` };
      if (progressToken !== undefined) await ctx.mcpReq.notify({ method: "notifications/progress", params });
    }
    await ctx.mcpReq.log("info", "working", "worker");
    return text("worked");
  });
  server.registerTool("hang", { description: "Waits for the caller to leave" }, async (ctx: ServerContext) => {
    const aborted = new Promise((resolve) => ctx.mcpReq.signal.addEventListener("abort", resolve, { once: true }));
    journal.push("hang started");
    await aborted;
    journal.push("hang aborted");
    return text("left");
  });
  registerCatalog(server, journal);
  return server;
}

function registerPlain(server: McpServer): void {
  const add = {
    description: "Adds two numbers",
    inputSchema: z.object({ a: z.number(), b: z.number() }),
    outputSchema: z.object({ sum: z.number() }),
    annotations: { readOnlyHint: true },
  };
  server.registerTool("add", add, ({ a, b }) => ({ ...text(String(a + b)), structuredContent: { sum: a + b } }));
  server.registerTool(
    "greet",
    { description: "Greets", inputSchema: z.object({ name: z.string() }) },
    ({ name }) => text(`Hello, ${name}!`),
  );
  server.registerTool("fail", { description: "Fails" }, () => ({ ...text("It is locked"), isError: true }));
  server.registerTool("nothing", { description: "Says nothing" }, () => ({ content: [] }));
  const region = z.string().meta({ "x-mcp-header": "Region" });
  server.registerTool(
    "route",
    { description: "Goes by header", inputSchema: z.object({ region }) },
    ({ region }) => text(`to ${region}`),
  );
}

function registerAsking(server: McpServer): void {
  const form = z.object({ name: z.string() });
  server.registerTool("ask", { description: "Asks for a name" }, (ctx: ServerContext) => {
    const reply = acceptedContent(ctx.mcpReq.inputResponses, "name", form);
    if (reply === undefined && ctx.mcpReq.inputResponses !== undefined) return text("Hello, stranger");
    if (reply !== undefined) return text(`Hello, ${String((reply as { name: string }).name)}`);
    const name = inputRequired.elicit({ message: "Your name?", requestedSchema: form });
    return inputRequired({ inputRequests: { name }, requestState: "round-1" });
  });
  server.registerTool("consult", { description: "Asks a model, folders, and a person" }, (ctx: ServerContext) => {
    const { inputResponses } = ctx.mcpReq;
    const responses = inputResponses as Readonly<Record<string, Readonly<Record<string, unknown>>>> | undefined;
    if (responses?.["name"] !== undefined) return text(JSON.stringify(responses));
    const message = { role: "user" as const, content: { type: "text" as const, text: "Capital of France?" } };
    return inputRequired({
      inputRequests: {
        model: inputRequired.createMessage({ messages: [message], maxTokens: 10 }),
        folders: inputRequired.listRoots(),
        name: inputRequired.elicit({ message: "Your name?", requestedSchema: form }),
      },
    });
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
  server.registerPrompt("greeting", { description: "Greets", argsSchema: z.object({ name }) }, ({ name }) => ({
    messages: [{ role: "user", content: { type: "text", text: `Greet ${name}` } }],
  }));
}
