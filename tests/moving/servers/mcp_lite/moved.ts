/** The kitchen after `toolwire migrate` and its todos. */
import process from "node:process";
import { Hono } from "hono";
import { z } from "zod";
import { createServer, defineTool, Failure, type Logger, ToolError } from "toolwire";
import { group } from "toolwire/compose";
import { jsonSchema } from "toolwire/json-schema";
import { content, type ContentBlock, definePrompt, defineResource, mcp, mcpSessions } from "toolwire/mcp";

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

function say(text: string) {
  return content.text(text);
}

const RecipeSchema = z.object({ title: z.string(), minutes: z.number(), tags: z.array(z.string()) });

const suggest = definePrompt("suggest")
  .title("Suggest")
  .describe("Suggest a dish")
  .input(z.object({ guests: z.string().describe("How many"), diet: z.string().optional() }))
  .handle(({ guests, diet }) => {
    return {
      description: `A dish for ${guests}`,
      messages: [{
        role: "user",
        content: { type: "text", text: `Suggest a dish for ${guests}, ${diet ?? "any diet"}` },
      }],
    };
  });

const menu = definePrompt("menu")
  .describe("Write a menu")
  .input(z.object({ day: z.string().describe("Day of the week") }))
  .handle((args) => [
    { role: "user", content: { type: "text", text: `Write a menu for ${args.day}` } },
    { role: "assistant", content: { type: "text", text: "Soup first?" } },
  ]);

const book = createServer({
  name: "book",
  version: "1.0.0",
  tools: [
    defineTool("find")
      .title("Find recipes")
      .describe("Find recipes by tag")
      .input(z.object({ tag: z.string().min(2), limit: z.number().int().max(20).default(5) }))
      .output(z.object({ found: z.array(z.string()) }))
      .annotate({ readOnlyHint: true })
      .handle(({ tag, limit }) => {
        const found = [...recipes].filter(([, { tags }]) => tags.includes(tag)).map(([id]) => id).slice(0, limit);
        return { found };
      }),
    defineTool("read")
      .describe("Read a recipe")
      .input(z.object({ id: z.string() }))
      .output(RecipeSchema)
      .render((output) => `${output.title}, ${output.minutes} minutes`)
      .handle(({ id }) => {
        const recipe = recipes.get(id);
        if (recipe === undefined) throw new ToolError("invalid_input", `There is no recipe ${id}`);
        return recipe;
      }),
  ],
  prompts: [suggest, menu],
  timeoutMs: 3_600_000,
  wires: [mcp({ sessions: mcpSessions() })],
});

const count = defineTool("count")
  .describe("Count the calls of the pantry")
  .handle(() => say(String(counts.calls)));

const take = defineTool("take")
  .describe("Take something")
  .input(z.object({ item: z.string(), amount: z.number().int().min(1) }))
  .handle(({ item, amount }) => {
    const left = stock.get(item);
    if (left === undefined) throw new Failure("error_32050", `There is no shelf for ${item}`, { item });
    if (left < amount) throw new OutOfStock(item);
    if (amount > 100) throw new Failure("failed", "That is too much");
    stock.set(item, left - amount);
    return say(`${left - amount} ${item} left`);
  });

const order = defineTool("order")
  .describe("Order something")
  .input(jsonSchema<{ item: string; amount?: number }>({
    type: "object",
    properties: { item: { type: "string" }, amount: { type: "integer", minimum: 1 } },
    required: ["item"],
  }))
  .handle((args: { item: string; amount?: number }) => say(`Ordered ${args.amount ?? 1} ${args.item}`));

const empty = defineTool("empty")
  .describe("Throw everything away")
  .annotate({ destructiveHint: true })
  .meta({ "example.com/team": "kitchen" })
  .handle(async (_args, ctx) => {
    if (!ctx.client.supports("elicitation")) throw new Failure("failed", "Ask a person");
    const answer = await ctx.elicit("question", {
      message: "Throw everything away?",
      schema: z.object({
        sure: z.boolean().describe("It cannot be undone"),
        reason: z.enum(["old", "moving"]).optional(),
      }),
    });
    if (answer.action !== "accept" || answer.content?.sure !== true) return say(`kept: ${answer.action}`);
    return say(`thrown away: ${answer.content.reason ?? "no reason"}`);
  });

const pantry = createServer({
  name: "pantry",
  version: "1.0.0",
  tools: [count, take, order, empty],
  middleware: [async (_ctx, next) => {
    counts.calls++;
    return await next();
  }],
  timeoutMs: 3_600_000,
  wires: [mcp({ sessions: mcpSessions() })],
});

const whoAmI = defineTool("who_am_i")
  .describe("The caller")
  .handle((_args, ctx) => say(`${ctx.state["user"]} ${ctx.principal?.scopes?.join("+") ?? ""}`));

const session = defineTool("session")
  .describe("Whether there is a session")
  .handle((_args, ctx) => say(ctx.sessionId === undefined ? "none" : "one"));

const bake = defineTool("bake")
  .describe("Bake, with progress")
  .input(z.object({ steps: z.number().int().min(1).max(9) }))
  .handle(async ({ steps }, ctx) => {
    for (let step = 1; step <= steps; step++) ctx.progress(step, steps, `Step ${step}`);
    return say("baked");
  });

const describe = defineTool("describe")
  .describe("Describe a dish by the model of the caller")
  .input(z.object({ dish: z.string() }))
  .handle(async ({ dish }, ctx) => {
    const sampleAnswer = await ctx.sample("sample", {
      messages: [{ role: "user", content: { type: "text", text: `Describe ${dish}` } }],
      maxTokens: 40,
    });
    if (sampleAnswer.action !== "accept") throw new Failure("declined", "The caller declined");
    const result = sampleAnswer.content as unknown as {
      readonly content: ContentBlock;
      readonly model: string;
      readonly stopReason?: string;
    };
    const { content } = result as { content: { type: string; text?: string } };
    return say(content.text ?? "no text");
  });

const photo = defineTool("photo")
  .describe("A photo of a dish")
  .handle((_, ctx) => {
    ctx.meta({ "example.com/camera": 2 });
    return [
      { type: "text", text: "A cake" },
      { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" },
      { type: "resource_link", uri: "kitchen://rules", name: "rules" },
    ];
  });

const fail = defineTool("fail")
  .describe("Fails")
  .handle(() => {
    throw new Failure("failed", "The oven is broken");
  });

const rules = defineResource("kitchen://rules")
  .name("Rules")
  .describe("Rules of the kitchen")
  .mimeType("text/markdown")
  .read(async () => "# Rules\n\nWash your hands.");

const recipe = defineResource("recipe://{id}")
  .name("Recipe")
  .mimeType("application/json")
  .read(({ id }, ctx) => {
    ctx.validate(z.string().min(3), id);
    const found = recipes.get(id);
    if (found === undefined) throw new ToolError("resource_not_found", `There is no recipe ${id}`);
    return JSON.stringify(found);
  });

const server = createServer({
  name: "kitchen",
  version: "2.1.0",
  logger,
  tools: [whoAmI, session, bake, describe, photo, fail],
  resources: [rules, recipe],
  parts: [group("book", book), group("pantry", pantry)],
  middleware: [async (ctx, next) => {
    ctx.state["user"] = String(ctx.principal?.claims?.["user"] ?? "guest");
    return await next();
  }],
  onError: (error) => {
    if (error instanceof OutOfStock) return new Failure("error_32051", error.message, { item: error.item });
  },
  timeoutMs: 3_600_000,
  wires: [mcp({ sessions: mcpSessions(), askTimeoutMs: 30_000 })],
});

const USERS: Record<string, { scopes: string[]; extra: { user: string } }> = {
  ada: { scopes: ["cook", "shop"], extra: { user: "Ada" } },
  eve: { scopes: ["cook"], extra: { user: "Eve" } },
};

const app = new Hono();
app.get("/health", (c) => c.json({ status: "up" }));
app.all("/mcp", async (c) => {
  const token = c.req.header("authorization")?.replace("Bearer ", "") ?? "";
  const authInfo = USERS[token];
  if (authInfo === undefined) return c.json({ error: "unauthorized" }, 401);
  const { scopes, extra } = authInfo;
  return await server.fetch(c.req.raw, { principal: { id: token, scopes, claims: extra } });
});

const listener = Bun.serve({ port: Number(process.env["PORT"] ?? 0), hostname: "127.0.0.1", fetch: app.fetch });
console.log(`The kitchen is at http://127.0.0.1:${listener.port}/mcp`);
