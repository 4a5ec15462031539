/** What the page of `webmcp_full_test.ts` runs. */
import * as v from "../../../src/entries/schema.ts";
import { createClient, createServer, defineTool, memoryTransport } from "../../../mod.ts";
import { registerWebMcp } from "../../../src/entries/webmcp.ts";

interface PageTool {
  readonly name: string;
  readonly inputSchema?: object;
  readonly annotations: { readonly readOnlyHint: boolean; readonly consequentialHint: boolean };
}

/** The part of WebMCP that agents use, as Chromium has it. */
interface ModelContext {
  getTools(): Promise<PageTool[]>;
  executeTool(tool: PageTool, input: object, options?: { signal: AbortSignal }): Promise<string>;
}

const aborted = Promise.withResolvers<void>();
const add = defineTool("math.add").describe("Add two numbers").input(v.object({ a: v.number(), b: v.number() }))
  .annotate({ readOnlyHint: true }).handle(({ a, b }) => a + b);
const story = defineTool("story").describe("Tell a story").output(v.string()).handle(async function* () {
  yield "Once ";
  yield "upon a time";
});
const film = defineTool("film").describe("Render a film").promise().handle(() => "film.mp4");
const order = defineTool("order.place").describe("Place the order").annotate({ destructiveHint: true })
  .errors({ sold_out: v.object({ left: v.number() }) })
  .handle((_, ctx) => {
    throw ctx.fail("sold_out", "There are none left", { left: 0 });
  });
const broken = defineTool("broken").describe("Fail").handle(() => {
  throw new Error("a secret of the handler");
});
const forever = defineTool("forever").describe("Wait").handle((_, { signal }) => {
  signal.addEventListener("abort", () => aborted.resolve());
  return new Promise<string>(() => {});
});
const greet = defineTool("greet").describe("Greet").handle(async (_, ctx) => {
  const name = await ctx.elicit("name", { message: "Who are you?", schema: v.object({ name: v.string() }) });
  return name.action === "accept" ? `Hello ${String(name.content.name)}` : "Hello";
});
const tools = [add, story, film, order, broken, forever, greet];

async function runInPage(): Promise<Record<string, unknown>> {
  const server = createServer({ tools, logger: false, keys: "k1:thirty-two bytes or more of secret" });
  const client = createClient(memoryTransport(server), {
    onElicitation: () => ({ action: "accept", content: { name: "Ada" } }),
  });
  const context = (document as unknown as { modelContext: ModelContext }).modelContext;
  const registration = await registerWebMcp(client);
  const listed = await context.getTools();
  const call = async (name: string, input: object = {}, options?: { signal: AbortSignal }): Promise<unknown> => {
    const tool = listed.find((one) => one.name === name);
    return tool && await context.executeTool(tool, input, options);
  };
  const sum = listed.find(({ name }) => name === "math.add");
  const found = {
    listed: listed.map(({ name }) => name).sort(),
    names: Object.fromEntries([...registration.names].sort()),
    schema: sum?.inputSchema,
    hints: listed.filter(({ name }) => /math|order/.test(name))
      .map(({ name, annotations }) => [name, annotations.readOnlyHint, annotations.consequentialHint]),
    answers: [await call("math.add", { a: 1, b: 2 }), await call("story"), await call("film"), await call("greet")],
    errors: [await call("math.add", { a: "x", b: 2 }), await call("order.place"), await call("broken")],
  };
  const controller = new AbortController();
  const pending = call("forever", {}, { signal: controller.signal }).catch((error) => error.name);
  controller.abort();
  const abortedName = await pending;
  await aborted.promise;
  const again = await registerWebMcp(client).catch((error) => error.message);
  const afterRefusal = (await context.getTools()).length;
  registration.unregister();
  const afterEnd = await context.getTools();
  const next = await registerWebMcp(server, { select: ({ name }) => name === "story" });
  const selected = (await context.getTools()).map(({ name }) => name);
  next.unregister();
  return { ...found, abortedName, again, afterRefusal, afterEnd, selected };
}

Object.assign(globalThis, { runInPage });
