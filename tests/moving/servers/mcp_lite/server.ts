/** A kitchen with recipes and a pantry: mcp-lite in Hono, with groups, middleware, sessions and tokens. */
import process from "node:process";
import { Hono } from "hono";
import {
  InMemoryClientRequestAdapter,
  InMemorySessionAdapter,
  JSON_RPC_ERROR_CODES,
  type Logger,
  McpServer,
  RpcError,
  StreamableHttpTransport,
} from "mcp-lite";
import { z } from "zod";

interface Recipe {
  title: string;
  minutes: number;
  tags: string[];
}

class OutOfStock extends Error {
  readonly item: string;
  constructor(item: string) {
    super(`There is no ${item} left`);
    this.item = item;
  }
}

const recipes = new Map<string, Recipe>([
  ["soup", { title: "Tomato soup", minutes: 30, tags: ["vegan", "warm"] }],
  ["cake", { title: "Carrot cake", minutes: 75, tags: ["sweet"] }],
  ["curry", { title: "Chickpea curry", minutes: 45, tags: ["vegan", "warm"] }],
]);
const stock = new Map([["flour", 3], ["milk", 0], ["carrots", 7]]);
const counts = { calls: 0 };

const logger: Logger = {
  error: (message, ...rest) => console.error("error", message, ...rest),
  warn: (message, ...rest) => console.error("warn", message, ...rest),
  info: () => {},
  debug: () => {},
};
const schemaAdapter = (schema: unknown) => ({ ...z.toJSONSchema(schema as z.ZodType) });

function say(text: string) {
  return { content: [{ type: "text" as const, text }] };
}

const RecipeSchema = z.object({ title: z.string(), minutes: z.number(), tags: z.array(z.string()) });

const book = new McpServer({ name: "book", version: "1.0.0", schemaAdapter })
  .tool("find", {
    title: "Find recipes",
    description: "Find recipes by tag",
    inputSchema: z.object({ tag: z.string().min(2), limit: z.number().int().max(20).default(5) }),
    outputSchema: z.object({ found: z.array(z.string()) }),
    annotations: { readOnlyHint: true },
    handler: ({ tag, limit }) => {
      const found = [...recipes].filter(([, { tags }]) => tags.includes(tag)).map(([id]) => id).slice(0, limit);
      return { content: [{ type: "text", text: JSON.stringify({ found }) }], structuredContent: { found } };
    },
  })
  .tool("read", {
    description: "Read a recipe",
    inputSchema: z.object({ id: z.string() }),
    outputSchema: RecipeSchema,
    handler: ({ id }) => {
      const recipe = recipes.get(id);
      if (recipe === undefined) throw new RpcError(JSON_RPC_ERROR_CODES.INVALID_PARAMS, `There is no recipe ${id}`);
      return {
        content: [{ type: "text", text: `${recipe.title}, ${recipe.minutes} minutes` }],
        structuredContent: recipe,
      };
    },
  });

book.prompt("suggest", {
  title: "Suggest",
  description: "Suggest a dish",
  arguments: z.object({ guests: z.string().describe("How many"), diet: z.string().optional() }),
  handler: (args: unknown) => {
    const { guests, diet } = args as { guests: string; diet?: string };
    return {
      description: `A dish for ${guests}`,
      messages: [{
        role: "user",
        content: { type: "text", text: `Suggest a dish for ${guests}, ${diet ?? "any diet"}` },
      }],
    };
  },
});

book.prompt("menu", {
  description: "Write a menu",
  arguments: [{ name: "day", description: "Day of the week", required: true }],
  handler: (args: unknown) => ({
    messages: [
      { role: "user", content: { type: "text", text: `Write a menu for ${(args as { day: string }).day}` } },
      { role: "assistant", content: { type: "text", text: "Soup first?" } },
    ],
  }),
});

const pantry = new McpServer({ name: "pantry", version: "1.0.0", schemaAdapter });

pantry.use(async (_ctx, next) => {
  counts.calls++;
  await next();
});

pantry.tool("count", {
  description: "Count the calls of the pantry",
  handler: () => say(String(counts.calls)),
});

pantry.tool("take", {
  description: "Take something",
  inputSchema: z.object({ item: z.string(), amount: z.number().int().min(1) }),
  handler: ({ item, amount }) => {
    const left = stock.get(item);
    if (left === undefined) throw new RpcError(-32050, `There is no shelf for ${item}`, { item });
    if (left < amount) throw new OutOfStock(item);
    if (amount > 100) return { isError: true, content: [{ type: "text", text: "That is too much" }] };
    stock.set(item, left - amount);
    return say(`${left - amount} ${item} left`);
  },
});

pantry.tool("order", {
  description: "Order something",
  inputSchema: {
    type: "object",
    properties: { item: { type: "string" }, amount: { type: "integer", minimum: 1 } },
    required: ["item"],
  },
  handler: (args: { item: string; amount?: number }) => say(`Ordered ${args.amount ?? 1} ${args.item}`),
});

pantry.tool("empty", {
  description: "Throw everything away",
  annotations: { destructiveHint: true },
  _meta: { "example.com/team": "kitchen" },
  handler: async (_args, ctx) => {
    if (!ctx.client.supports("elicitation")) {
      return { isError: true, content: [{ type: "text", text: "Ask a person" }] };
    }
    const answer = await ctx.elicit({
      message: "Throw everything away?",
      schema: z.object({
        sure: z.boolean().describe("It cannot be undone"),
        reason: z.enum(["old", "moving"]).optional(),
      }),
    }, { timeout_ms: 20_000 });
    if (answer.action !== "accept" || answer.content?.sure !== true) return say(`kept: ${answer.action}`);
    return say(`thrown away: ${answer.content.reason ?? "no reason"}`);
  },
});

const server = new McpServer({ name: "kitchen", version: "2.1.0", schemaAdapter, logger })
  .group("book", book)
  .group("pantry", pantry);

server.use(async (ctx, next) => {
  ctx.state["user"] = String(ctx.authInfo?.extra?.["user"] ?? "guest");
  await next();
});

server.onError((error) => {
  if (error instanceof OutOfStock) return { code: -32051, message: error.message, data: { item: error.item } };
});

server.tool("who_am_i", {
  description: "The caller",
  handler: (_args, ctx) => say(`${ctx.state["user"]} ${ctx.authInfo?.scopes.join("+") ?? ""}`),
});

server.tool("session", {
  description: "Whether there is a session",
  handler: (_args, ctx) => say(ctx.session?.id === undefined ? "none" : "one"),
});

server.tool("bake", {
  description: "Bake, with progress",
  inputSchema: z.object({ steps: z.number().int().min(1).max(9) }),
  handler: async ({ steps }, ctx) => {
    for (let step = 1; step <= steps; step++) {
      await ctx.progress?.({ progress: step, total: steps, message: `Step ${step}` });
    }
    return say("baked");
  },
});

server.tool("describe", {
  description: "Describe a dish by the model of the caller",
  inputSchema: z.object({ dish: z.string() }),
  handler: async ({ dish }, ctx) => {
    const result = await ctx.sample({ prompt: `Describe ${dish}`, maxTokens: 40 });
    const { content } = result as { content: { type: string; text?: string } };
    return say(content.text ?? "no text");
  },
});

server.tool("photo", {
  description: "A photo of a dish",
  handler: () => ({
    content: [
      { type: "text", text: "A cake" },
      { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" },
      { type: "resource_link", uri: "kitchen://rules", name: "rules" },
    ],
    _meta: { "example.com/camera": 2 },
  }),
});

server.tool("fail", {
  description: "Fails",
  handler: () => {
    throw new Error("The oven is broken");
  },
});

server.resource(
  "kitchen://rules",
  { name: "Rules", description: "Rules of the kitchen", mimeType: "text/markdown" },
  async (uri) => ({
    contents: [{ type: "text", uri: uri.href, mimeType: "text/markdown", text: "# Rules\n\nWash your hands." }],
  }),
);

server.resource(
  "recipe://{id}",
  { name: "Recipe", mimeType: "application/json" },
  { id: z.string().min(3) },
  async (uri, { id }) => ({
    contents: [{
      type: "text",
      uri: uri.href,
      mimeType: "application/json",
      text: JSON.stringify(readRecipe(String(id), uri.href)),
    }],
  }),
);

function readRecipe(id: string, uri: string): Recipe {
  const recipe = recipes.get(id);
  if (recipe === undefined) throw new RpcError(-32002, `There is no recipe ${id}`, { uri });
  return recipe;
}

const transport = new StreamableHttpTransport({
  sessionAdapter: new InMemorySessionAdapter({ maxEventBufferSize: 512 }),
  clientRequestAdapter: new InMemoryClientRequestAdapter({ defaultTimeoutMs: 30_000 }),
});
const handler = transport.bind(server);

const USERS: Record<string, { token: string; scopes: string[]; extra: Record<string, unknown> }> = {
  ada: { token: "ada", scopes: ["cook", "shop"], extra: { user: "Ada" } },
  eve: { token: "eve", scopes: ["cook"], extra: { user: "Eve" } },
};

const app = new Hono();
app.get("/health", (c) => c.json({ status: "up" }));
app.all("/mcp", async (c) => {
  const token = c.req.header("authorization")?.replace("Bearer ", "") ?? "";
  const authInfo = USERS[token];
  if (authInfo === undefined) return c.json({ error: "unauthorized" }, 401);
  return await handler(c.req.raw, { authInfo });
});

const listener = Bun.serve({ port: Number(process.env["PORT"] ?? 0), hostname: "127.0.0.1", fetch: app.fetch });
console.log(`The kitchen is at http://127.0.0.1:${listener.port}/mcp`);
