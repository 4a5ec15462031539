/** The tool desk after `toolwire migrate` and its todos. */
import express from "express";
import { createServer as createToolwireServer, defineTool, Failure, type ServerOptions, ToolError } from "toolwire";
import { bearer, protectedResourcePage } from "toolwire/auth";
import { jsonSchema } from "toolwire/json-schema";
import { content, type ContentBlock, definePrompt, defineResource, mcp, mcpSessions } from "toolwire/mcp";
import { toNodeHandler } from "toolwire/serve";
import { serveStdio } from "toolwire/stdio";
import process from "node:process";
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
  if (item === undefined) throw new ToolError("invalid_input", `There is no item ${id}`, { details: { id } });
  return item;
}

function say(text: string) {
  return content.text(text);
}

export function createServer(options: Omit<ServerOptions, "tools"> = {}) {
  const findItems = defineTool("find_items")
    .title("Find items")
    .describe("Find items by their name")
    .input(
      z.object({
        query: z.string().min(1).describe("Part of a name"),
        limit: z.number().int().min(1).max(50).default(10),
      }),
    )
    .output(z.object({ items: z.array(z.object({ id: z.string(), name: z.string() })), total: z.number() }))
    .annotate({ readOnlyHint: true, openWorldHint: false })
    .handle(({ query, limit }) => {
      const found = [...items].filter(([, item]) => item.name.toLowerCase().includes(query.toLowerCase()))
        .map(([id, { name }]) => ({ id, name }));
      const structuredContent = { items: found.slice(0, limit), total: found.length };
      return structuredContent;
    });

  const describeItem = defineTool("describe_item")
    .describe("Describe one item")
    .input(z.object({ id: z.string(), days: z.number().int().optional() }))
    .output(z.object({ name: z.string(), price: z.number() }))
    .render((output) => `${output.name} costs ${output.price} a day`)
    .handle(async ({ id }, ctx) => {
      const { name, price } = itemOf(id);
      ctx.log("debug", { described: id });
      return { name, price };
    });

  const greet = defineTool("greet")
    .describe("Greet the caller")
    .input(z.object({ name: z.string() }))
    .handle(async ({ name }) => say(`Hello, ${name}`));

  const openingHours = defineTool("opening_hours")
    .describe("When the desk is open")
    .handle(async () => [{ type: "text", text: "Monday to Friday" }, { type: "text", text: "9 to 17" }]);

  const lend = defineTool("lend")
    .describe("Lend an item")
    .input(z.object({ id: z.string(), to: z.string() }))
    .annotate({ destructiveHint: false })
    .meta({ "example.com/team": "desk" })
    .handle(async ({ id, to }, extra) => {
      const item = itemOf(id);
      if (item.lentTo !== undefined) {
        throw new Failure("failed", `${item.name} is lent to ${item.lentTo}`);
      }
      item.lentTo = to;
      extra.log("info", { lent: id, to }, { logger: "desk" });
      server.notify.resourceUpdated(`items://${id}`);
      return say(`${item.name} is lent to ${to}`);
    });

  const giveBack = defineTool("give_back")
    .describe("Give an item back")
    .input(z.object({ id: z.string() }))
    .handle(({ id }, ctx) => {
      const item = itemOf(id);
      if (item.lentTo === undefined) throw new Failure("failed", `${item.name} is not lent`);
      delete item.lentTo;
      ctx.log("notice", `${item.name} is back`);
      ctx.meta({ "example.com/shelf": 4 });
      return say(`${item.name} is back`);
    });

  const removeItem = defineTool("remove_item")
    .describe("Remove an item")
    .input(z.object({ id: z.string() }))
    .handle(async ({ id }, ctx) => {
      const item = itemOf(id);
      const answer = await ctx.elicit("question", {
        message: `Remove ${item.name}?`,
        schema: jsonSchema<Record<string, any>>({
          type: "object",
          properties: {
            sure: { type: "boolean", title: "Sure", description: "It cannot be undone" },
            reason: { type: "string", enum: ["lost", "broken"], default: "lost" },
          },
          required: ["sure"],
        }),
      });
      if (answer.action !== "accept" || answer.content?.["sure"] !== true) return say("kept");
      return say(`removed: ${answer.content["reason"] ?? "no reason"}`);
    });

  const advertise = defineTool("advertise")
    .describe("Write an advertisement for an item")
    .input(z.object({ id: z.string() }))
    .handle(async ({ id }, ctx) => {
      const sampleAnswer = await ctx.sample("sample", {
        messages: [{ role: "user", content: { type: "text", text: `Advertise ${itemOf(id).name}` } }],
        systemPrompt: "Be brief",
        maxTokens: 50,
      });
      if (sampleAnswer.action !== "accept") throw new Failure("declined", "The caller declined");
      const response = sampleAnswer.content as unknown as {
        readonly content: ContentBlock;
        readonly model: string;
        readonly stopReason?: string;
      };
      return say(response.content.type === "text" ? response.content.text : "no text");
    });

  const sharedFolders = defineTool("shared_folders")
    .describe("Folders that the caller shares")
    .handle(async (_, ctx) => {
      const rootsAnswer = await ctx.roots();
      if (rootsAnswer.action !== "accept") throw new Failure("declined", "The caller declined");
      const { roots } = rootsAnswer.content;
      return say(roots.map((root) => root.uri).join(" "));
    });

  const countStock = defineTool("count_stock")
    .describe("Count the stock")
    .input(z.object({ rounds: z.number().int().min(1).max(5) }))
    .handle(async ({ rounds }, ctx) => {
      for (let round = 1; round <= rounds && !ctx.signal.aborted; round++) {
        ctx.progress(round, rounds, `Round ${round}`);
      }
      return say(`${items.size} items`);
    });

  const photo = defineTool("photo")
    .describe("A photo of an item")
    .input(z.object({ id: z.string() }))
    .handle(async ({ id }) => [
      { type: "text", text: itemOf(id).name },
      { type: "image", data: PIXEL, mimeType: "image/png", annotations: { audience: ["user"], priority: 0.5 } },
      { type: "resource_link", uri: `items://${id}`, name: id, mimeType: "application/json" },
      { type: "resource", resource: { uri: "desk://rules", mimeType: "text/plain", text: "Be careful" } },
      { type: "audio", data: "UklGRg==", mimeType: "audio/wav" },
    ]);

  const whoAmI = defineTool("who_am_i")
    .describe("The caller")
    .handle((_, { principal, metadata }) => {
      return say(`${principal?.id ?? "local"} ${principal?.scopes?.join("+") ?? ""} ${metadata.get("x-desk") ?? "-"}`);
    });

  const session = defineTool("session")
    .describe("Whether there is a session")
    .handle(async (_, ctx) => say(ctx.sessionId === undefined ? "none" : "one"));

  const wait = defineTool("wait")
    .describe("Wait until it is cancelled")
    .handle((_, ctx) =>
      new Promise<ContentBlock>((resolve) => {
        ctx.signal.addEventListener("abort", () => {
          console.error("wait was cancelled");
          resolve(say("cancelled"));
        });
      })
    );

  // Unlocked by each caller that has read the rules.
  const readers = new Set<string | undefined>();
  const sell = defineTool("sell_item")
    .describe("Sell an item")
    .visibleTo((principal) => readers.has(principal?.id))
    .handle(async () => say("sold"));
  const acceptRules = defineTool("accept_rules")
    .describe("Accept the rules")
    .handle(async (_, ctx) => {
      readers.add(ctx.principal?.id);
      server.notify.listChanged("tools");
      return say("You may sell now");
    });

  const rules = defineResource("desk://rules")
    .name("rules")
    .title("Rules")
    .describe("Rules of the desk")
    .mimeType("text/markdown")
    .read(async () => "# Rules\n\nBe careful.");

  const itemResource = defineResource("items://{id}")
    .name("item")
    .title("Item")
    .meta({ "example.com/shelf": 2 })
    .describe("One item")
    .mimeType("application/json")
    .complete({ id: (value) => [...items.keys()].filter((id) => id.startsWith(value)) })
    .list(async () =>
      [...items].map(([id, { name }]) => ({
        variables: { id },
        name,
        title: "Item",
        meta: { "example.com/shelf": 2 },
      }))
    )
    .read(async ({ id }, _ctx, uri) => {
      const item = items.get(String(id));
      if (item === undefined) throw new ToolError("resource_not_found", `There is no item ${id}`, { details: { uri } });
      return JSON.stringify(item);
    });

  const logo = defineResource("desk://logo.png")
    .name("logo")
    .mimeType("image/png")
    .read(async () => ({ blob: PIXEL }));

  const recommend = definePrompt("recommend")
    .title("Recommend")
    .describe("Recommend an item")
    .input(z.object({
      kind: z.string().describe("saw, drill or ladder"),
      budget: z.string().optional(),
    }))
    .complete({ kind: (value) => KINDS.filter((kind) => kind.startsWith(value)) })
    .handle(({ kind, budget }) => ({
      description: `A ${kind} for ${budget}`,
      messages: [{ role: "user", content: { type: "text", text: `Recommend a ${kind} for ${budget}` } }],
    }));

  const review = definePrompt("review")
    .describe("Review the stock")
    .handle(async () => [
      { role: "user", content: { type: "text", text: "Review this:" } },
      {
        role: "user",
        content: { type: "resource", resource: { uri: "desk://rules", mimeType: "text/plain", text: "Be careful" } },
      },
      { role: "assistant", content: { type: "text", text: "It is fine." } },
    ]);

  const server = createToolwireServer({
    name: "tool-desk",
    title: "Tool desk",
    version: "1.4.0",
    websiteUrl: "https://desk.example",
    instructions: "Find an item before you lend it.",
    tools: [
      findItems,
      describeItem,
      greet,
      openingHours,
      lend,
      giveBack,
      removeItem,
      advertise,
      sharedFolders,
      countStock,
      photo,
      whoAmI,
      session,
      wait,
      sell,
      acceptRules,
    ],
    resources: [rules, logo, itemResource],
    prompts: [recommend, review],
    ...options,
    wires: [mcp({ logging: "unnamed", sessions: mcpSessions() }), ...options.wires ?? []],
  });

  return server;
}

async function serveHttp() {
  const app = express();
  const listener = app.listen(Number(process.env["PORT"] ?? 0), "127.0.0.1");
  await new Promise((resolve) => listener.once("listening", resolve));
  const address = listener.address();
  const port = typeof address === "object" ? address?.port : 0;
  const resource = `http://127.0.0.1:${port}/mcp`;

  const tokens: Record<string, string[]> = { ada: ["desk:use", "desk:sell"], bob: ["other"], eve: ["desk:use"] };
  const auth = bearer((token) => {
    const [name = "", state] = token.split("-");
    const scopes = tokens[name];
    if (scopes === undefined || state === "expired") throw new ToolError("unauthenticated", "The token is not known");
    return { id: name, scopes };
  }, { requiredScopes: ["desk:use"] });
  const metadata = protectedResourcePage({
    resource,
    authorizationServers: ["https://login.example/"],
    authorizationServerMetadata: {
      issuer: "https://login.example/",
      authorization_endpoint: "https://login.example/authorize",
      token_endpoint: "https://login.example/token",
      response_types_supported: ["code"],
    },
    scopes: ["desk:use"],
    name: "Tool desk",
  });

  app.get("/health", (_req, res) => void res.json({ status: "up" }));
  app.use(
    toNodeHandler(createServer({ auth, hosts: ["127.0.0.1", "localhost"], wires: [metadata] }), {
      closeWithListener: true,
    }),
  );
  process.on("SIGTERM", () => listener.close(() => process.exit(0)));
  console.log(`The desk is at ${resource}`);
}

if (process.argv.includes("--stdio")) await serveStdio(createServer());
else await serveHttp();
