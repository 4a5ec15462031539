/** A server with a bit of everything, for the tests of MCP. */
import { createServer, defineTool, type Server, type ServerOptions, ToolError } from "../../../../mod.ts";
import * as v from "../../../../src/entries/schema.ts";
import { content, definePrompt, defineResource, mcp, type McpOptions, user } from "../../../../src/entries/mcp.ts";

/** Keys that are the same for all servers of the tests. */
export const KEYS = "k1:a secret that is long enough for all the tests";

const add = defineTool("add")
  .describe("Add two numbers")
  .title("Addition")
  .input(v.object({ a: v.number(), b: v.number() }))
  .output(v.number())
  .annotate({ readOnlyHint: true })
  .meta({ since: "1" })
  .handle(({ a, b }) => a + b);

const pair = defineTool("pair").describe("Give an object").output(v.object({ left: v.number() })).handle(() => ({
  left: 1,
}));

const nothing = defineTool("nothing").describe("Give nothing").handle(() => {});

const text = defineTool("text").describe("Give text").handle(() => "plain");

const blocks = defineTool("blocks").describe("Give content").handle(() => [
  content.text("Look:"),
  content.resourceLink({ uri: "docs://readme", name: "readme" }),
]);

const rendered = defineTool("rendered")
  .describe("Give an object that reads well")
  .output(v.object({ n: v.number() }))
  .render(({ n }) => `The number is ${n}`)
  .handle(() => ({ n: 7 }));

const locked = defineTool("locked")
  .describe("Fail")
  .errors({ locked: v.object({ by: v.string() }) })
  .handle((_, ctx) => {
    throw ctx.fail("locked", "The record is locked", { by: "batch" });
  });

const refusing = defineTool("refusing")
  .describe("Refuse, with any code")
  .input(v.object({ code: v.string() }))
  .handle(({ code }) => {
    throw new ToolError(code as "internal", `Refused: ${code}`, { details: { retry_after_ms: 1_500 } });
  });

const broken = defineTool("broken").describe("Break").handle(() => {
  throw new Error("a secret path");
});

const cyclic = defineTool("cyclic").describe("Give what is no JSON").handle(() => {
  const value: Record<string, unknown> = {};
  value["self"] = value;
  return value;
});

const steps = defineTool("steps").describe("Tell progress, and log").handle(async (_, ctx) => {
  ctx.log("debug", "begun");
  for (let done = 1; done <= 3; done++) {
    ctx.progress(done, 3, `step ${done}`);
    await Promise.resolve();
  }
  ctx.progress(1, 3, "backwards");
  ctx.log("warn", "slow", { ms: 5 });
  return "stepped";
});

const pieces = defineTool("pieces").describe("Give an answer in pieces").partial(v.string()).handle(async function* () {
  yield "one ";
  yield "two";
});

const region = defineTool("region")
  .describe("Take arguments that are repeated in headers")
  .input(v.object({
    region: v.pipe(v.string(), v.metadata({ "x-mcp-header": "Region" })),
    count: v.optional(v.pipe(v.number(), v.integer(), v.metadata({ "x-mcp-header": "Count" }))),
    nested: v.optional(v.object({ flag: v.pipe(v.boolean(), v.metadata({ "x-mcp-header": "Flag" })) })),
  }))
  .handle((args) => args);

/** Asks twice, and for a resource: unchanged for every era. */
const conversation = defineTool("conversation").describe("Ask three things").handle(async (_, ctx) => {
  const name = await ctx.elicit("name", { message: "Who are you?", schema: v.object({ name: v.string() }) });
  if (name.action !== "accept") return `no name: ${name.action}`;
  const color = await ctx.elicit("color", { message: "Which color?", schema: v.object({ color: v.string() }) });
  await ctx.requestMore("credits", { amount: 5, reason: "a color costs 5 credits" });
  return `${name.content.name} likes ${color.action === "accept" ? color.content.color : "nothing"}`;
});

const sampling = defineTool("sampling").describe("Ask the caller's model").handle(async (_, ctx) => {
  const reply = await ctx.sample("model", {
    messages: [{ role: "user", content: { type: "text", text: "Hi" } }],
    maxTokens: 5,
  });
  return reply.action === "accept" ? `${reply.content.model} said something` : reply.action;
});

const rooted = defineTool("rooted").describe("Ask for folders").handle(async (_, ctx) => {
  const reply = await ctx.roots();
  return reply.action === "accept" ? reply.content.roots.map(({ uri }) => uri) : reply.action;
});

const page = defineTool("page").describe("Send the caller to a page").handle(async (_, ctx) => {
  return (await ctx.elicitUrl("login", { message: "Log in", url: "https://example.com/login" })).action;
});

const nestedForm = defineTool("nested_form").describe("Ask with no form").handle((_, ctx) => {
  return ctx.elicit("deep", { message: "Deep?", schema: v.object({ a: v.object({ b: v.string() }) }) });
});

const who = defineTool("who").describe("Tell who calls").handle((_, { client, requestId }) => {
  const kinds = ["elicitation", "url", "sampling", "roots"] as const;
  return {
    name: client.name ?? null,
    can: kinds.filter((kind) => client.supports(kind)),
    requestId: requestId ?? null,
  };
});

/** All tools but those that promise: their presence changes what is listed. */
export const tools = [
  add,
  pair,
  nothing,
  text,
  blocks,
  rendered,
  locked,
  refusing,
  broken,
  cyclic,
  steps,
  pieces,
  region,
  conversation,
  sampling,
  rooted,
  page,
  nestedForm,
  who,
] as const;

const readme = defineResource("docs://readme").mimeType("text/markdown").read(() => "# Hello");

const book = defineResource("books://{id}")
  .complete({ id: (value) => ["1", "12"].filter((id) => id.startsWith(value)) })
  .read(({ id }) => id === "1" ? "Moby Dick" : undefined);

const review = definePrompt("review")
  .describe("Review code")
  .input(v.object({ code: v.string() }))
  .handle(({ code }) => [user(`Review ${code}`)]);

const asking = definePrompt("asking").describe("Ask first").handle(async (_, ctx) => {
  const topic = await ctx.elicit("topic", { message: "Topic?", schema: v.object({ topic: v.string() }) });
  return [user(topic.action === "accept" ? topic.content.topic : topic.action)];
});

/** The server. */
export function createFixture(options: McpOptions = {}, more: Partial<ServerOptions<[]>> = {}): Server {
  return createServer({
    logger: false,
    name: "fixture",
    version: "1.2.3",
    title: "Fixture",
    instructions: "Use it well",
    tools: [...tools],
    resources: [readme, book],
    prompts: [review, asking],
    keys: KEYS,
    wires: [mcp(options)],
    ...more,
  });
}

/** Blocks until `open()` is called. */
export class Gate {
  readonly #opened = Promise.withResolvers<void>();

  /** Resolves when it is open. */
  get passed(): Promise<void> {
    return this.#opened.promise;
  }

  /** Opens it. */
  open(): void {
    this.#opened.resolve();
  }
}
